"""BERTScore's vectors by a small RoBERTa made here; without torch, what the message says."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from overread.embedding.libraries import import_sentence_transformers
from overread.embedding.word_pieces import HUB_NAME, MODEL_VARIABLE, open_piece_model
from overread.errors import MissingExtraError, UsageError
from overread.metrics.text.bert_score import bert_f1
from overread.records import Item, Reference, Response, Status, Text
from overread.scoring.caption_scorer import CaptionScorer

WITHOUT_TORCH = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None,
    reason="sentence-transformers is installed",
)
TEXTS = [
    "A nodule in the left lung.",
    "Mass in the right kidney, 3.2 cm.",
    "lesion " * 100,
    "",
]


def _row(number: int, caption: str) -> tuple[Item, Reference, Response]:
    item = Item(
        id=f"i{number}",
        benchmark="ct-bench",
        task="caption",
        condition="box",
        question="Describe it.",
        answer_space=Text(),
    )
    response = Response(
        run="r", item=item.id, status=Status.OK, text=caption, request_hash=f"h{number}"
    )
    return item, Reference(item=item.id, answer=TEXTS[0]), response


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODEL_VARIABLE, raising=False)


@WITHOUT_TORCH
def test_without_the_extra_the_message_says_how_to_install_it() -> None:
    with pytest.raises(MissingExtraError, match=r"BERTScore: .* pip install 'overread\[torch\]'"):
        open_piece_model()


def test_importing_the_module_imports_no_torch() -> None:
    code = "import sys, overread.embedding.word_pieces; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.fixture(scope="session")
def small_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a RoBERTa of three layers whose pieces are single bytes, with weights from a seed."""
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("no sentence-transformers: it comes with the extra torch")
    import_sentence_transformers()  # whatever torchvision is beside it
    folder = tmp_path_factory.mktemp("roberta")
    torch, library = importlib.import_module("torch"), importlib.import_module("transformers")
    alphabet = importlib.import_module("tokenizers").pre_tokenizers.ByteLevel.alphabet()
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    vocabulary = {piece: number for number, piece in enumerate([*marks, *sorted(alphabet)])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    tokeniser = library.RobertaTokenizer(
        vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt")
    )
    tokeniser.save_pretrained(folder)
    config = library.RobertaConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=66, pad_token_id=1, bos_token_id=0,
        eos_token_id=2,
    )  # fmt: skip
    torch.manual_seed(0)
    library.RobertaModel(config).eval().save_pretrained(folder)
    return folder


@pytest.mark.torch
class TestSmallModel:
    def test_pieces_are_of_length_one_and_marks_weigh_nothing(self, small_roberta: Path) -> None:
        model = open_piece_model(str(small_roberta))
        assert (model.layer, model.most_pieces) == (3, 64)
        found = model.embed(TEXTS)
        # One piece a byte, a blank before the text, a mark at either end.
        assert [len(each.vectors) for each in found] == [
            len(TEXTS[0]) + 3,
            len(TEXTS[1]) + 3,
            64,
            3,
        ]
        for each in found:
            assert np.linalg.norm(each.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
            assert each.weighs.tolist() == [False, *[True] * (len(each.vectors) - 2), False]

    def test_a_text_is_like_itself_whatever_is_beside_it(self, small_roberta: Path) -> None:
        model = open_piece_model(str(small_roberta))
        assert bert_f1(model.embed(TEXTS[:3]), model.embed(TEXTS[:3])) == pytest.approx(1.0)
        (alone,) = model.embed([TEXTS[0]])
        beside = model.embed(TEXTS)[0]
        assert beside.vectors == pytest.approx(alone.vectors, abs=1e-5)

    def test_it_is_what_the_package_bert_score_gives(self, small_roberta: Path) -> None:
        # Its own steps, written out: hidden states of one text, cosines, best matches, F1.
        library, torch = importlib.import_module("transformers"), importlib.import_module("torch")
        tokeniser = library.AutoTokenizer.from_pretrained(small_roberta)
        network = library.AutoModel.from_pretrained(small_roberta).eval()

        def states(text: str) -> Any:
            ids = tokeniser.encode(" " + text, return_tensors="pt")
            with torch.inference_mode():
                last = network(ids).last_hidden_state[0]
            return last / last.norm(dim=-1, keepdim=True)

        cosines = states(TEXTS[1]) @ states(TEXTS[0]).T
        precision = cosines.max(dim=1).values[1:-1].mean()
        recall = cosines.max(dim=0).values[1:-1].mean()
        expected = float(2 * precision * recall / (precision + recall))
        model = open_piece_model(str(small_roberta))
        found = bert_f1(model.embed([TEXTS[1]]), model.embed([TEXTS[0]]))
        assert found[0] == pytest.approx(expected, abs=1e-5)

    def test_captions_are_scored_by_the_model_that_is_named(
        self, small_roberta: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(MODEL_VARIABLE, str(small_roberta))
        monkeypatch.setattr("overread.scoring.caption_scorer._BERT_PART", 2)
        rows = [_row(n, caption) for n, caption in enumerate([*TEXTS[:2], "", TEXTS[0]])]
        made = CaptionScorer(metric="bertscore_f1").score_all(rows)
        model = open_piece_model()
        likeness = bert_f1(model.embed([TEXTS[1]]), model.embed([TEXTS[0]]))[0]
        values = [each.value for each in made]
        assert values == pytest.approx([1.0, likeness, 0.0, 1.0], abs=1e-5)

    def test_a_folder_without_weights_is_refused_in_words(
        self, small_roberta: Path, tmp_path: Path
    ) -> None:
        with pytest.raises(UsageError, match=HUB_NAME):
            open_piece_model(str(tmp_path))
