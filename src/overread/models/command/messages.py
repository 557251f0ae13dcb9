"""The two lines of the protocol: a question out, a reply in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from overread.contracts import ArrayFile, ModelOptions, Picture, Query, Reply
from overread.models.command.volumes import hand_on, volume_kind
from overread.records import Item, Mask, Media, Status

__all__ = ["BadReplyError", "ReportedError", "Written", "question_line", "read_reply_line"]

_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
_LONGEST_QUOTE = 120


class BadReplyError(Exception):
    """A line that is no reply to the question; the message says what it is."""


class ReportedError(Exception):
    """The process says that it could not answer, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A question ready to be sent, and the pictures and volumes it names."""

    line: bytes
    files: tuple[Path, ...]
    """Files, and folders of series, that go after the reply."""


def question_line(query: Query, options: ModelOptions, *, folder: Path) -> Written:
    """Write a question's pictures and volumes into a folder, and the question as a line.

    Raises
    ------
    OSError
        The pictures or volumes could not be written.
    """
    item = query.item
    files = _write_pictures(query, folder)
    volumes = {
        media: hand_on(paths, folder / f"volume-{number}")
        for number, (media, paths) in enumerate(query.files.items())
    }

    def shown(media: Iterable[Media]) -> list[dict[str, object]]:
        pictures = (picture for one in media for picture in query.pictures.get(one, ()))
        return [_picture(picture, files) for picture in pictures]

    def as_released(media: Iterable[Media]) -> list[dict[str, object]]:
        return [
            {"path": str(volumes[one]), "kind": volume_kind(volumes[one])}
            for one in media
            if one in volumes
        ]

    message = {
        "id": item.id,
        "draw": query.draw,
        "benchmark": item.benchmark,
        "task": item.task,
        "condition": item.condition,
        "question": item.question,
        "prompt": [
            {"role": part.role}
            | ({} if part.text is None else {"text": part.text})
            | ({} if part.media is None else {"pictures": shown([part.media])})
            | ({"volumes": as_released([part.media])} if part.media in volumes else {})
            for part in item.prompt
        ],
        "pictures": shown(item.media),
        "arrays": [_array(query.arrays[one]) for one in item.media if one in query.arrays],
        "options": [
            {
                "letter": option.letter,
                "text": option.text,
                "pictures": shown([option.media] if option.media else []),
            }
            for option in item.options
        ],
        "settings": {
            "seed": options.seed + query.draw,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
        },
    }
    if isinstance(item.answer_space, Mask):
        message["volumes"] = as_released(item.media)
        message["labels"] = {str(label): name for label, name in item.answer_space.labels.items()}
        message["write_to"] = None if query.write_to is None else str(query.write_to)
    line = json.dumps(message, allow_nan=False).encode("ascii") + b"\n"
    # Of what is handed on under `volume-N`, a folder stands for all that is in it.
    handed_on = (folder / path.relative_to(folder).parts[0] for path in volumes.values())
    return Written(line=line, files=tuple(dict.fromkeys((*files.values(), *handed_on))))


def read_reply_line(line: bytes, *, item: Item) -> Reply:
    """Read a line of the process.

    The path of a mask is taken as it stands: whoever asked for it looks at where it leads.

    Raises
    ------
    BadReplyError
        The line is no JSON object, belongs to another question, or says nothing.
    ReportedError
        The process reports an error for this question.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise BadReplyError(f"a line that is no JSON: {_quote(line)}") from None
    if not isinstance(data, dict):
        raise BadReplyError(f"JSON that is no object: {_quote(line)}")
    fields = cast("Mapping[str, object]", data)
    if fields.get("id") != item.id:
        raise BadReplyError(f"a reply with id {fields.get('id')!r}")
    if isinstance(error := fields.get("error"), str):
        raise ReportedError(_clean(error))
    if isinstance(refused := fields.get("refused"), str):
        return Reply(status=Status.REFUSED, reason=_clean(refused), text=_text(fields))
    text, path = _text(fields), fields.get("path")
    is_mask = isinstance(item.answer_space, Mask)
    if isinstance(path, str) and not is_mask and not Path(path).is_file():
        raise BadReplyError(f"the path of a file that is not there: {path!r}")
    if text is None and not isinstance(path, str):
        raise BadReplyError("a reply without text, path, error or refused")
    finish = fields.get("finish_reason")
    return Reply(
        text=text,
        path=path if isinstance(path, str) else None,
        finish_reason=_clean(finish) if isinstance(finish, str) else None,
        tokens_in=_count(fields.get("tokens_in")),
        tokens_out=_count(fields.get("tokens_out")),
    )


def _write_pictures(query: Query, folder: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for pictures in query.pictures.values():
        for picture in pictures:
            receipt = picture.receipt
            if receipt.sha256 not in files:
                suffix = _SUFFIXES.get(receipt.media_type, ".bin")
                path = folder / f"{len(files):03d}-{receipt.sha256[:16]}{suffix}"
                path.write_bytes(picture.data)
                files[receipt.sha256] = path
    return files


def _picture(picture: Picture, files: Mapping[str, Path]) -> dict[str, object]:
    """Describe a picture without its files of the release, whose names may tell the answer."""
    receipt = picture.receipt
    return {
        "path": str(files[receipt.sha256]),
        "media_type": receipt.media_type,
        "width": receipt.width,
        "height": receipt.height,
        "sha256": receipt.sha256,
        "window": receipt.window,
        "layout": receipt.layout,
        "orientation": receipt.orientation,
    }


def _array(array: ArrayFile) -> dict[str, object]:
    """Describe a prepared volume; the file is ours and is read, never written."""
    return {
        "path": str(array.path),
        "shape": list(array.shape),
        "dtype": array.dtype,
        "axes": array.axes,
        "spacing_mm": list(array.spacing_mm),
        "recipe": array.recipe,
        "sha256": array.receipt.sha256,
    }


def _text(fields: Mapping[str, object]) -> str | None:
    text = fields.get("text")
    return _clean(text) if isinstance(text, str) else None


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _quote(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")
