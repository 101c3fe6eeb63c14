"""In span mode a passage is cut from the text, without what the layout put around it."""

from __future__ import annotations

from pathlib import Path

import fingreat
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.runs import RunFolder, read_records
from fingreat.schema import Extraction

FILING = Path(fingreat.__file__).parent / "shipped" / "larkmoor-2001.txt"


def test_the_mark_of_a_table_that_follows_a_sentence_is_no_part_of_its_passage(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([FILING])
    corpus.make_sections("7")
    extract(corpus, ExtractConfig(model="lexicon", mode="span"), tmp_path / "run")
    text = next(corpus.sections("7")).text
    quotes = [x.quote for x in read_records(RunFolder(tmp_path / "run").extractions, Extraction)]
    # The filing is plain text, so its tables stand between fences, and sentences end right before some of them.
    assert any(f"{quote}\n\n```" in text for quote in quotes)
    assert not [quote for quote in quotes if "```" in quote or quote != quote.strip()]
