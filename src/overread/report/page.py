"""What every page that overread writes is made with: templates, a content policy, whole files.

A page opens offline. Its texts are escaped by the templates; its policy allows its own script and
style by their hashes and pictures from data URLs, and nothing else: no request can leave.
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["asset", "content_policy", "environment", "write_whole"]


@cache
def environment() -> Environment:
    """Make the template environment: escaping on, undefined names are errors."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("overread.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def asset(name: str) -> str:
    """Read a file beside the templates: a style sheet, a script."""
    return (files("overread.report") / "templates" / name).read_text(encoding="utf-8")


def content_policy(*, script: str | None, style: str) -> str:
    """Word the content policy of a page with one inline style and at most one inline script."""
    return "; ".join(
        (
            "default-src 'none'",
            "img-src data:",
            *([f"script-src 'sha256-{_hash(script)}'"] if script is not None else []),
            f"style-src 'sha256-{_hash(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def write_whole(path: Path, text: str) -> Path:
    """Replace a file only when the new one is complete."""
    # A reply may hold half a surrogate pair, which UTF-8 cannot: it becomes a question mark.
    encoded = text.encode("utf-8", errors="replace")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(encoded)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path
