from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.metrics.lesion_matching import (
    LESION_F1,
    LESION_PRECISION,
    LESION_RECALL,
    LESIONS_FOUND,
    LESIONS_INVENTED,
    LESIONS_MISSED,
    LesionMatch,
    LesionRule,
    detection_by_size,
    f_beta,
    match_lesions,
)
from overread.metrics.lesions import LesionOverlap, lesion_overlap


def line(text: str) -> NDArray[np.bool_]:
    return np.array([[letter == "#" for letter in text]])


def table_of(reference: str, prediction: str) -> LesionOverlap:
    return lesion_overlap(line(reference), line(prediction), connectivity=4)


def matched(reference: str, prediction: str, rule: LesionRule) -> LesionMatch:
    return match_lesions(table_of(reference, prediction), rule)


def test_any_overlap_lets_one_prediction_find_several() -> None:
    match = matched("##.##.#.", ".###....", "any overlap")

    assert (match.found, match.missed, match.right, match.invented) == (2, 1, 1, 0)
    assert match.recall == 2 / 3
    assert match.precision == 1.0
    assert match.pairs.tolist() == [[0, 0], [1, 0]]
    assert match.iou.tolist() == [1 / 4, 1 / 4]


def test_an_overlap_of_just_the_threshold_is_too_little() -> None:
    # 2 of 4 voxels shared
    assert matched("###.", ".###", ("iou", 0.5)).found == 0
    assert matched("###.", ".###", ("iou", 0.49)).found == 1


def test_a_threshold_matches_each_lesion_once() -> None:
    match = matched("####.", "#.##.", ("iou", 0.0))

    # of two pieces the larger one is the lesion, the other is invented
    assert match.pairs.tolist() == [[0, 1]]
    assert (match.found, match.missed, match.right, match.invented) == (1, 0, 1, 1)
    assert match.iou.tolist() == [0.5]


def test_the_sum_of_overlaps_decides_who_is_matched() -> None:
    # pairs: (0, A) 3/9; (0, B) 5/12; (1, B) 2/9. Taking the best first leaves (0, B) alone.
    reference = line("#########.###")
    prediction = line("###.########.")
    table = lesion_overlap(reference, prediction, connectivity=4)

    match = match_lesions(table, ("iou", 0.0))

    assert match.pairs.tolist() == [[0, 0], [1, 1]]
    assert match.iou.sum() == pytest.approx(5 / 9, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_no_assignment_sums_to_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reference = rng.random((1, 40)) < 0.7
    prediction = rng.random((1, 40)) < 0.7
    table = lesion_overlap(reference, prediction, connectivity=4)
    iou = np.zeros((table.n_reference, table.n_prediction))
    iou[tuple(table.pairs.T)] = np.where(table.iou > 0.1, table.iou, 0)
    wide = iou if iou.shape[0] <= iou.shape[1] else iou.T

    match = match_lesions(table, ("iou", 0.1))

    # a transport of any sum at all is bounded by the dual; small blocks allow plain search
    best = _best(wide)
    assert match.iou.sum() == pytest.approx(best, abs=1e-12)
    assert len(set(match.pairs[:, 0].tolist())) == len(match.pairs)
    assert len(set(match.pairs[:, 1].tolist())) == len(match.pairs)


def _best(weight: NDArray[np.float64]) -> float:
    """Give the best sum, block by block of rows that share a column, by trying everything."""
    left = set(range(weight.shape[0]))
    total = 0.0
    while left:
        rows, columns = {left.pop()}, set[int]()
        while True:
            columns = set(np.flatnonzero(weight[sorted(rows)].any(axis=0)).tolist())
            more = set(np.flatnonzero(weight[:, sorted(columns)].any(axis=1)).tolist())
            if more <= rows:
                break
            rows |= more
        left -= rows
        block = weight[np.ix_(sorted(rows), sorted(columns))]
        if block.size:
            small = block if block.shape[0] <= block.shape[1] else block.T
            assert small.shape[1] <= 8
            total += max(
                sum(small[i, j] for i, j in enumerate(order))
                for order in permutations(range(small.shape[1]), small.shape[0])
            )
    return total


def test_a_centre_may_match_without_overlap() -> None:
    match = matched("##.##", "..#..", "centre")

    # neither centre of the references, 1 and 4, is predicted; the prediction's is in none
    assert match.found == 0
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.bool_)
    table = lesion_overlap(ring, ~ring, connectivity=4)
    inside = match_lesions(table, "centre")
    assert (inside.found, inside.iou.tolist()) == (1, [0.0])
    assert match_lesions(table, "any overlap").found == 0


def test_a_touch_at_the_rim_is_no_match_of_centres() -> None:
    assert matched("#####....", "....#####", "any overlap").found == 1
    assert matched("#####....", "....#####", "centre").found == 0
    match = matched("#####.", "..####", "centre")
    assert (match.found, match.iou.tolist()) == (1, [0.5])


@pytest.mark.parametrize("rule", ["any overlap", "centre", ("iou", 0.3)])
def test_sides_without_lesions(rule: LesionRule) -> None:
    missed = matched("##.#", "....", rule)
    invented = matched("....", "##.#", rule)
    neither = matched("....", "....", rule)

    assert (missed.found, missed.missed, missed.invented) == (0, 2, 0)
    assert (missed.recall, missed.precision, f_beta(missed)) == (0.0, None, 0.0)
    assert (invented.found, invented.missed, invented.invented) == (0, 0, 2)
    assert (invented.recall, invented.precision, f_beta(invented)) == (None, 0.0, 0.0)
    assert (neither.recall, neither.precision, f_beta(neither)) == (None, None, None)


