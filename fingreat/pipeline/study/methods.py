"""How a study was done, in sentences made of its configuration and of the manifests of its runs; facts only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from fingreat.analysis.bootstrap import PERCENTILES
from fingreat.inference import parse_spec
from fingreat.inference.registry import writes_text
from fingreat.matching import MIN_OVERLAP
from fingreat.pipeline.extract import ExtractConfig
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.questions import ANSWER_TOKENS, ClassifyConfig
from fingreat.pipeline.study.material import Material
from fingreat.pipeline.study.runs import Outcome, StudyRun
from fingreat.pipeline.years import spoken_years
from fingreat.report.tables import count_of
from fingreat.runs.environment import Code, our_code
from fingreat.schema import SectionStatus

_GUIDES = {
    "none": "the definitions of the relationships",
    "rules": "the definitions of the relationships, border rules",
}

_WITHOUT_PROMPT = {
    "lexicon": "finds weighted cue phrases of the graph file",
    "embed": "takes the relationship whose definition and statements lie nearest to a sentence's embedding",
}
"""Back ends that read the text alone, without prompt or sampling → what they do."""
_READ = {"extract": "chunks", "classify": "a passage without what is around it"}
"""Task → what such a back end reads."""
_SHOWN = 16
"""Characters of a hash in a sentence; the appendix has all of it."""
_MOST_NAMED = 12
"""Runs that a sentence names."""
_MOST_CODES = 3
"""States of the code that a sentence names."""


def methods_of(material: Material) -> tuple[str, ...]:
    """Paragraphs on corpus, graph, both tasks, matching and statistics.

    Raises:
        CorpusError, InputError: corpus or gold cannot be read.
    """
    return tuple(paragraph for make in _PARAGRAPHS if (paragraph := " ".join(make(material))))


def _corpus(material: Material) -> Iterator[str]:
    part = material.config.corpus
    filings = material.corpus.filings()
    years = spoken_years(one.filed.year for one in filings if one.filed)
    dated = f", filed in {years}" if years else ""
    undated = sum(one.filed is None for one in filings)
    known = f" ({undated:,} without a known date of filing)" if undated else ""
    yield f"The corpus holds {count_of(len(filings), 'filing')}{dated}{known}."
    if part.sample is not None:
        sample = part.sample
        yield (
            f"They were drawn from EDGAR's quarterly indexes: {sample.per_year:,} a year of form "
            f"{', '.join(sample.forms)}{'' if sample.alone else ' and its family'}, one a firm and year, in an order "
            f"of hashes (seed {sample.seed}); a filing without the item was replaced by the next of that order."
        )
    statuses = Counter(section.status for section in material.corpus.sections(part.item))
    yield f"Item {part.item} was read in {statuses[SectionStatus.FOUND]:,} of them."


def _graph(material: Material) -> Iterator[str]:
    graph = material.graph
    yield (
        f"Evidence is sought for the graph {graph.name} with {len(graph.nodes)} accounts and {len(graph.edges)} "
        f"relationships between them (SHA-256 {graph.digest[:_SHOWN]}…)."
    )


def _extraction(material: Material) -> Iterator[str]:
    runs = [one.run for one in material.found if one.run.kind == "extract" and one.run.role != "repeat"]
    if not runs:
        return
    tokens = material.config.corpus.tokens
    yield (
        f"Extraction: {_models(runs)} read the texts in chunks of up to {tokens:,} tokens of cl100k_base, the same for "
        "all, which end at the start of a heading, a paragraph, a line or a sentence."
    )
    configs = [run.config for run in runs if isinstance(run.config, ExtractConfig)]
    modes = {config.mode for config in configs}
    if "quote" in modes:
        yield "A model returns the passages it quotes, each with the two ends of a relationship, tags and a period."
    if "span" in modes:
        yield "In span mode a model names numbered sentences and rows, and the passage is cut from the text."
    yield from _asked(runs)
    references = [run for run in runs if run.role == "reference"]
    if references:
        read = {spoken_years(run.years) for run in references}
        only = f", which read the filings that were filed in {', '.join(sorted(read))}" if "" not in read else ""
        yield f"The others are measured against {_names(references)}{only}: runs as well, not the truth."
    yield (
        "Every quote was looked for in its chunk, then in the whole text; it counts as grounded only if each of its "
        "words and figures stands there in order."
    )
    if material.config.study.grounded:
        yield (
            "Extractions that are not grounded were left out of all measures, which say how many there were, but for "
            "what runs took and for their stability between the tasks."
        )
    else:
        yield "Measures are over all extractions, grounded or not, unless they say otherwise."


def _repeats(material: Material) -> Iterator[str]:
    repeats = [one.run for one in material.found if one.run.role == "repeat"]
    if repeats:
        yield (
            f"Noise: {count_of(len(repeats), 'run')} repeated a model's run with another seed and chunks that end "
            "elsewhere, of a budget that is a tenth smaller each time."
        )


def _matching(material: Material) -> Iterator[str]:
    if len(material.extractions("model", "reference", "repeat")) > 1:
        yield (
            "Matching: quotes of two runs in one filing were matched one to one by their words, whatever their "
            f"relationships: pairs with an overlap below {MIN_OVERLAP:.2f} were dropped, and of the others those with "
            "the largest total were taken. Runs are compared on the filings that all of them read."
        )


def _unprompted(material: Material) -> Iterator[str]:
    """What is no language model: what it does, and what it reads."""
    for backend, does in _WITHOUT_PROMPT.items():
        of = [one for one in material.found if parse_spec(one.run.config.model).backend == backend]
        shown = [one for one in of if one.run.role != "repeat"]
        names = _named(dict.fromkeys(one.run.name for one in shown))
        if not names:
            continue
        models = sorted({one.manifest.model.model for one in of if one.manifest and backend == "embed"})
        by = f" ({', '.join(models)})" if models else ""
        kinds = {one.run.kind for one in shown}
        read = " and ".join(what for kind, what in _READ.items() if kind in kinds)
        are = "are no language models: each" if len({one.run.name for one in shown}) > 1 else "is no language model: it"
        yield f"{names} {are} {does}{by}, reads {read}, and uses neither prompt nor sampling."


def _ensemble(material: Material) -> Iterator[str]:
    members = material.config.ensemble.members or tuple(
        one.run.entry.name for one in material.found if one.run.kind == "extract" and one.run.role == "model"
    )
    if len(members) > 1 and material.extractions("reference"):
        yield f"Ensemble: the vote is that of {_named(members)}."


def _classification(material: Material) -> Iterator[str]:
    runs = [one.run for one in material.found if one.run.kind == "classify"]
    if not runs or material.gold is None or material.config.classify is None:
        return
    gold = read_gold(material.gold)
    eligible = [passage for passage in gold if passage.accepted]
    filings = len({passage.filing_id for passage in eligible})
    several = sum(len(passage.accepted) > 1 for passage in eligible)
    yield (
        f"Classification: {_models(runs)} named one relationship for each of {count_of(len(eligible), 'passage')} of "
        f"{count_of(filings, 'filing')}; {several:,} of the passages accept several."
    )
    if left := len(gold) - len(eligible):
        yield f"{count_of(left, 'passage')} with no accepted relationship {'was' if left == 1 else 'were'} left out."
    yield from _shown(material, [run for run in runs if prompted(run)])
    yield from _masked(runs)
    yield from _asked(runs)
    yield "An answer is right if its relationship is one of those accepted; a failed reply is wrong."


def _shown(material: Material, runs: Sequence[StudyRun]) -> Iterator[str]:
    """What was shown with a passage."""
    asked = [(run, run.config) for run in runs if isinstance(run.config, ClassifyConfig)]
    around = [config for _, config in asked if config.context == "auto"]
    bare = [run for run, config in asked if config.context == "none"]
    if around:
        budgets = sorted({config.tokens for config in around})
        yield (
            "A passage was shown with its section, its paragraph or a window around it, within a budget of "
            f"{' or '.join(f'{budget:,}' for budget in budgets)} tokens of cl100k_base for prompt, context, passage "
            f"and {ANSWER_TOKENS} of answer{f'; to {_names(bare)} it was shown alone' if bare else ''}."
        )
        yield from _alone(material)
    elif bare:
        yield "A passage was shown alone, without a word on its filing."


def _masked(runs: Sequence[StudyRun]) -> Iterator[str]:
    """What was taken out of passages and contexts."""
    asked = [(run, run.config) for run in runs if isinstance(run.config, ClassifyConfig)]
    for mask in dict.fromkeys(config.mask for _, config in asked if config.mask):
        of = [run for run, config in asked if config.mask == mask]
        to = "" if len(of) == len(asked) else f" for {_names(of)}"
        yield f"{' and '.join(mask).capitalize()} were taken out of what was shown{to}."


def _alone(material: Material) -> Iterator[str]:
    """How many passages were shown without a context, at the most, though one was sought."""
    found = [
        one.manifest.counts.get("contexts", {}).get("none", 0)
        for one in material.found
        if one.manifest and isinstance(one.run.config, ClassifyConfig) and prompted(one.run)
        if one.run.config.context == "auto"
    ]
    if most := max(found, default=0):
        yield (
            f"Of a run, {'' if min(found) == most else 'up to '}{count_of(most, 'passage')} stood alone, most for not "
            "being in their filing's text just once."
        )


def _statistics(material: Material) -> Iterator[str]:
    study, (low, high) = material.config.study, PERCENTILES
    yield (
        f"Statistics: {high - low:.0f}% intervals are from {study.replicates:,} draws of whole filings with "
        f"replacement (seed {study.seed}), the same draws for all that is measured on the same filings; shares are "
        f"ratios of sums. Categories are those of grouping '{study.grouping}'."
    )
    if len(material.classifications) > 1:
        yield (
            "Differences of accuracy are of the same passages, their standard errors cluster filings, and their p "
            "values are corrected for all pairs by Holm's procedure."
        )


def _software(material: Material) -> Iterator[str]:
    code = our_code()
    commit = f", {_commit(code)}" if code.commit else ""
    yield f"It was measured with fingreat {code.version}{commit}. Prompts, settings and hashes are in the appendices."
    manifests = [one.manifest for one in material.found if one.manifest]
    # A run that was stopped may have gone on with other code.
    counted = Counter(made for one in manifests for made in {one.code, *(session.code for session in one.earlier)})
    used = sorted(counted.items(), key=lambda one: (-one[1], _version(one[0])))
    if len(used) > 1:
        told = [f"{_version(made)} ({count_of(runs, 'run')})" for made, runs in used[:_MOST_CODES]]
        more = f" and {len(used) - _MOST_CODES:,} others" if len(used) > _MOST_CODES else ""
        yield f"Its runs were made with {len(used):,} states of the code: {', '.join(told)}{more}."
    elif used and used[0][0] != code:
        yield f"Its runs were made with {_version(used[0][0])}."


def _version(code: Code) -> str:
    return f"fingreat {code.version}{f', {_commit(code)}' if code.commit else ''}"


def _commit(code: Code) -> str:
    return f"commit {str(code.commit)[:_SHOWN]}{' with uncommitted changes' if code.dirty else ''}"


def _asked(runs: Sequence[StudyRun]) -> Iterator[str]:
    """How runs of one task were asked, where all were asked alike; what differs is in the appendix."""
    runs = [run for run in runs if prompted(run)]
    configs = [run.config for run in runs]
    guides = {config.guide for config in configs}
    if len(guides) == 1:
        example = " and a worked example" if guides == {"rules"} and runs[0].kind == "extract" else ""
        yield f"Prompts have {_GUIDES[guides.pop()]}{example}."
    said = []
    for label, values in (
        ("temperature", {f"{config.temperature:g}" for config in configs}),
        ("seed", {str(config.seed) for config in configs}),
        ("answers of at most", {f"{config.max_tokens:,} tokens" for config in configs}),
    ):
        if len(values) == 1:
            said.append(f"{label} {values.pop()}")
    if said and any(writes_text(parse_spec(config.model)) for config in configs):
        yield f"Language models were asked with {', '.join(said)}, and not to think where they can do without."
    resends = {config.resend for config in configs}
    if len(resends) == 1 and (most := resends.pop()):
        yield f"Damaged replies were asked for again up to {count_of(most, 'time')}, with other sampling."


def prompted(run: StudyRun) -> bool:
    """Whether what a run asked is a prompt; without, it read the texts alone."""
    return parse_spec(run.config.model).backend not in _WITHOUT_PROMPT


def _models(runs: Sequence[StudyRun]) -> str:
    models = len({(run.config.model, run.config.base_url) for run in runs})
    if models == len(runs):
        return f"{count_of(models, 'model')} ({_names(runs)})"
    return f"{count_of(len(runs), 'run')} of {count_of(models, 'model')} ({_names(runs)})"


def _names(runs: Sequence[StudyRun]) -> str:
    return _named([run.name for run in runs])


def _named(names: Collection[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMED else "named in the appendices"


_PARAGRAPHS = (
    _corpus,
    _graph,
    _extraction,
    _repeats,
    _matching,
    _ensemble,
    _classification,
    _unprompted,
    _statistics,
    _software,
)


def lead_of(material: Material) -> tuple[str, ...]:
    """What the study is of, in a paragraph for the head of its page."""
    found: Sequence[Outcome] = material.found
    tasks = {kind: sum(one.run.kind == kind for one in found) for kind in ("extract", "classify")}
    filings = len(material.corpus.filings())
    parts = [
        f"{count_of(tasks['extract'], 'extraction run')} over {count_of(filings, 'filing')}"
        if tasks["extract"]
        else "",
        f"{count_of(tasks['classify'], 'classification run')} of labelled passages" if tasks["classify"] else "",
    ]
    return (f"{' and '.join(part for part in parts if part) or 'No run yet'}.",)
