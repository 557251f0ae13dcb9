"""Doses of one kind draw the same."""

from overread.analysis.perturbed import item_seed


def test_doses_share_their_draws_and_kinds_do_not() -> None:
    assert item_seed(1, "rotation@1", "a") == item_seed(1, "rotation@5-published", "a")
    assert item_seed(1, "rotation@1", "a") != item_seed(1, "scale@1", "a")
    assert item_seed(1, "rotation@1", "a") != item_seed(2, "rotation@1", "a")
    assert item_seed(1, "rotation@1", "a") != item_seed(1, "rotation@1", "b")
