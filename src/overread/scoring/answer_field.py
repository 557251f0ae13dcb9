r"""The field of a reply that holds its answer: ``answer: ce``, ``答え：ア``, a JSON field, a box.

Exams of several answer kinds ask for a form with an answer's field. What stands in that field is
the answer, whatever the explanation says of it later: small models run on after the form, into
questions of their own and their answers ("…正解は d"). Of several fields the last that holds
anything but the form's placeholder counts, as elsewhere: a corrected answer comes last.

Where there is no such field, the last place that states an answer in words takes its place
(`answer_phrases`).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, cast

from overread.scoring.answer_phrases import statements
from overread.scoring.json_fields import json_answers
from overread.scoring.reading import Rule
from overread.scoring.reply_text import normalise, plain, strip_thinking

__all__ = ["AnswerField", "Told", "find_field", "form_value", "is_placeholder", "tell"]

_HEAD, _TAIL = 50_000, 100_000
"""Characters read at the ends of a reply, thinking aside: a middle beyond them holds no answer."""
_LONGEST_VALUE: Final = 500
_MOST_PARTS: Final = 20
_NEXT_KEY = re.compile(
    r"[ \t\u3000,;、]*(?:\b(?:confidence|explanation|reason|rationale)\b"
    r"|確信度|信頼度|理由|解説|説明)"
    r"\s?(?:\([^()\n]{0,20}\))?\s?[:=].*",
    re.I | re.S,
)
_KEY_LINE = re.compile(
    r"^[ \t>#\-・•【\[「『(<〈]{0,12}"
    r"(?P<name>(?:final |最終)?(?:answers?|答え?|[解回]答欄?|正解|正答))"
    r"(?:[】\]」』)>〉][ \t]{0,3}[:は]?|[ \t]{0,3}(?:は|[:=]))[ \t]{0,20}"
    r"(?P<value>[^\n]{0,500})(?:\n{1,2}(?P<below>[^\n]{0,500}))?",
    re.I | re.M,
)
_OWN_QUESTION = re.compile(
    r"^(?:\S{0,12}(?:user|human)[ \t]{0,3}:?|(?:問題|質問|question)[ \t]{0,3}:[^\n]{0,500})$",
    re.I | re.M,
)
_PLACEHOLDER = re.compile(
    r"[\s\"']*(?:<[^<>]*>|\[[^\[\]]*\]|【[^【】]*】|\{[^{}]*\}|\.{2,}|…+|_+|-|n/?a|null|none|なし|)"
    r"[\s\"']*",
    re.I,
)
_LABELS: Final = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x32D0, 0x32FF)},
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFF66, 0xFF9E)},
    **{code: f" {code - 0x245F} " for code in range(0x2460, 0x2469)},
}
"""Circled and half-width kana; circled digits stand one by one, where plain ones are a number."""
_LABELS_ALONE = re.compile(r"[^\w]*(?:(?:[a-jア-コ]|\d{1,9})[\s,、・;/'\"]*){1,10}[^\w]*", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is left of a reply to read, or why nothing is."""

    prose: str
    problem: Rule | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerField:
    """What stands where the answer belongs, and the rule that found it."""

    value: str
    rule: Rule


def tell(text: str | None) -> Told:
    """Take a reply's thinking and markup away; name the reason when nothing is left."""
    if text is None or not text.strip():
        return Told(prose="", problem=Rule.EMPTY)
    told, unfinished = strip_thinking(normalise(text.translate(_LABELS)))
    if unfinished is not None:
        return Told(prose="", problem=unfinished)
    if not told.strip():
        return Told(prose="", problem=Rule.ONLY_THINKING)
    if len(told) > _HEAD + _TAIL:
        told = f"{told[:_HEAD]}\n{told[-_TAIL:]}"
    return Told(prose=told, problem=None)


