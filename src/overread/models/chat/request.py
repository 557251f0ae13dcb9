"""A query as the body of a chat request, made piece by piece while it is sent.

Words pass through the JSON encoder; pictures do not, since base64 needs no escaping. Each picture
is encoded when its turn on the wire comes and forgotten after, so that a request of 32 slices needs
the memory of one.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from overread.contracts import ModelOptions, Picture, Query
from overread.errors import ModelError, expected
from overread.records import Choice, Item, Media, Part

__all__ = ["Body", "Wire", "chat_body", "shown_pictures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """The parts of a request that no question changes, and the dialect the server speaks."""

    model: str
    options: ModelOptions
    token_field: str = "max_tokens"
    """Newer OpenAI models call it ``max_completion_tokens``."""
    sends_seed: bool = True


def shown_pictures(query: Query) -> tuple[Picture, ...]:
    """List the pictures that go out with a query, in order.

    Raises
    ------
    ModelError
        A picture was not rendered, or the prompt leaves out all pictures of the item.
    """
    item = query.item
    shown: list[Picture] = []
    for part in _parts(item):
        if part.media is not None:
            shown.extend(_rendered(query, part.media))
    if not shown and (item.media or any(option.media for option in item.options)):
        raise ModelError(
            expected(
                f"item {item.id}",
                rule="a prompt that shows the item's pictures",
                got="a prompt without any",
                remedy="This is a fault of the benchmark's prompt: nothing was sent.",
            )
        )
    return tuple(shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A request's body, which can be sent any number of times."""

    pieces: tuple[bytes | Picture, ...]
    """JSON as it stands, and pictures still to be encoded."""

    def __len__(self) -> int:
        """Count the bytes that will be sent."""
        return sum(
            len(piece) if isinstance(piece, bytes) else 4 * ((len(piece.data) + 2) // 3)
            for piece in self.pieces
        )

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the bytes, one picture with the words before it at a time."""
        words = b""
        for piece in self.pieces:
            if isinstance(piece, bytes):
                words += piece
            else:
                yield words + b64encode(piece.data)
                words = b""
        yield words

    def __bytes__(self) -> bytes:
        """Give all bytes at once."""
        return b"".join(p if isinstance(p, bytes) else b64encode(p.data) for p in self.pieces)


def chat_body(query: Query, wire: Wire) -> Body:
    """Build the body of a ``/chat/completions`` request, in UTF-8."""
    pieces: list[bytes | Picture] = [b'{"model":', _json(wire.model), b',"messages":[']
    for number, (role, parts) in enumerate(_messages(query.item)):
        pieces += [b"," if number else b"", b'{"role":', _json(role), b',"content":']
        pieces += _content(query, parts)
        pieces.append(b"}")
    options = wire.options
    settings: dict[str, object] = {
        "temperature": options.temperature,
        wire.token_field: options.max_tokens,
    }
    if wire.sends_seed:
        settings["seed"] = options.seed + query.draw
    if options.structured:
        settings["response_format"] = _response_format(query.item)
    pieces += [b"],", _json(settings)[1:]]
    return Body(pieces=tuple(pieces))


def _messages(item: Item) -> Iterator[tuple[str, list[Part]]]:
    """Group neighbouring parts of one role into one message."""
    role, parts = "", list[Part]()
    for part in _parts(item):
        if part.role != role and parts:
            yield role, parts
            parts = []
        role = part.role
        parts.append(part)
    if parts:
        yield role, parts


def _content(query: Query, parts: Sequence[Part]) -> Iterator[bytes | Picture]:
    if all(part.media is None for part in parts):
        # Some servers' chat templates take only a string where there is no picture.
        yield _json("\n\n".join(part.text or "" for part in parts))
        return
    separator = b"["
    for part in parts:
        if part.text is not None:
            yield separator + b'{"type":"text","text":' + _json(part.text) + b"}"
            separator = b","
        if part.media is not None:
            for picture in _rendered(query, part.media):
                yield separator + b'{"type":"image_url","image_url":{"url":"data:'
                yield picture.receipt.media_type.encode("ascii") + b";base64,"
                yield picture
                yield b'"}}'
                separator = b","
    yield b"]"


def _rendered(query: Query, media: Media) -> tuple[Picture, ...]:
    pictures = query.pictures.get(media, ())
    if not pictures:
        raise ModelError(
            expected(
                f"item {query.item.id}",
                rule=f"a rendered picture for {', '.join(media.paths)}",
                got="none",
                remedy="Nothing was sent: a question is never asked without its picture.",
            )
        )
    return pictures


def _parts(item: Item) -> Sequence[Part]:
    return item.prompt or tuple(_plain_prompt(item))


def _plain_prompt(item: Item) -> Iterator[Part]:
    """Word an item whose benchmark brings no prompt of its own."""
    for media in item.media:
        yield Part(media=media)
    yield Part(text=item.question)
    for option in item.options:
        yield Part(text=f"{option.letter}: {option.text or ''}".rstrip(), media=option.media)


def _response_format(item: Item) -> dict[str, object]:
    space = item.answer_space
    if not isinstance(space, Choice):
        return {"type": "json_object"}
    schema = {
        "type": "object",
        "properties": {
            "selected_option": {"type": "string", "enum": list(space.letters)},
            "explanation": {"type": "string"},
        },
        "required": ["selected_option", "explanation"],
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }


def _json(value: object) -> bytes:
    # ASCII escapes carry even a lone surrogate safely, which UTF-8 could not.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")
