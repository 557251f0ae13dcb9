"""Opens a run's file: a new one, or the one that holds the same run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from overread.errors import UsageError, expected, listed
from overread.records import JsonValue, Manifest
from overread.store.run_store import RunStore

__all__ = ["differences", "open_run"]

_MOST_NAMED = 6
_EXTENDABLE = frozenset({"limit", "draws"})
"""What a run may change and stay the same run (see `manifest.make_manifest`)."""


def open_run(out: Path, manifest: Manifest) -> RunStore:
    """Make the run file, or open it for going on.

    A file of another run is refused, unless that run got no reply at all: a first try with a
    wrong port or a wrong option leaves such a file, and nothing in it is worth a new name.

    Raises
    ------
    UsageError
        The file holds answers of another run; the message names what differs.
    StoreError
        The file is damaged, taken, or cannot be written.
    """
    if not out.exists():
        return RunStore.create(out, manifest)
    store = RunStore.open(out, write=True)
    held = store.manifest
    if held.run == manifest.run:
        store.update_manifest(manifest)
        return store
    is_empty = not store.answered() and not store.failed()
    store.close()
    if is_empty:
        out.unlink()
        return RunStore.create(out, manifest)
    raise UsageError(
        expected(
            "--out",
            rule=f"a new file, or the file of run {manifest.run} ({manifest.model.label})",
            got=f"{out}, which holds run {held.run} ({held.model.label} on {held.benchmark})",
            remedy=f"They differ in {differences(held, manifest)}: choose another --out.",
        )
    )


def differences(held: Manifest, asked: Manifest) -> str:
    """Name what makes two runs different: ``max_tokens (40, now 1000), split (test, now …)``."""
    found = [
        f"{name} ({_shown(before)}, now {_shown(now)})"
        for name, before, now in _pairs(held, asked)
        if before != now
    ]
    return listed(found, most=_MOST_NAMED)


def _pairs(held: Manifest, asked: Manifest) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    yield "benchmark", held.benchmark, asked.benchmark
    yield "protocol", held.protocol_version, asked.protocol_version
    yield "release", held.release_fingerprint[:12], asked.release_fingerprint[:12]
    yield "model", held.model.label, asked.model.label
    yield "model revision", held.model.revision, asked.model.revision
    yield from _by_key(held.model.settings, asked.model.settings)
    yield from _by_key(held.selection, asked.selection)
    yield "seed", held.seed, asked.seed


def _by_key(
    held: Mapping[str, JsonValue], asked: Mapping[str, JsonValue]
) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    for key in sorted({*held, *asked} - _EXTENDABLE):
        before, now = held.get(key), asked.get(key)
        # A run file gives lists back where tuples went in.
        yield key, _plain(before), _plain(now)


def _plain(value: JsonValue) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


def _shown(value: JsonValue) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
