"""Which models a server says it has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["is_listed", "list_models"]


async def list_models(client: AsyncOpenAI) -> tuple[str, ...]:
    """Ask a server for the names of its models.

    Returns
    -------
    tuple of str
        Empty when its list holds none, or is none.

    Raises
    ------
    Exception
        Whatever comes of asking a server that has no such list.
    """
    import httpx2

    response = await client.get(
        "/models",
        cast_to=httpx2.Response,
        options={"security": {"bearer_auth": True}, "headers": {"Accept-Encoding": "identity"}},
    )
    body: object = json.loads(response.content)
    entries = cast("Mapping[str, object]", body).get("data") if isinstance(body, dict) else None
    if not isinstance(entries, list):
        return ()
    fields = [
        cast("Mapping[str, object]", entry)
        for entry in cast("list[object]", entries)
        if isinstance(entry, dict)
    ]
    return tuple(name for entry in fields if isinstance(name := entry.get("id"), str) and name)


def is_listed(name: str, listed: Iterable[str]) -> bool:
    """Whether a name is one of a list, as servers read names.

    Ollama lists ``llava:latest`` for ``llava``; others put a folder or an owner before the name,
    and a variant such as ``:free`` after it.

    Examples
    --------
    >>> is_listed("llava", ["llava:latest"]), is_listed("llava", ["llava:13b"])
    (True, False)
    """
    asked = name.lower()
    for one in map(str.lower, listed):
        if asked in (one, f"{one}:latest") or one == f"{asked}:latest":
            return True
        if one.endswith(f"/{asked}") or asked.endswith(f"/{one}") or asked.startswith(f"{one}:"):
            return True
    return False
