"""How the fake server behaves: which letter it gives, and what goes wrong how often.

A script is written in one line, ``letter=hash,429=0.05,cut=0.01,seed=3``, or as a JSON object of
the same keys in a file whose name ends in ``.json``.

=============  =====================================================================
key            meaning
=============  =====================================================================
letter         ``hash`` (of the question: every letter as often), ``first``, ``last``
               or a letter such as ``A``
form           ``json`` (as the chat protocol asks; `words` where pictures are shown and a
               sentence is asked for), ``letter``, ``prose``, or ``words`` for open questions: one
               of a few short answers, by hash
judge          how it grades answers, where that is asked: see `judge_answers`; ``exact``
facts          how it reads the facts of a text, where that is asked: see `fact_answers`; ``text``
delay          seconds before every reply
queue          what happens to the first requests, joined by ``+``: ``429+ok+cut``
seed           which requests the shares below hit
retry-after    seconds the 429 asks for
key            the only key accepted; any is by default
model          the only model known; any is by default
lists          names of models that the server lists, joined by ``+``; no list by default
max-images     pictures taken in one request
max-tokens     ``renamed``: only ``max_completion_tokens`` is understood
no-seed        ``yes``: a request with a seed is rejected
die-after      requests answered before the server is gone for good
=============  =====================================================================

Every name in `OUTCOMES` is a key too; its value is the share of requests, 0 to 1, that end so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import cast

from overread.errors import UsageError, expected
from overread.models.fake.fact_answers import FACTS
from overread.models.fake.judge_answers import JUDGES

__all__ = ["OUTCOMES", "Script", "read_script"]

OUTCOMES: Mapping[str, str] = {
    "ok": "a reply",
    "429": "too many requests, with Retry-After",
    "500": "internal error, as JSON",
    "502": "bad gateway, as a web page",
    "503": "overloaded, with Retry-After",
    "400": "a request called wrong",
    "401": "wrong key; the message quotes it",
    "403": "key not allowed",
    "404": "no such model",
    "cut": "connection closed without a byte",
    "half": "connection closed in the middle of the reply",
    "hang": "no reply, ever",
    "drip": "a byte now and then, no end",
    "malformed": "JSON that breaks off, called whole",
    "html": "a web page, with status 200",
    "shape": "JSON of another shape",
    "wrapped": "an error inside a reply that claims success",
    "huge": "a reply of 2 MB",
    "endless": "a reply without end, as fast as it is taken",
    "endless500": "an internal error without end",
    "packed": "a reply packed with gzip, asked for or not",
    "bomb": "0.1 MB that unpack to 100 MB",
    "brotli": "a reply said to be packed in a way that was not asked for",
    "refuse": "text that declines",
    "refusal": "the refusal field instead of text",
    "filter": "stopped by the host's content filter, status 200",
    "filter400": "declined by the host's content filter, status 400",
    "quota": "no credit left, status 429",
    "later": "429 that asks for an hour",
    "length": "a reply said to end at the longest length allowed",
    "empty": "a reply without text",
    "null": "a reply whose text is null",
    "surrogate": "half a character in the text",
}

_FORMS = ("json", "letter", "prose", "words")
_WORDS = ("Yes.", "No.", "In the left lung.", "In the right lung.", "In both lungs.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The behaviour of a fake server; the keys are explained in the module."""

    letter: str = "hash"
    form: str = "json"
    judge: str = "exact"
    facts: str = "text"
    delay_s: float = 0.0
    queue: tuple[str, ...] = ()
    seed: int = 0
    retry_after_s: float = 0.05
    key: str | None = field(default=None, repr=False)
    model: str | None = None
    lists: tuple[str, ...] = ()
    max_images: int | None = None
    renames_max_tokens: bool = False
    rejects_seed: bool = False
    die_after: int | None = None
    shares: Mapping[str, float] = field(default_factory=dict[str, float])

    def outcome(self, number: int) -> str:
        """Say what happens to a request, counted from 0: the same for the same script."""
        if number < len(self.queue):
            return self.queue[number]
        drawn = _fraction(f"outcome {self.seed} {number}")
        for name, share in self.shares.items():
            drawn -= share
            if drawn < 0:
                return name
        return "ok"

    def choose(self, letters: str, question: bytes) -> str:
        """Choose among the letters on offer, by a rule that knows nothing of the right one."""
        if self.letter == "first":
            return letters[0]
        if self.letter == "last":
            return letters[-1]
        if self.letter == "hash":
            return letters[int(_fraction(f"letter {self.seed} {question.hex()}") * len(letters))]
        return self.letter

    def choose_words(self, question: bytes) -> str:
        """Choose a short answer to an open question, blindly."""
        return _WORDS[int(_fraction(f"words {self.seed} {question.hex()}") * len(_WORDS))]


