"""Write a synthetic CT-SpatialVQA release: phantom CT, reports, pairs, and the real one's faults.

Every file of the released layout is written, and the volumes, which the real release lacks, lie
beside them. What a report says is in its volume; what the real files have wrong is planted here
too, so that `overread reproduce` and `overread audit` have something to find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.chest import encode_nifti, paint_chest
from overread.benchmarks.ct_spatialvqa.released_tables import (
    category_table,
    jury_rows,
    matrix_table,
    mean_votes,
    text_rows,
)
from overread.benchmarks.ct_spatialvqa.replies import (
    JUDGES,
    MODELS,
    Judged,
    Predicted,
    judge_rows,
    predict,
    prediction_rows,
)
from overread.benchmarks.ct_spatialvqa.signs import SMALLEST_RELEASE, Case, draw_cases
from overread.benchmarks.ct_spatialvqa.wording import Asked, ask_case, report_of
from overread.errors import UsageError, expected
from overread.records import JsonValue

__all__ = ["synthesise"]

_WORKERS: Final = 4
_ANNOTATORS: Final = ("Annotator_1", "Annotator_2")
_CASES_AN_ANNOTATOR: Final = 2
_SAVED_AT: Final = "2025-11-10T04:24:19.141100Z"

# One stream of random numbers per purpose, so that a volume does not depend on the questions.
_CASES, _QUESTIONS, _BODY, _SCAN, _ANSWERS, _VOTES = range(6)


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write a synthetic release of `size` cases into a new or empty folder.

    Same seed and size, same bytes. About six pairs a case, three made-up models, three judges on
    each.

    Parameters
    ----------
    root
        Folder to write; made when absent.
    seed
        0 or more.
    size
        Number of cases, 6 or more.

    Raises
    ------
    UsageError
        If `size` is too small, `seed` negative, or the folder holds something.
    """
    _check(root, seed=seed, size=size)
    root.mkdir(parents=True, exist_ok=True)
    cases = draw_cases(size, np.random.default_rng([seed, _CASES]))
    with ThreadPoolExecutor(max_workers=_WORKERS) as pool:
        list(pool.map(lambda place: _write_volume(root, seed, place, cases[place]), range(size)))
    asked = {
        case.name: ask_case(case, np.random.default_rng([seed, _QUESTIONS, place]))
        for place, case in enumerate(cases)
    }
    layout.write_reports(root, {case.name: report_of(case) for case in cases})
    _write_candidates(root, cases, asked)
    pairs = _labelled([(name, one) for name, many in asked.items() for one in many if one.kept])
    layout.write_questions(root, pairs, with_categories=True)
    _write_audit(root, asked)
    _write_models(root, seed, [(n, one) for n, many in asked.items() for one in many if one.kept])
    mark = f"A synthetic CT-SpatialVQA release: phantoms, no patient. Seed {seed}, {size} cases.\n"
    _write_text(root / layout.SYNTHETIC_MARK, mark)


def _check(root: Path, *, seed: int, size: int) -> None:
    if size < SMALLEST_RELEASE:
        raise UsageError(
            expected(
                "size",
                rule=f"{SMALLEST_RELEASE} cases or more",
                got=size,
                remedy="A smaller release has no room for the faults that are planted in it.",
            )
        )
    if seed < 0:
        raise UsageError(
            expected("seed", rule="a number of 0 or more", got=seed, remedy="Choose another.")
        )
    layout.refuse_used_folder(root, argument="OUT")


def _write_volume(root: Path, seed: int, place: int, case: Case) -> None:
    intensity_hu = paint_chest(
        case,
        body=np.random.default_rng([seed, _BODY, case.patient]),
        scan=np.random.default_rng([seed, _SCAN, place]),
    )
    path = root / layout.volume_path(case.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_nifti(intensity_hu))


def _write_candidates(
    root: Path, cases: Sequence[Case], asked: Mapping[str, Sequence[Asked]]
) -> None:
    """Write all generated pairs; the first case carries the fields that some real ones carry."""
    document: dict[str, JsonValue] = {}
    for place, case in enumerate(cases):
        name = layout.CaseName.of(case.name)
        about: dict[str, JsonValue] = {
            "file_name": case.name,
            "base_volume": name.study,
            "variant": "1",
        }
        pairs: list[JsonValue] = [
            {"question": one.question, "answer": one.answer} for one in asked[case.name]
        ]
        document[case.name] = {**(about if place == 0 else {}), "qa_pairs": pairs}
    layout.write_json(root / layout.CANDIDATES_FILE, document)


