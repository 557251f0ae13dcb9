"""The letter that was right most often in the solved questions of another split."""

from __future__ import annotations

from collections import Counter, defaultdict

from overread.contracts import ModelOptions, Query, Renderer, Training
from overread.models.baselines.base import Baseline, NothingToSayError
from overread.records import Option

__all__ = ["Majority"]


class Majority(Baseline):
    """For each task its most frequent right letter; for a task never seen, that of all tasks.

    Only letters that the question offers count; among equally frequent ones the first offered
    wins.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("majority", settings={"by": "task"})
        self._by_task: dict[str, Counter[str]] = {}
        self._overall: Counter[str] = Counter()

    def learn(self, training: Training, render: Renderer) -> None:
        """Count the right letters of the solved questions; those without an answer are left out."""
        by_task: dict[str, Counter[str]] = defaultdict(Counter)
        for item, reference in training.exam:
            if reference.answer is not None and reference.problem is None:
                by_task[item.task][reference.answer] += 1
        self._by_task = dict(by_task)
        self._overall = sum(by_task.values(), Counter[str]())

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the most frequent letter on offer. NothingToSayError without solved questions."""
        letters = [option.letter for option in options]
        for counts in (self._by_task.get(query.item.task, Counter[str]()), self._overall):
            best = max(letters, key=counts.__getitem__)
            if counts[best] > 0:
                return best
        raise NothingToSayError("the release has no solved questions of another split to count")
