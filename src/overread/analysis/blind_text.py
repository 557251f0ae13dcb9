"""Closed questions with a free answer, as an exam for blind policies: its wording and no picture.

"Is there any effusion?" leaves two answers, "which lung?" three; how often each is right is known
to whoever has read other reports. The answers are spelt by the spatial reader, which also scores
them, so a policy gets what its words would get.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_exam import BlindExam, number_labels, unit_of
from overread.analysis.blind_policies import N_FOLDS, BlindRules, answers_alike_credit
from overread.records import Item, Reference, Text
from overread.scoring.spatial.compare import canonical_answer, compare
from overread.scoring.spatial.forms import CLOSED_FORMS, question_classes, question_form

__all__ = ["is_closed", "text_exam"]

_STEM_WORDS: Final = 3
"""Questions that share so many first words are taken to begin alike: "is there any"."""
_MOST_FURTHER_ANSWERS: Final = 12
_FEWEST_USES: Final = 2
_WORD: Final = re.compile(r"\w+")
_Kind: TypeAlias = tuple[str, tuple[str, ...]]
"""Form of a question and the answers that it leaves open."""


@dataclass(slots=True)
class _Column:
    """The answers to one kind of question, each with its place."""

    places: dict[str, int] = field(default_factory=dict[str, int])
    n_classes: int = 0


def is_closed(question: str) -> bool:
    """Tell whether a question can be answered in few ways, by its words."""
    return question_form(question) in CLOSED_FORMS


def text_exam(
    items: Sequence[Item], references: Mapping[str, Reference], *, cluster: str | None
) -> tuple[BlindExam, BlindRules]:
    """Turn closed questions with a free answer into an exam.

    Parameters
    ----------
    items
        Items whose answer space is a `Text` and whose question is closed.
    references
        Item id → reference. One that is missing, has a problem or cannot be read is no usable
        answer: no policy is right there.
    cluster
        Key of `Item.groups` whose items stay in one fold; items without it stand alone.

    Returns
    -------
    exam
        Its columns are the places of answers within each kind of question: the classes that the
        question leaves open, then the commonest other answers ("both lower lobes"). Without any
        answer it has no columns.
    rules
        Always yes, always no, the commonest answer of the form (with hindsight), and the commonest
        answer to questions that begin with the same three words (learned from other patients). Lots
        are drawn among the classes.
    """
    kinds = [_kind(item) for item in items]
    answers = _answers(items, references, kinds)
    columns = _columns(kinds, answers)
    n_columns = max((len(column.places) for column in columns.values()), default=0)
    shape = (len(items), n_columns)
    offered, classes = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    right = np.full(len(items), -1, dtype=np.int64)
    yes, no = np.zeros(shape), np.zeros(shape)
    for row, (kind, answer) in enumerate(zip(kinds, answers, strict=True)):
        column = columns[kind]
        offered[row, : len(column.places)] = True
        classes[row, : column.n_classes or len(column.places)] = True
        if answer is not None:
            right[row] = column.places.get(answer, -1)
        for word, pick in (("yes", yes), ("no", no)):
            if word in column.places:
                pick[row, column.places[word]] = 1.0
    n_classes = classes.sum(axis=1)
    stems = [_WORD.findall(item.question.casefold())[:_STEM_WORDS] for item in items]
    units = [unit_of(item, cluster) for item in items]
    exam = BlindExam(
        ids=tuple(item.id for item in items),
        letters=tuple(f"answer {place + 1}" for place in range(n_columns)),
        offered=offered,
        right=right,
        tasks=number_labels(kinds),
        stems=number_labels((kind, *stem) for kind, stem in zip(kinds, stems, strict=True)),
        twins=number_labels(
            (unit, " ".join(item.question.casefold().split()), answer)
            for unit, item, answer in zip(units, items, answers, strict=True)
        ),
        texts=np.full(shape, -1, dtype=np.int64),
        folds=number_labels(units) % N_FOLDS,
        picks={"always yes": yes, "always no": no},
    )
    rules = BlindRules(
        credits=_text_credits,
        majority="commonest answer of the form",
        has_coin=False,
        drawn_from=classes,
        chances=np.where(n_classes > 0, 1.0 / np.maximum(n_classes, 1), 0.0),
    )
    return exam, rules


def _text_credits(exam: BlindExam, answers: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    rows = np.arange(len(exam.ids))
    by_policy = {
        name: np.where(answers >= 0, pick[rows, answers], 0.0) for name, pick in exam.picks.items()
    }
    learned = "commonest answer to questions that begin alike, learned"
    return by_policy | {learned: answers_alike_credit(exam, answers)}


def _kind(item: Item) -> _Kind:
    space = item.answer_space
    stated = space.classes if isinstance(space, Text) else ()
    return question_form(item.question), stated or question_classes(item.question) or ()


def _answers(
    items: Sequence[Item], references: Mapping[str, Reference], kinds: Sequence[_Kind]
) -> list[str | None]:
    """Spell each reference as one of the question's classes or, where it is none, as read."""
    spelt: dict[tuple[str, str], str | None] = {}
    class_of: dict[tuple[_Kind, str], str] = {}
    answers: list[str | None] = []
    for item, kind in zip(items, kinds, strict=True):
        reference = references.get(item.id)
        if reference is None or reference.problem is not None or reference.answer is None:
            answers.append(None)
            continue
        pair = (item.question, reference.answer)
        if pair not in spelt:
            spelt[pair] = canonical_answer(*pair)
        answer = spelt[pair]
        if answer is not None:
            # Which class it is depends on the kind of question only: one comparison for all alike.
            if (kind, answer) not in class_of:
                class_of[kind, answer] = next(
                    (one for one in kind[1] if compare(*pair, one).value == 1.0), answer
                )
            answer = class_of[kind, answer]
        answers.append(answer)
    return answers


def _columns(kinds: Sequence[_Kind], answers: Sequence[str | None]) -> dict[_Kind, _Column]:
    uses: dict[_Kind, Counter[str]] = {kind: Counter() for kind in kinds}
    for kind, answer in zip(kinds, answers, strict=True):
        if answer is not None and answer not in kind[1]:
            uses[kind][answer] += 1
    columns: dict[_Kind, _Column] = {}
    for kind, counts in uses.items():
        further = [
            answer
            for answer, count in counts.most_common(_MOST_FURTHER_ANSWERS)
            if count >= _FEWEST_USES
        ]
        places = {answer: place for place, answer in enumerate((*kind[1], *further))}
        columns[kind] = _Column(places=places, n_classes=len(kind[1]))
    return columns
