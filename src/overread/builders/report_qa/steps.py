"""Every request of a build with its reply, one JSON line each, written as replies come.

A reply belongs to a hash of model, settings and prompt: the next start finds it there and asks
only what is missing. Whatever is decided is computed from these replies anew each time.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias, cast

from overread.contracts import Reply
from overread.errors import StoreError, StoreFullError, expected
from overread.records import Item, ModelIdentity, Part, Status, Text
from overread.store.hashes import canonical_json, sha256_text
from overread.store.lock import WriterLock

__all__ = ["Kind", "Step", "StepLog", "make_step"]

Kind: TypeAlias = Literal["generate", "validate", "validate-one"]

_FORM = "overread build step 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request."""

    kind: Kind
    number: int
    """Of the batch or of the pair, from 0."""
    attempt: int
    """From 0; it goes out as the draw, so that a repeated question gets another seed."""
    item: Item
    hash: str


def make_step(
    kind: Kind,
    identity: ModelIdentity,
    prompt: tuple[Part, ...],
    *,
    benchmark: str,
    case: str,
    number: int,
    attempt: int,
    is_shared: bool,
) -> Step:
    """Make a request of a prompt.

    `benchmark` names what is built, for a model that looks at it. The hash covers the model to its
    last setting, every word, and the attempt. Where steps are shared it leaves out the case: two
    cases with one report are one question then.
    """
    asked = canonical_json(
        [
            _FORM,
            [identity.kind, identity.name, identity.revision, dict(identity.settings)],
            [[part.role, part.text] for part in prompt],
            attempt,
            None if is_shared else case,
        ]
    )
    item = Item(
        id=f"{case}/{kind}/{number}",
        benchmark=benchmark,
        task=kind,
        condition="text",
        question="\n\n".join(part.text or "" for part in prompt if part.role == "user"),
        prompt=prompt,
        answer_space=Text(),
        groups={"case": case},
    )
    return Step(kind=kind, number=number, attempt=attempt, item=item, hash=sha256_text(asked))


class StepLog:
    """The file of a build's steps, held by one process at a time.

    Parameters
    ----------
    path
        Made when absent. A last line that a killed process left half written is cut off; other
        lines that cannot be read are passed over and counted.

    Raises
    ------
    StoreBusyError
        Another process builds here.
    StoreError
        The file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies: dict[str, Reply] = {}
        self.n_unreadable = 0
        """Lines passed over."""
        self._lock = WriterLock(path)
        try:
            self._read()
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            self._lock.release()
            raise self._unusable(error) from error

    def reply(self, step: Step) -> Reply | None:
        """Find what was answered to a step before; None when nothing was."""
        return self._replies.get(step.hash)

    @property
    def n_replies(self) -> int:
        """How many different questions have been answered."""
        return len(self._replies)

    def add(self, step: Step, reply: Reply, *, model: str) -> None:
        """Write a step down. A failed one is written too, and will be asked again.

        Raises
        ------
        StoreFullError
            The disk takes no more.
        """
        line = {
            "hash": step.hash,
            "step": step.kind,
            "case": step.item.groups["case"],
            "number": step.number,
            "attempt": step.attempt,
            "model": model,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "prompt": [{"role": part.role, "text": part.text} for part in step.item.prompt],
            "status": reply.status.value,
            "reply": reply.text,
            "reason": reply.reason,
            "finish_reason": reply.finish_reason,
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
        }
        # In ASCII: a reply may hold half a character, or line ends of any kind.
        data = json.dumps(line).encode("ascii") + b"\n"
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StoreFullError(
                    expected(
                        str(self._path),
                        rule="room on the disk",
                        got="none",
                        remedy="Make room and give the same command: what stands there is safe.",
                    )
                ) from error
            raise self._unusable(error) from error
        if reply.status is not Status.FAILED:
            self._replies[step.hash] = reply

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
        self._lock.release()

    def _read(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("r+b") as file:
            end = 0
            for line in file:
                if not line.endswith(b"\n"):
                    break
                end += len(line)
                self._take(line)
            file.truncate(end)

    def _take(self, line: bytes) -> None:
        try:
            held: object = json.loads(line)
            fields = cast("Mapping[str, object]", held if isinstance(held, dict) else {})
            key, status = fields.get("hash"), Status(str(fields.get("status")))
        except (ValueError, RecursionError):
            self.n_unreadable += 1
            return
        text, reason = fields.get("reply"), fields.get("reason")
        if not isinstance(key, str) or not isinstance(text, str | None):
            self.n_unreadable += 1
        elif status is not Status.FAILED:
            self._replies[key] = Reply(
                status=status,
                text=text,
                reason=reason if isinstance(reason, str) else None,
                finish_reason=_text(fields.get("finish_reason")),
                tokens_in=_count(fields.get("tokens_in")),
                tokens_out=_count(fields.get("tokens_out")),
            )

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            expected(
                str(self._path),
                rule="a file that can be read and written",
                got=error.strerror or str(error),
                remedy="Choose another OUT, or make this one writable.",
            )
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
