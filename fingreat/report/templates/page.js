"use strict";
// This runs in the head, so that the first layout already has one filing; the rest waits for the page.
document.documentElement.classList.replace("nojs", "js");
document.addEventListener("DOMContentLoaded", () => {
  const parts = [...document.querySelectorAll(".part")];
  if (!parts.length) return;
  const data = JSON.parse(document.getElementById("data").textContent);
  const layers = data.layers;
  const GOLD = -1;
  const STRENGTH = ["exact", "normalised", "elided"];
  const filings = document.getElementById("parts");
  const panel = document.getElementById("panel");
  const cards = document.getElementById("cards");
  const place = document.getElementById("place");
  const which = document.getElementById("which");
  const differing = document.getElementById("differing");
  const inputs = [...document.querySelectorAll("#controls input[data-kind]")];
  const links = [...document.querySelectorAll("#chooser a[data-filing]")];

  const show = (count) => count.toLocaleString("en");
  const numbers = (text) => (text ? text.split(" ").map(Number) : []);
  const filingOf = (i) => data.first.findLastIndex((first) => first <= i);

  // Which layers are shown: each switch names what it turns (run, edge, verdict).
  const off = { run: new Set(), edge: new Set(), verdict: new Set() };
  let onlyDiffering = false;
  let version = 0;
  const on = (i) => {
    const layer = layers[i];
    if (off.run.has(layer.r) || layer.e.every((edge) => off.edge.has(edge))) return false;
    return layer.r === GOLD || !off.verdict.has(layer.v);
  };
  const differs = (i) => (layers[i].m || []).some(([run, edge]) => !off.run.has(run) && !layers[i].e.includes(edge));

  // One state per filing, made when it is first needed: a report may hold many.
  const states = parts.map(() => null);
  let current = 0;
  let chosen = null;
  const state = (n) => {
    if (states[n]) return states[n];
    const marks = [...parts[n].querySelectorAll("mark")].map((node) => ({
      node, over: numbers(node.dataset.x), opening: numbers(node.dataset.b),
    }));
    // In the file every layer is on; `drawn` is the version of the switches that the marks were drawn with.
    states[n] = { marks, drawn: 0, shown: null, stops: null, byNode: new Map(marks.map((mark) => [mark.node, mark])) };
    measure(states[n]);
    return states[n];
  };
  const measure = (it) => {
    const shown = new Set();
    for (const mark of it.marks) {
      for (const i of mark.over) if (on(i) && (!onlyDiffering || (layers[i].r !== GOLD && differs(i)))) shown.add(i);
    }
    if (onlyDiffering) {
      // Gold stays where it lies over a passage that is shown.
      for (const mark of it.marks) {
        if (mark.over.some((i) => layers[i].r !== GOLD && shown.has(i))) {
          for (const i of mark.over) if (layers[i].r === GOLD && on(i)) shown.add(i);
        }
      }
    }
    it.shown = shown;
    it.stops = it.marks.filter((mark) => mark.opening.some((i) => shown.has(i)));
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

  const draw = (n) => {
    const it = state(n);
    if (it.drawn === version) return;
    measure(it);
    for (const mark of it.marks) {
      const classes = classesOf(mark.over.filter((i) => it.shown.has(i)));
      if (mark.node.className !== classes) mark.node.className = classes;
      const label = labelOf(mark.opening.filter((i) => it.shown.has(i)));
      if (label) {
        if (mark.node.dataset.l !== label) mark.node.dataset.l = label;
      } else delete mark.node.dataset.l;
    }
    it.drawn = version;
  };

  const redraw = () => {
    version += 1;
    draw(current);
    for (const count of document.querySelectorAll("#graph .fg-count")) {
      const total = data.counts.reduce((sum, run, i) => sum + (off.run.has(i) ? 0 : run[count.dataset.edge] || 0), 0);
      count.textContent = show(total);
    }
    if (chosen) select(chosen.mark, chosen.which.filter((i) => state(current).shown.has(i)));
    describe();
  };

  const read = () => {
    for (const set of Object.values(off)) set.clear();
    for (const input of inputs) {
      if (!input.checked) off[input.dataset.kind].add(input.dataset.kind === "run" ? Number(input.value) : input.value);
    }
    onlyDiffering = Boolean(differing && differing.checked);
    redraw();
  };
  for (const input of [...inputs, differing]) if (input) input.addEventListener("change", read);
  for (const button of document.querySelectorAll("#controls button[data-set]")) {
    button.addEventListener("click", () => {
      const [kind, wanted] = button.dataset.set.split(" ");
      for (const input of inputs) if (input.dataset.kind === kind) input.checked = wanted === "all";
      read();
    });
  }

  // One filing at a time: its text, its numbers beside the switches.
  const open = (n) => {
    if (n === current) return;
    close();
    current = n;
    parts.forEach((part, i) => part.classList.toggle("current", i === n));
    for (const link of links) {
      const here = Number(link.dataset.filing) === n;
      link.closest("tr").classList.toggle("current", here);
      if (here) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (which) which.value = String(n);
    const own = layers.slice(data.first[n], n + 1 < data.first.length ? data.first[n + 1] : layers.length);
    const turned = {
      run: (layer, value) => layer.r === Number(value),
      edge: (layer, value) => layer.e.includes(value),
      verdict: (layer, value) => layer.r !== GOLD && layer.v === value,
    };
    for (const input of inputs) {
      const count = own.filter((layer) => turned[input.dataset.kind](layer, input.value)).length;
      input.closest("label").querySelector(".count").textContent = show(count);
    }
    draw(n);
    describe();
  };
  const openFromAddress = () => {
    const n = parts.findIndex((part) => "#" + part.id === location.hash);
    if (n >= 0) {
      open(n);
      parts[n].scrollIntoView();
    }
  };
  addEventListener("hashchange", openFromAddress);
  for (const link of links) link.addEventListener("click", () => open(Number(link.dataset.filing)));
  if (which) {
    which.addEventListener("change", () => {
      open(Number(which.value));
      parts[current].scrollIntoView();
    });
  }
  // On paper all filings follow each other, each with what is switched on; tables of detail only if they are open.
  addEventListener("beforeprint", () => {
    parts.forEach((_, n) => draw(n));
    for (const folded of document.querySelectorAll("details:not(.controls, .more)")) folded.open = true;
  });

  // Going from passage to passage: a stop is a mark where a shown layer begins.
  let stop = -1;
  const describe = () => {
    const { stops } = state(current);
    const at = chosen ? stops.indexOf(chosen.mark) : -1;
    const places = stops.length === 1 ? " place" : " places";
    place.textContent = !stops.length ? "none shown" : at < 0 ? show(stops.length) + places
      : show(at + 1) + " of " + show(stops.length);
  };
  const step = (by) => {
    const { stops, shown } = state(current);
    if (!stops.length) return;
    const at = chosen ? stops.indexOf(chosen.mark) : -1;
    stop = at >= 0 ? at + by : by > 0 ? stop + 1 : Math.max(stop, 0) - 1;
    stop = (stop + stops.length) % stops.length;
    choose(stops[stop], stops[stop].opening.filter((i) => shown.has(i)), true);
  };
  document.getElementById("previous").addEventListener("click", () => step(-1));
  document.getElementById("next").addEventListener("click", () => step(1));

  const element = (tag, text, className) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const edgeName = (edge) => element("span", edge, "id ink" + data.edges[edge][1]);
  const partnersOf = (i) => {
    const layer = layers[i];
    const compared = data.pairs.flatMap(([a, b]) => (a === layer.r ? [b] : b === layer.r ? [a] : []));
    if (!compared.length) return [];
    const list = element("ul", undefined, "partners");
    for (const run of new Set(compared)) {
      const found = (layer.m || []).filter((partner) => partner[0] === run);
      const row = element("li");
      row.append(element("strong", data.runs[run]), ": ");
      if (!found.length) row.append("no match");
      for (const [, edge, overlap, number] of found) {
        const same = layer.e.includes(edge);
        row.append(same ? "same edge" : "other edge ");
        if (!same) row.append(edgeName(edge));
        row.append(", overlap " + overlap + " ");
        if (number === null) row.append("(not in the text)");
        else {
          const link = element("a", "show");
          link.href = "#" + parts[filingOf(number)].id;
          link.dataset.layer = number;
          row.append(link);
        }
      }
      list.append(row);
    }
    return [element("h5", "Same passage in other runs"), list];
  };
  const card = (i) => {
    const layer = layers[i];
    const article = element("article");
    const heading = element("h4");
    layer.e.forEach((edge, k) => heading.append(k ? ", " : "", edgeName(edge)));
    article.append(heading, element("div", layer.e.map((edge) => data.edges[edge][0]).join("; "), "note"));
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
    article.append(list, element("blockquote", layer.q), ...(layer.r === GOLD ? [] : partnersOf(i)));
    return article;
  };
  const select = (mark, layersChosen) => {
    for (const node of filings.querySelectorAll("mark.sel")) node.classList.remove("sel");
    if (!layersChosen.length) return close();
    chosen = { mark, which: layersChosen };
    for (const other of state(current).marks) {
      if (other.over.some((i) => layersChosen.includes(i))) other.node.classList.add("sel");
    }
    cards.replaceChildren(...layersChosen.map(card));
    panel.classList.remove("empty");
  };
  const choose = (mark, layersChosen, scroll) => {
    select(mark, layersChosen);
    if (scroll) mark.node.scrollIntoView({ block: "center" });
    describe();
  };
  const close = () => {
    for (const node of filings.querySelectorAll("mark.sel")) node.classList.remove("sel");
    panel.classList.add("empty");
    cards.replaceChildren(element("p", "Choose a marked passage in the text, or go through them with Previous and Next.", "note"));
    chosen = null;
    stop = -1;
  };
  filings.addEventListener("click", (event) => {
    const node = event.target.closest("mark");
    if (!node || String(getSelection())) return;
    const { byNode, shown } = state(current);
    const mark = byNode.get(node);
    const over = mark ? mark.over.filter((i) => shown.has(i)) : [];
    if (over.length) choose(mark, over, false);
  });
  document.getElementById("close").addEventListener("click", () => {
    close();
    describe();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-layer]");
    if (!link) return;
    const i = Number(link.dataset.layer);
    open(filingOf(i));
    const mark = state(current).marks.find((m) => m.opening.includes(i));
    if (mark) {
      event.preventDefault();
      choose(mark, [i], true);
    }
  });

  const controls = document.getElementById("controls");
  if (matchMedia("(max-width: 47rem)").matches) controls.open = false;
  // A browser may restore switches on reload; the marks were drawn with all of them on.
  if (inputs.some((input) => !input.checked) || (differing && differing.checked)) read();
  else describe();
  openFromAddress();
});
