"""The metric files of a synthetic release, computed as the released code computes them.

Source: Mashrafi27/CT-SpatialVQA, benchmarking/eval_scripts/scripts: ``build_correctness_matrix``,
``compute_llm_jury_accuracy``, ``build_category_performance`` and ``evaluate_text_metrics_all``.
Its faults are kept, because finding them is what these files are for:

- votes of several judges are joined by row number, as far as the shortest file goes;
- a verdict of null counts as no;
- the mean of votes is cut to two decimals;
- categories count a pair without a mean as wrong, and text metrics skip a pair with an empty side.
"""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from overread.benchmarks.ct_spatialvqa.replies import Judged, Predicted
from overread.metrics.text.bleu import bleu, bleu_statistics
from overread.metrics.text.rouge import rouge
from overread.records import JsonValue

__all__ = ["Matrix", "category_table", "jury_rows", "matrix_table", "mean_votes", "text_rows"]

Matrix = Mapping[str, Mapping[str, float]]
"""Question id → model → mean of votes, cut to two decimals; absent where there is none."""

_YES: Final = 0.66


def mean_votes(judged: Sequence[Judged], ids: Mapping[tuple[str, str, str], str]) -> Matrix:
    """Join votes by row number, as released.

    Parameters
    ----------
    judged
        Judge files; those of a model in the order of the judges.
    ids
        (case, question, answer) → question id.
    """
    matrix: dict[str, dict[str, float]] = defaultdict(dict)
    for model in dict.fromkeys(one.model for one in judged):
        files = [one.rows for one in judged if one.model == model]
        # A row is filed under the pair that the first judge's file has there.
        queue: dict[tuple[str, str], list[str]] = defaultdict(list)
        for (_, question, answer), question_id in ids.items():
            queue[question, answer].append(question_id)
        for row in range(min(map(len, files))):
            votes = [file[row][1] is True for file in files]
            mean = math.floor(sum(votes) / len(votes) * 100) / 100
            asked = files[0][row][0].asked
            waiting = queue[asked.question, asked.answer]
            if waiting:
                matrix[waiting.pop(0)][model] = mean
    return matrix


def matrix_table(matrix: Matrix, models: Sequence[str]) -> str:
    """Write the matrix, sorted by question id."""
    rows = [
        [question_id, *(_cell(matrix[question_id].get(model)) for model in models)]
        for question_id in sorted(matrix)
    ]
    return _table([["question_id", *models], *rows])


def jury_rows(matrix: Matrix, models: Sequence[str]) -> list[JsonValue]:
    """Give the share of questions with at least two votes, over those with a mean."""
    rows: list[JsonValue] = []
    for model in models:
        means = [row[model] for row in matrix.values() if model in row]
        share = sum(mean >= _YES for mean in means) / len(means)
        rows.append({"model": model, "count": len(means), "llm_jury_accuracy": share})
    return rows


def category_table(
    matrix: Matrix, models: Sequence[str], categories: Mapping[str, Sequence[str]]
) -> str:
    """Give the same share by category, in percent; a pair counts in each of its categories."""
    names = sorted({name for labels in categories.values() for name in labels})
    rows = [["category", "count", *models]]
    for name in names:
        ids = [question_id for question_id, labels in categories.items() if name in labels]
        right = [sum(matrix[i].get(model, 0.0) >= _YES for i in ids) for model in models]
        rows.append([name, str(len(ids)), *(f"{100 * n / len(ids):.2f}" for n in right)])
    return _table(rows)


def text_rows(answers: Mapping[str, Sequence[Predicted]]) -> list[JsonValue]:
    """Compute the text metrics that need neither WordNet nor weights; empty answers are skipped."""
    rows: list[JsonValue] = []
    for model, predicted in answers.items():
        told = [one for one in predicted if one.text.strip()]
        predictions = [one.text for one in told]
        references = [one.asked.answer for one in told]
        sums = bleu_statistics(predictions, references, lowercase=True).sum(axis=0)
        likeness = rouge(predictions, references)
        rows.append(
            {
                "model": f"{model}_full",
                "count": len(told),
                "bleu": float(bleu(sums)),
                "rouge1_f": float(np.mean(likeness.rouge1)),
                "rouge2_f": float(np.mean(likeness.rouge2)),
                "rougeL_f": float(np.mean(likeness.rouge_l)),
            }
        )
    return rows


def _cell(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.2f}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()