def test_beta_weighs_recall() -> None:
    match = matched("##.##.##.##", "##.........", "any overlap")  # precision 1, recall 1/4

    assert f_beta(match) == pytest.approx(2 * 0.25 / 1.25, abs=1e-15)
    assert f_beta(match, beta=2) == pytest.approx(5 * 0.25 / (4 + 0.25), abs=1e-15)
    assert f_beta(match, beta=0.5) == pytest.approx(1.25 * 0.25 / (0.25 + 0.25), abs=1e-15)
    assert f_beta(matched("##", "##", "any overlap"), beta=2) == 1.0
    assert f_beta(matched("#..", "..#", "any overlap")) == 0.0


@pytest.mark.parametrize("beta", [0, -1, float("nan"), float("inf")])
def test_a_beta_that_weighs_nothing_is_refused(beta: float) -> None:
    with pytest.raises(UsageError, match="beta: expected a number above 0"):
        f_beta(matched("##", "##", "any overlap"), beta=beta)


@pytest.mark.parametrize(
    "rule", [("iou", 1.0), ("iou", -0.1), ("iou", float("nan")), ("dice", 0.5), "iou", ("iou",)]
)
def test_unknown_rules_are_refused(rule: LesionRule) -> None:
    with pytest.raises(UsageError, match="rule: expected 'any overlap', 'centre' or"):
        matched("##", "##", rule)


def test_large_lesions_are_found_more_often() -> None:
    table = table_of("#.##.####.########", "...#.....#########")
    volume = LesionOverlap(
        connectivity=6,
        reference_voxels=table.reference_voxels,
        prediction_voxels=table.prediction_voxels,
        pairs=table.pairs,
        overlap_voxels=table.overlap_voxels,
        reference_centres=table.reference_centres,
        prediction_centres=table.prediction_centres,
        centre_pairs=table.centre_pairs,
    )
    match = match_lesions(volume, "any overlap")

    classes = detection_by_size(volume, match, spacing_mm=(10, 10, 10), edges_ml=(2, 8))

    # lesions of 1, 2, 4 and 8 ml; those of 2 and 8 are found; an edge belongs to the class above
    assert [(each.low_ml, each.high_ml, each.lesions, each.found) for each in classes] == [
        (0.0, 2.0, 1, 0),
        (2.0, 8.0, 2, 1),
        (8.0, float("inf"), 1, 1),
    ]
    assert [each.recall for each in classes] == [0.0, 0.5, 1.0]
    assert [each.title for each in classes] == ["under 2 ml", "2 to 8 ml", "8 ml and more"]


def test_a_class_without_lesions_has_no_recall() -> None:
    table = lesion_overlap(
        np.zeros((2, 2, 2), dtype=np.bool_), np.ones((2, 2, 2), dtype=np.bool_), connectivity=6
    )
    match = match_lesions(table, "any overlap")

    (only,) = detection_by_size(table, match, spacing_mm=(1, 1, 1), edges_ml=())

    assert (only.lesions, only.found, only.recall, only.title) == (0, 0, None, "any volume")


@pytest.mark.parametrize("edges_ml", [(5, 1), (1, 1), (0, 1), (float("nan"),), (float("inf"),)])
def test_edges_must_ascend(edges_ml: tuple[float, ...]) -> None:
    table = lesion_overlap(
        np.ones((2, 2, 2), dtype=np.bool_), np.ones((2, 2, 2), dtype=np.bool_), connectivity=6
    )

    with pytest.raises(UsageError, match="edges_ml: expected ascending volumes above 0"):
        detection_by_size(
            table, match_lesions(table, "centre"), spacing_mm=(1, 1, 1), edges_ml=edges_ml
        )


def test_counts_do_not_depend_on_numbers_of_lesions() -> None:
    specs = (LESIONS_FOUND, LESIONS_MISSED, LESIONS_INVENTED)
    shares = (LESION_RECALL, LESION_PRECISION, LESION_F1)
    assert all(spec.properties == {"relabelling invariant"} for spec in (*specs, *shares))
    rng = np.random.default_rng(3)
    one, other = rng.random((20, 20)) < 0.4, rng.random((20, 20)) < 0.4

    for rule in ("any overlap", "centre", ("iou", 0.2)):
        here = match_lesions(lesion_overlap(one, other, connectivity=8), rule)
        turned = match_lesions(lesion_overlap(one.T, other.T, connectivity=8), rule)
        assert here.missed == turned.missed or rule == "centre"
        if rule != "centre":
            assert (here.found, here.right, here.invented) == (
                turned.found,
                turned.right,
                turned.invented,
            )
            assert here.iou.sum() == pytest.approx(turned.iou.sum(), abs=1e-12)


def test_thousands_of_lesions_are_matched_in_a_moment() -> None:
    rng = np.random.default_rng(11)
    reference = rng.random((300, 300)) < 0.3
    table = lesion_overlap(reference, np.roll(reference, 1, axis=0), connectivity=8)

    match = match_lesions(table, ("iou", 0.01))

    assert table.n_reference > 2000
    assert 0 < match.found <= table.n_reference
