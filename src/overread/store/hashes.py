"""Names for what was asked: hashes of texts, files and whole requests.

A request hash covers everything that can change an answer: the model to its last setting, the
question to its last word, every picture by the hash of its file and by how it is rendered, and
the number of the draw. Two requests share a hash only when the same model is asked the same thing
about the same bytes, so an answer stored under a hash can be credited to no other request.

What does not shape the answer (groups, strata, where the release lies) stays out. A field that
holds its default stays out as well: a later version that adds a field leaves the hashes, and with
them the paid answers, of older runs as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from overread.errors import StoreError, expected
from overread.records import Item, Media, Part

if TYPE_CHECKING:
    from overread.records import JsonValue, ModelIdentity

__all__ = [
    "canonical_json",
    "file_sha256",
    "item_media",
    "judge_hash",
    "request_hash",
    "sha256_bytes",
    "sha256_text",
    "vote_hash",
]

_READ_BYTES = 1 << 20
_FORM = "overread request 1"
"""Changes when the form below changes, so that hashes of two forms never meet."""
_JUDGE_FORM = "overread judge 1"
_VOTE_FORM = "overread vote 1"


def canonical_json(value: JsonValue) -> str:
    """Write a JSON value in the one form that is hashed.

    Keys sorted, no spaces, characters as themselves, floats in Python's shortest form. Equal
    values give equal texts; ``1`` and ``1.0`` are different texts.

    Raises
    ------
    StoreError
        The value holds NaN, an infinity, a key that is no string, or something that is no JSON.
    """
    try:
        _refuse_odd_keys(value)
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            expected(
                "value",
                rule="JSON without NaN or infinities, with texts as keys",
                got=f"{type(value).__name__} ({error})",
                remedy="Leave an undefined number out, or give None and a reason.",
            )
        ) from error


def _refuse_odd_keys(value: object) -> None:
    """Refuse keys that json turns into texts in silence: 1 and "1" would become one."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[object, object]", value).items():
            if not isinstance(key, str):
                raise TypeError(f"key {key!r} is no text")
            _refuse_odd_keys(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("Sequence[object]", value):
            _refuse_odd_keys(inner)


def _mapping_as_dict(value: object) -> dict[object, object]:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    raise TypeError(f"{type(value).__name__} is no JSON")


_ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
    default=_mapping_as_dict,
)


def sha256_bytes(data: bytes) -> str:
    """Give the SHA-256 of bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_text(text: str) -> str:
    """Give the SHA-256 of a text in UTF-8; lone surrogates are hashed as they stand."""
    return sha256_bytes(text.encode("utf-8", "surrogatepass"))


def file_sha256(path: Path) -> str:
    """Give the SHA-256 of a file's bytes, read in pieces of 1 MiB.

    Raises
    ------
    OSError
        The file is absent or cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def item_media(item: Item) -> Iterator[Media]:
    """Go over all media of an item: of the question, of the prompt, of the options.

    A media that stands in two places comes twice.
    """
    yield from item.media
    for part in item.prompt:
        if part.media is not None:
            yield part.media
    for option in item.options:
        if option.media is not None:
            yield option.media


def request_hash(
    *,
    identity: ModelIdentity,
    item: Item,
    media_hashes: Mapping[str, str],
    draw: int,
    protocol_version: str,
) -> str:
    """Hash one request: this model, this question, these bytes, this draw.

    Parameters
    ----------
    identity
        The model: kind, name, revision and settings all enter.
    item
        The question: id, benchmark, task, condition, question, media with recipe and boxes,
        prompt parts and answer space enter; groups and strata do not.
    media_hashes
        SHA-256 by path of the release's files. A path that is not in it counts as absent, which
        is another request than the same path with a file. Leave it empty for a model that is
        shown no picture: its answers then outlive a change of the pictures.
    draw
        Which repetition of the question, from 0.
    protocol_version
        Of the benchmark's protocol.

    Returns
    -------
    str
        64 lower-case hexadecimal digits.
    """
    # As lists: the order is part of the form, and no key has to be sorted for each request.
    form = [
        _FORM,
        _identity_text(identity),
        protocol_version,
        draw,
        item.id,
        item.benchmark,
        item.task,
        item.condition,
        item.question,
        _plain(item.media),
        _plain(item.prompt),
        _plain(item.answer_space),
        [[media_hashes.get(path) for path in media.paths] for media in item_media(item)],
    ]
    return sha256_text(_ENCODER.encode(form))


def judge_hash(identity: ModelIdentity, form: str) -> str:
    """Hash a judge: the model to its last setting, and the name of the form it is asked in."""
    return sha256_text(_ENCODER.encode([_JUDGE_FORM, _identity_text(identity), form]))


def vote_hash(judge: str, prompt: Sequence[Part]) -> str:
    """Hash one request to a judge: the judge, and every word of the prompt with the graded texts.

    Which items the texts belong to stays out. Two items that a judge sees as the very same words
    are one question to it, and are paid for once.

    Parameters
    ----------
    judge
        From `judge_hash`.
    prompt
        All parts, none with media.

    Returns
    -------
    str
        64 lower-case hexadecimal digits.
    """
    return sha256_text(_ENCODER.encode([_VOTE_FORM, judge, _plain(tuple(prompt))]))


_last_identity: list[tuple[ModelIdentity, str]] = []


def _identity_text(identity: ModelIdentity) -> str:
    # A run asks for the same identity thousands of times; its settings are not hashable, so the
    # last one is known by the object itself, which the list keeps alive.
    if _last_identity and _last_identity[0][0] is identity:
        return _last_identity[0][1]
    text = canonical_json(
        [identity.kind, identity.name, identity.revision, dict(identity.settings)]
    )
    _last_identity[:] = [(identity, text)]
    return text


@cache
def _fields(cls: type[Any]) -> tuple[tuple[str, object], ...]:
    """List a record's fields, each with its default (`MISSING` where it has none)."""
    return tuple(
        (each.name, each.default if each.default_factory is MISSING else each.default_factory())
        for each in fields(cls)
    )


def _plain(value: object) -> object:
    """Turn records into JSON values: ``["Class", {field: value}]`` without default fields."""
    if value is None or type(value) in _SCALARS:
        return value
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in cast("Sequence[object]", value)]
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        # Pairs, not an object: labels of a mask are numbers, and 1 is not "1".
        return sorted(([key, _plain(inner)] for key, inner in pairs), key=repr)
    cls = type(value)
    held = ((name, getattr(value, name), default) for name, default in _fields(cls))
    return [
        cls.__name__,
        {name: _plain(inner) for name, inner, default in held if inner != default},
    ]


_SCALARS = frozenset({bool, int, float, str})
