"""What the fake server writes: whole HTTP replies, right ones and wrong ones."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import cast

from overread.models.fake.fact_answers import facts_reply
from overread.models.fake.judge_answers import judge_reply
from overread.models.fake.script import Script

__all__ = [
    "Asked",
    "bomb",
    "completion",
    "endless",
    "error",
    "model_list",
    "pack",
    "page",
    "read_question",
    "reply_text",
]

_LETTERED_LINE = re.compile(r"^[ \t]*\(?([A-Z])[:.)]", re.MULTILINE)
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden"}
_HUGE = 2_000_000
_BOMB = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request asks, as far as the server looks at it."""

    model: str
    images: int
    letters: str
    digest: bytes
    """Of words and pictures: the same question has the same one."""
    words: str
    """All texts of all messages."""
    is_open: bool
    """Pictures are shown, and neither options nor a JSON object are named: a sentence is asked
    for."""
    settings: Mapping[str, object]
    """All but the messages."""


def read_question(body: bytes) -> Asked:
    """Read a chat request. ValueError when it is none."""
    data: object = json.loads(body)
    if not isinstance(data, dict):
        raise ValueError("the body is no JSON object")
    fields = cast("dict[str, object]", data)
    messages = fields.pop("messages", None)
    if not isinstance(messages, list) or not messages:
        raise ValueError("'messages' is no list with messages")
    digest, texts, images = blake2b(digest_size=16), list[str](), 0
    for kind, content in _content(cast("list[object]", messages)):
        digest.update(content.encode("utf-8", "replace"))
        if kind == "text":
            texts.append(content)
        else:
            images += 1
    return Asked(
        model=str(fields.get("model")),
        images=images,
        letters=_letters(fields, texts),
        digest=digest.digest(),
        words=(words := "\n\n".join(texts)),
        is_open=images > 0 and "{" not in words and not _LETTERED_LINE.search(words),
        settings=fields,
    )


def reply_text(script: Script, outcome: str, asked: Asked) -> str | None:
    """Word the reply to a question."""
    letter = script.choose(asked.letters, asked.digest)
    match outcome:
        case "refuse":
            return "As an AI model, I cannot give a medical opinion."
        case "refusal" | "null":
            return None
        case "empty":
            return ""
        case "huge":
            return "The picture shows a lesion. " * (_HUGE // 28 + 1) + f"\nANSWER: {letter}"
        case "surrogate":
            return f"{letter} \ud83d"
        case _:
            pass
    if (judged := judge_reply(script.judge, asked.words)) is not None:
        return judged
    if (listed := facts_reply(script.facts, asked.words)) is not None:
        return listed
    if script.form == "words" or (script.form == "json" and asked.is_open):
        return script.choose_words(asked.digest)
    if script.form == "letter":
        return letter
    if script.form == "prose":
        return f"The correct answer is **{letter}**."
    return json.dumps({"selected_option": letter, "explanation": "Scripted, not seen."})


def completion(asked: Asked, text: str | None, outcome: str, number: int) -> bytes:
    """Write a chat completion as a whole HTTP reply."""
    message: dict[str, object] = {"role": "assistant", "content": text}
    if outcome == "refusal":
        message["refusal"] = "I'm sorry, I can't help with that."
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": {"filter": "content_filter", "length": "length"}.get(outcome, "stop"),
    }
    tokens_out = len(text or "") // 4
    tokens_in = 85 * asked.images + 100
    return _http(
        200,
        {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": asked.model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": tokens_in + tokens_out,
            },
        },
        {},
    )


def error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    retry_after_s: float | None = None,
) -> bytes:
    """Write an error as OpenAI does, as a whole HTTP reply."""
    body = {"error": {"message": message, "type": "error", "param": param, "code": code}}
    header = {} if retry_after_s is None else {"Retry-After": f"{retry_after_s:g}"}
    return _http(status, body, header)


def page(status: int) -> bytes:
    """Write a web page as a whole HTTP reply."""
    content = b"<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>"
    return _head(status, len(content), "text/html; charset=utf-8", {}) + content


def model_list(names: Sequence[str]) -> bytes:
    """Write a list of models as a whole HTTP reply."""
    entries = [{"id": name, "object": "model", "created": 0} for name in names]
    return _http(200, {"object": "list", "data": entries}, {})


def pack(reply: bytes, *, encoding: str) -> bytes:
    """Compress a whole HTTP reply with gzip, under whichever name."""
    body = gzip.compress(reply.partition(b"\r\n\r\n")[2], compresslevel=1)
    return _head(200, len(body), "application/json", {"Content-Encoding": encoding}) + body


@cache
def bomb() -> bytes:
    """Write a small HTTP reply that unpacks to a large one."""
    return pack(b"\r\n\r\n" + bytes(_BOMB), encoding="gzip")


def endless(status: int) -> bytes:
    """Write the head of a reply that ends with the connection."""
    return _head(status, None, "application/json", {"Connection": "close"})


def _http(status: int, body: object, headers: Mapping[str, str]) -> bytes:
    content = json.dumps(body).encode("ascii")
    return _head(status, len(content), "application/json", headers) + content


def _head(status: int, length: int | None, content_type: str, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}",
        f"Content-Type: {content_type}",
        *([] if length is None else [f"Content-Length: {length}"]),
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def _content(messages: list[object]) -> Iterator[tuple[str, str]]:
    for message in messages:
        if not isinstance(message, dict):
            raise ValueError("a message is no object")
        content = cast("dict[str, object]", message).get("content")
        if isinstance(content, str):
            yield "text", content
        elif isinstance(content, list):
            for part in cast("list[object]", content):
                yield _part(part)


def _part(part: object) -> tuple[str, str]:
    fields = cast("dict[str, object]", part) if isinstance(part, dict) else {}
    if isinstance(text := fields.get("text"), str):
        return "text", text
    picture = fields.get("image_url")
    url = cast("dict[str, object]", picture).get("url") if isinstance(picture, dict) else None
    if not isinstance(url, str):
        raise ValueError("a part of a message is neither text nor picture")
    return "picture", url


def _letters(fields: Mapping[str, object], texts: list[str]) -> str:
    """Find the letters on offer: in the demanded JSON form, else in lines such as ``A: text``."""
    wanted = re.search(r'"enum": \[([^\]]*)\]', json.dumps(fields.get("response_format")))
    if wanted and (found := re.findall(r'"([A-Z])"', wanted.group(1))):
        return "".join(found)
    lines = _LETTERED_LINE.findall("\n".join(texts))
    return "".join(dict.fromkeys(lines)) or "ABCD"
