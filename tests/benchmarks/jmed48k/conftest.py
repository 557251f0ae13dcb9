"""Papers written by hand in the release's layout, and scores of single replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from overread.benchmarks.jmed48k.loader import JMed48kRelease
from overread.contracts import Selective
from overread.records import Item, Profile, Response, Score, Status

Row = dict[str, Any]


@pytest.fixture
def question() -> Callable[..., Row]:
    """Make one entry of a paper."""

    def make(number: object = 1, **changes: object) -> Row:
        return {
            "question_number": number,
            "section": "A",
            "question_text": "診断はどれか。",
            "text_reference": None,
            "options": {"a": "肺炎", "b": "気胸", "c": "肺癌", "d": "喘息", "e": "結核"},
            "correct_answer": ["c"],
            "img": {"content_img": [], "answer_img": []},
            "text_only": True,
            **changes,
        }

    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., JMed48kRelease]:
    """Write papers and open the release: (profession's folder, year) → entries."""

    def make(papers: Mapping[tuple[str, str], Sequence[object]]) -> JMed48kRelease:
        for (folder, year), rows in papers.items():
            place = tmp_path / "JMed48k-eval" / folder / f"{folder[2:].strip('_')}_{year}"
            place.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"questions": list(rows)}, ensure_ascii=False)
            (place / "paper.json").write_text(text, encoding="utf-8")
        return JMed48kRelease(tmp_path)

    return make


@pytest.fixture
def score() -> Callable[..., Score]:
    """Score one reply under a profile; give the row of accuracy."""

    def one(release: JMed48kRelease, item: Item, text: str | None, profile: Profile) -> Score:
        response = Response(run="r", item=item.id, text=text, status=Status.OK, request_hash="h")
        reference = release.reference(item.id)
        (row,) = (
            row
            for scorer in release.scorers(profile)
            if not isinstance(scorer, Selective) or scorer.takes(item)
            for row in scorer.score(item, reference, response)
            if row.metric == "accuracy"
        )
        return row

    return one
