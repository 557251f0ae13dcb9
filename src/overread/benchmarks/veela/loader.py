"""Opens a VEELA release: references under the evaluator's names, and scans where they lie."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from overread.benchmarks.veela import layout, protocol
from overread.benchmarks.veela.findings import look
from overread.benchmarks.veela.honest import VesselScorer
from overread.benchmarks.veela.layout import REFERENCES_FOLDER, TASK_LABELS, TASKS, Task
from overread.benchmarks.veela.published import ReleasedScorer
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Scorer, Selection, Training
from overread.errors import ReleaseError, UnsafePathError, expected
from overread.imaging.safe_path import resolve_inside
from overread.records import (
    Finding,
    Item,
    Mask,
    Media,
    Profile,
    PublishedValue,
    Recipe,
    Reference,
)

__all__ = ["VeelaRelease"]

_PIECE: Final = 2**22


class VeelaRelease:
    """One release folder. ReleaseError when it holds no reference mask.

    Parameters
    ----------
    root
        Holds ``Test_GT/case_1_gt.nii`` and so on.
    media
        The folder of the scans, where they do not lie below `root`.
    """

    def __init__(self, root: Path, *, media: Path | None = None) -> None:
        if media is not None and not media.is_dir():
            raise ReleaseError(
                expected(
                    "--media",
                    rule="the folder of VEELA's scans",
                    got=media,
                    remedy="Name the folder that holds case_1.nii and so on, or one above it.",
                )
            )
        self._root = root
        self._media = root if media is None else media
        self._files = layout.find_references(root)
        if not self._files.by_case:
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule=f"a folder with reference masks: {REFERENCES_FOLDER}/case_1_gt.nii and on",
                    got=f"{root}, with {len(self._files.unknown)} files of other names there",
                    remedy="Name them as the evaluation code does, or make a release: "
                    "overread synth veela FOLDER.",
                )
            )

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The folder of the scans: the release's own unless told otherwise."""
        return self._media

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.CARD

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of names and contents of all references."""
        digest = hashlib.sha256()
        for case, path in self._files.by_case.items():
            digest.update(f"{case} {path}\n".encode())
            try:
                with resolve_inside(self._root, path).open("rb") as file:
                    while piece := file.read(_PIECE):
                        digest.update(piece)
            except (OSError, UnsafePathError) as error:
                digest.update(type(error).__name__.encode())
        return digest.hexdigest()

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report missing scans and odd references; `thorough` reads every voxel of these."""
        return tuple(
            look(
                self._root,
                self._files,
                media_root=self._media,
                scans=self._scans,
                n_wanted=None if self._is_synthetic else protocol.N_TEST,
                thorough=thorough,
            )
        )

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the cases in numeric order, task by task; a limit takes the first of each task."""
        tasks: list[Task] = [
            task for task in TASKS if selection.tasks is None or task in selection.tasks
        ]
        asked = selection.split in protocol.CARD.splits and (
            selection.conditions is None or protocol.CONDITION in selection.conditions
        )
        if not asked or not tasks:
            return
        limit = selection.limit
        for place, task in enumerate(tasks):
            # Evenly: the first tasks take one more where it does not go up.
            share = None if limit is None else limit // len(tasks) + (place < limit % len(tasks))
            for case in islice(self._files.by_case, share):
                yield self._item(task, case, selection)

    def _item(self, task: Task, case: str, selection: Selection) -> Item:
        path = self._scans.get(case, f"{layout.SCANS_FOLDER}/{case}.nii")
        recipe = Recipe(max_side_px=selection.max_side_px)
        media = (Media(paths=(path,), kind="volume", recipe=recipe),)
        return Item(
            id=f"{task}/{case}",
            benchmark=protocol.CARD.name,
            task=task,
            condition=protocol.CONDITION,
            question=protocol.QUESTIONS[task],
            media=media,
            prompt=protocol.prompt(task, media),
            answer_space=Mask(labels=TASK_LABELS[task]),
            groups={"patient": case, "case": case},
            strata={"task": task, "split": "test"},
        )

    def reword(self, item: Item) -> Item:
        """Word the prompt of an item anew, after something in it was changed."""
        task: Task = "Task02" if item.task == "Task02" else "Task01"
        return replace(item, prompt=protocol.prompt(task, item.media))

    def reference(self, item_id: str) -> Reference:
        """Give the reference mask of an item: one file for both tasks."""
        task, _, case = item_id.partition("/")
        if task not in TASKS:
            raise KeyError(item_id)
        return Reference(item=item_id, answer=None, path=self._files.by_case[case])

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the released evaluation, or the careful one."""
        if profile == "published":
            return (ReleasedScorer(root=self._root, n_cases=self._n_wanted),)
        return (VesselScorer(root=self._root),)

    def plan(self) -> AnalysisPlan:
        """By task, clustered by patient; every patient is one case."""
        return protocol.PLAN

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return protocol.notes("synthetic" if self._is_synthetic else "published")

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed numbers: the paper's tables were not seen."""
        return ()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of the challenge's test set; a synthetic release has any size."""
        if self._is_synthetic:
            return ()
        return tuple(
            ExpectedCount(stratum={"task": task}, split="test", n=protocol.N_TEST) for task in TASKS
        )

    def training(self, selection: Selection) -> Training:
        """Give nothing: how training cases are released was not seen."""
        return Training()

    @property
    def _n_wanted(self) -> int:
        """How many files a submission must have: the evaluator's number, or a synthetic one's."""
        return len(self._files.by_case) if self._is_synthetic else protocol.N_TEST

    @cached_property
    def _is_synthetic(self) -> bool:
        return (self._root / layout.SYNTHETIC_MARK).is_file()

    @cached_property
    def _scans(self) -> dict[str, str]:
        return layout.find_scans(self._media, self._files.by_case)
