"""What the fake server replies when it is asked for the facts of a text: no model, a few rules.

It knows the form by its outside: a text between two marks, and the code that the reply must name.
It looks for a side and a size, and passes the text on for all else. How it goes about it is the
script's ``facts``:

=======  ========================================================================
text     what the text says, as far as it looks
swap     the same with left for right and right for left
nothing  an empty list: the text speaks of no lesion
echo     the prompt, word for word
prose    a sentence instead of JSON
half     the list, broken off half-way
stale    a list under the code of another text
=======  ========================================================================
"""

from __future__ import annotations

import json
import re
from typing import cast

__all__ = ["FACTS", "facts_reply"]

FACTS = ("text", "swap", "nothing", "echo", "prose", "half", "stale")

_ASKED = re.compile(
    r"<text ([0-9a-f]{24})>\n(.*)\n</text \1>.*\{\"id\": \"([0-9a-f]+)\"", re.DOTALL
)
_SIDE = re.compile(r"\b(left|right|bilateral)\b", re.IGNORECASE)
_SIZE = re.compile(r"\b(\d+(?:\.\d+)?) ?(mm|cm)\b")
_OTHER = {"left": "right", "right": "left"}


def facts_reply(facts: str, words: str) -> str | None:
    """Word a reply to a prompt; None when the prompt asks for no facts of a text."""
    asked = _ASKED.search(words)
    if asked is None:
        return None
    if facts == "echo":
        return words
    if facts == "prose":
        return "The text speaks of a lesion in the left lung."
    code = asked[3][::-1] if facts == "stale" else asked[3]
    lesion = _lesion(cast("str", json.loads(asked[2])), swaps=facts == "swap")
    reply = json.dumps({"id": code, "lesions": [] if facts == "nothing" else [lesion]})
    return reply[: len(reply) // 2] if facts == "half" else reply


def _lesion(text: str, *, swaps: bool) -> dict[str, object]:
    side = found[1].lower() if (found := _SIDE.search(text)) else ""
    sizes = [float(number) * (10 if unit == "cm" else 1) for number, unit in _SIZE.findall(text)]
    return {
        "present": not text.lower().startswith("no "),
        "type": text,
        "organ": text,
        "part": "",
        "side": _OTHER.get(side, side) if swaps else side,
        "size_mm": sizes[:1],
        "attributes": [text],
        "absent": [],
    }
