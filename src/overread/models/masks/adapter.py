"""Makes a model of a folder of masks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from overread.contracts import Form, Model, ModelOptions, Query, Reply
from overread.errors import UsageError, expected
from overread.models.masks.target import Target, read_target
from overread.records import Finding, Item, Mask, ModelIdentity, Status
from overread.store.hashes import sha256_text

if TYPE_CHECKING:
    from overread.models.masks.joining import MaskJoin

__all__ = ["ADAPTER", "MasksAdapter", "MasksModel"]


class MasksAdapter:
    """Opens ``masks:FOLDER`` and ``masks:FOLDER/PATTERN``."""

    name = "masks"
    summary = "Masks from a folder, joined by the names of their files."
    examples = ("masks:predictions", "masks:predictions/{case}/seg_{id}.nii.gz")

    def open(self, target: str, options: ModelOptions) -> Model:
        """Look at the folder. UsageError when there is none, or no mask in it."""
        del options  # nothing is asked of anybody
        return MasksModel(read_target(target))


class MasksModel:
    """Gives the mask file of each case; a case without one has *failed*, and is not empty."""

    writes_masks = True
    sees = False
    """No pictures are needed."""
    form: Form = "chat"
    max_concurrency = 1
    """Nothing is waited for."""

    def __init__(self, target: Target) -> None:
        from overread.models.masks.listing import list_masks

        self._target = target
        self._files = list_masks(target.folder)
        self._join: MaskJoin | None = None

    @property
    def identity(self) -> ModelIdentity:
        """The folder's name with the pattern, and a hash of all its masks and their names."""
        held = "\n".join(f"{file.sha256} {file.name}" for file in self._files)
        return ModelIdentity(kind="masks", name=self._target.name, revision=sha256_text(held))

    def announce(self, items: Iterable[Item]) -> None:
        """Hear of all items, which show how files are named and which fit none of them.

        Raises
        ------
        UsageError
            No item asks for a mask, or the names of files cannot be matched with items at all.
        """
        from overread.models.masks.joining import MaskJoin

        asked = [item for item in items if isinstance(item.answer_space, Mask)]
        if not asked:
            raise UsageError(
                expected(
                    "--model",
                    rule="questions that ask for a mask",
                    got=f"none, for {self.identity.label}",
                    remedy="Name a task that asks for masks with --task, or take another model.",
                )
            )
        self._join = MaskJoin(self._files, self._target.pattern, asked)

    def findings(self) -> tuple[Finding, ...]:
        """Report how files are named, and which are missing, doubled or left over."""
        return () if self._join is None else tuple(self._join.findings())

    async def preflight(self) -> None:
        """Nothing to find out: the folder has been looked at."""

    async def ask(self, query: Query) -> Reply:
        """Give the item's file, or `FAILED` with the reason why there is none."""
        if not isinstance(query.item.answer_space, Mask):
            kind = type(query.item.answer_space).__name__
            return Reply(status=Status.FAILED, reason=f"it has masks, and this asks for {kind}")
        if self._join is None:
            self.announce([query.item])
        assert self._join is not None
        joined = self._join.find(query.item, draw=query.draw)
        if joined.file is None:
            return Reply(status=Status.FAILED, reason=joined.reason)
        return Reply(path=str(joined.file.path.absolute()), finish_reason="stop")

    async def close(self) -> None:
        """Nothing is held."""


ADAPTER = MasksAdapter()
