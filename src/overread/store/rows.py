"""Records as rows of the run file and back: what repeats is kept once."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, cast

from overread.errors import StoreError, expected
from overread.records import PlannedItem, Profile, Receipt, Response, Score, Status

__all__ = [
    "ANSWERED",
    "Rows",
    "bind_hash",
    "bind_text",
    "bind_word",
    "finite",
    "read_json",
    "unbind_hash",
    "unbind_text",
    "write_json",
]

ANSWERED = (Status.OK, Status.REFUSED)
"""What counts as an answer: the host spoke. A request that FAILED can be asked again."""

_COMPRESS_CHARACTERS = 512
_KNOWN_WORDS = 20_000
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_ZLIB_MARK = b"z"
_PLAIN_MARK = b"u"


def write_json(value: object) -> str:
    """Write JSON for a column; ASCII, so that any Python text survives, lone surrogates too."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def read_json(text: str) -> Any:
    """Read what `write_json` wrote."""
    return json.loads(text)


def bind_hash(digest: str) -> bytes | str:
    """Give 32 bytes for a SHA-256 in hexadecimal; any other name stays a text."""
    return bytes.fromhex(digest) if _HASH.fullmatch(digest) else digest


def unbind_hash(stored: bytes | str) -> str:
    """Undo `bind_hash`."""
    return stored.hex() if isinstance(stored, bytes) else stored


def bind_text(text: str | None) -> bytes | str | None:
    """Give a text as SQLite can hold it: long ones compressed, with zlib's checksum in them."""
    if text is None:
        return None
    if len(text) >= _COMPRESS_CHARACTERS:
        return _ZLIB_MARK + zlib.compress(text.encode("utf-8", "surrogatepass"), 6)
    return bind_word(text)


def bind_word(text: str) -> bytes | str:
    """Give a short text as SQLite can hold it; equal texts give equal values."""
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, from a reply's JSON escape
        return _PLAIN_MARK + text.encode("utf-8", "surrogatepass")
    return text


def unbind_text(stored: bytes | str | None) -> str | None:
    """Undo `bind_text`."""
    if not isinstance(stored, bytes):
        return stored
    body = zlib.decompress(stored[1:]) if stored[:1] == _ZLIB_MARK else stored[1:]
    return body.decode("utf-8", "surrogatepass")


