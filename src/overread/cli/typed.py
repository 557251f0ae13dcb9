"""The command as a person typed it, for the manifest: without what must not be written down."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

__all__ = ["typed_command"]

_HIDDEN = "[hidden]"
_USER = re.compile(r"(?<=://)[^/@\s'\"]+@")
_QUERY = re.compile(r"(\w+://[^?\s'\"]*\?)[^\s'\"]+")
_NAMED = re.compile(
    r"(?i)((?<![a-z])(?:[a-z_-]*(?:api|access)[-_]?key|[a-z_-]*token(?!s|iz)|[a-z_-]*secret|"
    r"[a-z_-]*passw(?:or)?d|--[a-z_-]*key)(?:=|\s+))(?!-)('[^']*'|\"[^\"]*\"|[^\s'\"]+)"
)
_KEY_LIKE = re.compile(r"\b(?:sk|gsk|xai|hf)[-_][\w\-]{8,}")


def typed_command(arguments: Sequence[str]) -> str:
    """Write a command line with passwords, keys and queries of addresses taken out.

    Examples
    --------
    >>> typed_command(["run", "--base-url", "https://me:word@host/v1?api-key=3"])
    "overread run --base-url 'https://[hidden]@host/v1?[hidden]'"
    >>> typed_command(["run", "--model", "command:python mine.py --api-key 3 --max-tokens 9"])
    "overread run --model 'command:python mine.py --api-key [hidden] --max-tokens 9'"
    """
    return shlex.join(["overread", *map(_without_secrets, arguments)])


def _without_secrets(argument: str) -> str:
    argument = _USER.sub(f"{_HIDDEN}@", argument)
    argument = _QUERY.sub(rf"\1{_HIDDEN}", argument)
    argument = _NAMED.sub(rf"\1{_HIDDEN}", argument)
    return _KEY_LIKE.sub(_HIDDEN, argument)
