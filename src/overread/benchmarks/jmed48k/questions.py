"""One question as a paper has it: what it asks, what is shown, its key, and what is odd about it.

Two things may be wrong with a question. Of some nobody can be right or wrong: they were deleted, or
their key names no answer that they ask for. These are not asked, and counted by reason
(`ExamQuestion.exclusion`). Others can be asked though a part is lost or doubled: they are, marked
(`ExamQuestion.flags`), so that results with and without them stand side by side.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from overread.benchmarks.jmed48k.keys import Key, plain_label, read_key
from overread.records import AnswerSpace, Option
from overread.scoring.exam.keys import fit_key
from overread.scoring.exam.kinds import (
    ExamKind,
    answer_space,
    asks_for_all,
    exam_kind,
    names_a_figure,
    stated_count,
)
from overread.scoring.number_answer import as_decimal

__all__ = ["EXCLUSIONS", "FLAGS", "ExamQuestion", "read_question"]

EXCLUSIONS: Final[Mapping[str, str]] = {
    "deleted": "the key says that the question does not count",
    "no-key": "the key is empty",
    "key-off-list": "the key names no options of the question",
    "key-is-no-number": "the question offers no options, and the key is no number",
    "key-count": "the stem asks for another number of options than the key has",
    "alternative-sets": "the key accepts several sets or numbers",
    "no-question": "there is no text, no figure and no option",
}
"""Why a question is not asked: reason → in words."""

FLAGS: Final[Mapping[str, str]] = {
    "several-accepted": "the stem asks for one option and the key names several: each is right",
    "empty-question": "its text is lost: only options or figures are shown",
    "corrupt-text": "a character could not be read when the data set was made",
    "odd-characters": "control characters or invisible ones were taken out",
    "empty-option": "an option has no text",
    "duplicate-options": "two options say the same",
    "odd-labels": "options have no labels of their own, or two have the same",
    "missing-figure": "it is marked as one with figures, and names none",
    "contradicting-flag": "it is marked as text alone, and names figures: they are shown",
    "figure-named": "the text says that something is shown, and there is nothing to show",
}
"""What may be odd about a question that is asked all the same: flag → in words."""

_LONGEST_TEXT: Final = 20_000
_MOST: Final = 20
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\ufff9-\ufffb]"
)
_UNSAFE_IN_ID = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamQuestion:
    """A question as released, read and held against its key."""

    number: str
    section: str
    """``AM``, ``PM``, ``A`` to ``F``; empty where the paper has no sections."""
    text: str
    passage: str
    """What several questions share; empty for a question by itself."""
    options: tuple[Option, ...]
    kind: ExamKind
    count: int | None
    figures: tuple[str, ...]
    """References to the figures of the question, as written, in order."""
    option_figures: tuple[str, ...]
    """Likewise to those that show the options."""
    options_are_drawn: bool
    """Whether the options are in a figure alone."""
    answer: str
    """The key the one way; where there is an exclusion, as released."""
    accepted: tuple[str, ...]
    """Labels of all right options where each is right by itself."""
    exclusion: str | None
    """One of `EXCLUSIONS`, or None."""
    flags: tuple[str, ...]
    """Of `FLAGS`, in their order."""

    @property
    def space(self) -> AnswerSpace:
        """What a reader is asked for."""
        return answer_space(self.kind, self.options, self.count)

    @property
    def asked(self) -> str:
        """The shared passage and the question."""
        return "\n".join(part for part in (self.passage, self.text) if part)

    @property
    def shown(self) -> tuple[str, ...]:
        """References to everything that is shown, in order, each once."""
        return tuple(dict.fromkeys((*self.figures, *self.option_figures)))


def read_question(row: Mapping[str, object]) -> ExamQuestion | None:
    """Read one entry of a paper; None when it has no number.

    Examples
    --------
    >>> row = {"question_number": 12, "section": "AM", "question_text": "どれか。2つ選べ。",
    ...        "options": {"a": "肺炎", "b": "気胸", "c": "肺癌"}, "correct_answer": ["c", "a"],
    ...        "img": {"content_img": [], "answer_img": []}, "text_only": True}
    >>> asked = read_question(row)
    >>> asked.kind, asked.count, asked.answer, asked.exclusion
    ('several', 2, 'ac', None)
    """
    number = _id_part(row.get("question_number"))
    if not number:
        return None
    text, passage = _clean(row.get("question_text")), _clean(row.get("text_reference"))
    figures, drawn = _references(row.get("img"))
    labelled, odd_labels = _labelled(row.get("options"))
    key = read_key(row.get("correct_answer"), [label for label, _ in labelled])
    options, are_drawn = _options(labelled, key, bool(figures or drawn))
    count = stated_count(text) if options else None
    wants_all = bool(options) and count is None and asks_for_all(text)
    kind: ExamKind = "several" if wants_all else exam_kind(options, count)
    answer, accepted, exclusion = _held(key, kind, options, count)
    if not (text or passage or figures or options):
        exclusion = "no-question"
    told = [value for _, value in labelled if value]
    raw = (row.get("question_text"), row.get("text_reference"), row.get("options"))
    found = {
        "several-accepted": len(accepted) > 1,
        "empty-question": not text,
        "corrupt-text": any("\ufffd" in each for each in (text, passage, *told)),
        "odd-characters": _INVISIBLE.search("".join(_strings(raw))) is not None,
        "empty-option": bool(options) and not are_drawn and len(told) < len(options),
        "duplicate-options": len(set(told)) < len(told),
        "odd-labels": odd_labels,
        "missing-figure": row.get("text_only") is False and not figures and not drawn,
        "contradicting-flag": row.get("text_only") is True and bool(figures or drawn),
        "figure-named": row.get("text_only") is not False
        and not figures
        and not drawn
        and names_a_figure(f"{passage}\n{text}"),
    }
    return ExamQuestion(
        number=number,
        section=_id_part(row.get("section")),
        text=text,
        passage=passage,
        options=options,
        kind=kind,
        count=count if kind == "several" else None,
        figures=figures,
        option_figures=drawn,
        options_are_drawn=are_drawn,
        answer=answer,
        accepted=accepted,
        exclusion=exclusion,
        flags=tuple(flag for flag in FLAGS if found[flag]),
    )


def _options(
    labelled: list[tuple[str, str]], key: Key, has_figures: bool
) -> tuple[tuple[Option, ...], bool]:
    """Give the options, and whether they are drawn in a figure alone.

    Where all are empty the figure shows them, if there is one. Without one the question asks for a
    number where its key is a number that is no label.
    """
    if labelled and not any(text for _, text in labelled):
        if has_figures:
            named = (Option(letter=label, text=f"図中の{label}") for label, _ in labelled)
            return tuple(named), True
        labels = {label for label, _ in labelled}
        answers = [each for row in key.answers for each in row]
        if answers and all(each not in labels and as_decimal(each) is not None for each in answers):
            return (), False
    return tuple(Option(letter=label, text=text or None) for label, text in labelled), False


def _held(
    key: Key, kind: ExamKind, options: tuple[Option, ...], count: int | None
) -> tuple[str, tuple[str, ...], str | None]:
    """Hold a key against its question: the answer, all labels accepted, why it cannot be used."""
    if key.is_deleted:
        return key.shown, (), "deleted"
    if not key.answers:
        return key.shown, (), "no-key"
    labels = {option.letter for option in options}
    if kind == "one":
        accepted = tuple(dict.fromkeys(each for row in key.answers for each in row))
        if not set(accepted) <= labels:
            return key.shown, (), "key-off-list"
        if len(key.answers) > 1 and any(len(row) > 1 for row in key.answers):
            return key.shown, (), "alternative-sets"
        return accepted[0], accepted, None
    row, *others = key.answers
    if others:
        return key.shown, (), "alternative-sets"
    if kind == "number":
        is_number = len(row) == 1 and as_decimal(row[0]) is not None
        return (row[0], (), None) if is_number else (key.shown, (), "key-is-no-number")
    answer, problem = fit_key(key.shown, row, answer_space(kind, options, count))
    if problem is None:
        return answer, (), None
    return key.shown, (), "key-count" if set(row) <= labels else "key-off-list"


def _labelled(raw: object) -> tuple[list[tuple[str, str]], bool]:
    """Give labels with texts, and whether labels were missing or doubled."""
    if isinstance(raw, list):
        texts = [_clean(each) for each in cast("list[object]", raw)[:_MOST]]
        return [(str(place), text) for place, text in enumerate(texts, start=1)], bool(texts)
    if not isinstance(raw, dict):
        return [], False
    entries = list(cast("dict[object, object]", raw).items())[:_MOST]
    found: dict[str, str] = {}
    for label, text in entries:
        found.setdefault(plain_label(label), _clean(text))
    return list(found.items()), len(found) < len(entries) or "" in found


def _references(raw: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    fields = cast("dict[str, object]", raw) if isinstance(raw, dict) else {}
    return _paths(fields.get("content_img")), _paths(fields.get("answer_img"))


def _paths(raw: object) -> tuple[str, ...]:
    entries = cast("list[object]", raw)[:_MOST] if isinstance(raw, list) else [raw]
    return tuple(
        dict.fromkeys(each.strip() for each in entries if isinstance(each, str) and each.strip())
    )


def _clean(raw: object) -> str:
    """Take invisible characters out; all else stays as it is, full-width forms among it."""
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return ""
    text = str(raw)[:_LONGEST_TEXT]
    return _INVISIBLE.sub("", text.replace("\r\n", "\n")).strip()


def _strings(raw: object) -> list[str]:
    if isinstance(raw, str):
        return [raw[:_LONGEST_TEXT].replace("\r\n", "\n")]
    if isinstance(raw, dict):
        raw = list(cast("dict[object, object]", raw).values())
    if isinstance(raw, list | tuple):
        return [text for each in cast("list[object]", raw)[:_MOST] for text in _strings(each)]
    return []


def _id_part(raw: object) -> str:
    if isinstance(raw, bool) or not isinstance(raw, str | int):
        return ""
    return _UNSAFE_IN_ID.sub("", unicodedata.normalize("NFKC", str(raw)[:20]))