class Rows:
    """The rows of one run file, through one connection; texts that repeat become numbers."""

    def __init__(self, connection: sqlite3.Connection, run: str) -> None:
        self._connection = connection
        self._run = run
        self._ids: dict[str, int] = {}
        self._texts: dict[int, str] = {}

    @property
    def connection(self) -> sqlite3.Connection:
        """The run file."""
        return self._connection

    def forget(self) -> None:
        """Drop what is remembered: after a rollback some of it is not in the file."""
        self._ids.clear()
        self._texts.clear()

    # ------------------------------------------------------------ words

    def word_id(self, text: str | None) -> int | None:
        """Give the number of a text, which is added when it is new; None for None."""
        if text is None:
            return None
        known = self._ids.get(text)
        if known is None:
            known = self.find_or_add("word", "text", bind_word(text))
            if len(self._ids) >= _KNOWN_WORDS:
                self._ids.clear()
            self._ids[text] = known
        return known

    def find_or_add(self, table: str, column: str, stored: bytes | str) -> int:
        """Give the number of a value in a table of values that are kept once."""
        found = self._connection.execute(
            f"SELECT id FROM {table} WHERE {column} = ?", (stored,)
        ).fetchone()
        if found is not None:
            return found[0]
        cursor = self._connection.execute(f"INSERT INTO {table} ({column}) VALUES (?)", (stored,))
        return cast("int", cursor.lastrowid)

    def word(self, number: int | None) -> str | None:
        """Undo `word_id`."""
        if number is None:
            return None
        known = self._texts.get(number)
        if known is None:
            found = self._connection.execute("SELECT text FROM word WHERE id = ?", (number,))
            known = cast("str", unbind_text(found.fetchone()[0]))
            if len(self._texts) >= _KNOWN_WORDS:
                self._texts.clear()
            self._texts[number] = known
        return known

    def needed_word(self, number: int) -> str:
        """Give the text of a number that is never None."""
        return cast("str", self.word(number))

    def item_id(self, item: str) -> int | None:
        """Give the number of an item id; None when the file has never heard of it."""
        found = self._connection.execute("SELECT id FROM word WHERE text = ?", (bind_word(item),))
        row = found.fetchone()
        return row[0] if row else None

    # ------------------------------------------------------------ plan

    def add_plan(self, planned: Iterable[PlannedItem]) -> None:
        """Insert a plan in its order, refusing what comes twice. The table is empty before."""
        seen: set[object] = set()
        self._connection.executemany(
            "INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._plan_row(ordinal, _once(each, seen)) for ordinal, each in enumerate(planned)),
        )

    def _plan_row(self, ordinal: int, planned: PlannedItem) -> tuple[Any, ...]:
        request = self.find_or_add("request", "hash", bind_hash(planned.request_hash))
        return (
            ordinal,
            self.word_id(planned.item),
            planned.draw,
            request,
            write_json(dict(planned.groups)),
            self.word_id(write_json(dict(planned.strata))),
            None if planned.chance is None else finite(planned.chance, "PlannedItem.chance"),
        )

    def planned(self, row: tuple[Any, ...]) -> PlannedItem:
        """Make a planned item of item, draw, hash, groups, strata, chance."""
        item, draw, digest, groups, strata, chance = row
        return PlannedItem(
            item=self.needed_word(item),
            draw=draw,
            request_hash=unbind_hash(digest),
            groups=read_json(groups),
            strata=read_json(self.needed_word(strata)),
            chance=chance,
        )

    # ------------------------------------------------------------ responses

    def add_response(self, response: Response) -> None:
        """Append one attempt; earlier ones stay."""
        request = self.find_or_add("request", "hash", bind_hash(response.request_hash))
        receipts = [self._receipt(receipt) for receipt in response.receipts]
        self._connection.execute(
            "INSERT INTO response (request, item, draw, run, status, text, path, reason,"
            " finish_reason, tokens_in, tokens_out, seconds, receipts)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                request,
                self.word_id(response.item),
                response.draw,
                None if response.run == self._run else self.word_id(response.run),
                response.status.value,
                bind_text(response.text),
                self.word_id(response.path),
                self.word_id(response.reason),
                self.word_id(response.finish_reason),
                response.tokens_in,
                response.tokens_out,
                None if response.seconds is None else finite(response.seconds, "seconds"),
                write_json(receipts) if receipts else None,
            ),
        )

    def response(self, row: tuple[Any, ...]) -> Response:
        """Make a response of the request's hash and the columns of `response` from item on."""
        (digest, item, draw, run, status, text, path, reason, finish) = row[:9]
        tokens_in, tokens_out, seconds, receipts = row[9:]
        return Response(
            run=self._run if run is None else self.needed_word(run),
            item=self.needed_word(item),
            draw=draw,
            status=Status(status),
            text=unbind_text(text),
            path=self.word(path),
            reason=self.word(reason),
            finish_reason=self.word(finish),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            seconds=seconds,
            request_hash=unbind_hash(digest),
            receipts=tuple(self._receipts(receipts)),
        )

    def _receipt(self, receipt: Receipt) -> int:
        stored = bind_hash(receipt.sha256)
        form = [receipt.width, receipt.height, receipt.media_type, receipt.window]
        form += [receipt.layout, receipt.orientation, receipt.boxes_drawn]
        row = (
            stored,
            receipt.size_bytes,
            write_json(receipt.sources),
            self.word_id(write_json(form)),
        )
        found = self._connection.execute(
            "SELECT id FROM receipt WHERE sha256 = ? AND size_bytes = ? AND sources = ?"
            " AND form = ?",
            row,
        ).fetchone()
        if found is not None:
            return found[0]
        cursor = self._connection.execute(
            "INSERT INTO receipt (sha256, size_bytes, sources, form) VALUES (?, ?, ?, ?)", row
        )
        return cast("int", cursor.lastrowid)

    def _receipts(self, numbers: str | None) -> Iterator[Receipt]:
        for number in cast("list[int]", read_json(numbers)) if numbers else ():
            digest, size_bytes, sources, form = self._connection.execute(
                "SELECT sha256, size_bytes, sources, form FROM receipt WHERE id = ?", (number,)
            ).fetchone()
            width, height, media_type, window, layout, orientation, boxes = read_json(
                self.needed_word(form)
            )
            yield Receipt(
                sha256=unbind_hash(digest),
                width=width,
                height=height,
                size_bytes=size_bytes,
                media_type=media_type,
                sources=tuple(read_json(sources)),
                window=window,
                layout=layout,
                orientation=orientation,
                boxes_drawn=boxes,
            )

    # ------------------------------------------------------------ scores

    def add_scores(self, scores: Iterable[Score]) -> None:
        """Insert scores in their order. The score table is empty before."""
        self._connection.executemany(
            "INSERT INTO score VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (self._score_row(ordinal, score) for ordinal, score in enumerate(scores)),
        )

    def _score_row(self, ordinal: int, score: Score) -> tuple[Any, ...]:
        form = (score.run, score.metric, score.metric_version, score.profile, score.target)
        return (
            ordinal,
            self.word_id(score.item),
            score.draw,
            self.word_id(score.patient),
            None if score.value is None else finite(score.value, f"Score of {score.item}"),
            self.word_id(score.answer),
            self.word_id(score.reason),
            self.word_id(write_json([*form, score.unit, score.status.value])),
        )

    def score(self, row: tuple[Any, ...]) -> Score:
        """Make a score of the columns of `score` from item on."""
        item, draw, patient, value, answer, reason, form = row
        run, metric, version, profile, target, unit, status = read_json(self.needed_word(form))
        return Score(
            run=run,
            item=self.needed_word(item),
            draw=draw,
            patient=self.word(patient),
            metric=metric,
            metric_version=version,
            profile=cast("Profile", profile),
            target=target,
            unit=unit,
            value=value,
            status=Status(status),
            reason=self.word(reason),
            answer=self.word(answer),
        )


def finite(value: float, where: str) -> float:
    """Refuse NaN and infinities: SQLite would keep NaN as "no value" in silence."""
    if value - value != 0:
        raise StoreError(
            expected(
                where,
                rule="a finite number or None",
                got=value,
                remedy="Give None, a status and a reason.",
            )
        )
    return float(value)


def _once(planned: PlannedItem, seen: set[object]) -> PlannedItem:
    for key in ((planned.item, planned.draw), planned.request_hash):
        if key in seen:
            raise StoreError(
                expected(
                    f"plan, item {planned.item!r}",
                    rule="every item and draw, and every request, once",
                    got=f"{key} twice",
                    remedy="Give each item of the benchmark an id of its own.",
                )
            )
        seen.add(key)
    return planned
