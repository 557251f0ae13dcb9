"""A training, from a base and a release to a folder that ``--model clip:FOLDER`` opens.

::

    base → pairs of the training split → (epoch → validation questions → curve, best model) × epochs

The second place, beside `run.pipeline`, where a benchmark meets a model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from overread.contracts import Release, Renderer
from overread.errors import PartialRunError, UsageError, expected
from overread.imaging.picture import Picture
from overread.imaging.render import PictureRenderer
from overread.models.clip.finetune.base import Base, open_base
from overread.models.clip.finetune.saving import save_model, save_model_frame
from overread.models.clip.finetune.trainer import EpochLoss, Trainer
from overread.models.clip.loading import make_scorer
from overread.models.clip.model import ClipModel
from overread.models.clip.tensors import KeptTensors
from overread.records import JsonValue, Media
from overread.run.finetuning.curve import Curve, CurvePoint, ExamShare
from overread.run.finetuning.folder import TrainingFolder
from overread.run.finetuning.lesions import Lesions, pick_lesions, unreadable_finding
from overread.run.finetuning.request import FinetuneOutcome, FinetuneRequest
from overread.run.finetuning.validation import ValidationExam
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["Step", "finetune"]

_CONDITIONS: Final = {"with": "box", "without": "no-box"}
_MOST_TENSOR_BYTES: Final = 2**30
"""Of prepared pictures, once for the lesions and once for the questions."""
_MOST_PICTURE_BYTES: Final = 2**29
"""Of the questions' rendered pictures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far a training is, for whoever shows it."""

    epoch: int
    """The epoch under way, from 1; 0 before the first."""
    done: int
    """Batches, or questions, so far in this epoch."""
    total: int
    loss: float | None
    """Of the last batch; None while questions are asked."""


def finetune(
    request: FinetuneRequest,
    release: Release,
    *,
    on_step: Callable[[Step], None] = lambda _: None,
    on_epoch: Callable[[CurvePoint], None] = lambda _: None,
) -> FinetuneOutcome:
    """Train a scorer, or go on with a training.

    Parameters
    ----------
    request
        From what, how, into which folder.
    release
        With a training split and validation questions.
    on_step
        Is told of every batch and every question.
    on_epoch
        Is given each new point of the curve.

    Raises
    ------
    MissingExtraError, UsageError, ReleaseError, StoreBusyError
        Nothing was trained, or the loss is no number any more.
    PartialRunError
        It was stopped; the same command goes on from the last checkpoint.
    """
    _check(request)
    lesions = pick_lesions(release, request.boxes)
    render = PictureRenderer(release.media_root)
    exam = ValidationExam(release, _kept(render))
    condition = _condition(request, exam)
    base = open_base(request.base, seed=request.settings.seed)
    facts = _facts(request, release, base, lesions)
    folder = TrainingFolder(request.out, facts, condition)
    tensors = KeptTensors(most_bytes=_MOST_TENSOR_BYTES)
    trainer = Trainer(base.scorer, lesions.pairs, request.settings, render, tensors=tensors)
    with folder.held():
        curve = folder.resume(trainer)
        done_before = trainer.where.epoch
        save_model_frame(base, request.out)
        work = _Work(request, base, trainer, folder, exam, on_step, on_epoch, curve)
        try:
            curve = work.all_epochs()
        except KeyboardInterrupt:
            raise PartialRunError(
                f"Stopped in epoch {trainer.where.epoch + 1} of {request.settings.epochs}; the "
                f"same command goes on from the last checkpoint in {request.out}."
            ) from None
    unreadable = max((point.n_unreadable for point in curve.points), default=0)
    more = (unreadable_finding(unreadable, lesions.pairs),) if unreadable else ()
    return FinetuneOutcome(
        out=request.out,
        curve=curve,
        n_pairs=len(lesions.pairs),
        epochs_done_before=done_before,
        findings=(*lesions.findings, *more),
    )


