from __future__ import annotations

import pytest

from overread.analysis.judge_agreement import judge_agreement
from overread.records import Status, Vote


def _vote(judge: str, item: str, verdict: bool | None, draw: int = 0) -> Vote:
    return Vote(
        run="run", item=item, draw=draw, profile="honest", judge=judge, judge_hash=judge,
        request_hash=f"{judge}/{item}/{draw}", verdict=verdict,
        status=Status.UNPARSED if verdict is None else Status.OK,
    )  # fmt: skip


def _votes(judge: str, verdicts: str) -> list[Vote]:
    """One letter a question: y, n, ? for a vote that could not be read, - for none."""
    read = {"y": True, "n": False, "?": None}
    return [_vote(judge, str(n), read[one]) for n, one in enumerate(verdicts) if one != "-"]


@pytest.fixture
def planned(make_line):
    return [make_line(str(n), patient=f"p{n // 2}") for n in range(6)]


def test_two_judges_by_hand(planned, plan) -> None:
    # Both: y y, y n, n n, y y; the fifth could not be read, the sixth was not asked of b.
    found = judge_agreement([*_votes("b", "ynny?-"), *_votes("a", "yynyny")], planned, plan)
    assert [(c.judge, c.n_asked, c.n_readable, c.n_yes) for c in found.coverage] == [
        ("a", 6, 6, 4),
        ("b", 5, 4, 2),
    ]
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.percent.n) == ("a", "b", 4)
    assert pair.percent.value == 3 / 4
    # By chance 3/4 × 1/2 + 1/4 × 1/2 = 1/2.
    assert pair.kappa.value == pytest.approx(0.5)
    assert found.percent is not None
    assert found.percent.value == 3 / 4


def test_three_judges_have_coefficients_over_all(planned, plan) -> None:
    votes = [*_votes("a", "yynyny"), *_votes("b", "ynny?-"), *_votes("c", "yynynn")]
    found = judge_agreement(votes, planned, plan)
    assert len(found.pairs) == 3
    assert found.fleiss is not None
    assert found.alpha is not None
    # Items 0, 2, 3 agree wholly, item 1 in one pair of three: (3 + 1/3) / 4; shares 8 and 4 of 12.
    assert found.fleiss.n == 4
    assert found.fleiss.value == pytest.approx((120 - 80) / (144 - 80))
    assert found.alpha.n == 6


def test_one_judge_agrees_with_nobody(planned, plan) -> None:
    found = judge_agreement(_votes("a", "yn"), planned, plan)
    assert (found.pairs, found.percent, found.fleiss, found.alpha) == ((), None, None, None)
    assert judge_agreement([], planned, plan).coverage == ()


def test_a_later_vote_stands_and_unplanned_ones_do_not_count(planned, plan) -> None:
    votes = [_vote("a", "0", None), _vote("a", "0", True), _vote("a", "99", True)]
    (coverage,) = judge_agreement(votes, planned, plan).coverage
    assert (coverage.n_asked, coverage.n_readable) == (1, 1)


def test_equal_votes_give_equal_intervals(planned, plan) -> None:
    votes = [*_votes("a", "yynyny"), *_votes("b", "ynnyyn")]
    assert judge_agreement(votes, planned, plan) == judge_agreement(votes[::-1], planned, plan)


def test_a_judge_of_the_jury_without_a_vote_is_one_of_all(planned, plan) -> None:
    votes = [*_votes("a", "yynyny"), *_votes("b", "ynnyny")]
    found = judge_agreement(votes, planned, plan, jury=["c", "a", "b"])
    assert [(c.judge, c.n_asked) for c in found.coverage] == [("a", 6), ("b", 6), ("c", 0)]
    assert found.fleiss is not None
    assert (found.fleiss.value, found.fleiss.n) == (None, 0)
    assert found.fleiss.reason == "no item was rated by all 3 raters"
    assert found.alpha is not None
    assert found.alpha.n == 6
    assert judge_agreement(votes, planned, plan, jury=["a", "b"]) == judge_agreement(
        votes, planned, plan
    )
