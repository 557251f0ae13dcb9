from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from overread.contracts import AnalysisPlan, Selection
from overread.records import Choice, Item, Option, Reference
from overread.run.exam_building.blind_check import check_blind


class _Exam:
    """Questions by task, each with and without the box; in a leaking task the right is longest."""

    def __init__(self, fair: int, leaking: int) -> None:
        self._references: dict[str, Reference] = {}
        self._items: list[Item] = []
        rng = np.random.default_rng(5)
        for number in range(fair + leaking):
            right = int(rng.integers(4))
            lengths = rng.permutation([5, 9, 14, 20])
            if number >= fair:
                lengths[[right, int(lengths.argmax())]] = lengths[[int(lengths.argmax()), right]]
            texts = ["".join(rng.choice(list("bcdfgh"), size=n)) for n in lengths]
            for box in ("box", "no-box"):
                self._add(f"{number}/{box}", box, texts, right, is_leak=number >= fair)

    def _add(self, key: str, box: str, texts: list[str], right: int, *, is_leak: bool) -> None:
        task = "img2size" if is_leak else "img2txt"
        options = tuple(Option(letter=a, text=t) for a, t in zip("ABCD", texts, strict=True))
        self._items.append(
            Item(
                id=key,
                benchmark="ct-bench",
                task=task,
                condition=box,
                question="Which?",
                answer_space=Choice(options=options),
                groups={"patient": key.partition("/")[0]},
                strata={"task": task, "box": box},
            )
        )
        self._references[key] = Reference(item=key, answer="ABCD"[right])

    def items(self, selection: Selection) -> Iterator[Item]:
        return iter(self._items if selection.split == "test" else ())

    def reference(self, item: str) -> Reference:
        return self._references[item]

    def plan(self) -> AnalysisPlan:
        return AnalysisPlan(
            strata=((), ("task",)), cells=("task",), headline="accuracy", cluster="patient"
        )


def test_one_task_that_gives_itself_away_keeps_the_exam_from_being_released() -> None:
    # Over all questions 26 of 500 that leak are lost among those that do not.
    (check,) = check_blind(_Exam(474, 26))  # type: ignore[arg-type]
    assert check.value <= check.mark
    (leak,) = [one for one in check.leaks if one.policy == "longest option"]
    assert (leak.split, leak.where, leak.value, leak.n) == ("test", "img2size", 1.0, 52)
    assert set(leak.questions) == {
        f"{n}/{box}" for n in range(474, 500) for box in ("box", "no-box")
    }


def test_a_fair_exam_and_a_handful_of_lucky_questions_leak_nothing() -> None:
    (fair,) = check_blind(_Exam(300, 0))  # type: ignore[arg-type]
    assert fair.leaks == ()
    # Four of four may be luck: of every 256 such tasks one has it.
    (lucky,) = check_blind(_Exam(300, 4))  # type: ignore[arg-type]
    assert lucky.leaks == ()
