"""What the fake server replies as a judge: it looks at the texts it is shown and at nothing else.

It knows the two forms of asking by their outside: fenced entries, and a numbered batch. How it
judges is the script's ``judge``:

=======  ========================================================================
exact    right when prediction and reference are the same words
hash     by a hash of the three texts
yes, no  always the same
null     a verdict that is none
echo     the prompt, word for word
prose    a sentence instead of JSON
half     its verdicts, broken off half-way
short    its verdicts but for the last one
none     a list without verdicts
quote    the prediction, unescaped, inside its reason, and that it does not match
cut      the same, broken off after the prediction
=======  ========================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import cast

__all__ = ["JUDGES", "judge_reply"]

JUDGES = (
    "exact",
    "hash",
    "yes",
    "no",
    "null",
    "echo",
    "prose",
    "half",
    "short",
    "none",
    "quote",
    "cut",
)

_FENCED = re.compile(r"<graded ([0-9a-f]+)>\n(.*)\n</graded \1>(.*)", re.DOTALL)
_CODE = re.compile(r"\b[0-9a-f]{16}\b")
_NUMBERED = re.compile(
    r"^\d+\. Question: (.*?)\n   Answer: (.*?)\n   Prediction: (.*?)(?=\n\d+\. Question: |\Z)",
    re.DOTALL | re.MULTILINE,
)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    code: str | None
    question: str
    reference: str
    prediction: str


def judge_reply(judge: str, words: str) -> str | None:
    """Word a judge's reply to a prompt; None when the prompt asks for no verdicts."""
    fenced = _FENCED.search(words)
    entries = _fenced_entries(fenced) if fenced else _numbered_entries(words)
    if not entries:
        return None
    if judge == "echo":
        return words
    if judge == "prose":
        return "The prediction says the same as the reference, so it is correct."
    shown = {"short": entries[:-1], "none": entries[:0]}.get(judge, entries)
    written = [_written(judge, each, place) for place, each in enumerate(shown, start=1)]
    is_alone = fenced is not None and len(entries) == 1
    reply = "".join(written) if is_alone else "[" + ",\n ".join(written) + "]"
    return reply[: len(reply) // 2] if judge == "half" else reply


def _fenced_entries(fenced: re.Match[str]) -> list[_Entry]:
    codes = _CODE.findall(fenced[3])
    lines = [cast("dict[str, str]", json.loads(line)) for line in fenced[2].split("\n")]
    return [
        _Entry(
            code=line.get("id", code),
            question=line["question"],
            reference=line["reference"],
            prediction=line["prediction"],
        )
        for line, code in zip(lines, codes, strict=True)
    ]


def _numbered_entries(words: str) -> Sequence[_Entry]:
    if '"is_correct"' not in words:
        return ()
    return [
        _Entry(code=None, question=question, reference=reference, prediction=prediction)
        for question, reference, prediction in _NUMBERED.findall(words)
    ]


def _written(judge: str, entry: _Entry, place: int) -> str:
    verdict = _verdict(judge, entry)
    if entry.code is None:
        return json.dumps({"index": place, "is_correct": verdict})
    word = None if verdict is None else "match" if verdict else "mismatch"
    if judge in ("quote", "cut"):
        quoted = f'{{"id": "{entry.code}", "reason": "It says {entry.prediction}'
        return quoted if judge == "cut" else f'{quoted}", "verdict": "{word}"}}'
    return json.dumps({"id": entry.code, "reason": "Scripted.", "verdict": word})


def _verdict(judge: str, entry: _Entry) -> bool | None:
    if judge == "hash":
        texts = "\n".join((entry.question, entry.reference, entry.prediction))
        return blake2b(texts.encode("utf-8", "replace"), digest_size=1).digest()[0] % 2 == 1
    if judge in ("exact", "half", "short"):
        said, right = (_WORD.findall(t.casefold()) for t in (entry.prediction, entry.reference))
        return said == right
    return {"yes": True, "no": False, "quote": False, "cut": False}.get(judge)
