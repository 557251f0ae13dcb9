"""A release of a handful of questions that ships predictions and votes, one record lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.layout import Pair

N = 8
VERDICTS = {
    "gemini": [True, False, True, False, True, True, False, False],
    "gpt": [True, False, True, False, True, False, False, False],
    "qwen": [True, True, False, False, True, True, False, False],
}


@pytest.fixture(scope="session")
def judged_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write CT-SpatialVQA's layout: by row number the jury says 2 of 7, by key 3 of 7."""
    root = tmp_path_factory.mktemp("judged") / "release"
    pairs = [
        Pair(
            case=f"valid_{n // 2}_a_1.nii.gz",
            question=f"Where is finding [bold]{n}[/bold]?",
            answer=f"In place {n}.",
            categories=(layout.CATEGORIES[0],),
        )
        for n in range(N)
    ]
    layout.write_questions(root, pairs, with_categories=True)
    rows = [
        {"question": pair.question, "answer": pair.answer, "prediction": f"In place {n % 3}."}
        for n, pair in enumerate(pairs)
    ]
    layout.write_json_lines(
        root / "predictions" / "reader_x_predictions_full.jsonl",
        (
            {"image_path": f"/home/me/{layout.case_stem(pair.case)}.npy", **row}
            for pair, row in zip(pairs, rows, strict=True)
        ),
    )
    for judge, ending in layout.JUDGE_ENDINGS.items():
        votes = [
            {"case_id": None, **row, "is_correct": verdict}
            for n, (row, verdict) in enumerate(zip(rows, VERDICTS[judge], strict=True))
            if (judge, n) != ("gemini", 2)
        ]
        layout.write_json(root / "llm_eval" / f"reader_x{ending}", votes)
    jury = [{"model": "reader_x", "count": 7, "llm_jury_accuracy": 2 / 7}]
    (root / "metrics").mkdir()
    (root / layout.JURY_FILE).write_text(json.dumps(jury), encoding="utf-8")
    return root
