"""Opens a CT-SpatialVQA release as it lies on disk: any subset of its files, odd rows and all.

Only a file of questions is needed. Volumes are not part of the release: `media` is the user's
CT-RATE download. A missing volume or part is a Finding and its questions stay in the denominator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from overread.benchmarks.ct_spatialvqa import layout, protocol
from overread.benchmarks.ct_spatialvqa.findings import (
    case_findings,
    category_findings,
    missing_parts,
    question_findings,
    volume_findings,
)
from overread.benchmarks.ct_spatialvqa.questions import Question, read_question_files
from overread.benchmarks.ct_spatialvqa.replay import ReplayFiles
from overread.benchmarks.ct_spatialvqa.volumes import VolumeFolder
from overread.contracts import (
    LABEL_SEPARATOR,
    AnalysisPlan,
    Card,
    ExpectedCount,
    Judging,
    Scorer,
    Selection,
    Training,
)
from overread.contracts.replay import Replay
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
from overread.scoring.spatial.forms import question_classes, question_form
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["CtSpatialVqaRelease"]


class CtSpatialVqaRelease:
    """One release folder of CT-SpatialVQA, and the folder of its volumes.

    Raises
    ------
    ReleaseError
        The folder is absent, none of its question files can be read, or `media` is no folder.
    """

    def __init__(self, root: Path, *, media: Path | None) -> None:
        if not root.is_dir():
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="the folder of a CT-SpatialVQA release",
                    got=f"{root} ({'a file' if root.exists() else 'nothing there'})",
                    remedy="'overread synth ct-spatialvqa OUT' writes a synthetic one.",
                )
            )
        if media is not None and not media.is_dir():
            raise ReleaseError(
                expected(
                    "--media",
                    rule="the folder of a CT-RATE download",
                    got=f"{media} ({'a file' if media.exists() else 'nothing there'})",
                    remedy="Name a folder that holds valid_fixed, or leave it out.",
                )
            )
        self._root = root.resolve()
        self._media = media.resolve() if media is not None else self._root
        self._files = read_question_files(self._root)
        self._by_id = {question.id: question for question in self._files.questions}
        self._volumes = VolumeFolder(self._media, {one.case for one in self._files.questions})

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The folder of volumes: the user's download, or else the release's own folder."""
        return self._media

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.card()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the question files, as found.

        Volumes are hashed one by one, in the requests that send them.
        """
        return sha256_text(canonical_json(dict(self._files.digests)))

    def plan(self) -> AnalysisPlan:
        """Score closed questions by rule, by form and by category; clustered by patient."""
        return protocol.PLAN

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile)

    def judging(self, profile: Profile) -> Judging:
        """Give how judge models are asked and counted."""
        return protocol.judging(profile)

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return protocol.notes(self._origin)

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed table; a release built from other reports has none."""
        return () if self._origin == "built" else protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of the complete release; one built from other reports is complete."""
        return () if self._origin == "built" else protocol.expected_counts()

    def replay(self) -> Replay:
        """Give all that the release ships beside its questions, joined with nothing."""
        return self._replay

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Look at every question and its volume, and report what is missing or odd.

        `thorough` also reads volumes and every row of the released predictions and votes, and
        counts labels.
        """
        questions = self._files.questions
        return (
            # Reading the parts beside the questions finds what reading the questions found, too.
            *(self._replay.findings if thorough else self._files.findings),
            *question_findings(questions),
            *case_findings(questions),
            *category_findings(questions, thorough=thorough),
            *missing_parts(self._root, is_built=self._origin == "built"),
            *volume_findings(questions, self._volumes, self._media, thorough=thorough),
        )

    # ------------------------------------------------------------ questions and answers

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the selected questions in file order; a limit takes the first ones.

        So a limited run prepares few volumes: the questions of a case stand together.
        """
        recipe = self._recipe(selection)
        name = recipe.volume.name if recipe.volume else ""
        if (
            selection.split not in self.card.splits
            or (selection.tasks is not None and protocol.TASK not in selection.tasks)
            or (selection.conditions is not None and name not in selection.conditions)
        ):
            return
        for question in self._files.questions[: selection.limit]:
            yield self._item(question, recipe, name)

    def reference(self, item_id: str) -> Reference:
        """Give the stated answer of a question, or why it has none."""
        question = self._by_id[item_id]
        return Reference(item=item_id, answer=question.answer, problem=question.problem)

    def reword(self, item: Item) -> Item:
        """Word the prompt of a question anew, after something in it was changed."""
        return replace(item, prompt=protocol.chat_prompt(item.question, item.media))

    def training(self, selection: Selection) -> Training:
        """Give nothing: the release has one split, and every question of it is asked."""
        del selection
        return Training()

    def _recipe(self, selection: Selection) -> Recipe:
        return Recipe(
            volume=protocol.volume_recipe(selection.recipe), max_side_px=selection.max_side_px
        )

    def _item(self, question: Question, recipe: Recipe, condition: str) -> Item:
        name = layout.CaseName.of(question.case)
        media = (
            Media(paths=(self._volumes.path_of(question.case),), kind="volume", recipe=recipe),
        )
        return Item(
            id=question.id,
            benchmark=self.card.name,
            task=protocol.TASK,
            condition=condition,
            question=question.question,
            media=media,
            prompt=protocol.chat_prompt(question.question, media),
            answer_space=Text(classes=question_classes(question.question) or ()),
            groups={"patient": name.patient, "study": name.study, "case": question.case},
            strata={
                "form": question_form(question.question),
                "category": LABEL_SEPARATOR.join(question.categories) or protocol.NO_CATEGORY,
                "split": "test",
            },
        )

    @property
    def _origin(self) -> Literal["published", "synthetic", "built"]:
        if (self._root / layout.SYNTHETIC_MARK).is_file():
            return "synthetic"
        return "built" if (self._root / layout.BUILT_MARK).is_file() else "published"

    @cached_property
    def _replay(self) -> Replay:
        # What was printed is about the real release alone.
        is_papers = self._origin == "published"
        printed = (*self.published(), *protocol.audit_claims()) if is_papers else ()
        return ReplayFiles(self._root, self._files, printed).read()
