"""What of a command line must not be written down: keys, passwords, queries of addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["without_secrets"]

_HIDDEN = "[hidden]"
_SECRET = r"(?:api|access)[-_]?key|token(?!s|iz)|secret|passw(?:or)?d"
_OPTION = re.compile(r"[\w.-]+")
_SECRET_OPTION = re.compile(rf"(?i){_SECRET}|(?:^|[-_])key$")
_USER = re.compile(r"(?<=://)[^/@\s'\"]+@")
_QUERY = re.compile(r"(\w+://[^?\s'\"]*\?)[^\s'\"]+")
_NAMED = re.compile(
    rf"(?i)((?<![a-z])(?:[a-z_-]*(?:{_SECRET})|--(?:[a-z_-]*[_-])?key)(?:=|\s+))(?!-)"
    r"('[^']*'|\"[^\"]*\"|[^\s'\"]+)"
)
# As hosts make them: a file named hf_medgemma_4b.py is none.
_KEY_LIKE = re.compile(
    r"\b(?:sk[-_](?=[\w-]*\d)[\w-]{12,}|(?:gsk_|hf_|xai-)(?=[a-zA-Z]*\d)[a-zA-Z\d]{16,})"
)


def without_secrets(argv: Sequence[str]) -> Iterator[str]:
    """Give the arguments of a command with all that looks secret taken out.

    An argument may be a command line itself, as in ``--model "command:python mine.py --key 3"``.

    Examples
    --------
    >>> list(without_secrets(["mine.py", "--token", "3", "--max-tokens", "9", "HF_TOKEN=3"]))
    ['mine.py', '--token', '[hidden]', '--max-tokens', '9', 'HF_TOKEN=[hidden]']
    """
    hide_next = False
    for argument in argv:
        name, equals, _ = argument.partition("=")
        is_secret = bool(_OPTION.fullmatch(name) and _SECRET_OPTION.search(name))
        if hide_next and not argument.startswith("-"):
            yield _HIDDEN
            hide_next = False
        elif is_secret and equals:
            yield f"{name}={_HIDDEN}"
            hide_next = False
        else:
            yield _within(argument)
            hide_next = is_secret and argument.startswith("-")


def _within(argument: str) -> str:
    argument = _USER.sub(f"{_HIDDEN}@", argument)
    argument = _QUERY.sub(rf"\1{_HIDDEN}", argument)
    argument = _NAMED.sub(rf"\1{_HIDDEN}", argument)
    return _KEY_LIKE.sub(_HIDDEN, argument)
