"""The command as a person typed it, for the manifest: without what must not be written down."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from overread.models.command.hidden import without_secrets

__all__ = ["typed_command"]


def typed_command(arguments: Sequence[str]) -> str:
    """Write a command line with passwords, keys and queries of addresses taken out.

    Examples
    --------
    >>> typed_command(["run", "--base-url", "https://me:word@host/v1?api-key=3"])
    "overread run --base-url 'https://[hidden]@host/v1?[hidden]'"
    >>> typed_command(["run", "--model", "command:python mine.py --api-key 3 --max-tokens 9"])
    "overread run --model 'command:python mine.py --api-key [hidden] --max-tokens 9'"
    """
    return shlex.join(["overread", *without_secrets(arguments)])
