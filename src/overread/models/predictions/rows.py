"""Reads a file of predictions into rows: JSON, JSON Lines, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from overread.errors import UsageError, expected
from overread.models.predictions.script_output import unread_reply
from overread.records import Status

__all__ = ["ID_FIELDS", "Row", "case_stem", "read_rows"]

ID_FIELDS = ("item", "item_id", "id")
_CHOICE_FIELDS = ("prediction", "answer", "selected_option")
_CAPTION = "caption"
_ANSWER_FIELDS = (
    *("text", "reply", "response", "raw_response", "output", _CAPTION),
    *_CHOICE_FIELDS,
)
_LESION_FIELDS = ("lesion_idx", "lesion_id")
_NO_TASKS = ("path", "label", "split", "box", "bbox_type", "draw", "status", "reason", "error")
"""Columns beside a case that say what it is, and answer nothing."""
_LIST_FIELDS = ("predictions", "responses", "results", "items", "data")
# A file repeats its release's spellings or has its maker's own, and a model may import no
# benchmark: so this reader is tolerant by itself. A test holds it to every spelling that the
# CT-Bench loader reads.
_WITH_BOX = frozenset({"box", "bbox", "with", "withbox", "withbbox", "yes", "true", "1"})
_WITHOUT_BOX = frozenset(
    {"nobox", "nobbox", "without", "withoutbox", "withoutbbox", "none", "no", "false", "0"}
)
_SPLITS = {"training": "train", **dict.fromkeys(("val", "valid", "dev"), "validation")}
_CASE_FIELDS = ("case_id", "case", "image_path", "img_name")
_ENDING = re.compile(
    r"\.(?:nii\.gz|nii|npy|npz|mha|mhd|dcm|pt|jpe?g|png|bmp|tiff?)$", re.IGNORECASE
)
_TABLES = (".csv", ".tsv")
_LINES = (".jsonl", ".ndjson")
_LARGEST_FILE = 2**31
_LARGEST_CELL = 2**27


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One prediction and every key it names."""

    place: str
    """Where it stands in the file, for messages."""
    id: str | None = None
    qa_id: str | None = None
    lesion: str | None = None
    case: str | None = None
    """Name of the case without folders and endings (`case_stem`)."""
    task: str | None = None
    box: str | None = None
    """``box`` or ``no-box``; None where the row does not say."""
    split: str | None = None
    draw: int = 0
    question: str | None = None
    choices: tuple[tuple[str, str], ...] | None = None
    """Letters and texts of the options, sorted by letter."""
    status: Status = Status.OK
    text: str | None = None
    reason: str | None = None
    """Why there is no text."""
    is_choice: bool = False
    """Whether the text stands in a field for choices already read, not for raw replies."""

    @property
    def answer(self) -> tuple[Status, str | None]:
        """What two rows must share to say the same."""
        return self.status, self.text

    @property
    def is_keyed(self) -> bool:
        """Whether the row names its item."""
        by_lesion, by_case = self.lesion and self.task, self.case and (self.question or self.task)
        return bool(self.id or self.qa_id or by_lesion or by_case)


def case_stem(name: str) -> str:
    """Give a case's name without folders and without the ending of a volume or picture.

    Examples
    --------
    >>> case_stem("/data/m3d_npy/valid_1/valid_1_a_1.npy"), case_stem("valid_1_a_1.nii.gz")
    ('valid_1_a_1', 'valid_1_a_1')
    """
    return _ENDING.sub("", name.replace("\\", "/").rpartition("/")[2])


def read_rows(path: Path) -> tuple[Row, ...]:
    """Read a file of predictions, or ``output_data.json`` in a folder.

    Raises
    ------
    UsageError
        No such file, unreadable text, broken JSON (with its line), a table without keys.
    """
    try:
        is_folder = path.is_dir()
    except OSError as error:  # a name too long for any file
        raise _wrong(path, "a file of predictions", _why(error)) from None
    if is_folder:
        path = path / "output_data.json"
    text = _text(path)
    kind, stripped = path.suffix.lower(), text.lstrip()
    is_json = kind == ".json" or stripped.startswith(("[", "{"))
    if kind in _LINES or (kind not in _TABLES and is_json and _is_json_lines(stripped)):
        entries: Iterable[tuple[str, Mapping[str, object]]] = _json_lines(path, text)
    elif kind in _TABLES or not is_json:
        entries = _table(path, text)
    else:
        entries = _json_document(path, text)
    rows = tuple(_row(place, entry) for place, entry in entries)
    if not any(row.is_keyed for row in rows):
        raise _wrong(
            path,
            "rows that name their item (item, qa_id, lesion_idx with q_type, or case_id with "
            "question) and their answer",
            f"{len(rows)} rows, none with a key" if rows else "no rows",
        )
    return rows