def _labelled(kept: Sequence[tuple[str, Asked]]) -> list[layout.Pair]:
    """Give the pairs their categories; one label is misspelt and one pair has none, as released."""
    pairs: list[layout.Pair] = []
    misspelt, meant = next(iter(layout.MISSPELT_CATEGORIES.items()))
    spelt_right = True
    for place, (case, one) in enumerate(kept):
        labels = one.categories
        if spelt_right and meant in labels:
            labels = tuple(misspelt if label == meant else label for label in labels)
            spelt_right = False
        if place == len(kept) // 3:
            labels = ()
        pairs.append(
            layout.Pair(case=case, question=one.question, answer=one.answer, categories=labels)
        )
    return pairs


# ---------------------------------------------------------------- models, judges, tables


def _write_models(root: Path, seed: int, kept: Sequence[tuple[str, Asked]]) -> None:
    answers: dict[str, Sequence[Predicted]] = {}
    judged: list[Judged] = []
    for number, model in enumerate(MODELS):
        predicted = predict(model, kept, np.random.default_rng([seed, _ANSWERS, number]))
        answers[model] = predicted
        path = root / layout.PREDICTIONS_FOLDER / f"{model}{layout.PREDICTIONS_ENDING}"
        layout.write_json_lines(path, prediction_rows(model, predicted))
        for place, judge in enumerate(JUDGES):
            rng = np.random.default_rng([seed, _VOTES, number, place])
            votes, rows = judge_rows(model, judge, predicted, rng)
            judged.append(votes)
            file = f"{model}{layout.JUDGE_ENDINGS[judge]}"
            layout.write_json(root / layout.VOTES_FOLDER / file, rows)
    ids = _ids(kept)
    matrix = mean_votes(judged, ids)
    categories = {
        ids[case, one.question, one.answer]: one.categories if place != len(kept) // 3 else ()
        for place, (case, one) in enumerate(kept)
    }
    _write_text(root / layout.MATRIX_FILE, matrix_table(matrix, MODELS))
    _write_text(root / layout.CATEGORY_FILE, category_table(matrix, MODELS, categories))
    layout.write_json(root / layout.JURY_FILE, jury_rows(matrix, MODELS))
    layout.write_json(root / layout.TEXT_METRICS_FILE, text_rows(answers))


def _ids(kept: Sequence[tuple[str, Asked]]) -> dict[tuple[str, str, str], str]:
    ids: dict[tuple[str, str, str], str] = {}
    numbers: dict[str, int] = {}
    for case, one in kept:
        index = numbers.get(case, 0)
        numbers[case] = index + 1
        ids[case, one.question, one.answer] = f"{case}::{index}"
    return ids


# ---------------------------------------------------------------- the human audit


def _write_audit(root: Path, asked: Mapping[str, Sequence[Asked]]) -> None:
    """Write an audit that was begun: the first cases answered, one answer half given, the rest not.

    Auditors look at candidates, before the filter; they take one non-spatial pair for spatial.
    """
    names = list(asked)
    progress: dict[str, JsonValue] = {}
    assignments: dict[str, JsonValue] = {}
    disagreements: list[JsonValue] = []
    for number, annotator in enumerate(_ANNOTATORS):
        start = number * _CASES_AN_ANNOTATOR
        mine = names[start : start + _CASES_AN_ANNOTATOR]
        assignments[annotator] = list(mine)
        cases: dict[str, JsonValue] = {}
        for place, case in enumerate(mine):
            unfinished = number == len(_ANNOTATORS) - 1 and place == len(mine) - 1
            answers: list[dict[str, JsonValue] | None] = [_audited(one) for one in asked[case]]
            if unfinished:
                half_given = _audited(asked[case][0]) | {"relevant": None}
                answers = [half_given, *[None] * (len(answers) - 1)]
            elif place == 0:
                disagreements += _mistake(annotator, case, asked[case], answers)
            cases[case] = {"answers": list[JsonValue](answers)}
        progress[annotator] = cases
    layout.write_json(root / layout.PROGRESS_FILE, progress)
    layout.write_json(root / layout.ASSIGNMENTS_FILE, assignments)
    layout.write_json(root / layout.DISAGREEMENTS_FILE, disagreements)


def _audited(one: Asked) -> dict[str, JsonValue]:
    return {
        "spatial": one.is_spatial,
        "relevant": one.is_relevant,
        "note": "",
        "saved_at": _SAVED_AT,
    }


def _mistake(
    annotator: str, case: str, pairs: Sequence[Asked], answers: list[dict[str, JsonValue] | None]
) -> list[JsonValue]:
    """Let an auditor take the first pair that is not spatial for spatial; say so as released."""
    for index, one in enumerate(pairs):
        answer = answers[index]
        if not one.is_spatial and answer is not None:
            answer["spatial"] = True
            return [
                {
                    "type": "spatial",
                    "case": case,
                    "question": one.question,
                    "answer": one.answer,
                    "index": index,
                    "user": annotator,
                    "human": True,
                    "gemini": False,
                }
            ]
    return []


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
