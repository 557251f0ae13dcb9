"""A small release with open answers, written here: questions in memory, judged by two forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from overread.contracts import (
    AlsoMetric,
    AnalysisPlan,
    Card,
    ExpectedCount,
    Judging,
    JuryRule,
    Scorer,
    Selection,
    Training,
)
from overread.records import (
    Finding,
    Item,
    Manifest,
    ModelIdentity,
    PlannedItem,
    Profile,
    PublishedValue,
    Reference,
    Response,
    Score,
    Status,
    Text,
)
from overread.scoring.judging.fenced import FencedForm
from overread.scoring.published import ct_spatialvqa
from overread.store.hashes import sha256_text
from overread.store.run_store import RunStore

ANSWERS: tuple[tuple[str, str, str | None], ...] = (
    ("On which side is the effusion?", "On the left side.", "on the left side"),
    ("Where is the nodule?", "In the right upper lobe.", "In the left upper lobe."),
    ("Are both lungs affected?", "Yes", "yes"),
    ("Which lobe is spared?", "Lingula", "lingula"),
    ("Is the nodule central?", "No.", "Yes, it is."),
    ("Is the aorta wide?", "Yes", ""),
    ("Where is the stent?", "In the left main bronchus.", None),
    ("Which side?", "Left", "Left."),
    ("Which side?", "Left", "Left."),
    ("How many nodules?", "Three", "two"),
    ("Is there an effusion?", "Yes", "No"),
    ("Is there a cyst?", "No", "No"),
)
"""Question, reference, prediction; None where the model gave none. Two rows are the same words."""


@dataclass(frozen=True, kw_only=True)
class WordScorer:
    """The headline of the small release, so that it has one: the same words or not."""

    profile: Profile
    metric: str = "accuracy"

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        is_ok = response.status is Status.OK
        yield Score(
            run=response.run,
            item=item.id,
            draw=response.draw,
            patient=item.groups["patient"],
            metric=self.metric,
            metric_version="1",
            profile=self.profile,
            unit="share",
            value=float(response.text == reference.answer) if is_ok else None,
            status=response.status,
            reason=response.reason,
        )


@dataclass(frozen=True, kw_only=True)
class OpenRelease:
    """Enough of a release to be judged and scored."""

    root: Path
    rows: tuple[tuple[str, str, str | None], ...] = ANSWERS
    batch_size: int = 1
    rule: JuryRule = field(default_factory=JuryRule)

    @property
    def media_root(self) -> Path:
        return self.root

    @property
    def card(self) -> Card:
        return Card(
            name="open",
            title="Open",
            protocol_version="1",
            licence="none",
            access="in memory",
            tasks={"spatial": "where"},
            conditions=("none",),
        )

    @property
    def fingerprint(self) -> str:
        return sha256_text(repr([row[:2] for row in self.rows]))

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        del thorough
        return ()

    def items(self, selection: Selection) -> Iterator[Item]:
        del selection
        for number, (question, _, _) in enumerate(self.rows):
            yield Item(
                id=f"case_{number // 2}::{number % 2}",
                benchmark="open",
                task="spatial",
                condition="none",
                question=question,
                answer_space=Text(),
                groups={"patient": f"p{number // 2}"},
                strata={"split": "test"},
            )

    def reference(self, item_id: str) -> Reference:
        answers = {item.id: row[1] for item, row in zip(self.everything, self.rows, strict=True)}
        return Reference(item=item_id, answer=answers[item_id])

    @property
    def everything(self) -> list[Item]:
        return list(self.items(Selection()))

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        return (WordScorer(profile=profile),)

    def judging(self, profile: Profile) -> Judging:
        if profile == "published":
            return ct_spatialvqa.JUDGING
        return Judging(form=FencedForm(batch_size=self.batch_size), rule=self.rule)

    def plan(self) -> AnalysisPlan:
        return AnalysisPlan(
            strata=((),),
            cells=("split",),
            cluster="patient",
            bootstrap_draws=100,
            also=(
                AlsoMetric(metric="jury_accuracy", drops=(Status.UNDEFINED,), is_share=True),
                AlsoMetric(metric="judge_accuracy", drops=(Status.UNDEFINED,), is_share=True),
            ),
        )

    def notes(self) -> Sequence[str]:
        return ()

    def published(self) -> Sequence[PublishedValue]:
        return ()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        return ()

    def training(self, selection: Selection) -> Training:
        del selection
        return Training()


def write_run(release: OpenRelease, path: Path, *, draws: int = 1) -> Path:
    """Write the run file of a model that answered what the rows say."""
    manifest = Manifest(
        run="run-open",
        benchmark="open",
        protocol_version="1",
        release_root=str(release.root),
        release_fingerprint=release.fingerprint,
        model=ModelIdentity(kind="predictions", name="answers.jsonl"),
        selection={"split": "test", "form": "chat", "stack": "images"},
        seed=0,
        created="2026-11-30T12:00:00Z",
        software={},
        command="",
    )
    with RunStore.create(path, manifest) as store:
        plan = [
            PlannedItem(
                item=item.id,
                draw=draw,
                request_hash=sha256_text(f"{item.id} {draw}"),
                groups=item.groups,
                strata=item.strata,
                chance=None,
            )
            for item in release.everything
            for draw in range(draws)
        ]
        store.set_plan(plan)
        rows = {item.id: row for item, row in zip(release.everything, release.rows, strict=True)}
        for line in plan:
            text = rows[line.item][2]
            store.add(
                Response(
                    run="run-open",
                    item=line.item,
                    draw=line.draw,
                    status=Status.FAILED if text is None else Status.OK,
                    text=text,
                    reason="no row" if text is None else None,
                    request_hash=line.request_hash,
                )
            )
    return path