def _text(path: Path) -> str:
    try:
        if (size := path.stat().st_size) > _LARGEST_FILE:
            raise _wrong(path, f"a file of at most {_LARGEST_FILE:,} bytes", f"{size:,} bytes")
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        raise _wrong(path, "a file of predictions", _why(error)) from None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        got = f"byte {data[error.start]:#04x} at {error.start}"
        raise _wrong(path, "text in UTF-8", got) from None


def _why(error: OSError | ValueError) -> str:
    return (error.strerror or "no file") if isinstance(error, OSError) else str(error)


def _is_json_lines(text: str) -> bool:
    first, _, rest = text.partition("\n")
    if not (first.startswith("{") and rest.strip()):
        return False
    try:
        json.loads(first)
    except ValueError:
        return False
    return True


def _json_lines(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    # Only a line feed ends a line: JSON may hold the other ends that `splitlines` knows.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"line {number}"
            yield place, _mapping(_load(path, line, first_line=number), path, place)


def _json_document(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    data = _load(path, text, first_line=1)
    if isinstance(data, _Pairs):
        listed = next((value for key, value in data if key in _LIST_FIELDS), None)
        if isinstance(listed, list):
            data = cast("list[object]", listed)
        elif _names_a_key([key for key, _ in data]):
            data = [data]
        else:
            for key, value in data:
                entry = dict(value) if isinstance(value, _Pairs) else {"answer": value}
                yield f"key {key!r}", {"id": key, **entry}
            return
    if not isinstance(data, list):
        raise _wrong(path, "a JSON list or object", type(data).__name__)
    for number, entry in enumerate(cast("list[object]", data), start=1):
        yield f"row {number}", _mapping(entry, path, f"row {number}")


class _Pairs(tuple[tuple[str, object], ...]):
    """A JSON object as it stands, so that a key that comes twice is seen twice."""

    __slots__ = ()


def _load(path: Path, text: str, *, first_line: int) -> object:
    try:
        return json.loads(text, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        got = f"{error.msg} in line {line}, column {error.colno}"
        raise _wrong(path, "whole JSON", got) from None
    except (ValueError, RecursionError) as error:
        raise _wrong(path, "sound JSON", str(error)) from None


def _mapping(value: object, path: Path, place: str) -> Mapping[str, object]:
    if not isinstance(value, _Pairs):
        raise _wrong(path, f"an object in {place}", type(value).__name__)
    return dict(value)


def _table(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    before = csv.field_size_limit(_LARGEST_CELL)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        columns = [name.strip() for name in reader.fieldnames or ()]
        if not _names_a_key(columns):
            rule = "a header with item, qa_id, lesion_idx and q_type, or case_id and question"
            raise _wrong(path, rule, ", ".join(columns) or "no header")
        is_wide = _is_wide(columns)
        for cells in reader:
            line = f"line {reader.line_num}"
            if None in cells:
                raise _wrong(path, f"{len(columns)} cells in {line}", "more")
            named = {name.strip(): value for name, value in cells.items()}
            yield from _by_column(line, named) if is_wide else ((line, named),)
    except csv.Error as error:
        raise _wrong(path, "a sound CSV table", str(error)) from None
    finally:
        csv.field_size_limit(before)


def _is_wide(columns: Sequence[str]) -> bool:
    """Tell a table of one row a case and one column a task: no column for an answer or a question.

    A row then answers the task that each further column is named after.
    """
    others = (*ID_FIELDS, *_LESION_FIELDS, *_ANSWER_FIELDS, "qa_id", "question", "task", "q_type")
    return any(name in columns for name in _CASE_FIELDS) and not set(others) & set(columns)


def _by_column(
    place: str, cells: Mapping[str, object]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    case = next((cells[name] for name in _CASE_FIELDS if cells.get(name)), None)
    for column, value in cells.items():
        if column not in (*_CASE_FIELDS, *_NO_TASKS):
            yield f"{place}, {column}", {"case": case, "task": column, "text": value}


def _names_a_key(names: Sequence[str]) -> bool:
    return any(name in names for name in (*ID_FIELDS, "qa_id", *_LESION_FIELDS, *_CASE_FIELDS))


def _row(place: str, entry: Mapping[str, object]) -> Row:
    status, text, reason = _answer(entry)
    return Row(
        place=place,
        id=next((word for name in ID_FIELDS if (word := _word(entry.get(name)))), None),
        qa_id=_word(entry.get("qa_id")),
        lesion=_lesion(entry),
        case=next(
            (case_stem(word) for name in _CASE_FIELDS if (word := _word(entry.get(name)))), None
        ),
        task=_word(entry.get("q_type")) or _word(entry.get("task")) or _caption_task(entry),
        box=_box(entry.get("bbox_type")) or _box(entry.get("box")),
        split=_split(_word(entry.get("split"))),
        draw=_draw(entry.get("draw")),
        question=_word(entry.get("question")),
        choices=_choices(entry.get("choices")),
        status=status,
        text=text,
        reason=reason,
        is_choice=next(iter(_answer_fields(entry)), None) in _CHOICE_FIELDS,
    )


def _lesion(entry: Mapping[str, object]) -> str | None:
    words = (_word(entry.get(name)) for name in _LESION_FIELDS)
    # A data frame with a gap in the column writes 12.0 for 12.
    return next((word.removesuffix(".0") for word in words if word), None)


def _caption_task(entry: Mapping[str, object]) -> str | None:
    """Name the task of a row that names none and holds a caption, or a gap for nothing else."""
    is_caption = entry.get(_CAPTION) is not None
    return _CAPTION if is_caption or (_CAPTION in entry and not _answer_fields(entry)) else None


def _answer_fields(entry: Mapping[str, object]) -> list[str]:
    """Name the fields that hold an answer, the first one first.

    Where there is a field `prediction`, even an empty one, `answer` is what it is compared with.
    """
    barred = ("answer",) if "prediction" in entry else ()
    return [name for name in _ANSWER_FIELDS if entry.get(name) is not None and name not in barred]


def _answer(entry: Mapping[str, object]) -> tuple[Status, str | None, str | None]:
    """Take a row's answer: its words as they are, or an object as JSON."""
    named = _word(entry.get("status"))
    reason = _word(entry.get("reason")) or _word(entry.get("error"))
    names = _answer_fields(entry)
    text = _answer_text(entry[names[0]]) if names else None
    if named in (Status.FAILED, Status.REFUSED):
        return Status(named), text or None, reason or f"{named} when the file was written"
    if text is None:
        return Status.FAILED, None, reason or "the file has no answer for it"
    return Status.OK, text, None


def _answer_text(value: object) -> str:
    if isinstance(value, str):
        return _whole_characters(value)
    plain = _plain(value)
    if isinstance(plain, dict):
        raw = unread_reply(cast("dict[str, object]", plain))
        if raw is not None:
            return _whole_characters(raw)
    return json.dumps(plain)


def _whole_characters(text: str) -> str:
    """Put a question mark for half a character, which no run file can hold."""
    return text.encode("utf-8", "replace").decode()


def _plain(value: object) -> object:
    if isinstance(value, _Pairs):
        return {key: _plain(inner) for key, inner in value}
    if isinstance(value, list):
        return [_plain(inner) for inner in cast("list[object]", value)]
    return value


def _word(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None


def _box(value: object) -> str | None:
    word = str(value) if isinstance(value, bool) else _word(value)
    if word is None:
        return None
    plain = "".join(ch for ch in word.casefold() if ch.isalnum())
    return "box" if plain in _WITH_BOX else "no-box" if plain in _WITHOUT_BOX else word


def _split(word: str | None) -> str | None:
    return _SPLITS.get(word.casefold(), word.casefold()) if word else None


def _draw(value: object) -> int:
    word = _word(value)
    return int(word) if word and word.isdecimal() and len(word) < 7 else 0


def _choices(value: object) -> tuple[tuple[str, str], ...] | None:
    if not isinstance(value, _Pairs):
        return None
    pairs = [(key.strip(), _word(text) or "") for key, text in value]
    return tuple(sorted(pairs)) or None


def _wrong(path: Path, rule: str, got: str) -> UsageError:
    remedy = (
        "Each row needs item (or qa_id, or lesion_idx and q_type, or case_id and question), and "
        "text, prediction or answer."
    )
    return UsageError(expected(f"predictions:{path}", rule=rule, got=got, remedy=remedy))
