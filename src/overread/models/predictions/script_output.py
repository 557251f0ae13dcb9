"""Gives back the replies that the CT-Bench script kept because it could not read them.

What it can read it stores parsed. What it cannot it stores under ``explanation``, already stripped,
beside a ``selected_option`` of null. Stripped once more, such a text may parse after all:
``json{…}``, say, which is left of a reply that had ``json`` in the line after its fence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from overread.scoring.published.ct_bench import read_ct_bench_script
from overread.scoring.reading import Rule

__all__ = ["unread_reply"]


def unread_reply(answer: Mapping[str, object]) -> str | None:
    r"""Give a reply that the script kept unread, such that stripping it gives what was kept.

    Returns
    -------
    str or None
        The text kept; in a code fence, which is what the script strips, where the script would
        otherwise read more in it than it did. None where the answer was parsed, be it from a reply
        that itself says null.

    Examples
    --------
    >>> unread_reply({"selected_option": None, "explanation": "It is B."})
    'It is B.'
    >>> unread_reply({"selected_option": None, "explanation": 'json{"selected_option": "B"}'})
    '```\njson{"selected_option": "B"}\n```'
    >>> unread_reply({"selected_option": "B", "explanation": "It is in the liver."}) is None
    True
    """
    kept = answer.get("explanation")
    if "selected_option" not in answer or answer["selected_option"] is not None:
        return None
    if not isinstance(kept, str) or _parses(kept):
        return None
    if read_ct_bench_script(kept, ()).rule == Rule.SCRIPT_NOT_JSON:
        return kept
    return f"```\n{kept}\n```"


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
