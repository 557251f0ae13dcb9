"""One question of the exam as it is written: its kind, its options, how many to choose.

The kind comes from the question, never from the key: a number of options to choose stands in the
stem ("2つ選べ"), and a question without options, in the list or in its text, asks for a number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from overread.records import AnswerSpace, Option
from overread.scoring.exam.kinds import (
    ExamKind,
    answer_space,
    exam_kind,
    names_a_figure,
    stated_count,
)

__all__ = ["Question", "read_question"]

_LABELLED = re.compile(r"\s*([A-Za-zア-オ1-9])\s?[.:)、．]\s*(.*?)\s*", re.S)
_INLINE_START = re.compile(r"(?:^|(?<=[\s。]))([a-eA-E])[.:)、]?\s?(?=[^\x00-\x7f])")
_INLINE_LETTERS: Final = "abcde"
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"
_MOST_OPTIONS: Final = 20
_LONGEST_TEXT: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as released, read but not judged."""

    number: str
    text: str
    options: tuple[Option, ...]
    kind: ExamKind
    count: int | None
    has_image: bool
    inline: bool = False
    """Whether the options stand in the question's text, and the list of options is empty."""
    problems: tuple[str, ...] = ()

    @property
    def space(self) -> AnswerSpace:
        """What a reader is asked for."""
        return answer_space(self.kind, self.options, self.count)

    @property
    def names_a_figure(self) -> bool:
        """Whether the text says that something is shown beside it."""
        return names_a_figure(self.text)


def read_question(row: Mapping[str, object]) -> Question | None:
    """Read one entry of a question file; None when it has no number or no text at all.

    An empty text is one: the exam's question is lost, its options are not. So is an option whose
    letter is missing between others: the exam had it, and the key may name it.

    Examples
    --------
    >>> row = {"number": "119A12", "question": "正しいのはどれか。2つ選べ。", "has_image": False,
    ...        "choices": ["a. 肺炎", "b. 気胸", "c.肺癌"]}
    >>> asked = read_question(row)
    >>> asked.kind, asked.count, [option.text for option in asked.options]
    ('several', 2, ['肺炎', '気胸', '肺癌'])
    """
    number, text = row.get("number"), row.get("question")
    if not isinstance(number, str) or not isinstance(text, str) or not number.strip():
        return None
    number = unicodedata.normalize("NFKC", number[:40]).strip()
    text = text[:_LONGEST_TEXT].strip()
    raw = row.get("choices")
    entries = cast("list[object]", raw) if isinstance(raw, list) else []
    options, problems = _options([each for each in entries if isinstance(each, str)])
    inline = False
    if not options:
        options = _inline_options(text)
        inline = bool(options)
    count = stated_count(text)
    kind = exam_kind(options, count)
    return Question(
        number=number,
        text=text,
        options=options,
        kind=kind,
        count=count if kind == "several" else None,
        has_image=row.get("has_image") is True,
        inline=inline,
        problems=problems,
    )


def _options(written: list[str]) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    options: dict[str, Option] = {}
    problems: list[str] = []
    for place, each in enumerate(written[:_MOST_OPTIONS]):
        labelled = _LABELLED.fullmatch(each[:_LONGEST_TEXT])
        if labelled is None:
            letter, text = chr(ord("a") + place), each.strip()
            problems.append(f"option {place + 1} has no letter: {each[:40]!r}")
        else:
            letter, text = labelled[1].lower(), labelled[2]
        if letter in options:
            problems.append(f"two options are called {letter!r}")
            continue
        options[letter] = Option(letter=letter, text=text or None)
    return _whole(options), tuple(problems)


def _whole(options: Mapping[str, Option]) -> tuple[Option, ...]:
    """Put options without a text where letters are missing between others."""
    letters = sorted(options)
    if not letters or not all(letter in _ALPHABET for letter in letters):
        return tuple(options.values())
    first, last = (_ALPHABET.index(letter) for letter in (letters[0], letters[-1]))
    between = _ALPHABET[first : last + 1]
    if last - first >= _MOST_OPTIONS or list(options) != letters:
        return tuple(options.values())
    return tuple(options.get(letter, Option(letter=letter)) for letter in between)


def _inline_options(text: str) -> tuple[Option, ...]:
    """Find the options in a question's own text: "… どれか。 aアトロピン bジアゼパム C…"."""
    found = list(_INLINE_START.finditer(unicodedata.normalize("NFKC", text)))
    letters = [each[1].lower() for each in found]
    run = next(
        (
            start
            for start in range(len(letters) - 2)
            if "".join(letters[start:]) == _INLINE_LETTERS[: len(letters) - start]
        ),
        None,
    )
    if run is None:
        return ()
    plain = unicodedata.normalize("NFKC", text)
    starts = found[run:]
    ends = [*(each.start() for each in starts[1:]), len(plain)]
    return tuple(
        Option(letter=each[1].lower(), text=plain[each.end() : end].strip() or None)
        for each, end in zip(starts, ends, strict=True)
    )
