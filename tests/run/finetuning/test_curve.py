from __future__ import annotations

import csv
import json

import pytest

from overread.run.finetuning.curve import Curve, CurvePoint, ExamShare


def _share(accuracy):
    return ExamShare(n=10, n_answered=9, accuracy=accuracy, low=None, high=0.5, chance=0.25)


def _point(epoch, box, *, loss=1.5):
    exam = {} if box is None else {"all": _share(0.9 - box), "box": _share(box)}
    return CurvePoint(epoch=epoch, loss=loss, n_pairs=7, n_unreadable=1, exam=exam)


def _curve(*boxes):
    points = [_point(n, box, loss=None if n == 0 else 1.5) for n, box in enumerate(boxes)]
    return Curve(condition="box", points=tuple(points))


def test_the_best_epoch_is_a_trained_one_by_its_own_condition_and_the_earlier_of_equals():
    curve = _curve(0.9, 0.3, 0.4, None, 0.4)
    assert curve.best.epoch == 2
    assert curve.base_was_better
    assert not _curve(0.25, 0.3).base_was_better
    assert _curve(0.3, 0.3).base_was_better


@pytest.mark.parametrize("boxes", [(), (0.3,), (0.3, None)])
def test_nothing_is_best_before_something_was_trained_and_asked(boxes):
    curve = _curve(*boxes)
    assert curve.best is None
    assert not curve.base_was_better


def test_csv_has_a_line_an_epoch_and_empty_cells_where_nothing_was_asked():
    rows = list(csv.DictReader(_curve(0.2, None, 0.5).csv().splitlines()))
    assert [row["epoch"] for row in rows] == ["0", "1", "2"]
    assert [row["loss"] for row in rows] == ["", "1.500000", "1.500000"]
    assert [row["box_accuracy"] for row in rows] == ["0.200000", "", "0.500000"]
    assert [row["box_low"] for row in rows] == ["", "", ""]
    assert [row["best"] for row in rows] == ["0", "0", "1"]
    assert rows[2]["box_n"] == "10"
    assert rows[2]["unreadable"] == "1"


def test_json_gives_the_facts_and_reads_back():
    curve = _curve(0.2, None, 0.5)
    read = json.loads(curve.json({"seed": 3}))
    assert (read["seed"], read["best_epoch"], read["condition"]) == (3, 2, "box")
    assert Curve.of_plain("box", read["points"]) == curve


@pytest.mark.parametrize("plain", [[{}], [{"exam": {"box": {}}}], ["x"], [{"exam": {}, "odd": 1}]])
def test_points_of_another_form_are_refused(plain):
    with pytest.raises((KeyError, TypeError, AttributeError)):
        Curve.of_plain("box", plain)