class _Work:
    """The loop over epochs."""

    def __init__(
        self,
        request: FinetuneRequest,
        base: Base,
        trainer: Trainer,
        folder: TrainingFolder,
        exam: ValidationExam,
        on_step: Callable[[Step], None],
        on_epoch: Callable[[CurvePoint], None],
        curve: Curve,
    ) -> None:
        self._request = request
        self._base = base
        self._trainer = trainer
        self._folder = folder
        self._exam = exam
        self._on_step = on_step
        self._on_epoch = on_epoch
        self._curve = curve
        self._tensors = KeptTensors(most_bytes=_MOST_TENSOR_BYTES)
        self._kept_at = time.monotonic()

    def all_epochs(self) -> Curve:
        epochs = self._request.settings.epochs
        if not self._curve.points:
            self._add(0, None)
        while self._trainer.where.epoch < epochs:
            loss = self._trainer.run_epoch(self._after_batch)
            self._add(self._trainer.where.epoch, loss)
        self._ask_last()
        self._folder.write_curve(self._curve)
        return self._curve

    def _add(self, epoch: int, loss: EpochLoss | None) -> None:
        """Put an epoch on the curve; its model is saved first where it is the best so far."""
        last = epoch == self._request.settings.epochs
        asked = last or epoch % self._request.validate_every == 0
        self._keep_point(
            CurvePoint(
                epoch=epoch,
                loss=loss.loss if loss else None,
                n_pairs=loss.n_pairs if loss else 0,
                n_unreadable=loss.n_unreadable if loss else 0,
                exam=self._ask(epoch) if asked else {},
            )
        )

    def _ask_last(self) -> None:
        """Ask after the last epoch, where an earlier start with more epochs in mind did not."""
        last = self._curve.points[-1]
        if not last.exam:
            self._curve = Curve(condition=self._curve.condition, points=self._curve.points[:-1])
            self._keep_point(
                CurvePoint(
                    epoch=last.epoch,
                    loss=last.loss,
                    n_pairs=last.n_pairs,
                    n_unreadable=last.n_unreadable,
                    exam=self._ask(last.epoch),
                )
            )

    def _keep_point(self, point: CurvePoint) -> None:
        self._curve = self._curve.with_point(point)
        if self._curve.best is point:
            save_model(self._base.scorer.network, self._folder.path)
        self._folder.keep(self._trainer, self._curve)
        self._kept_at = time.monotonic()
        self._folder.write_curve(self._curve)
        self._on_epoch(point)

    def _ask(self, epoch: int) -> Mapping[str, ExamShare]:
        scorer = self._base.scorer
        now = make_scorer(
            scorer.network,
            preprocess=scorer.preprocess,
            tokenize=scorer.tokenize,
            context_length=scorer.context_length,
            device=scorer.device,
            name=scorer.name,
        )

        def told(done: int) -> None:
            self._on_step(Step(epoch=epoch, done=done, total=self._exam.n, loss=None))

        return self._exam.ask(ClipModel(now, tensors=self._tensors), on_question=told)

    def _after_batch(self, loss: float) -> None:
        where = self._trainer.where
        self._on_step(
            Step(
                epoch=where.epoch + 1,
                done=where.step,
                total=self._trainer.steps_per_epoch,
                loss=loss,
            )
        )
        if time.monotonic() - self._kept_at >= self._request.checkpoint_every_s:
            self._folder.keep(self._trainer, self._curve)
            self._kept_at = time.monotonic()


def _check(request: FinetuneRequest) -> None:
    for argument, value, least in (
        ("--validate-every", request.validate_every, 1),
        ("--checkpoint-every-s", request.checkpoint_every_s, 0),
    ):
        if not value >= least:
            raise UsageError(
                expected(
                    argument,
                    rule=f"a number of {least} or more",
                    got=value,
                    remedy="Leave it out for the default.",
                )
            )


def _condition(request: FinetuneRequest, exam: ValidationExam) -> str:
    """Give the exam's condition that a training learns from; UsageError where it asks none."""
    condition = _CONDITIONS[request.boxes]
    if condition in exam.conditions:
        return condition
    raise UsageError(
        expected(
            "--boxes",
            rule="a condition of the validation questions: " + ", ".join(exam.conditions),
            got=request.boxes,
            remedy="Take the other one.",
        )
    )


def _facts(
    request: FinetuneRequest, release: Release, base: Base, lesions: Lesions
) -> dict[str, JsonValue]:
    """Give what fixes a training's every number. More epochs, or other stops, are the same one."""
    settings = request.settings
    learnt = [[pair.id, list(pair.media.paths), pair.text] for pair in lesions.pairs]
    return {
        "base": base.scorer.name,
        "base_trained": base.trained,
        "base_weights_sha256": base.scorer.weights_sha256,
        "model_sha256": sha256_text(canonical_json(base.config)),
        "benchmark": release.card.name,
        "release_fingerprint": release.fingerprint,
        "boxes": request.boxes,
        "lesions": len(lesions.pairs),
        "lesions_sha256": sha256_text(canonical_json(learnt)),
        "batch_size": settings.batch_size,
        "learning_rate": settings.learning_rate,
        "seed": settings.seed,
        "validate_every": request.validate_every,
    }


def _kept(render: Renderer) -> Renderer:
    """Keep rendered pictures of the exam up to a bound: they are asked about every epoch."""
    kept: dict[Media, tuple[Picture, ...]] = {}
    held = 0

    def give(media: Media) -> tuple[Picture, ...]:
        nonlocal held
        if (known := kept.get(media)) is not None:
            return known
        pictures = render(media)
        size = sum(len(picture.data) for picture in pictures)
        if held + size <= _MOST_PICTURE_BYTES:
            kept[media] = pictures
            held += size
        return pictures

    return give
