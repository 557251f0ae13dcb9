"""Opens a release: eleven questions a picture, and its component mask where there is one."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from overread.benchmarks.wbcatt_plus import layout, protocol
from overread.benchmarks.wbcatt_plus.findings import look
from overread.benchmarks.wbcatt_plus.layout import ATTRIBUTES, COMPONENTS, Cell, Family
from overread.benchmarks.wbcatt_plus.mask_scorer import ConfusionScorer
from overread.benchmarks.wbcatt_plus.rebuild import rebuild
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Scorer, Selection, Training
from overread.contracts.replay import RebuiltCell
from overread.errors import ReleaseError, expected
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
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.class_scorer import ClassScorer
from overread.scoring.honest_choice import read_choice
from overread.scoring.masks.standard import MaskScorer

__all__ = ["WbcAttPlusRelease"]

_CONDITION: Final = "plain"
_MARK: Final = "::"


class WbcAttPlusRelease:
    """One release folder. ReleaseError when it holds no table that can be read."""

    def __init__(self, root: Path, *, media: Path | None) -> None:
        self._root = root
        self._media_root = media or root
        self._tables: dict[str, tuple[Family, tuple[Cell, ...]]] = {}
        self._read_findings: list[Finding] = []
        digest = hashlib.sha256()
        for split in layout.SPLITS:
            found = layout.table_file(root, split)
            if found is None:
                continue
            table = layout.read_table(found[0], root)
            self._read_findings += table.findings
            if table.cells:
                self._tables[split] = found[1], table.cells
                digest.update(table.data)
        if not self._tables:
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="a folder with pbc_attr_v1_test.csv (WBCAtt) or "
                    "pbc_attr_v1_ccrop_test.csv (WBCAtt+)",
                    got=f"{root}, without such a table that can be read",
                    remedy="Clone github.com/apple2373/wbcatt, unpack Hugging Face "
                    "apple2373/wbcattplus, or make one: overread synth wbcatt-plus FOLDER.",
                )
            )
        self._fingerprint = digest.hexdigest()

    @property
    def root(self) -> Path:
        """The folder of the tables."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The folder of the pictures."""
        return self._media_root

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.CARD

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the attribute tables."""
        return self._fingerprint

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report missing tables, pictures and masks, unknown values, contradictions."""
        return (
            *self._read_findings,
            *look(self._root, self._media_root, self._tables, thorough=thorough),
        )

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the questions cell by cell in file order, attributes in the order of the table."""
        if selection.conditions is not None and _CONDITION not in selection.conditions:
            return
        tasks = [
            task
            for task in protocol.CARD.tasks
            if (
                task not in protocol.CARD.asked_by_name
                if selection.tasks is None
                else task in selection.tasks
            )
        ]
        family, cells = self._tables.get(selection.split, ("wbcatt", ()))
        count = 0
        recipe = Recipe(max_side_px=selection.max_side_px)
        for cell in cells:
            path = layout.picture_path(cell, family)
            media = (Media(paths=(path,), recipe=recipe),)
            groups = {"image": cell.name, "case": PurePosixPath(path).stem}
            for task in tasks:
                if task == protocol.SEGMENTATION and not self._has_mask(cell, family):
                    continue
                if selection.limit is not None and count >= selection.limit:
                    return
                count += 1
                yield self._item(cell, task, selection.split, media, groups)

    def _item(
        self,
        cell: Cell,
        task: str,
        split: str,
        media: tuple[Media, ...],
        groups: Mapping[str, str],
    ) -> Item:
        is_mask = task == protocol.SEGMENTATION
        asked = protocol.CARD.tasks[task] if is_mask else protocol.question(task)
        options = () if is_mask else protocol.options_of(task)
        return Item(
            id=f"{cell.name}{_MARK}{task}",
            benchmark=protocol.CARD.name,
            task=task,
            condition=_CONDITION,
            question=asked,
            media=media,
            prompt=protocol.prompt(asked, options, media),
            answer_space=Mask(labels=COMPONENTS) if is_mask else protocol.choice_of(task),
            groups=groups,
            strata={"task": task, "cell_type": cell.cell_type, "split": split},
        )

    def reword(self, item: Item) -> Item:
        """Word the prompt of a question anew, after something in it was changed."""
        worded = protocol.prompt(item.question, item.options, item.media)
        return replace(item, prompt=worded)

    def reference(self, item_id: str) -> Reference:
        """Give the letter of the stated value, or the mask; or why it cannot be used."""
        name, _, task = item_id.rpartition(_MARK)
        family, cell = self._cells[name]
        if task == protocol.SEGMENTATION:
            mask = layout.mask_path(cell, family)
            if mask is None:
                raise KeyError(item_id)
            return Reference(item=item_id, answer=None, path=mask)
        if task not in ATTRIBUTES:
            raise KeyError(item_id)
        value = cell.values[task]
        for option in protocol.options_of(task):
            if option.text == value:
                return Reference(item=item_id, answer=option.letter)
        problem = f"the value {value!r} is none of the listed ones"
        return Reference(item=item_id, answer=value, problem=problem)

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile: of attributes, and of masks where the release has some."""
        reader = protocol.read_listed_value if profile == "published" else read_choice
        attributes = ClassScorer(choice=ChoiceScorer(profile=profile, reader=reader))
        if not self._has_masks:
            return (attributes,)
        if profile == "published":
            return (attributes, ConfusionScorer(root=self._root))
        return (attributes, MaskScorer(root=self._root, labels=COMPONENTS, surface=False))

    def plan(self) -> AnalysisPlan:
        """By attribute and cell type, clustered by picture."""
        return protocol.PLAN

    def plan_for(self, tasks: Collection[str]) -> AnalysisPlan:
        """Give the plan of masks where nothing else is asked."""
        return protocol.plan_for(tasks)

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        made = "A synthetic release of drawn cells." if self._is_synthetic else ""
        notes = (
            made,
            "No donor or slide is known: cells of one smear may lie on both sides of the split, "
            "and intervals take pictures as independent.",
            "Several attributes follow from the cell type: granule_type is right in 99.7 % of the "
            "published test cells for whoever knows the type.",
            "All donors were healthy.",
        )
        return tuple(note for note in notes if note)

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed numbers of the authors' models."""
        return protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of a complete release; a synthetic one has any size."""
        return () if self._is_synthetic else protocol.expected_counts()

    def training(self, selection: Selection) -> Training:
        """Give the solved questions of the training split, or of another where that is asked."""
        split = "train" if selection.split != "train" else "val"
        others = replace(selection, split=split, limit=None)
        tested = {cell.name for cell in self._tables.get(selection.split, ("wbcatt", ()))[1]}
        return Training(
            exam=tuple(
                (item, self.reference(item.id))
                for item in self.items(others)
                if item.groups["image"] not in tested and item.task != protocol.SEGMENTATION
            )
        )

    def rebuild(self) -> Iterable[RebuiltCell]:
        """Compute majority, look-up by cell type and the second reading from the tables."""
        return rebuild(
            {split: cells for split, (_, cells) in self._tables.items()}, self._second_reading
        )

    @cached_property
    def _second_reading(self) -> tuple[Cell, ...]:
        path = layout.reannotation_file(self._root)
        return layout.read_table(path, self._root).cells if path is not None else ()

    @cached_property
    def _cells(self) -> Mapping[str, tuple[Family, Cell]]:
        return {
            cell.name: (family, cell) for family, cells in self._tables.values() for cell in cells
        }

    def _has_mask(self, cell: Cell, family: Family) -> bool:
        mask = layout.mask_path(cell, family)
        return mask is not None and (self._root / mask).is_file()

    @cached_property
    def _has_masks(self) -> bool:
        return any(self._has_mask(cell, family) for family, cell in self._cells.values())

    @cached_property
    def _is_synthetic(self) -> bool:
        return (self._root / layout.SYNTHETIC_MARK).is_file()