def find_field(prose: str) -> AnswerField | None:
    r"""Find the field that holds the answer; None where a reply has none.

    Parameters
    ----------
    prose
        A reply as `tell` gives it.

    Examples
    --------
    >>> find_field("answer: ce\nconfidence: 0.9\nexplanation: 正解は d").value
    'ce'
    >>> find_field("【解答】ア、ウ").value
    'ア、ウ'
    >>> find_field("ア、ウ") is None
    True
    """
    found = [
        AnswerField(value=_flat(each.value), rule=Rule.JSON_FIELD) for each in json_answers(prose)
    ]
    if not found:
        text = plain(prose)
        found = [AnswerField(value=value, rule=Rule.ANSWER_PHRASE) for value in _key_lines(text)]
        if not found:
            found = [
                AnswerField(value=_cut(each.value.partition("\n")[0]), rule=each.rule)
                for each in statements(text)
            ]
    real = [each for each in found if not is_placeholder(each.value)]
    return (real or found)[-1] if found else None


def form_value(prose: str) -> str | None:
    r"""Give what stands in the answer's field of a form, None where a reply is no form.

    A form has another field beside the answer's: ``confidence:``, ``explanation:``, ``理由：``. Of
    several answer's fields the last that holds no placeholder counts.

    Examples
    --------
    >>> form_value("answer: c, e\nconfidence: 0.9"), form_value("Answer: c")
    ('c, e', None)
    """
    text = plain(prose)
    first = _KEY_LINE.search(text)
    if first is None or _NEXT_KEY.search(text, first.end("name")) is None:
        return None
    values = _key_lines(text)
    real = [value for value in values if not is_placeholder(value)]
    return (real or values)[-1]


def is_placeholder(value: str) -> bool:
    """Whether a field holds the form's own placeholder, or nothing: "[the letter you chose]"."""
    value = value.strip()
    if _PLACEHOLDER.fullmatch(value) is None:
        return False
    return _LABELS_ALONE.fullmatch(value) is None


def _key_lines(text: str) -> list[str]:
    """Give the values of the answer's field, as often as it comes.

    A field of another name belongs to the explanation, and what follows a question that the model
    asks itself answers that.
    """
    lines = list(_KEY_LINE.finditer(text))
    if not lines:
        return []
    own = _OWN_QUESTION.search(text, lines[0].end())
    told = text[: own.start()] if own is not None else text
    name = lines[0]["name"].lower()
    values: list[tuple[int, str]] = []
    for line in lines:
        if line["name"].lower() == name and line.start("value") <= len(told):
            value = _cut(line["value"])
            # An empty field may have its answer below, but not another field of the form.
            below = _cut(line["below"] or "")
            values.append((line.start("value"), value if value.strip() else below))
    # A correction may come in the middle of a line: "Wait. ANSWER: B". Behind the form's next
    # field the same words belong to an explanation.
    following = _NEXT_KEY.search(told, lines[0].end("name"))
    told = told[: following.start()] if following is not None else told
    again = re.compile(rf"(?<![^\W_]){re.escape(name)}[ \t]?[:=][ \t]?([^\n]{{0,500}})", re.I)
    values += [(found.start(1), _cut(found[1])) for found in again.finditer(told)]
    return [value for _, value in sorted(values, key=lambda each: each[0])]


def _cut(value: str) -> str:
    """Cut a value where the next field of the form begins: ``e 確信度: 0.95`` is ``e``."""
    following = _NEXT_KEY.search(value)
    return (value[: following.start()] if following else value)[:_LONGEST_VALUE].strip()


def _flat(value: object) -> str:
    """Write what a JSON field holds as one line of text."""
    if isinstance(value, list):
        parts = cast("list[object]", value)
        return ", ".join(_flat(part) for part in parts[:_MOST_PARTS])
    if isinstance(value, dict):
        keys = list(cast("dict[str, object]", value))
        return ", ".join(str(key) for key in keys[:_MOST_PARTS])
    if value is None or isinstance(value, bool):
        return ""
    return _cut(plain(str(value)[: 2 * _LONGEST_VALUE]))
