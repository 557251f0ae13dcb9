"""Opens a MedVIGIL release: its probes joined with cases, boxes and pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from overread.benchmarks.medvigil import layout, protocol
from overread.benchmarks.medvigil.axes import cell_of
from overread.benchmarks.medvigil.findings import look
from overread.benchmarks.medvigil.layout import Case, Probe, Region
from overread.benchmarks.medvigil.pictures import PictureResolver
from overread.benchmarks.medvigil.rebuild import rebuild
from overread.benchmarks.medvigil.words import OPEN, TRIPLET, WordQuestion, word_questions
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Scorer, Selection, Training
from overread.contracts.replay import RebuiltCell
from overread.errors import ReleaseError, expected
from overread.records import (
    Choice,
    Finding,
    Item,
    Option,
    Profile,
    PublishedValue,
    Reference,
    Text,
)
from overread.scoring.exam.limit import evenly

__all__ = ["MedVigilRelease"]

_UNKNOWN = Case(
    id="", source="unknown", modality="unknown", image="", question="", gold="", tier="unknown",
    text_only=False,
)  # fmt: skip


class MedVigilRelease:
    """One release folder. ReleaseError when its probes cannot be read at all.

    Tables are joined by case id; where only the case of letters differs they are joined all the
    same, and a finding says so.
    """

    def __init__(self, root: Path, *, media: Path | None) -> None:
        self._root = root
        self._data = layout.data_folder(root)
        self._pictures = PictureResolver(media or self._data)
        table = layout.read_table(self._data, layout.MCQ_FILE)
        rows = [layout.probe_of(row) for row in table.rows]
        # A repeated id keeps its probe, under a name of its own: none is dropped.
        self._probes: dict[str, Probe] = {}
        for probe in rows:
            if probe is not None:
                again = probe.id in self._probes
                name = f"{probe.id}#{len(self._probes)}" if again else probe.id
                self._probes[name] = probe
        if not self._probes:
            got = table.problem.evidence if table.problem else "no probe in it"
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule=f"a folder with {layout.MCQ_FILE} of the columns "
                    + ", ".join(layout.PROBE_COLUMNS),
                    got=f"{root}: {got}",
                    remedy="Download it (hf download --repo-type=dataset jhq0709/MedVIGIL), or "
                    "make one: overread synth medvigil FOLDER.",
                )
            )
        self._n_unusable = sum(probe is None for probe in rows)
        self._manifest = layout.read_table(self._data, layout.MANIFEST_FILE)
        self._grounding = layout.read_table(self._data, layout.GROUNDING_FILE)
        digest = hashlib.sha256(table.data)
        digest.update(self._manifest.data)
        self._fingerprint = digest.hexdigest()

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The folder with ``images`` and ``images_perturbed``."""
        return self._pictures.root

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.CARD

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the probes and the manifest."""
        return self._fingerprint

    @property
    def probes(self) -> Mapping[str, Probe]:
        """The probes by item id, in file order."""
        return self._probes

    @cached_property
    def cases(self) -> Mapping[str, Case]:
        """The manifest by folded case id; the first row of a repeated one."""
        found: dict[str, Case] = {}
        for row in self._manifest.rows:
            case = layout.case_of(row)
            found.setdefault(case.id.casefold(), case)
        return found

    @cached_property
    def regions(self) -> Mapping[str, Region]:
        """The boxes by folded case id."""
        found: dict[str, Region] = {}
        for row in self._grounding.rows:
            region = layout.region_of(row)
            found.setdefault(region.case.casefold(), region)
        return found

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report what the release's own validator misses in it, and what else is odd."""
        return tuple(
            look(
                self._data,
                probes=self._probes,
                manifest=self._manifest,
                grounding=self._grounding,
                cases=self.cases,
                regions=self.regions,
                pictures=self._pictures,
                n_unusable=self._n_unusable,
                is_synthetic=self._is_synthetic,
                thorough=thorough,
            )
        )

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the probes in file order."""
        if selection.split not in protocol.CARD.splits:
            return
        named = selection.tasks
        tasks = (protocol.TASK,) if named is None else named
        asked: list[tuple[str, Probe, str, str]] = []
        if protocol.TASK in tasks:
            asked += [(name, one, protocol.TASK, name) for name, one in self._probes.items()]
        if {OPEN, TRIPLET} & set(tasks):
            words = (one for one in self._words.values() if one.task in tasks)
            asked += [(one.id, one.probe, one.task, one.group) for one in words]
        chosen = [
            each
            for each in asked
            if selection.conditions is None
            or protocol.condition_of(each[1].kind) in selection.conditions
        ]
        kinds = [((each[2], each[1].kind), each) for each in chosen]
        yield from (
            self._item(*each, selection=selection) for each in evenly(kinds, selection.limit)
        )

    def _item(
        self, name: str, probe: Probe, task: str, group: str, *, selection: Selection
    ) -> Item:
        case = self.cases.get(probe.case.casefold(), _UNKNOWN)
        region = self.regions.get(probe.case.casefold())
        media = self._pictures.media(
            probe, case, region.box if region else None, max_side_px=selection.max_side_px
        )
        options = tuple(Option(letter=letter, text=text) for letter, text in probe.choices)
        return Item(
            id=name,
            benchmark=protocol.CARD.name,
            task=task,
            condition=protocol.condition_of(probe.kind),
            question=probe.question,
            media=media,
            prompt=protocol.prompt(probe.question, options, media),
            answer_space=Choice(options=options) if task == protocol.TASK else Text(),
            groups={"case": case.id or probe.case}
            | ({"triplet": group} if task == TRIPLET else {}),
            strata={
                "task": task,
                "probe_kind": probe.kind,
                "cell": cell_of(probe.kind, case.tier),
                "tier": case.tier,
                "source": case.source,
                "modality": case.modality,
                "evidence": "text is enough" if case.text_only else "picture needed",
                "split": "test",
            },
        )

    def reword(self, item: Item) -> Item:
        """Word the prompt of a probe anew, after something in it was changed."""
        return replace(item, prompt=protocol.prompt(item.question, item.options, item.media))

    def reference(self, item_id: str) -> Reference:
        """Give the stated letter, or why it cannot be used."""
        if item_id not in self._probes:
            return self._words_reference(item_id)
        probe = self._probes[item_id]
        offered = {letter for letter, _ in probe.choices}
        problem = None
        if probe.correct not in offered:
            problem = f"the correct letter {probe.correct!r} is none of the options"
        return Reference(item=item_id, answer=probe.correct or None, problem=problem)

    def _words_reference(self, item_id: str) -> Reference:
        one = self._words[item_id]
        problem = None if one.choice is not None else "no options are known to read replies by"
        return Reference(item=item_id, answer=one.gold or None, problem=problem)

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile: of letters and of words."""
        choices = {one.id: one.choice for one in self._words.values() if one.choice is not None}
        return protocol.scorers(profile, choices)

    def plan(self) -> AnalysisPlan:
        """By kind of probe, tier and source, clustered by case; the composite beside it."""
        return protocol.PLAN

    def plan_for(self, tasks: Collection[str]) -> AnalysisPlan:
        """Give the plan of words where nothing else is asked."""
        return protocol.plan_for(tasks)

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return protocol.notes("synthetic" if self._is_synthetic else "published")

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed numbers of models and the radiologist's counts."""
        return protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of the whole release; a synthetic one has any size."""
        return () if self._is_synthetic else protocol.expected_counts()

    def training(self, selection: Selection) -> Training:
        """Give nothing: there is one split."""
        return Training()

    def rebuild(self) -> Iterable[RebuiltCell]:
        """Compute axes and composite from printed rates and counts, and the pilot's shares."""
        return rebuild(self._data, is_synthetic=self._is_synthetic)

    @cached_property
    def _words(self) -> Mapping[str, WordQuestion]:
        questions = word_questions(self._data, probes=self._probes, cases=self.cases)
        return {one.id: one for one in questions}

    @cached_property
    def _is_synthetic(self) -> bool:
        return (self._data / layout.SYNTHETIC_MARK).is_file()
