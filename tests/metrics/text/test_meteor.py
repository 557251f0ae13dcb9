"""METEOR, by hand on a small WordNet and against NLTK on the real one.

NLTK needs a file ``lexnames`` that Debian's packages lack; for the comparison one is made of the
numbers alone, because no synonym depends on the names.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.metrics.text.meteor import meteor
from overread.metrics.text.wordnet import WordNet

WORDS = ["Lung", "lungs", "lungs.", "the", "node", "knots", "knot", "tumor", "tumour", "neoplasm",
         "stable", "right", "correct", "lie", "lying", "base", "basal", "foot"]  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)

Nltk = Callable[[str, str], float]


@pytest.fixture(scope="module")
def by_nltk(wordnet: WordNet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nltk]:
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.translate.meteor_score import meteor_score

    data = tmp_path_factory.mktemp("nltk-data")
    folder = data / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for path in wordnet.folder.iterdir():
        if path.is_file():
            shutil.copy(path, folder)  # NLTK follows no link out of its folder
    names = folder / "lexnames"
    if not names.exists():
        names.write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(nltk.data, "path", [str(data)])
        warnings.simplefilter("ignore")  # it misses its multilingual companion
        reader = WordNetCorpusReader(str(folder), None)
        yield lambda reference, prediction: meteor_score(
            [reference.lower().split()], prediction.lower().split(), wordnet=reader
        )


def test_one_pair_by_hand(small_wordnet: Path) -> None:
    # "a node lies left" / "the knots lie left": "left" exact, "lies"-"lie" by stem, "node"-"knot"
    # by meaning. 3 of 4 words on both sides, one chunk: P = R = F = 3/4; penalty 0.5 / 27.
    value = meteor(["a node lies left"], ["the knots lie left"], WordNet(small_wordnet))
    assert value[0] == pytest.approx(3 / 4 * (1 - 0.5 / 27))


def test_scattered_matches_are_punished(small_wordnet: Path) -> None:
    # Two of two words match in two chunks: the penalty is 0.5; recall weighs nine times as much.
    wordnet = WordNet(small_wordnet)
    assert meteor(["b a"], ["a b"], wordnet)[0] == pytest.approx(0.5)
    precise, complete = meteor(["a", "a b"], ["a b", "a"], wordnet)
    assert precise == pytest.approx(0.5 * (1 * 0.5) / (0.9 * 1 + 0.1 * 0.5))
    assert complete == pytest.approx(0.5 * (0.5 * 1) / (0.9 * 0.5 + 0.1 * 1))


def test_a_repeated_word_takes_the_last_free_place(small_wordnet: Path) -> None:
    # The last "a" takes the last place, the first one the place before it: one chunk of two.
    value = meteor(["a a"], ["a b a a"], WordNet(small_wordnet))
    assert value[0] == pytest.approx((1 - 0.5 / 8) * 0.5 / (0.9 + 0.1 * 0.5))


def test_nothing_shared_is_zero_and_punctuation_is_part_of_a_word(small_wordnet: Path) -> None:
    assert meteor(["lung.", "x"], ["lung", "y"], WordNet(small_wordnet)).tolist() == [0.0, 0.0]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_digits_are_those_of_nltk(
    wordnet: WordNet, by_nltk: Nltk, pairs: list[tuple[str, str]]
) -> None:
    predictions, references = zip(*pairs, strict=True)
    ours = meteor(predictions, references, wordnet)
    assert ours.tolist() == [by_nltk(reference, prediction) for prediction, reference in pairs]
    assert ((ours >= 0) & (ours < 1)).all()
    loud = meteor([text.upper() for text in predictions], references, wordnet)
    np.testing.assert_array_equal(loud, ours)


def test_an_empty_side_is_refused_and_no_pair_is_fine(small_wordnet: Path) -> None:
    with pytest.raises(UsageError, match="text on both sides"):
        meteor(["a"], [""], WordNet(small_wordnet))
    assert meteor([], [], WordNet(small_wordnet)).shape == (0,)
