"""A file of predictions as a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from overread.contracts import Form, Model, ModelOptions, Query, Reply
from overread.errors import UsageError, expected
from overread.models.predictions.joining import Join
from overread.models.predictions.rows import Row, read_rows
from overread.records import Finding, Item, ModelIdentity, Status

__all__ = ["ADAPTER", "PredictionsAdapter", "PredictionsModel"]

_LETTER = re.compile(r"\s*[A-Za-z]\s*")


class PredictionsAdapter:
    """Opens ``predictions:FILE``."""

    name = "predictions"
    summary = "Answers from a JSON, JSON Lines or CSV file, joined by key."
    examples = ("predictions:answers.jsonl", "predictions:output_data.json", "predictions:a.csv")

    def open(self, target: str, options: ModelOptions) -> Model:
        """Read the file. UsageError when it is no file of predictions."""
        del options  # nothing is asked of anybody
        if not target:
            raise UsageError(
                expected(
                    "--model",
                    rule="predictions:FILE",
                    got="no file",
                    remedy="Name a JSON, JSON Lines or CSV file.",
                )
            )
        return PredictionsModel(Path(target))


class PredictionsModel:
    """Gives back what a file says; an item that is not in it has *failed*, never *wrong*."""

    def __init__(self, path: Path) -> None:
        self._rows: tuple[Row, ...] = read_rows(path)
        self._join = Join(self._rows)
        self._name = path.name
        source = path / "output_data.json" if path.is_dir() else path
        self._revision = sha256(source.read_bytes()).hexdigest()

    @property
    def identity(self) -> ModelIdentity:
        """The file's name and the hash of its bytes."""
        return ModelIdentity(kind="predictions", name=self._name, revision=self._revision)

    @property
    def sees(self) -> bool:
        """No pictures are needed."""
        return False

    @property
    def form(self) -> Form:
        """Answers to the worded questions."""
        return "chat"

    @property
    def max_concurrency(self) -> int:
        """Nothing is waited for."""
        return 1

    def announce(self, items: Iterable[Item]) -> None:
        """Hear of all items first, so that a row that fits two of them is refused both."""
        self._join.announce(items)

    def findings(self) -> tuple[Finding, ...]:
        """Report duplicate, ambiguous, unknown and keyless rows."""
        return tuple(self._join.findings())

    async def preflight(self) -> None:
        """Nothing to find out: the file has been read."""

    async def ask(self, query: Query) -> Reply:
        """Give the item's row, or `FAILED` with the reason why there is none."""
        joined = self._join.find(query.item, draw=query.draw)
        if joined.row is None:
            return Reply(status=Status.FAILED, reason=joined.reason)
        row, text = joined.row, joined.row.text
        is_letter = text is not None and _LETTER.fullmatch(text) is not None
        if row.is_choice and is_letter and text is not None and query.item.options:
            # A lone letter there is a choice that somebody has read already, no raw reply: the
            # benchmark's script must not be blamed for finding no JSON in it.
            text = json.dumps({"selected_option": text.strip()})
        return Reply(status=row.status, text=text, reason=row.reason)

    async def close(self) -> None:
        """Nothing is held."""


ADAPTER = PredictionsAdapter()
