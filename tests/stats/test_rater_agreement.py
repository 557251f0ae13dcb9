"""Known answers: hand calculations, the authors' own examples, statsmodels."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from overread.errors import UsageError
from overread.stats.rater_agreement import (
    Ratings,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)

ALL = (percent_agreement, fleiss_kappa, krippendorff_alpha)


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _table(*cells: tuple[str, str, int]) -> tuple[list[str], list[str]]:
    return (
        [one for one, _, n in cells for _ in range(n)],
        [two for _, two, n in cells for _ in range(n)],
    )


def test_cohen_by_hand() -> None:
    # Agreed 35 of 50 = 0.7; by chance 25/50 × 30/50 + 25/50 × 20/50 = 0.5; (0.7 - 0.5) / 0.5.
    first, second = _table(("y", "y", 20), ("y", "n", 5), ("n", "y", 10), ("n", "n", 15))
    kappa = cohen_kappa(first, second)
    assert kappa.value == pytest.approx(0.4, abs=1e-12)
    assert (kappa.n, kappa.n_left_out, kappa.reason) == (50, 0, None)
    assert percent_agreement([first, second]).value == pytest.approx(0.7)


def test_a_missing_rating_is_no_category() -> None:
    first, second = _table(("y", "y", 20), ("y", "n", 5), ("n", "y", 10), ("n", "n", 15))
    more = cohen_kappa([*first, None, "y", None], [*second, "y", None, None])
    assert more.value == cohen_kappa(first, second).value
    assert (more.n, more.n_left_out) == (50, 3)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=60))
def test_cohen_agrees_with_statsmodels(pairs: list[tuple[str, str]]) -> None:
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    ours = cohen_kappa(first, second)
    used = sorted({*first, *second})
    cells = [[pairs.count((one, two)) for two in used] for one in used]
    if len(used) == 1:
        assert ours.value is None
        return
    theirs = inter_rater.cohens_kappa(np.array(cells), return_results=False)
    assert ours.value == pytest.approx(float(theirs), abs=1e-10)


# Fleiss' own form: 14 raters, 10 items, 5 categories, kappa 0.210
# (the worked table of en.wikipedia.org/wiki/Fleiss'_kappa).
FOURTEEN = (
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
)


def _as_raters(counts: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    rows = [[place for place, n in enumerate(row) for _ in range(n)] for row in counts]
    return [list(column) for column in zip(*rows, strict=True)]


def test_fleiss_on_the_worked_table() -> None:
    kappa = fleiss_kappa(_as_raters(FOURTEEN))
    assert kappa.value == pytest.approx(0.20993, abs=5e-6)
    assert percent_agreement(_as_raters(FOURTEEN)).value == pytest.approx(0.378, abs=5e-4)


@given(
    st.lists(st.tuples(*[st.sampled_from((True, False))] * 3), min_size=1, max_size=40).filter(
        lambda rows: len({one for row in rows for one in row}) == 2
    )
)
def test_fleiss_agrees_with_statsmodels(rows: list[tuple[bool, ...]]) -> None:
    ours = fleiss_kappa([list(column) for column in zip(*rows, strict=True)])
    counts = np.array([[row.count(True), row.count(False)] for row in rows])
    assert ours.value == pytest.approx(float(inter_rater.fleiss_kappa(counts)), abs=1e-10)


def test_fleiss_says_what_becomes_of_items_that_not_all_rated() -> None:
    raters: list[Ratings] = [
        ["a", "a", "b", "b", None],
        ["a", "b", "b", "b", "a"],
        ["a", "a", "b", None, None],
    ]
    whole = fleiss_kappa(raters)
    assert (whole.n, whole.n_left_out) == (3, 2)
    # P_i 1, 1/3, 1: mean 7/9. Shares 5/9 and 4/9: by chance 41/81. (63 - 41) / (81 - 41).
    assert whole.value == pytest.approx(22 / 40)
    every = fleiss_kappa(raters, partial_items="keep")
    assert (every.n, every.n_left_out) == (4, 1)
    # P_i 1, 1/3, 1, 1: mean 5/6. Shares 5/11 and 6/11: by chance 61/121.
    assert every.value == pytest.approx((5 / 6 - 61 / 121) / (60 / 121))


def test_alpha_on_its_authors_examples() -> None:
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): example A, two observers
    # and ten items, 0.095; example C, four observers with gaps, nominal, 0.743.
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([meg, owen]).value == pytest.approx(0.095, abs=5e-4)
    observers: list[Ratings] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    alpha = krippendorff_alpha(observers)
    assert alpha.value == pytest.approx(0.743, abs=5e-4)
    assert (alpha.n, alpha.n_left_out) == (11, 1)


def test_one_category_alone_leaves_a_coefficient_undefined_and_never_0_or_1() -> None:
    same = [True] * 5
    for found in (
        cohen_kappa(same, same),
        fleiss_kappa([same, same, same]),
        krippendorff_alpha([same, same]),
    ):
        assert found.value is None
        assert found.reason is not None
        assert "one category" in found.reason
    assert percent_agreement([same, same]).value == 1.0


def test_nothing_rated_twice_is_undefined() -> None:
    raters: list[Ratings] = [[True, None], [None, False]]
    for statistic in ALL:
        found = statistic(raters)
        assert (found.value, found.n, found.n_left_out) == (None, 0, 2)
        assert found.reason == "no item has two ratings"
    assert percent_agreement([[], []]).value is None


def test_fleiss_tells_pairs_of_ratings_from_ratings_by_all() -> None:
    """Each item has two ratings, and none has three: not the same as no two ratings."""
    raters: list[Ratings] = [[True, None, False], [True, False, None], [None, True, False]]
    found = fleiss_kappa(raters)
    assert (found.value, found.n, found.n_left_out) == (None, 0, 3)
    assert found.reason == "no item was rated by all 3 raters"
    assert fleiss_kappa(raters, partial_items="keep").n == 3
    alone: list[Ratings] = [[True, None], [None, False], [None, None]]
    assert fleiss_kappa(alone, partial_items="keep").reason == "no item has two ratings"


@pytest.mark.parametrize("raters", [[[1, 2]], [[1, 2], [1]]])
def test_raters_that_cannot_be_compared_are_refused(raters: list[list[int]]) -> None:
    for statistic in ALL:
        with pytest.raises(UsageError, match="two or more raters of the same items"):
            statistic(raters)


def test_clusters_of_another_length_are_refused() -> None:
    with pytest.raises(UsageError, match=r"got \(3, 2\), \(3, 2\) and \(2,\)"):
        percent_agreement([[1, 2, None], [1, 2, 3]], clusters=np.array([0, 1]))


def _judges(n_patients: int, rng: np.random.Generator) -> tuple[list[bool], list[bool], list[int]]:
    """Two judges whose agreement hangs together within a patient: 4 questions each."""
    careful = rng.random(n_patients).repeat(4) < 0.5
    first = rng.random(4 * n_patients) < 0.4
    flipped = rng.random(4 * n_patients) < np.where(careful, 0.02, 0.35)
    return first.tolist(), (first ^ flipped).tolist(), np.arange(n_patients).repeat(4).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_patients", "method"), [(12, "bounded cluster jackknife"), (60, "cluster bootstrap")]
)
def test_intervals_of_kappa_cover(n_patients: int, method: str) -> None:
    big = _judges(400_000, _rng(99))
    truth = cohen_kappa(big[0], big[1]).value
    assert truth is not None
    rng, covered, rounds = _rng(5), 0, 300
    for _ in range(rounds):
        first, second, patients = _judges(n_patients, rng)
        found = cohen_kappa(first, second, clusters=np.array(patients), draws=400, rng=rng)
        assert found.method == method
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
    assert 0.91 <= covered / rounds <= 0.985


def test_patients_that_hang_together_widen_the_interval() -> None:
    first, second, patients = _judges(60, _rng(3))
    apart = cohen_kappa(first, second, rng=_rng())
    together = cohen_kappa(first, second, clusters=np.array(patients), rng=_rng())
    assert apart.value == together.value
    assert apart.low is not None
    assert together.low is not None
    assert together.low < apart.low
    assert together == cohen_kappa(first, second, clusters=np.array(patients), rng=_rng())


def test_without_spread_there_is_no_interval_but_a_reason() -> None:
    first, second = ["a", "b"] * 15, ["a", "b"] * 15
    perfect = cohen_kappa(first, second, rng=_rng())
    assert (perfect.value, perfect.low, perfect.method) == (1.0, None, "none")
    assert perfect.reason == "the draws do not vary"
    one = cohen_kappa(["a", "b"], ["a", "a"], clusters=np.zeros(2, np.int64), rng=_rng())
    assert (one.value, one.low, one.reason) == (0.0, None, "one cluster has no spread")
    few = cohen_kappa(["a", "b"] * 3, ["a", "b"] * 3, rng=_rng())
    assert few.reason == "all clusters agree: no variation to resample"
    rare = cohen_kappa(["a", "a", "b"], ["a", "a", "b"], rng=_rng())
    assert rare.reason == "without one of the clusters the statistic is undefined"
    rare = cohen_kappa(["a"] * 29 + ["b"], ["a"] * 29 + ["b"], rng=_rng())
    assert rare.reason == "too few clusters make the statistic defined"


# ------------------------------------------------------------------ released judges

RELEASE = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa" / "llm_eval"


def _released(model: str, judge: str) -> list[dict[str, Any]]:
    path = RELEASE / f"{model}_{judge}.json"
    if not path.is_file():
        pytest.skip(f"no released judge file at {path}")
    return json.loads(path.read_text("utf-8"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("model", "by_row", "by_key"), [("m3d", 0.286, 0.762), ("med3dvlm", 0.087, 0.773)]
)
def test_kappa_of_two_released_judges(
    released_data: Path, model: str, by_row: float, by_key: float
) -> None:
    """Joined by row number the two judges seem to disagree; joined by question they agree."""
    gemini, gpt = _released(model, "gemini2.5_eval_full"), _released(model, "gpt_eval")
    rows = min(len(gemini), len(gpt))
    found = cohen_kappa(
        [row["is_correct"] for row in gemini[:rows]], [row["is_correct"] for row in gpt[:rows]]
    )
    assert found.value == pytest.approx(by_row, abs=5e-4)
    first, second = _by_key(gemini), _by_key(gpt)
    keys = [key for key in second if key in first]
    found = cohen_kappa([first[key] for key in keys], [second[key] for key in keys])
    assert found.value == pytest.approx(by_key, abs=5e-4)


def _by_key(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str, int], bool | None]:
    seen: dict[tuple[str, str, str], int] = {}
    keyed: dict[tuple[str, str, str, int], bool | None] = {}
    for row in rows:
        key = (row["question"], row["answer"], row["prediction"])
        seen[key] = seen.get(key, 0) + 1
        keyed[*key, seen[key]] = row["is_correct"]
    return keyed
