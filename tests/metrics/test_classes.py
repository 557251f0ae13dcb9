"""Macro means and kappa of classes, against hand calculations and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from overread.errors import UsageError
from overread.metrics.classes import (
    class_counts,
    class_kappa,
    macro_f1,
    macro_precision,
    macro_recall,
)

ANSWERS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["a", "b", "c", None])),
    min_size=1,
    max_size=40,
)


def _counts(pairs):
    return class_counts([one for one, _ in pairs], [other for _, other in pairs])


def test_a_constant_answer_has_the_macro_means_of_scikit_learn() -> None:
    # Three classes of 5, 3 and 2 items, all answered with the first: F1 2*5/15, 0, 0.
    _, hits, claims, cases = class_counts([*"aaaaabbbcc"], [*"aaaaaaaaaa"])
    assert macro_f1(hits, claims, cases) == pytest.approx((10 / 15) / 3)
    assert macro_precision(hits, claims, cases) == pytest.approx(0.5 / 3)
    assert macro_recall(hits, claims, cases) == pytest.approx(1 / 3)
    assert class_kappa(hits, claims, cases) == 0.0


def test_a_class_that_is_nowhere_leaves_the_mean() -> None:
    hits, claims, cases = np.array([3, 0]), np.array([3, 0]), np.array([3, 0])
    assert macro_f1(hits, claims, cases) == 1.0
    assert np.isnan(class_kappa(hits, claims, cases))  # one class on both sides


def test_nothing_has_no_value() -> None:
    none = np.zeros(2, dtype=np.int64)
    for measure in (macro_f1, macro_precision, macro_recall, class_kappa):
        assert np.isnan(measure(none, none, none))


def test_a_missing_answer_is_a_case_without_a_claim() -> None:
    classes, hits, claims, cases = class_counts(["a", "b"], ["a", None])
    assert (classes, hits.tolist(), claims.tolist(), cases.tolist()) == (
        ("a", "b"), [1, 0], [1, 0], [1, 1],
    )  # fmt: skip
    assert macro_recall(hits, claims, cases) == 0.5


def test_leading_axes_are_kept() -> None:
    hits = np.array([[3, 1], [0, 2]])
    claims = np.array([[4, 2], [2, 2]])
    cases = np.array([[3, 3], [2, 2]])
    found = macro_f1(hits, claims, cases)
    assert found.shape == (2,)
    assert found[1] == pytest.approx((0 + 1) / 2)


@given(ANSWERS)
def test_kappa_is_that_of_statsmodels(pairs) -> None:
    pairs = [pair for pair in pairs if pair[1] is not None]
    classes, hits, claims, cases = _counts(pairs)
    table = np.zeros((len(classes),) * 2)
    for one, other in pairs:
        table[classes.index(one), classes.index(other)] += 1
    ours = class_kappa(hits, claims, cases)
    if len(pairs) and len(classes) > 1:
        theirs = cohens_kappa(table, return_results=False)
        assert ours == pytest.approx(theirs, nan_ok=True)


@given(ANSWERS, st.permutations(range(3)))
def test_names_and_order_of_classes_do_not_matter(pairs, order) -> None:
    renamed = dict(zip("abc", np.array([*"xyz"])[list(order)], strict=True))
    other = [(renamed[one], None if two is None else renamed[two]) for one, two in pairs[::-1]]
    for measure in (macro_f1, macro_precision, macro_recall, class_kappa):
        one, two = measure(*_counts(pairs)[1:]), measure(*_counts(other)[1:])
        assert one == pytest.approx(two, nan_ok=True)


def test_lists_of_unequal_length_are_refused() -> None:
    with pytest.raises(UsageError, match="one for each of 2 references"):
        class_counts(["a", "b"], ["a"])
