"""What changed between two editions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from overread.audits.carried_answers import carry_over
from overread.audits.editions import changed_items, compare_editions, read_edition
from overread.errors import UsageError
from overread.records import Choice, Media, Part, PlannedItem, PublishedValue, Response, Status
from overread.scoring.choice_scorer import ChoiceScorer

OPTIONS = ("liver", "spleen", "kidney", "colon")


def codes(old: Any, new: Any) -> dict[str, Any]:
    return {one.code: one for one in compare_editions(old, new)}


def changed(exam: Any, one: Any, other: Any) -> tuple[str, ...]:
    found = changed_items(read_edition(exam([one])), read_edition(exam([other])))
    return found[0].changed if found else ()


def test_an_edition_is_like_itself(exam: Any, ask: Any) -> None:
    release = exam([ask(n, n % 4) for n in range(8)])
    assert compare_editions(release, release) == ()


def test_another_answer_is_an_error_and_a_moved_letter_is_none(exam: Any, ask: Any) -> None:
    assert changed(exam, ask(0, 0), ask(0, 1)) == ("answer",)
    assert changed(exam, ask(0, 0), ask(0, 3, options=OPTIONS[::-1])) == ("order of options",)


def test_each_part_of_a_question(exam: Any, ask: Any) -> None:
    item, letter = ask(0, 0)
    media = (Media(paths=("a.png",)),)
    for part, other in {
        "question": replace(item, question="Where?"),
        "picture": replace(item, media=media),
        "prompt": replace(item, prompt=(Part(text="Answer."),)),
        "strata": replace(item, strata={"split": "test", "kind": "other"}),
        "groups": replace(item, groups={"patient": "other"}),
        "split": replace(item, strata={**item.strata, "split": "validation"}),
    }.items():
        assert changed(exam, (item, letter), (other, letter)) == (part,)
    more = replace(item.answer_space, options=item.options[:3])
    assert isinstance(more, Choice)
    assert changed(exam, (item, letter), (replace(item, answer_space=more), letter)) == ("options",)


def test_questions_gone_and_come(exam: Any, ask: Any) -> None:
    found = codes(exam([ask(n, 0) for n in range(5)]), exam([ask(n, 0) for n in range(3, 9)]))
    assert found["question-gone"].count == 3
    assert found["question-come"].count == 4
    assert "old answers cover 2 of 6 questions" in found["question-gone"].effect


def test_published_numbers_that_moved(exam: Any, ask: Any) -> None:
    def number(value: float) -> PublishedValue:
        return PublishedValue(
            metric="accuracy", stratum={}, who="a model", kind="model", value=value, source="paper"
        )

    rows = [ask(0, 0)]
    found = codes(exam(rows, numbers=[number(0.4)]), exam(rows, numbers=[number(0.5)]))
    assert "a model 40.0 → 50.0" in found["changed-published"].evidence


class Scored:
    """An exam that scores letters."""

    def __init__(self, exam: Any) -> None:
        self.exam = exam

    def __getattr__(self, name: str) -> Any:
        return getattr(self.exam, name)

    def scorers(self, profile: Any) -> Any:
        return (ChoiceScorer(profile=profile),)


def run_of(release: Any, texts: dict[str, str]) -> tuple[list[PlannedItem], list[Response]]:
    planned = [
        PlannedItem(
            item=item.id, request_hash=item.id, groups=item.groups, strata=item.strata, chance=0.25
        )
        for item, _ in release.questions
    ]
    given = [
        Response(run="r", item=item, status=Status.OK, text=text, request_hash=item)
        for item, text in texts.items()
    ]
    return planned, given


def test_old_answers_by_the_new_key(exam: Any, ask: Any) -> None:
    old = Scored(exam([ask(n, 0) for n in range(4)]))
    # Kept, another answer, shuffled, gone; a new one comes, and one of another split.
    new = Scored(
        exam(
            [
                ask(0, 0),
                ask(1, 1),
                ask(2, 3, options=OPTIONS[::-1]),
                ask(9, 0),
                ask(10, 0, split="validation"),
            ]
        )
    )
    planned, given = run_of(old, {"q0": "A", "q1": "A", "q2": "A"})  # q3 got no answer
    found = carry_over(planned, given, old, new)  # type: ignore[arg-type]
    assert (found.n_old, found.old) == (4, 0.75)
    assert (found.n_shared, found.old_on_shared) == (3, 1.0)
    assert found.new_on_shared == pytest.approx(1 / 3)
    assert (found.n_asked_otherwise, found.n_new) == (1, 4)


def test_a_run_over_something_else_is_refused(exam: Any, ask: Any) -> None:
    old = Scored(exam([ask(0, 0)]))
    planned, given = run_of(Scored(exam([ask(5, 0)])), {})
    with pytest.raises(UsageError, match="a run over the old edition"):
        carry_over(planned, given, old, old)  # type: ignore[arg-type]


def test_nothing_shared_has_no_score(exam: Any, ask: Any) -> None:
    old, new = Scored(exam([ask(0, 0)])), Scored(exam([ask(5, 0)]))
    planned, given = run_of(old, {"q0": "A"})
    found = carry_over(planned, given, old, new)  # type: ignore[arg-type]
    assert (found.old_on_shared, found.new_on_shared) == (None, None)
