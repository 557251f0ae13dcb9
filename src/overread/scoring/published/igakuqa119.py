"""What IgakuQA119's released scripts read in a reply and how they grade it, faults included.

Source: public code docto-rin/IgakuQA119 (Apache-2.0), ``src/process_llm_output.py``,
``src/llm_solver.py`` and ``src/grading_logic.py``.

Seen there: what stands between thinking tags goes, the rest is put into small letters and read line
by line; the answer is what follows ``answer:`` at the start of a line, and a later such line
replaces an earlier one. A reply without one is sent back to the model to be put into form, once,
and asked for anew, five times in all; after that the question has an error in place of an answer.
The grader leaves such questions out, so that the denominator shrinks. From an answer it takes
square brackets, commas and blanks, sorts its *characters*, and compares it with the key treated the
same way: ``c, e`` and ``ec`` are ``ce``, but ``"a"`` with its quotes and ``b (100%)`` are wrong, a
sent-back placeholder is wrong and no gap, and a number is right in any order of its digits (63 for
36). For question 119E28 it takes ``a`` or ``c``; the key's own ``ac`` is then wrong.

Not followed: sending a reply back. A stored reply without an answer line has no answer here, and
the benchmark's plan drops it from the published denominator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from overread.metrics.choice import ACCURACY
from overread.records import (
    AnswerSpace,
    Choice,
    Item,
    MultiChoice,
    Number,
    Option,
    Profile,
    Reference,
    Response,
    Score,
    Status,
)
from overread.scoring.accepted_answers import accepted_letters
from overread.scoring.multi_choice import join_letters
from overread.scoring.published.parser import Parser
from overread.scoring.reading import Reading
from overread.scoring.rows import Outcome, check_records, score_row, undefined

__all__ = ["IGAKUQA119", "GradedAnswerScorer", "read_answer_field"]

_THINKING = re.compile(r"<(/?)(think|thinking|thoughts)>", re.I)
_LEFT_OUT: Final = str.maketrans(dict.fromkeys("[], "))
_KEY: Final = "answer:"


def read_answer_field(text: str | None) -> str | None:
    r"""Give what the released script stores as the answer; None where it stores none.

    Examples
    --------
    >>> read_answer_field("Answer: [C, E]\nconfidence: 0.9")
    '[c, e]'
    >>> read_answer_field("c と e です") is None
    True
    """
    answer: str | None = None
    for line in _without_thinking(text or "").lower().split("\n"):
        stripped = line.strip()
        if stripped.startswith(_KEY):
            answer = stripped.replace(_KEY, "").strip()
    return answer or None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAnswerScorer:
    """Turns the reply to any question of the exam into one ``accuracy`` row, as the script does."""

    accepted: Mapping[str, tuple[str, ...]]
    """Item id → the texts of the options that are right, where the script has a rule of its own."""
    profile: Profile = "published"
    metric: str = ACCURACY.name

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for an answer of the exam's kinds."""
        return isinstance(item.answer_space, Choice | MultiChoice | Number)

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response. UsageError when the three records do not belong together."""
        space: type[AnswerSpace] = type(item.answer_space)
        check_records(item, reference, response, space=space)
        outcome = self._outcome(item, reference, response)
        return (score_row(item, response, outcome, spec=ACCURACY, profile=self.profile),)

    def _outcome(self, item: Item, reference: Reference, response: Response) -> Outcome:
        if reference.problem is not None or reference.answer is None:
            return undefined(reference.problem or "the key has no answer")
        if response.text is None and response.status is not Status.OK:
            reason = response.reason or "no reply"
            return Outcome(value=None, status=response.status, reason=reason)
        answer = read_answer_field(response.text)
        if answer is None:
            return Outcome(value=None, status=Status.UNPARSED, reason="script:no-answer-line")
        ruled = accepted_letters(item, self.accepted.get(item.id, ()))
        right = ruled or (reference.answer,)
        is_right = _sorted(answer) in {_sorted(each) for each in right}
        return Outcome(
            value=float(is_right),
            status=Status.OK,
            reason="script:answer-line",
            answer=_shown(answer, item.answer_space),
        )


def _sorted(answer: str) -> str:
    return "".join(sorted(answer.strip().lower().translate(_LEFT_OUT)))


def _shown(answer: str, space: AnswerSpace) -> str | None:
    """Give the answer as letters on offer or a number; None for anything else that was graded."""
    if isinstance(space, Number):
        return answer.translate(_LEFT_OUT)[:40] or None
    options = space.options if isinstance(space, Choice | MultiChoice) else ()
    read = _read_letters(answer, options)
    return None if isinstance(space, Choice) and len(read or "") > 1 else read


def _read_letters(answer: str, options: tuple[Option, ...]) -> str | None:
    letters = list(answer.lower().translate(_LEFT_OUT))
    spelt = {option.letter.lower(): option.letter for option in options}
    if not letters or len(set(letters)) < len(letters) or not set(letters) <= spelt.keys():
        return None
    return join_letters((spelt[each] for each in letters), options)


def _without_thinking(text: str) -> str:
    """Take away what stands between an opening tag and the next closing one of its name."""
    kept: list[str] = []
    position, opened = 0, ""
    start = 0
    for tag in _THINKING.finditer(text):
        closes, name = bool(tag[1]), tag[2].lower()
        if not opened and not closes:
            opened, start = name, tag.start()
        elif opened == name and closes:
            kept.append(text[position:start])
            position, opened = tag.end(), ""
    return "".join([*kept, text[position:]])


def _choice(text: str | None, options: tuple[Option, ...]) -> Reading:
    answer = _read_letters(read_answer_field(text) or "", options)
    return _reading(answer if answer is not None and len(answer) == 1 else None)


def _several(text: str | None, options: tuple[Option, ...], count: int | None) -> Reading:
    return _reading(_read_letters(read_answer_field(text) or "", options))


def _number(text: str | None) -> Reading:
    answer = (read_answer_field(text) or "").translate(_LEFT_OUT)
    return _reading(answer if answer.isascii() and answer.isdigit() else None)


def _reading(answer: str | None) -> Reading:
    status = Status.UNPARSED if answer is None else Status.OK
    return Reading(answer=answer, status=status, rule="script:answer-line")


IGAKUQA119: Final = Parser(
    name="igakuqa119",
    summary="the last line 'answer: …', without brackets, commas and blanks",
    source="docto-rin/IgakuQA119, src/process_llm_output.py and src/grading_logic.py",
    silence="wrong",
    choice=_choice,
    several=_several,
    number=_number,
)
