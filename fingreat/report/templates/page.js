"use strict";
(() => {
  const root = document.documentElement;
  root.classList.replace("nojs", "js");
  const data = JSON.parse(document.getElementById("data").textContent);
  const layers = data.layers;
  const GOLD = -1;
  const STRENGTH = ["exact", "normalised", "elided"];
  const filing = document.getElementById("filing");
  const panel = document.getElementById("panel");
  const cards = document.getElementById("cards");
  const place = document.getElementById("place");
  const inputs = [...document.querySelectorAll("#controls input")];

  const show = (count) => count.toLocaleString("en");
  const numbers = (text) => (text ? text.split(" ").map(Number) : []);
  let marks = null;
  const allMarks = () => {
    marks ??= [...filing.querySelectorAll("mark")].map((node) => ({
      node, over: numbers(node.dataset.x), opening: numbers(node.dataset.b),
    }));
    return marks;
  };

  // Which layers are shown: each switch names what it turns (run, edge, verdict).
  const off = { run: new Set(), edge: new Set(), verdict: new Set() };
  const shown = (i) => {
    const layer = layers[i];
    if (off.run.has(layer.r) || layer.e.every((edge) => off.edge.has(edge))) return false;
    return layer.r === GOLD || !off.verdict.has(layer.v);
  };

  const classesOf = (over) => {
    const models = over.filter((i) => layers[i].r !== GOLD);
    const classes = [];
    if (models.length) {
      const styles = new Set(models.map((i) => layers[i].s));
      const verdicts = new Set(models.map((i) => layers[i].v));
      classes.push("c" + (styles.size === 1 ? [...styles][0] : "m"));
      classes.push("v-" + STRENGTH.find((v) => verdicts.has(v)));
    }
    if (models.length < over.length) classes.push("g");
    return classes.join(" ") || "off";
  };

  const labelOf = (opening) => {
    const counts = new Map();
    const golden = new Set();
    for (const i of opening) {
      for (const edge of layers[i].e) {
        if (layers[i].r === GOLD) golden.add(edge);
        counts.set(edge, (counts.get(edge) || 0) + (layers[i].r === GOLD ? 0 : 1));
      }
    }
    return [...counts].map(([edge, n]) => (golden.has(edge) ? "◆" : "") + edge + (n > 1 ? " ×" + n : "")).join(" · ");
  };

  const redraw = () => {
    const on = layers.map((_, i) => shown(i));
    for (const mark of allMarks()) {
      mark.node.className = classesOf(mark.over.filter((i) => on[i]));
      const label = labelOf(mark.opening.filter((i) => on[i]));
      if (label) mark.node.dataset.l = label;
      else delete mark.node.dataset.l;
    }
    for (const count of document.querySelectorAll(".fg-count")) {
      const total = data.counts.reduce((sum, run, i) => sum + (off.run.has(i) ? 0 : run[count.dataset.edge] || 0), 0);
      count.textContent = show(total);
    }
    stops = null;
    describe();
  };

  const read = () => {
    for (const set of Object.values(off)) set.clear();
    for (const input of inputs) {
      if (!input.checked) off[input.dataset.kind].add(input.dataset.kind === "run" ? Number(input.value) : input.value);
    }
    redraw();
  };
  for (const input of inputs) input.addEventListener("change", read);
  for (const button of document.querySelectorAll("#controls button[data-set]")) {
    button.addEventListener("click", () => {
      const [kind, state] = button.dataset.set.split(" ");
      for (const input of inputs) if (input.dataset.kind === kind) input.checked = state === "all";
      read();
    });
  }
  // A browser may restore switches on reload; the marks were drawn with all of them on.
  if (inputs.some((input) => !input.checked)) read();

  // Going from passage to passage: a stop is a mark where a shown layer begins.
  let stops = null;
  let current = -1;
  let chosen = null;
  const allStops = () => {
    stops ??= allMarks().filter((mark) => mark.opening.some(shown));
    return stops;
  };
  const describe = () => {
    const count = allStops().length;
    const at = chosen ? allStops().indexOf(chosen) : -1;
    place.textContent = count ? (at < 0 ? show(count) + " places" : show(at + 1) + " of " + show(count)) : "none shown";
  };
  const step = (by) => {
    const list = allStops();
    if (!list.length) return;
    const at = chosen ? list.indexOf(chosen) : -1;
    current = at >= 0 ? at + by : by > 0 ? current + 1 : Math.max(current, 0) - 1;
    current = (current + list.length) % list.length;
    choose(list[current], list[current].opening.filter(shown), true);
  };
  document.getElementById("previous").addEventListener("click", () => step(-1));
  document.getElementById("next").addEventListener("click", () => step(1));

  const element = (tag, text, className) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const card = (i) => {
    const layer = layers[i];
    const article = element("article");
    const heading = element("h4");
    heading.append(element("span", layer.e.join(", "), "id ink" + layer.s));
    article.append(heading, element("div", layer.e.map((edge) => data.edges[edge]).join("; "), "note"));
    const list = element("dl");
    const add = (term, value) => { if (value) list.append(element("dt", term), element("dd", value)); };
    add("Run", layer.r === GOLD ? "gold (" + layer.v + ")" : data.runs[layer.r]);
    if (layer.r !== GOLD) add("Verdict", layer.v);
    add("Tags", (layer.t || []).join(", "));
    add("Period", layer.p);
    for (const [facet, value] of Object.entries(layer.f || {})) add(facet, value);
    add(layer.r === GOLD ? "Passage" : "Chunk", layer.c);
    add("Place", layer.at.map(([start, end]) => show(start) + "–" + show(end)).join(", "));
    if (layer.a) add("Note", "stands in " + layer.at.length + " equal places");
    if (layer.o) add("Note", "stands outside the chunk that was shown");
    article.append(list, element("blockquote", layer.q));
    return article;
  };
  const choose = (mark, which, scroll) => {
    for (const node of filing.querySelectorAll("mark.sel")) node.classList.remove("sel");
    chosen = mark;
    for (const other of allMarks()) if (other.over.some((i) => which.includes(i))) other.node.classList.add("sel");
    cards.replaceChildren(...which.map(card));
    panel.classList.remove("empty");
    if (scroll) mark.node.scrollIntoView({ block: "center" });
    describe();
  };
  filing.addEventListener("click", (event) => {
    const node = event.target.closest("mark");
    if (!node || String(getSelection())) return;
    const mark = allMarks().find((m) => m.node === node);
    const which = mark.over.filter(shown);
    if (which.length) choose(mark, which, false);
  });
  document.getElementById("close").addEventListener("click", () => {
    for (const node of filing.querySelectorAll("mark.sel")) node.classList.remove("sel");
    panel.classList.add("empty");
    cards.replaceChildren();
    chosen = null;
    describe();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-layer]");
    const i = link ? Number(link.dataset.layer) : -1;
    const mark = i >= 0 && allMarks().find((m) => m.opening.includes(i));
    if (mark) {
      event.preventDefault();
      choose(mark, [i], true);
    }
  });

  const controls = document.getElementById("controls");
  if (matchMedia("(max-width: 47rem)").matches) controls.open = false;
})();
