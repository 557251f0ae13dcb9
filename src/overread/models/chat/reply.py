"""What a server sent back, as a `Reply`: read with suspicion."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from overread.contracts import Reply
from overread.records import Status

__all__ = ["GarbledReplyError", "HostError", "read_reply"]


class GarbledReplyError(Exception):
    """What came back is no chat completion; the message says what it is."""


class HostError(Exception):
    """A host wrapped an error into a reply that claims success."""

    def __init__(self, message: str, *, code: int | None) -> None:
        super().__init__(message)
        self.code = code


def read_reply(content: bytes, *, content_type: str) -> Reply:
    """Read a chat completion.

    Parameters
    ----------
    content
        The body of a reply with a status of success.
    content_type
        The header of that name, for the message when it is no JSON.

    Returns
    -------
    Reply
        `OK` with text (empty when the model wrote none, None when the message holds no text at
        all), or `REFUSED` when the host's filter or the model's refusal field says so.

    Raises
    ------
    GarbledReplyError
        The body is no JSON, or JSON of another shape.
    HostError
        The body is an error after all.
    """
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise GarbledReplyError(_describe(content, content_type)) from None
    if not isinstance(data, dict):
        raise GarbledReplyError(f"JSON that is no object but a {type(data).__name__}")
    body = cast("Mapping[str, object]", data)
    if isinstance(error := body.get("error"), dict):
        _raise_host_error(cast("Mapping[str, object]", error))
    choice = _first_choice(body)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise GarbledReplyError("a choice without a message")
    return _reply(cast("Mapping[str, object]", message), choice.get("finish_reason"), body)


def _reply(message: Mapping[str, object], finish: object, body: Mapping[str, object]) -> Reply:
    text = _text(message.get("content"))
    refusal = message.get("refusal")
    status, reason = Status.OK, None
    if finish == "content_filter":
        status, reason = Status.REFUSED, "the host's content filter stopped the reply"
    elif isinstance(refusal, str) and refusal and not text:
        status, reason, text = Status.REFUSED, "the model declined", _clean(refusal)
    usage = body.get("usage")
    counts = cast("Mapping[str, object]", usage if isinstance(usage, dict) else {})
    return Reply(
        status=status,
        text=text,
        reason=reason,
        finish_reason=_clean(finish) if isinstance(finish, str) else None,
        tokens_in=_count(counts.get("prompt_tokens")),
        tokens_out=_count(counts.get("completion_tokens")),
    )


def _first_choice(body: Mapping[str, object]) -> Mapping[str, object]:
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise GarbledReplyError("JSON without choices")
    first = cast("Sequence[object]", choices)[0]
    if not isinstance(first, dict):
        raise GarbledReplyError("a choice that is no object")
    return cast("Mapping[str, object]", first)


def _text(content: object) -> str | None:
    if isinstance(content, str):
        return _clean(content)
    if isinstance(content, list):  # some hosts answer in parts, as they take questions
        parts = (part for part in cast("list[object]", content) if isinstance(part, dict))
        texts = (cast("Mapping[str, object]", part).get("text") for part in parts)
        return _clean("".join(text for text in texts if isinstance(text, str)))
    return None


def _clean(text: str) -> str:
    """Replace half a character (a lone surrogate), which no file could hold, by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _raise_host_error(error: Mapping[str, object]) -> None:
    code = error.get("code")
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    message = error.get("message")
    raise HostError(
        message if isinstance(message, str) else "an error without a message",
        code=code if isinstance(code, int) else None,
    )


def _describe(content: bytes, content_type: str) -> str:
    start = content[:400].lstrip().lower()
    if "html" in content_type.lower() or start.startswith((b"<!doctype html", b"<html")):
        return "a web page (HTML)"
    if not content:
        return "an empty body"
    shown = content[:80].decode("utf-8", "replace")
    return f"{len(content)} bytes that are no JSON, beginning {shown!r}"
