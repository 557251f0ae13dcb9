"""What was drawn for each item of a run whose items are changed before they are asked.

The table is made when it is first written, so that a run without a perturbation is the very file
it was before.
"""

from __future__ import annotations

from collections.abc import Mapping

from overread.records import JsonValue
from overread.store.connected import ConnectedStore
from overread.store.rows import bind_word, read_json, unbind_text, write_json

__all__ = ["ParameterStore"]

_TABLE = "CREATE TABLE IF NOT EXISTS perturbed (item PRIMARY KEY, parameters NOT NULL)"


class ParameterStore(ConnectedStore):
    """The part of a run store that holds drawn parameters; `RunStore` is the class to use."""

    def keep_parameters(self, parameters: Mapping[str, Mapping[str, JsonValue]]) -> None:
        """Keep what was drawn, by item; what is kept of an item already stays as it is."""
        self._writing()
        rows = [(bind_word(item), write_json(drawn)) for item, drawn in parameters.items()]
        with self._transaction():
            self._connection.execute(_TABLE)
            self._connection.executemany("INSERT OR IGNORE INTO perturbed VALUES (?, ?)", rows)

    def parameters(self) -> dict[str, dict[str, JsonValue]]:
        """Give what was drawn, by item; empty for a run whose items are as released."""
        with self._reading():
            found = self._connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'perturbed'"
            ).fetchone()
            if not found[0]:
                return {}
            rows = self._connection.execute("SELECT item, parameters FROM perturbed").fetchall()
        return {unbind_text(item) or "": read_json(drawn) for item, drawn in rows}
