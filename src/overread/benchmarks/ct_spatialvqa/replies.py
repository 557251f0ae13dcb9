"""What made-up models answered in a synthetic release, and how made-up judges voted on it.

The faults of the released files are planted where the real ones lie: records that one judge's file
lacks, verdicts of null after a blocked request, an empty answer, paths of somebody's machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.wording import Asked
from overread.records import JsonValue

__all__ = ["JUDGES", "MODELS", "Judged", "Predicted", "judge_rows", "predict", "prediction_rows"]

JUDGES: Final = tuple(layout.JUDGE_ENDINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    name: str
    right: float
    """Share of right answers."""
    style: Literal["array", "archive", "volume"]
    """What its paths point at."""
    names_case: bool
    brief: bool
    tail: str = ""
    """Left over from its own template."""
    says_nothing: bool = False
    """One empty answer is planted."""


_MODELS: Final = (
    _Model(name="model_a", right=0.62, style="array", names_case=False, brief=False,
           says_nothing=True),
    _Model(name="model_b", right=0.55, style="archive", names_case=True, brief=True,
           tail=".###</s>"),
    _Model(name="model_c", right=0.38, style="volume", names_case=True, brief=False),
)  # fmt: skip
MODELS: Final = tuple(model.name for model in _MODELS)

_FALSE_RIGHT: Final = {"gemini": 0.10, "gpt": 0.05, "qwen": 0.06}
_FALSE_WRONG: Final = {"gemini": 0.04, "gpt": 0.06, "qwen": 0.05}
"""How often each judge says yes to a wrong answer, and no to a right one."""
_LACKING: Final = {("model_a", "gemini"): (0.15, 0.45, 0.75)}
"""Where, along the file, a record is missing."""
_BLOCKED: Final = {("model_c", "gemini"): (0.3, 0.32)}
"""Where a verdict is null."""
_WITH_REASON: Final = "gemini"


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """One answer of a made-up model."""

    case: str
    asked: Asked
    text: str
    is_right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judge's file on one model: (question, answer) and verdict, row by row."""

    model: str
    judge: str
    rows: tuple[tuple[Predicted, bool | None], ...]


def predict(
    name: str, pairs: Sequence[tuple[str, Asked]], rng: np.random.Generator
) -> tuple[Predicted, ...]:
    """Answer every pair (case, asked) as a model would; exact share of right answers."""
    model = _model(name)
    n_right = round(model.right * len(pairs))
    right = set(rng.permutation(len(pairs))[:n_right].tolist())
    silent = len(pairs) // 2 if model.says_nothing else None
    answers: list[Predicted] = []
    for place, (case, asked) in enumerate(pairs):
        is_right = place in right and place != silent
        if place == silent:
            text = ""
        elif is_right:
            text = asked.short if model.brief else asked.answer
        else:
            text = asked.wrong[int(rng.integers(len(asked.wrong)))]
            text = text.removesuffix(".") if model.brief else text
        answers.append(
            Predicted(
                case=case,
                asked=asked,
                text=text + (model.tail if text else ""),
                is_right=is_right,
            )
        )
    return tuple(answers)


def prediction_rows(name: str, answers: Sequence[Predicted]) -> list[dict[str, JsonValue]]:
    """Write a model's answers as its file has them."""
    model = _model(name)
    return [
        {
            **({"case_id": one.case} if model.names_case else {}),
            "image_path": _path(model, one.case),
            "question": one.asked.question,
            "prediction": one.text,
            "answer": one.asked.answer,
        }
        for one in answers
    ]


def judge_rows(
    name: str, judge: str, answers: Sequence[Predicted], rng: np.random.Generator
) -> tuple[Judged, list[dict[str, JsonValue]]]:
    """Vote on a model's answers, and write the votes as the judge's file has them."""
    luck = rng.uniform(size=len(answers))
    blocked = _places(_BLOCKED.get((name, judge), ()), len(answers))
    lacking = _places(_LACKING.get((name, judge), ()), len(answers))
    voted: list[tuple[Predicted, bool | None]] = []
    for place, answer in enumerate(answers):
        error = _FALSE_WRONG[judge] if answer.is_right else _FALSE_RIGHT[judge]
        # An empty answer is right to nobody.
        verdict = bool(answer.text) and answer.is_right != (luck[place] < error)
        if place not in lacking:
            voted.append((answer, None if place in blocked else bool(verdict)))
    names_case = _model(name).names_case
    rows = [_vote_row(judge, answer, verdict, names_case) for answer, verdict in voted]
    return Judged(model=name, judge=judge, rows=tuple(voted)), rows


def _vote_row(
    judge: str, answer: Predicted, verdict: bool | None, names_case: bool
) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {
        "case_id": answer.case if names_case else None,
        "question": answer.asked.question,
        "answer": answer.asked.answer,
        "prediction": answer.text,
        "is_correct": verdict,
    }
    if judge == _WITH_REASON:
        row["reasoning"] = (
            "BLOCKED_OR_EMPTY_RESPONSE"
            if verdict is None
            else f"The prediction {'matches' if verdict else 'does not match'} the answer."
        )
    return row


def _model(name: str) -> _Model:
    return next(model for model in _MODELS if model.name == name)


def _places(shares: Sequence[float], n: int) -> set[int]:
    return {int(share * n) for share in shares}


def _path(model: _Model, case: str) -> str:
    name = layout.CaseName.of(case)
    folder, stem = f"{name.patient}/{name.study}", layout.case_stem(case)
    match model.style:
        case "array":
            return f"/PATH/TO/PROJECT/preprocess/{model.name}_npy/{folder}/{stem}.npy"
        case "archive":
            return f"/home/someone/data/{model.name}/{stem}.npz"
        case "volume":
            return f"dataset/data_volumes/dataset/valid_fixed/{folder}/{stem}.nii.gz"
