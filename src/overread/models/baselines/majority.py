"""The answer that was right most often in the solved questions of another split."""

from __future__ import annotations

from collections import Counter, defaultdict

from overread.contracts import ModelOptions, Query, Renderer, Training
from overread.models.baselines.base import Baseline, NothingToSayError
from overread.models.baselines.typical import typical_text
from overread.records import Option, Text
from overread.scoring.spatial.compare import canonical_answer
from overread.scoring.spatial.forms import question_form

__all__ = ["Majority"]

_NOTHING_TO_COUNT = "the release has no solved questions of another split to count"


class Majority(Baseline):
    """For each task its most frequent right letter; for a task never seen, that of all tasks.

    Only letters that the question offers count; among equally frequent ones the first offered
    wins. Where free text is asked for, it is the most frequent answer to closed questions of the
    same form, as the spatial reader reads the solved ones; the first in the alphabet of equals. An
    open question gets the most typical description of the training split (`typical_text`): the
    sentence that a caption writer would always write who looks at no picture.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("majority", settings={"by": "task"})
        self._by_task: dict[str, Counter[str]] = {}
        self._overall: Counter[str] = Counter()
        self._by_form: dict[str, Counter[str]] = {}
        self._description: str | None = None

    def learn(self, training: Training, render: Renderer) -> None:
        """Count the right letters of the solved questions; those without an answer are left out."""
        by_task: dict[str, Counter[str]] = defaultdict(Counter)
        by_form: dict[str, Counter[str]] = defaultdict(Counter)
        for item, reference in training.exam:
            if reference.answer is None or reference.problem is not None:
                continue
            if not isinstance(item.answer_space, Text):
                by_task[item.task][reference.answer] += 1
            elif answer := canonical_answer(item.question, reference.answer):
                by_form[question_form(item.question)][answer] += 1
        described = (case.texts.get("description") for case in training.cases)
        self._description = typical_text([text for text in described if text])
        self._by_task = dict(by_task)
        self._by_form = dict(by_form)
        self._overall = sum(by_task.values(), Counter[str]())

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the most frequent letter on offer. NothingToSayError without solved questions."""
        letters = [option.letter for option in options]
        for counts in (self._by_task.get(query.item.task, Counter[str]()), self._overall):
            best = max(letters, key=counts.__getitem__)
            if counts[best] > 0:
                return best
        raise NothingToSayError(_NOTHING_TO_COUNT)

    def say(self, query: Query) -> str:
        """Give the most frequent answer of the form, or the most typical description.

        NothingToSayError without solved questions of the form and without descriptions.
        """
        counts = self._by_form.get(question_form(query.item.question))
        if not counts and self._description is not None:
            return self._description
        if not counts:
            raise NothingToSayError(_NOTHING_TO_COUNT)
        return min(counts, key=lambda answer: (-counts[answer], answer))
