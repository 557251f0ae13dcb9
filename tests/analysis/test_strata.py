from __future__ import annotations

from overread.analysis.strata import group_rows, is_within, label_shares, stratum_generator

_ROWS = [
    {"task": "txt2bbox", "box": "box"},
    {"task": "img2txt", "box": "box"},
    {"task": "img2txt", "box": "nobox"},
    {"box": "nobox"},
]


def _as_lists(groups):
    return [(stratum, rows.tolist()) for stratum, rows in groups]


def test_no_keys_is_the_total() -> None:
    assert _as_lists(group_rows(_ROWS, ())) == [({}, [0, 1, 2, 3])]


def test_strata_come_in_order_of_first_appearance() -> None:
    assert _as_lists(group_rows(_ROWS, ("box",))) == [
        ({"box": "box"}, [0, 1]),
        ({"box": "nobox"}, [2, 3]),
    ]


def test_a_row_without_a_key_is_in_no_stratum_of_it() -> None:
    assert _as_lists(group_rows(_ROWS, ("task", "box"))) == [
        ({"task": "txt2bbox", "box": "box"}, [0]),
        ({"task": "img2txt", "box": "box"}, [1]),
        ({"task": "img2txt", "box": "nobox"}, [2]),
    ]


def test_no_rows_have_no_strata() -> None:
    assert group_rows([], ()) == []


def test_generators_differ_by_seed_stratum_and_run_but_not_by_key_order() -> None:
    def first(*arguments) -> float:
        return stratum_generator(*arguments).random()

    stratum = {"task": "img2txt", "box": "box"}
    assert first(1, stratum) == first(1, dict(reversed(stratum.items())))
    others = [first(2, stratum), first(1, {}), first(1, stratum, "a"), first(1, stratum, "b")]
    assert len({first(1, stratum), *others}) == 5


_LABELLED = [
    {"kind": "side; extent", "box": "with"},
    {"kind": "extent", "box": "with"},
    {"kind": "", "box": "with"},
    {"box": "with"},
    {"kind": "extent; extent; ", "box": "without"},
]


def test_a_row_is_in_the_stratum_of_each_of_its_labels() -> None:
    groups = group_rows(_LABELLED, ("kind",), multi_label=("kind",))
    assert _as_lists(groups) == [({"kind": "side"}, [0]), ({"kind": "extent"}, [0, 1, 4])]
    groups = group_rows(_LABELLED, ("kind", "box"), multi_label=("kind",))
    assert [rows for _, rows in _as_lists(groups)] == [[0], [0, 1], [4]]


def test_shares_are_one_over_the_labels() -> None:
    shares = label_shares(_LABELLED, ("kind", "box"), multi_label=("kind",))
    assert shares.tolist() == [0.5, 1.0, 0.0, 0.0, 1.0]
    assert label_shares(_LABELLED, (), multi_label=("kind",)).tolist() == [1.0] * 5


def test_within_asks_for_every_key() -> None:
    only = {"form": ("side", "lobe"), "split": ("test",)}
    assert is_within({"form": "side", "split": "test"}, only)
    assert not is_within({"form": "side", "split": "train"}, only)
    assert not is_within({"form": "side"}, only)
    assert is_within({}, {})
