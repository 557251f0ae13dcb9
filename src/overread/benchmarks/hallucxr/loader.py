"""Opens a release: three questions a picture, and what saved outputs are worth."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from overread.benchmarks.hallucxr import layout, protocol
from overread.benchmarks.hallucxr.findings import look
from overread.benchmarks.hallucxr.layout import Picture
from overread.benchmarks.hallucxr.rebuild import rebuild
from overread.contracts import (
    AnalysisPlan,
    Card,
    ExpectedCount,
    Judging,
    Scorer,
    Selection,
    Training,
)
from overread.contracts.replay import RebuiltCell
from overread.errors import ReleaseError, expected
from overread.records import (
    Finding,
    Item,
    Media,
    Profile,
    PublishedValue,
    Recipe,
    Reference,
    Text,
)
from overread.scoring.claims.scorer import ASKED_FINDING
from overread.scoring.claims.truth import FindingTruth, Label

__all__ = ["HalluCxrRelease"]

_MARK: Final = "::"


class HalluCxrRelease:
    """One release folder. ReleaseError when its list of pictures cannot be read at all."""

    def __init__(self, root: Path, *, media: Path | None) -> None:
        self._root = root
        self._media_root = media or root
        table = layout.read_rows(root, layout.IMAGES)
        found = [layout.picture_of(row) for row in table.rows]
        # A repeated id keeps its picture, under a name of its own: none is dropped.
        self._pictures: dict[str, Picture] = {}
        for picture in found:
            if picture is not None:
                again = picture.id in self._pictures
                name = f"{picture.id}#{len(self._pictures)}" if again else picture.id
                self._pictures[name] = picture
        if not self._pictures:
            got = table.problem.evidence if table.problem else "no picture with labels in it"
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule=f"a folder with {layout.IMAGES}, one picture with its labels a line",
                    got=f"{root}: {got}",
                    remedy="Make one of your own copy of MIMIC-CXR (docs: hallucxr), or: overread "
                    "synth hallucxr FOLDER.",
                )
            )
        self._n_unusable = len(table.bad_lines) + sum(picture is None for picture in found)
        self._fingerprint = hashlib.sha256(table.data).hexdigest()

    @property
    def root(self) -> Path:
        """The folder of the lists."""
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
        """SHA-256 of the list of pictures."""
        return self._fingerprint

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report missing pictures, lines that cannot be used, outputs without a picture."""
        return tuple(
            look(
                self._root,
                self._media_root,
                self._pictures,
                n_unusable=self._n_unusable,
                is_synthetic=self._is_synthetic,
                thorough=thorough,
            )
        )

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the questions picture by picture, in file order."""
        if selection.split not in protocol.CARD.splits:
            return
        if selection.conditions is not None and protocol.CONDITION not in selection.conditions:
            return
        asked = (
            self._item(name, picture, query, selection)
            for name, picture in self._pictures.items()
            for query in protocol.CARD.tasks
            if (
                query in selection.tasks
                if selection.tasks is not None
                else query not in protocol.CARD.asked_by_name
            )
            and (query != "yes-no" or self._asked[name])
            and (query != layout.NAMED_ABSENT or self._named[name])
        )
        yield from islice(asked, selection.limit)

    def _item(self, name: str, picture: Picture, query: str, selection: Selection) -> Item:
        media = (
            Media(paths=(picture.path,), recipe=Recipe(max_side_px=selection.max_side_px)),
        )  # fmt: skip
        finding = self._asked[name] if query == "yes-no" else "all"
        named = self._named[name] if query == layout.NAMED_ABSENT else finding
        asked = protocol.question(query, named)
        return Item(
            id=f"{name}{_MARK}{query}",
            benchmark=protocol.CARD.name,
            task=query,
            condition=protocol.CONDITION,
            question=asked,
            media=media,
            prompt=protocol.prompt(asked, query, media),
            answer_space=Text(classes=("yes", "no") if query == "yes-no" else ()),
            groups={
                "patient": picture.subject,
                "study": picture.study,
                "image": name,
                "case": name,
            },
            strata={"query": query, ASKED_FINDING: finding, "split": selection.split},
        )

    def reword(self, item: Item) -> Item:
        """Word the prompt of a question anew, after something in it was changed."""
        return replace(item, prompt=protocol.prompt(item.question, item.task, item.media))

    def reference(self, item_id: str) -> Reference:
        """Give the labels in words: of the finding asked about, or of all that have one."""
        name, _, query = item_id.rpartition(_MARK)
        picture = self._pictures[name]
        if query not in protocol.CARD.tasks:
            raise KeyError(item_id)
        truth = picture.truth
        if query == "yes-no":
            asked = self._asked[name]
            labels: dict[str, Label] = {
                key: label for key, label in truth.labels.items() if key == asked
            }
            truth = FindingTruth(labels=labels, sides=truth.sides)
        if not truth.labels:
            return Reference(item=item_id, answer=None, problem="no finding has a label")
        return Reference(item=item_id, answer=truth.in_words())

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile)

    def judging(self, profile: Profile) -> Judging:
        """Give how judge models are asked and counted."""
        return protocol.judging(profile)

    def plan(self) -> AnalysisPlan:
        """By question and finding asked about, clustered by patient."""
        return protocol.PLAN

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return protocol.notes(is_synthetic=self._is_synthetic)

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed range of models."""
        return protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of the whole release; a synthetic one has any size."""
        return () if self._is_synthetic else protocol.expected_counts()

    def training(self, selection: Selection) -> Training:
        """Give nothing: there is one split."""
        return Training()

    def rebuild(self) -> Iterable[RebuiltCell]:
        """Compute rates of the saved outputs, of votes over them, and what chance does."""
        return rebuild(self._root, self._pictures, self._asked)

    @cached_property
    def _asked(self) -> dict[str, str]:
        """The finding of each picture's yes/no question, by turns of those with a definite label.

        A release may name it; else the one asked least so far is taken.
        """
        found: dict[str, str] = {}
        turns = Counter[str]()
        for name, picture in self._pictures.items():
            definite = [
                finding
                for finding, label in picture.truth.labels.items()
                if label != "uncertain"
            ]  # fmt: skip
            if picture.asked in layout.FINDINGS:
                found[name] = picture.asked
                continue
            found[name] = min(definite, key=lambda each: turns[each], default="")
            turns[found[name]] += 1
        return found

    @cached_property
    def _named(self) -> dict[str, str]:
        """A finding that is known absent, for the question that names one; by turns."""
        found: dict[str, str] = {}
        turns = Counter[str]()
        for name, picture in self._pictures.items():
            absent = [each for each, label in picture.truth.labels.items() if label == "absent"]
            found[name] = min(absent, key=lambda each: turns[each], default="")
            turns[found[name]] += 1
        return found

    @cached_property
    def _is_synthetic(self) -> bool:
        return (self._root / layout.SYNTHETIC_MARK).is_file()