def read_script(text: str) -> Script:
    """Read a script from its line, or from a JSON file where the text names one.

    Raises
    ------
    UsageError
        An unknown key or a value out of range.
    """
    text = text.strip()
    pairs = _pairs_of_file(Path(text)) if text.endswith(".json") else _pairs_of_line(text)
    settings: dict[str, object] = {}
    shares: dict[str, float] = {}
    for key, value in pairs.items():
        try:
            if key in OUTCOMES:
                shares[key] = _share(value)
            else:
                name, read = _READERS[key]
                settings[name] = read(value)
        except (KeyError, ValueError):
            raise _wrong(f"{key}={value}") from None
    if sum(shares.values()) > 1:
        raise _wrong("shares that add up to more than 1")
    return Script(shares=shares, **settings)  # pyright: ignore[reportArgumentType]


def _pairs_of_line(text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = entry.partition("=")
        if not equals:
            raise _wrong(entry)
        pairs[key.strip()] = value.strip()
    return pairs


def _pairs_of_file(path: Path) -> dict[str, str]:
    try:
        data: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _wrong(f"{path} ({error})") from None
    if not isinstance(data, dict):
        raise _wrong(f"{path}, which holds no JSON object")
    found = cast("dict[str, object]", data)
    return {
        key: "+".join(map(str, cast("list[object]", v))) if isinstance(v, list) else str(v)
        for key, v in found.items()
    }


def _share(value: str) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(value)
    return share


def _letter(value: str) -> str:
    if value in ("hash", "first", "last") or (len(value) == 1 and value.isalpha()):
        return value
    raise ValueError(value)


def _form(value: str) -> str:
    if value not in _FORMS:
        raise ValueError(value)
    return value


def _judge(value: str) -> str:
    if value not in JUDGES:
        raise ValueError(value)
    return value


def _facts(value: str) -> str:
    if value not in FACTS:
        raise ValueError(value)
    return value


def _queue(value: str) -> tuple[str, ...]:
    names = tuple(filter(None, value.split("+")))
    if any(name not in OUTCOMES for name in names):
        raise ValueError(value)
    return names


def _seconds(value: str) -> float:
    seconds = float(value)
    if not 0 <= seconds < 1e6:
        raise ValueError(value)
    return seconds


def _yes(value: str) -> bool:
    if value not in ("yes", "renamed", "True"):
        raise ValueError(value)
    return True


_READERS = {
    "letter": ("letter", _letter),
    "form": ("form", _form),
    "judge": ("judge", _judge),
    "facts": ("facts", _facts),
    "delay": ("delay_s", _seconds),
    "queue": ("queue", _queue),
    "seed": ("seed", int),
    "retry-after": ("retry_after_s", _seconds),
    "key": ("key", str),
    "model": ("model", str),
    "lists": ("lists", lambda value: tuple(filter(None, value.split("+")))),
    "max-images": ("max_images", int),
    "max-tokens": ("renames_max_tokens", _yes),
    "no-seed": ("rejects_seed", _yes),
    "die-after": ("die_after", int),
}


def _wrong(got: str) -> UsageError:
    known = ", ".join([*_READERS, *OUTCOMES])
    return UsageError(
        expected(
            "--model fake:SCRIPT",
            rule="KEY=VALUE pairs joined by commas, shares from 0 to 1",
            got=got,
            remedy=f"Keys: {known}.",
        )
    )


def _fraction(text: str) -> float:
    """Draw a number in [0, 1) from a text: stateless, so that order and time change nothing."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=7).digest()
    return int.from_bytes(digest, "big") / 2**56
