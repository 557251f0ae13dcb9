"""Opens a CT-Bench release as it lies on disk: both question formats, odd names and all.

A missing picture, field or table is a Finding and its question stays in the denominator.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final, cast

from overread.benchmarks.ct_bench import layout, protocol
from overread.benchmarks.ct_bench.captions import Captions
from overread.benchmarks.ct_bench.files import ReleaseFiles
from overread.benchmarks.ct_bench.findings import (
    id_findings,
    key_slice_findings,
    picture_findings,
    question_findings,
)
from overread.benchmarks.ct_bench.index import LesionIndex, encoding_finding, read_text
from overread.benchmarks.ct_bench.questions import Question, read_question
from overread.contracts import (
    AnalysisPlan,
    Card,
    ExpectedCount,
    Form,
    Scorer,
    Selection,
    Training,
    TrainingCase,
)
from overread.errors import ReleaseError, expected
from overread.records import (
    Choice,
    Finding,
    Item,
    Media,
    Option,
    Profile,
    PublishedValue,
    Recipe,
    Reference,
    Severity,
)
from overread.scoring.exam.limit import evenly
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["CtBenchRelease"]

_QUESTION_FILES: Final[Mapping[Form, str]] = {
    "chat": layout.QA_LLM_FILE,
    "clip": layout.QA_CLIP_FILE,
}
_FORMS: Final[tuple[Form, Form]] = ("chat", "clip")
_MAX_QUESTION_BYTES: Final = 512 * 2**20


class CtBenchRelease:
    """One release folder of CT-Bench.

    Parameters
    ----------
    root
        The folder.
    unfinished
        Open it although it is being built: for its builder, which asks its own questions.

    Raises
    ------
    ReleaseError
        The folder is absent or half-built, or neither question file can be read.
    """

    def __init__(self, root: Path, *, unfinished: bool = False) -> None:
        if not root.is_dir():
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="the folder of a CT-Bench release",
                    got=f"{root} ({'a file' if root.exists() else 'nothing there'})",
                    remedy="'overread synth ct-bench OUT' writes a synthetic one.",
                )
            )
        if not unfinished and (root / layout.UNFINISHED_MARK).is_file():
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="a finished release",
                    got=f"{root}, whose building was stopped half-way or still goes on",
                    remedy=f"The command that goes on is in {layout.UNFINISHED_MARK}.",
                )
            )
        self._root = root.resolve()
        self._files = ReleaseFiles(self._root)
        self._index = LesionIndex(self._root)
        self._captions = Captions(index=self._index, files=self._files)
        self._entry_findings: list[Finding] = []
        self._digests: dict[Form, str] = {}
        self._questions = self._read_questions()

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The same folder: the pictures lie in the release."""
        return self._root

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.card()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over both question files and the tables, as found.

        The tables count because they give questions their patients, splits and pixel sizes, and
        readers their training texts. Pictures are hashed one by one, in the requests that send
        them.
        """
        parts = {form: self._digests.get(form, "absent") for form in _FORMS}
        return sha256_text(canonical_json({**parts, **self._index.digests}))

    def plan(self) -> AnalysisPlan:
        """Total, by box, by task, and the 13 settings; clustered by patient."""
        return protocol.PLAN

    def plan_for(self, tasks: Collection[str]) -> AnalysisPlan:
        """Give the plan of a run of these tasks: captions are no questions of choice."""
        return protocol.plan_for(tasks)

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile, self._captions.terms)

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return protocol.notes(self._files.origin)

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed numbers; a release built from another table has none."""
        return () if self._files.origin == "built" else protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of a complete release; one built from another table is complete."""
        return () if self._files.origin == "built" else protocol.expected_counts()

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Look at every question and its files, and report what is missing or odd."""
        questions = [*self._questions["chat"], *self._questions["clip"]]
        return (
            *self._entry_findings,
            *self._index.findings,
            *question_findings(questions, self._index),
            *id_findings(self._questions, self._by_id),
            *key_slice_findings(self._index, self._files),
            *picture_findings(questions, self._files, thorough=thorough),
        )

    # ------------------------------------------------------------ questions and answers

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the selected questions in file order; a limit is spread evenly over settings.

        Captions are asked for only where their task is named, after all questions.
        """
        chosen = [
            ((question.task, question.box), partial(self._item, item_id, question, selection))
            for item_id, question in self._by_id[selection.form].items()
            if question.split == selection.split
            and (selection.tasks is None or question.task in selection.tasks)
            and (selection.conditions is None or question.box in selection.conditions)
        ]
        chosen += [
            ((protocol.CAPTION, box), partial(self._captions.item, box, lesion, selection))
            for box, lesion in self._captions.cells(selection)
        ]
        for make in evenly(chosen, selection.limit):
            yield make()

    def reference(self, item_id: str) -> Reference:
        """Give the stated answer of a question, or why it has none that can be used."""
        question = self._by_any_id.get(item_id)
        if question is None:
            return self._captions.reference(item_id)
        return Reference(item=item_id, answer=question.correct, problem=question.problem)

    def reword(self, item: Item) -> Item:
        """Word the prompt of an item anew, after something in it was changed."""
        bare = self._by_id["clip"].get(item.id)
        # What an image-text scorer is given is a description; a chat model is asked about it.
        described = bare is not None and bare.form == "clip" and bare.text == item.question
        return protocol.reworded(item, described=described)

    def training(self, selection: Selection) -> Training:
        """Give the training lesions, and the solved questions of the other exam split.

        Questions about training lesions, which some releases may hold, are asked of readers that
        have seen none of them.
        """
        other = "validation" if selection.split == "test" else "test"
        solved = replace(selection, split=other, limit=None, tasks=None, conditions=None)
        exam = ((item, self.reference(item.id)) for item in self.items(solved))
        return Training(
            cases=() if selection.split == "train" else tuple(self._training_cases()),
            exam=tuple(pair for pair in exam if pair[1].answer is not None),
        )

    def _training_cases(self) -> Iterator[TrainingCase]:
        for lesion in self._index.lesions.values():
            if lesion.split != "train":
                continue
            texts = {
                "description": lesion.description,
                "size": lesion.size,
                "attributes": lesion.attributes,
                "lesion_type": lesion.lesion_type,
                "body_part": lesion.body_part,
            }
            pictures = self._files.lesion_pictures(lesion.id)
            yield TrainingCase(
                id=lesion.id,
                media=tuple(Media(paths=(p,), spacing_mm=lesion.spacing_mm) for p in pictures),
                texts={kind: text for kind, text in texts.items() if text},
                groups={"lesion": lesion.id, "patient": lesion.patient or f"lesion-{lesion.id}"},
            )

    def _item(self, item_id: str, question: Question, selection: Selection) -> Item:
        is_stack = question.task in layout.STACK_TASKS and len(question.picture_paths) > 1
        # Only a stack is shown in one of several ways; a single slice is always itself.
        shown = selection.stack if is_stack else "single"
        media, options = self._shown(question, selection, is_stack=is_stack)
        text = question.text or protocol.stem(question.task, None)
        worded = text if question.form == "chat" else protocol.stem(question.task, question.text)
        return Item(
            id=item_id,
            benchmark=self.card.name,
            task=question.task,
            condition=f"{question.box}+{shown}" if is_stack else question.box,
            question=text,
            media=media,
            prompt=protocol.chat_prompt(worded, options, media),
            answer_space=Choice(options=options),
            groups=self._groups(item_id, question),
            strata={
                "task": question.task,
                "box": question.box,
                "stack": shown,
                "split": question.split or "test",
            },
        )

    def _shown(
        self, question: Question, selection: Selection, *, is_stack: bool
    ) -> tuple[tuple[Media, ...], tuple[Option, ...]]:
        """Give the pictures asked about, and the options, which may be the pictures."""
        recipe = Recipe(
            stack=selection.stack if is_stack else "images", max_side_px=selection.max_side_px
        )
        paths = [self._files.locate(question, raw) for raw in question.picture_paths]
        candidates: list[Media | None] = [None] * len(question.letters)
        media: tuple[Media, ...] = ()
        if question.pictures_are_options:
            candidates = [Media(paths=(path,), recipe=recipe) for path in paths]
        elif paths:
            lesion = self._index.lesions.get(question.lesion)
            media = (
                Media(
                    paths=tuple(paths),
                    kind="stack" if is_stack else "picture",
                    recipe=recipe,
                    spacing_mm=lesion.spacing_mm if lesion else None,
                ),
            )
        told = zip(question.letters, question.option_texts, candidates, strict=True)
        return media, tuple(Option(letter=a, text=text, media=one) for a, text, one in told)

    def _groups(self, item_id: str, question: Question) -> dict[str, str]:
        lesion = self._index.lesions.get(question.lesion)
        groups = {
            "lesion": question.lesion,
            # A lesion of an unknown patient counts as a patient of its own.
            "patient": (lesion and lesion.patient) or f"lesion-{question.lesion}",
        }
        twin = self._by_id["clip"].get(item_id)  # chat entries carry no qa_id of their own
        if qa_id := question.qa_id or (twin.qa_id if twin else None):
            groups |= {"qa_id": qa_id}
        if lesion and lesion.study:
            groups |= {"study": lesion.study}
        return groups

    # ------------------------------------------------------------ ids

    @cached_property
    def _by_id(self) -> dict[Form, dict[str, Question]]:
        """Ids are ``split/task/box/lesion``, with ``#2`` for a second question of that name.

        The two forms of a question share an id, so that a chat model and an image-text scorer can
        be compared pair by pair; ``@clip`` marks one whose answer letter differs between them.
        Where a name comes twice the order of a file pairs nothing: there options must agree too.
        """
        names = Counter(f"{each.split}/{each.name}" for each in self._questions["chat"])
        ids: dict[Form, dict[str, Question]] = {}
        for form in _FORMS:
            seen: Counter[str] = Counter()
            ids[form] = {}
            for question in self._questions[form]:
                name = f"{question.split}/{question.name}"
                seen[name] += 1
                item_id = name if seen[name] == 1 else f"{name}#{seen[name]}"
                twin = ids["chat"].get(item_id) if form == "clip" else None
                if twin is not None and _differ(twin, question, by_order=names[name] > 1):
                    item_id += "@clip"
                ids[form][item_id] = question
        for form, other in zip(_FORMS, reversed(_FORMS), strict=True):
            if not ids[form]:  # one file is absent: its form is made from the other file
                ids[form] = ids[other]
        return ids

    @cached_property
    def _by_any_id(self) -> dict[str, Question]:
        return {**self._by_id["clip"], **self._by_id["chat"]}

    # ------------------------------------------------------------ reading

    def _read_questions(self) -> dict[Form, list[Question]]:
        questions: dict[Form, list[Question]] = {"chat": [], "clip": []}
        problems: list[str] = []
        for form, name in _QUESTION_FILES.items():
            try:
                questions[form] = self._read_question_file(form, name)
            except (OSError, ValueError) as error:
                problems.append(f"{name}: {error}")
                self._entry_findings.append(
                    Finding(
                        severity=Severity.ERROR,
                        code="unreadable-questions",
                        where=name,
                        evidence=str(error),
                        effect="its questions are made from the other question file",
                    )
                )
        if not any(questions.values()):
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="a CT-Bench release with qa_llm.json or qa_clip.json",
                    got=f"{self._root} ({'; '.join(problems)})",
                    remedy="Point at the folder that holds both files, or download them again.",
                )
            )
        return questions

    def _read_question_file(self, form: Form, name: str) -> list[Question]:
        path = self._root / name
        if not path.is_file():
            raise ValueError("not in the folder")
        text, encoding = read_text(path, max_bytes=_MAX_QUESTION_BYTES)
        if encoding != "utf-8":
            self._entry_findings.append(encoding_finding(name, encoding, words="questions"))
        try:
            entries: object = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"cut short or no JSON: {error}") from None
        if not isinstance(entries, list) or not entries:
            raise ValueError("expected a list of questions, got an empty or other JSON value")
        self._digests[form] = sha256_text(text)
        return list(self._questions_of(cast("list[object]", entries), form, name))

    def _questions_of(self, entries: Iterable[object], form: Form, name: str) -> Iterator[Question]:
        for position, entry in enumerate(entries):
            place = f"{name}[{position}]"
            try:
                if not isinstance(entry, Mapping):
                    raise ValueError("not an object")
                question = read_question(
                    cast("Mapping[str, object]", entry), form=form, place=place
                )
            except ValueError as error:
                self._entry_findings.append(
                    Finding(
                        severity=Severity.ERROR,
                        code="unusable-question",
                        where=place,
                        evidence=str(error),
                        effect="it cannot be asked and is in no denominator",
                    )
                )
            else:
                yield self._with_split(question)

    def _with_split(self, question: Question) -> Question:
        """Settle a question's split: as its entry says it, as its lesion's, as its folder's."""
        if question.split is not None:
            return question
        lesion = self._index.lesions.get(question.lesion)
        split = (lesion.split if lesion else None) or self._files.split_of(question)
        if split is None:
            oddity = "unknown-split: neither entry, table nor folder says it; counted in test"
            return replace(question, split="test", oddities=(*question.oddities, oddity))
        return replace(question, split=split)


def _differ(chat: Question, clip: Question, *, by_order: bool) -> bool:
    """Say whether two entries of one name are two questions; `by_order`: their name is no proof."""
    if chat.correct != clip.correct or not by_order:
        return chat.correct != clip.correct
    if any(clip.option_texts):
        return chat.option_texts != clip.option_texts
    return chat.picture_paths != clip.picture_paths
