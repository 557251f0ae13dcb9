"""Opens a TriALS release: the scorer's layout, or a clone of the repository with its samples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

from overread.benchmarks.trials import layout, protocol
from overread.benchmarks.trials.cases import TrialsCase, list_cases
from overread.benchmarks.trials.clicks import Clicks, read_clicks
from overread.benchmarks.trials.findings import case_findings, click_findings, part_findings
from overread.benchmarks.trials.stored import rebuild
from overread.contracts import (
    AnalysisPlan,
    Card,
    ExpectedCount,
    Scorer,
    Selection,
    Training,
)
from overread.contracts.replay import RebuiltCell
from overread.errors import ReleaseError, UnsafePathError, expected
from overread.imaging.safe_path import resolve_inside
from overread.metrics.click_curve import CLICKS
from overread.records import (
    Finding,
    Item,
    Media,
    Profile,
    PublishedValue,
    Recipe,
    Reference,
)
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["TrialsRelease"]

_HASHED_BYTES = 2**16
"""Of the beginning of a reference mask: a compressed file's header, and voxels to tell it by."""


class TrialsRelease:
    """One release folder, and the folder of its CT volumes.

    Parameters
    ----------
    root
        The folder.
    media
        A folder of CT volumes, ``ID_0000.nii.gz`` or ``ID.nii.gz``; None where they lie in the
        release, or nowhere.

    Raises
    ------
    ReleaseError
        The folder holds neither an id list nor reference masks, its id list cannot be read, or
        `media` is no folder.
    """

    def __init__(self, root: Path, *, media: Path | None) -> None:
        if media is not None and not media.is_dir():
            raise ReleaseError(
                expected(
                    "--media",
                    rule="a folder of CT volumes",
                    got=f"{media} ({'a file' if media.exists() else 'nothing there'})",
                    remedy="Name the folder that holds ID_0000.nii.gz, or leave it out.",
                )
            )
        own = layout.find_part(root, "") if root.is_dir() else None
        samples = {
            task: None if own or not root.is_dir() else layout.find_part(root, f"{folder}/")
            for task, folder in layout.SAMPLES.items()
        }
        if own is None and not any(samples.values()):
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule=f"a folder with {layout.ID_LIST} and {layout.TRUTH_FOLDERS[0]}, or a "
                    "clone of xmed-lab/TriALS",
                    got=f"{root} ({'a file' if root.is_file() else 'without them'})",
                    remedy="'overread synth trials OUT' writes a synthetic one.",
                )
            )
        self._root = root.resolve()
        self._media = media.resolve() if media is not None else self._root
        self._parts = {task: own or found for task, found in samples.items()}
        centres = layout.read_centres(self._root)
        outside = None if media is None else self._media
        self._cases = {
            task: ()
            if part is None
            else list_cases(self._root, part, media=outside, centres=centres)
            for task, part in self._parts.items()
        }
        self._cases[protocol.INTERACTIVE] = _with_clicks(self._cases[protocol.INTERACTIVE])
        self._by_item = dict(self._list_items())

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The folder that CT volumes are relative to."""
        return self._media

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.CARD

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over ids, clicks, and the beginning and size of each reference mask."""
        files = {each.truth for cases in self._cases.values() for each in cases}
        files |= {each.clicks for cases in self._cases.values() for each in cases if each.clicks}
        held = {path: _mark(self._root, path) for path in sorted(files)}
        ids = {task: [each.case for each in cases] for task, cases in self._cases.items()}
        return sha256_text(canonical_json({"ids": ids, "files": held}))

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Look at every case, and report what is missing or odd; `thorough` reads the volumes."""
        found: list[Finding] = []
        parts = {part.folder: part for part in self._parts.values() if part is not None}
        for part in parts.values():
            found += part_findings(part)
        looked: set[tuple[str, str]] = set()
        for cases in self._cases.values():
            new = [each for each in cases if (each.id, each.truth) not in looked]
            looked |= {(each.id, each.truth) for each in new}
            found += case_findings(self._root, self._media, new, thorough=thorough)
        found += click_findings(self._cases[protocol.INTERACTIVE], self._clicks)
        return tuple(found)

    # ------------------------------------------------------------ questions and answers

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the selected masks to be made: a volume each, or eleven a case with clicks.

        A limit takes the first ones, so that the masks of a curve stay together.
        """
        asked = selection.tasks
        if asked is None:
            asked = tuple(each for each in self.card.tasks if each not in self.card.asked_by_name)
        chosen = (
            self._item(name, case, clicks, selection)
            for name, (case, clicks) in self._by_item.items()
            if selection.split in self.card.splits
            and _task(clicks) in asked
            and (selection.conditions is None or _condition(clicks) in selection.conditions)
        )
        return islice(chosen, selection.limit)

    def reference(self, item_id: str) -> Reference:
        """Give the reference mask of an item, or why it has none."""
        case, _ = self._by_item[item_id]
        return Reference(item=item_id, answer=None, path=case.truth, problem=case.problem)

    def reword(self, item: Item) -> Item:
        """Word the prompt of an item anew, after something in it was changed."""
        from dataclasses import replace

        return replace(item, prompt=protocol.chat_prompt(item.question, item.media))

    def training(self, selection: Selection) -> Training:
        """Give nothing: the scorer's layout has evaluation cases alone."""
        del selection
        return Training()

    def clicks(self, case_id: str) -> Clicks | None:
        """Give all clicks of a case of the interactive task; None where it has none."""
        return self._clicks.get(case_id)

    def _list_items(self) -> Iterator[tuple[str, tuple[TrialsCase, int | None]]]:
        taken = {case.id for case in self._cases[protocol.SEGMENTATION]}
        for case in self._cases[protocol.SEGMENTATION]:
            yield case.id, (case, None)
        for case in self._cases[protocol.INTERACTIVE]:
            for clicks in range(CLICKS):
                # As the container names the mask. It could be the id of another volume.
                name = f"{case.id}_{clicks}"
                yield (f"{name}#clicks" if name in taken else name), (case, clicks)

    def _item(self, name: str, case: TrialsCase, clicks: int | None, selection: Selection) -> Item:
        recipe = Recipe(max_side_px=selection.max_side_px)
        media = (
            ()
            if case.volume is None
            else (Media(paths=(case.volume,), kind="volume", recipe=recipe),)
        )
        shown = None if clicks is None else self._clicks.get(case.id, Clicks()).first(clicks)
        question = protocol.question(shown)
        return Item(
            id=name,
            benchmark=self.card.name,
            task=_task(clicks),
            condition=_condition(clicks),
            question=question,
            media=media,
            prompt=protocol.chat_prompt(question, media),
            answer_space=protocol.SPACE,
            groups={"patient": case.name.patient, "case": case.case},
            strata={
                "task": _task(clicks),
                "phase": case.name.phase,
                "centre": case.centre,
                "clicks": "none" if clicks is None else str(clicks),
                "split": "test",
            },
        )

    @cached_property
    def _clicks(self) -> dict[str, Clicks]:
        found: dict[str, Clicks] = {}
        for case in self._cases[protocol.INTERACTIVE]:
            if case.clicks is None:
                continue
            try:
                found[case.id] = read_clicks(resolve_inside(self._root, case.clicks))
            except UnsafePathError as error:
                found[case.id] = Clicks(problems=(str(error),))
        return found

    # ------------------------------------------------------------ scores

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile, self._root)

    def plan(self) -> AnalysisPlan:
        """Total, by phase and by centre, clustered by patient."""
        return protocol.PLAN

    def plan_for(self, tasks: Collection[str]) -> AnalysisPlan:
        """Give the plan of a run of just these tasks."""
        return protocol.plan_for(tasks)

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return protocol.notes(is_synthetic=(self._root / layout.SYNTHETIC_MARK).is_file())

    def published(self) -> Sequence[PublishedValue]:
        """Give the abstract's numbers, and the repository's baselines on another data set."""
        return protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give nothing: how many volumes of each phase an evaluation has was not seen."""
        return ()

    def rebuild(self) -> Iterator[RebuiltCell]:
        """Compute stored summaries of teams again from the masks beside them."""
        return rebuild(self._root, self._parts[protocol.SEGMENTATION])


def _with_clicks(cases: tuple[TrialsCase, ...]) -> tuple[TrialsCase, ...]:
    """Keep the phases that the interactive task is about: those in which any case has clicks."""
    phases = {case.name.phase for case in cases if case.clicks is not None}
    return tuple(case for case in cases if case.name.phase in phases)


def _task(clicks: int | None) -> str:
    return protocol.SEGMENTATION if clicks is None else protocol.INTERACTIVE


def _condition(clicks: int | None) -> str:
    return "ct" if clicks is None else protocol.click_condition(clicks)


def _mark(root: Path, path: str) -> str:
    """Tell a file by its size and its beginning; one that is absent has none."""
    try:
        file = resolve_inside(root, path)
        with file.open("rb") as opened:
            return f"{file.stat().st_size} {sha256_text(opened.read(_HASHED_BYTES).hex())}"
    except (OSError, UnsafePathError):
        return ""
