"""What a study file may say, and how a fault is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from study_builders import STUDY, write_study

from fingreat.errors import InputError
from fingreat.pipeline.study.config import (
    About,
    ClassifySettings,
    CorpusPart,
    ExtractSettings,
    PowerPart,
    SamplePart,
)
from fingreat.pipeline.study.loading import extract_config, load_study
from fingreat.pipeline.study.runs import slots, study_runs

STUDIES = Path(__file__).resolve().parents[2] / "studies"


def test_paths_count_from_the_file_wherever_the_command_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_study(tmp_path / "here")
    monkeypatch.chdir(tmp_path)
    config = load_study(file)
    here = tmp_path / "here"
    assert config.corpus.files == (here / "2010.txt", here / "2015.txt", here / "2020.txt")
    assert config.classify is not None
    assert config.classify.gold == (here / "gold.jsonl",)
    assert config.extract.models[0].model == f"scripted:{here / 'first.jsonl'}"


def test_a_name_that_is_no_file_beside_the_study_stays_a_name(tmp_path: Path) -> None:
    file = write_study(tmp_path, STUDY.replace("scripted:first.jsonl", "vllm:Qwen/Qwen3.6-27B", 1))
    assert load_study(file).extract.models[0].model == "vllm:Qwen/Qwen3.6-27B"


def test_an_entry_has_its_own_settings_over_those_of_all(tmp_path: Path) -> None:
    text = STUDY.replace('guide = "none"', 'guide = "none"\nmax_tokens = 900\ntemperature = 0.5').replace(
        'name = "second"', 'name = "second"\nmax_tokens = 100'
    )
    config = load_study(write_study(tmp_path, text))
    first, second = (extract_config(config, one) for one in config.extract.models)
    assert (first.max_tokens, first.temperature, first.guide) == (900, 0.5, "none")
    assert (second.max_tokens, second.temperature, second.guide) == (100, 0.5, "none")


def test_the_nth_repeat_has_a_seed_n_higher_and_chunks_n_tenths_smaller(tmp_path: Path) -> None:
    text = STUDY.replace("[extract]", "tokens = 1000\n[extract]\nseed = 7").replace("repeats = 1", "repeats = 2")
    config = load_study(write_study(tmp_path, text))
    configs = [extract_config(config, config.extract.models[0], repeat=number) for number in range(3)]
    assert [(one.seed, one.tokens) for one in configs] == [(7, 1000), (8, 900), (9, 800)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('guide = "none"', "gide = 1", r"extract\.gide: is no key here"),
        ('name = "second"', 'name = "second"\ntmp = 1', r"extract\.models\[2\] \('second'\)\.tmp: is no key here"),
        ('title = "A small study"', "", r"study\.title: is missing"),
        ("format = 1", "format = 2", r"format: must be 1; it is 2\."),
        ('name = "second"', 'name = "first"', "two models of one task have the name 'first'"),
        ("replicates = 50", "replicates = 0", r"study\.replicates: .*greater than or equal to 1"),
        ("[power]", "[ensemble]\nmembers = ['third']\n[power]", r"\[ensemble\] names 'third'"),
        ('model = "scripted:cash.jsonl"', 'slot = "a model"\nmodel = "lexicon"', "needs a `model`, or a `slot`"),
        ('model = "scripted:cash.jsonl"', "", "needs a `model`, or a `slot`"),
        (
            'model = "scripted:cash.jsonl"',
            'model = "lexikon"',
            "there is no back end 'lexikon'. Did you mean 'lexicon'",
        ),
        ('files = ["2010.txt", "2015.txt", "2020.txt"]', "", "just one of `files`, `folder` and `sample`"),
        ('"2010,2015"', '"10"', r"'judge'\)\.years: .*'10' has a year without four digits"),
        (
            'name = "first"',
            'name = "../first"',
            r"models\[1\] \('../first'\)\.name: must be letters, digits, '\.', '_' and '-', 80 at most",
        ),
        ('guide = "none"', "temperature = 9", r"extract\.temperature: must be less than or equal to 2; it is 9"),
        (
            'name = "second"',
            'name = "second"\nmax_tokens = 0',
            r"second\.max_tokens: must be greater than or eq",
        ),
        ('name = "second"', 'name = "First"', "have the names 'first' and 'First', which some disks"),
        ('name = "second"', 'name = "first-repeat-1"', "'first-repeat-1', which is that of a repeat of 'first'"),
        ("simulations = 20", "simulatons = 20", r"power\.simulatons: is no key here, but 'simulations' is\."),
        ("simulations = 20", "zzz = 20", r"power\.zzz: is no key here; there are accuracy, differences, "),
        ('guide = "none"', 'guide = "none"\n[[extract.models]]\nname = "empty"\nslot = ""', "slot: must not be empty"),
        ("[extract]", 'item = "99"\n[extract]', r"corpus\.item: '99' is no item of a 10-K"),
        ('title = "A small study"', 'title = "A \\u202e study"', r"study\.title: has a character .* U\+202E"),
        ('title = "A small study"', "title = 3", r"study\.title: must be a text in quotes; it is 3\."),
        ("simulations = 20", "passages = 20", "needs `passages` and `filings` together"),
    ],
)
def test_a_fault_is_told_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = write_study(tmp_path, STUDY.replace(old, new, 1))
    with pytest.raises(InputError, match=message) as caught:
        load_study(file)
    assert caught.value.where == str(file)
    assert caught.value.hint


def test_all_faults_are_told_at_once_each_in_a_line(tmp_path: Path) -> None:
    text = STUDY.replace('guide = "none"', "gide = 1").replace("replicates = 50", "replicates = 0")
    text = text.replace('name = "cash"', 'name = "cash flow"')
    with pytest.raises(InputError) as caught:
        load_study(write_study(tmp_path, text))
    head, *lines = caught.value.message.splitlines()
    assert head == "3 faults:"
    assert [line.split(":")[0] for line in lines] == [
        "  - study.replicates",
        "  - extract.gide",
        "  - classify.models[2] ('cash flow').name",
    ]


def test_what_all_models_share_is_wrong_once(tmp_path: Path) -> None:
    text = STUDY.replace('guide = "none"', 'guide = "none"\ntemperature = 9\nseed = -1', 1)
    with pytest.raises(InputError, match="2 faults:") as caught:
        load_study(write_study(tmp_path, text))
    assert caught.value.message.count("extract.temperature") == 1


def test_what_is_no_toml_or_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no TOML: .*line 2"):
        load_study(write_study(tmp_path, "format = 1\nformat = 1\n"))
    for evil in (f"a = {'[' * 5000}{']' * 5000}", f"format = {'1' * 5000}"):
        with pytest.raises(InputError, match="is no TOML"):
            load_study(write_study(tmp_path, evil))
    with pytest.raises(InputError, match="cannot read the study file"):
        load_study(tmp_path / "other.toml")


def test_the_published_study_is_of_the_published_size() -> None:
    """1,300 filings, five extractors and three references on 300 of them, 34 open and ten proprietary classifiers."""
    config = load_study(STUDIES / "fingreat-2026.toml")
    assert config.corpus.sample is not None
    assert len(config.corpus.sample.years) * config.corpus.sample.per_year == 1300
    assert len(config.extract.models) == 5
    read = [len(reference.years) * config.corpus.sample.per_year for reference in config.extract.references]
    assert read == [300, 300, 300]
    assert len(config.classifiers) == 34 + 10
    proprietary = [one for one in config.classifiers if one.name.startswith(("claude", "gpt", "gemini"))]
    assert len(proprietary) == 10
    assert config.study.seed == 20261010
    assert config.study.replicates == 2000


def test_the_demo_study_names_files_that_are_there_and_has_no_slot() -> None:
    config = load_study(STUDIES / "demo.toml")
    assert config.classify is not None
    assert all(file.is_file() for file in (*config.corpus.files, *config.classify.gold))
    assert slots(config) == []
    names = [run.label for run in study_runs(config, Path("out"))]
    assert names[:4] == ["extract/lexicon", "extract/lexicon-repeat-1", "extract/embed", "extract/embed-repeat-1"]


def test_the_study_file_of_the_docs_is_one(tmp_path: Path) -> None:
    page = (STUDIES.parent / "docs" / "studies.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    config = load_study(write_study(tmp_path, block))
    assert [one.name for one in config.extractors] == ["lexicon", "qwen", "large"]
    # Every key of every table is told of.
    for kind in (About, CorpusPart, SamplePart, ExtractSettings, ClassifySettings, PowerPart):
        for name, field in kind.model_fields.items():
            assert f"`{field.alias or name}`" in page or f"corpus.{name}]`" in page
