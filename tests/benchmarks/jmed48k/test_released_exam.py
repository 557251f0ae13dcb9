"""A real exam through these item kinds: IgakuQA119, put into this layout, with its stored replies.

Known values: the sister exam docto-rin/IgakuQA119 (Apache-2.0), ``results/correct_answers.csv``
and ``answers/demo``; counted from the files.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from overread.benchmarks.igakuqa119 import BENCHMARK
from overread.benchmarks.jmed48k.loader import JMed48kRelease
from overread.contracts import Release, Selection
from overread.records import Item, MultiChoice, Number, Response, Status
from overread.scoring.published.igakuqa119 import GradedAnswerScorer

pytestmark = pytest.mark.data

BLOCKS = "ABCDEF"
ALL = {
    "qwen2_5-72b": [60, 42, 55, 55, 41, 60],
    "pfn-medllm-qwen-72b": [50, 32, 50, 51, 32, 56],
}
"""Right answers a block by the very set of the key, 119E28 without its rule."""
WITH_FIGURES = [27, 4, 10, 19, 4, 9]
"""Of the first model, of 34, 4, 15, 32, 7, 11."""
TEMPLATE = "[選んだ回答(単数/複数/数値)]"
ECHOED = 22


@pytest.fixture(scope="module")
def shipped(released_data: Path) -> Release:
    root = released_data / "igakuqa119"
    if not root.is_dir():
        pytest.skip(f"no released exam at {root}")
    return BENCHMARK.open(root)


@pytest.fixture(scope="module")
def release(shipped: Release, tmp_path_factory: pytest.TempPathFactory) -> JMed48kRelease:
    root = tmp_path_factory.mktemp("exam")
    place = root / "JMed48k-eval" / "01_physician" / "physician_2025"
    place.mkdir(parents=True)
    rows = [_row(shipped, item) for item in shipped.items(Selection())]
    text = json.dumps({"questions": rows}, ensure_ascii=False)
    (place / "paper.json").write_text(text, encoding="utf-8")
    return JMed48kRelease(root)


def _row(shipped: Release, item: Item) -> dict[str, object]:
    answer = shipped.reference(item.id).answer or ""
    key = [answer] if isinstance(item.answer_space, Number) else list(answer)
    return {
        "question_number": item.id[4:],
        "section": item.strata["block"],
        "question_text": item.question,
        "text_reference": None,
        "options": {option.letter: option.text or "" for option in item.options},
        "correct_answer": ["a", "c"] if item.id == "119E28" else key,
        "img": {"content_img": [m.paths[0] for m in item.media], "answer_img": []},
        "text_only": not item.media,
    }


@pytest.fixture(scope="module")
def items(release: JMed48kRelease) -> dict[str, Item]:
    return {item.id: item for item in release.items(Selection(conditions=("as-asked",)))}


def test_kinds_keys_and_figures_are_those_of_the_exam(release, items):
    assert len(items) == 400
    assert release.exclusions == ()
    assert sum(bool(item.media) for item in items.values()) == 103
    assert len(list(release.items(Selection()))) == 400 + 103
    by_size = Counter()
    numbers = {}
    for name, item in items.items():
        answer = release.reference(name).answer
        if isinstance(item.answer_space, Number):
            numbers[name.rpartition("/")[2]] = answer
        else:
            by_size[len(answer)] += 1
            wanted = item.answer_space.count if isinstance(item.answer_space, MultiChoice) else 1
            assert len(answer) == wanted
    assert numbers == {"A75": "600", "C74": "36", "C75": "27", "F75": "40"}
    # 119E28 accepts either of two: its key of two letters is two keys of one.
    assert by_size == {1: 356 + 1, 2: 35 - 1, 3: 5}


def _replies(shipped: Release, model: str) -> dict[str, str | None]:
    (stored,) = (one for one in shipped.replay().predictions if one.model == model)  # type: ignore[attr-defined]
    return {f"physician/2025/{row.case[3:]}": row.prediction for row in stored.rows}


def _by_block(right: list[Item]) -> list[int]:
    counts = Counter(item.strata["section"][-1] for item in right)
    return [counts[block] for block in BLOCKS]


@pytest.mark.parametrize("model", sorted(ALL))
def test_stored_replies_score_to_the_known_values(shipped, release, items, model):
    replies = _replies(shipped, model)
    strict = GradedAnswerScorer(accepted={})
    right = [
        item
        for name, item in items.items()
        if not name.endswith("/E28")
        for row in strict.score(item, release.reference(name), _response(name, replies[name]))
        if row.value == 1.0
    ]
    assert _by_block(right) == ALL[model]
    if model == "qwen2_5-72b":
        assert _by_block([item for item in right if item.media]) == WITH_FIGURES


@pytest.mark.parametrize(("model", "more"), [("qwen2_5-72b", 0), ("pfn-medllm-qwen-72b", 3)])
def test_the_careful_readers_take_quotes_and_no_placeholders(
    shipped, release, items, score, model, more
):
    """What they find beyond the strict comparison are letters in quotes: ``"a"``."""
    replies = _replies(shipped, model)
    rows = {name: score(release, item, replies[name], "honest") for name, item in items.items()}
    right = [name for name, row in rows.items() if row.value == 1.0]
    assert len([name for name in right if not name.endswith("/E28")]) == sum(ALL[model]) + more
    assert rows["physician/2025/E28"].value == 1.0  # by the rule: either of two
    echoed = [name for name, reply in replies.items() if TEMPLATE in (reply or "")]
    assert {rows[name].status for name in echoed} <= {Status.UNPARSED}
    assert len(echoed) == (0 if more == 0 else ECHOED)


def _response(name: str, text: str | None) -> Response:
    return Response(run="r", item=name, text=text, status=Status.OK, request_hash="h")
