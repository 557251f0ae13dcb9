"""The synthetic exam: its key is right, its figures can be told apart, its leaderboard follows."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.igakuqa119.loader import IgakuQa119Release
from overread.benchmarks.igakuqa119.synthetic import synthesise
from overread.contracts import Selection
from overread.imaging.read import read_slice
from overread.records import Item, Number, Response, Status


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> IgakuQa119Release:
    root = tmp_path_factory.mktemp("exam")
    synthesise(root, seed=11, size=60)
    return IgakuQa119Release(root)


@pytest.fixture(scope="module")
def items(release: IgakuQa119Release) -> dict[str, Item]:
    return {item.id: item for item in release.items(Selection())}


def test_sums_and_products_are_right(release, items):
    seen = 0
    for name, item in items.items():
        numbers = [int(each) for each in re.findall(r"\d+", item.question)]
        answer = release.reference(name).answer
        if isinstance(item.answer_space, Number):
            assert int(answer) == numbers[0] * numbers[1]
        elif "和" in item.question:
            said = {option.letter: int(option.text or 0) for option in item.options}
            assert said[answer] == sum(numbers)
            assert len(set(said.values())) == 5
        else:
            continue
        seen += 1
    assert seen == 30


def test_a_reader_who_sees_the_figures_can_tell_the_shapes_apart(release, items):
    """By the number of bright pixels alone: each shape has an area of its own."""
    areas: dict[str, list[int]] = {}
    for name, item in items.items():
        letters = release.reference(name).answer or ""
        texts = {option.letter: option.text or "" for option in item.options}
        for letter, media in zip(letters, item.media, strict=False):
            pixels = read_slice(release.root / media.paths[0]).pixels
            areas.setdefault(texts[letter], []).append(int((np.asarray(pixels) > 115).sum()))
    assert set(areas) == {"円", "正方形", "十字", "輪", "三角形"}
    ranges = sorted((min(found), max(found)) for found in areas.values())
    assert all(before[1] < after[0] for before, after in pairwise(ranges))


def test_the_leaderboard_is_what_the_released_grading_gives(release, items):
    replay = release.replay()
    (grader,) = release.scorers("published")
    for shipped in replay.predictions:
        graded = [row for row in shipped.rows if row.prediction is not None]
        right = {
            row.case
            for row in graded
            for score in grader.score(
                items[row.case],
                release.reference(row.case),
                Response(
                    run="r",
                    item=row.case,
                    text=row.prediction,
                    status=Status.OK,
                    request_hash="h",
                ),
            )
            if score.value == 1.0
        }
        total, plain = (one for one in replay.published if one.who == shipped.model)
        assert (total.count, total.n) == (len(right), len(graded))
        without = [row.case for row in graded if not items[row.case].media]
        assert (plain.count, plain.n) == (len(right & set(without)), len(without))
    hasty = next(one for one in replay.predictions if one.model == "hasty")
    assert sum(row.prediction is None for row in hasty.rows) == 5


def test_the_faults_of_real_replies_are_planted(release, items):
    texts = [row.prediction or "" for one in release.replay().predictions for row in one.rows]
    first = [text.partition("\n")[0].removeprefix("answer: ") for text in texts]
    assert "[選んだ回答(単数/複数/数値)]" in first
    assert any(each.startswith('"') for each in first)
    assert any(", " in each for each in first)
    rows = release.replay().predictions[0].rows
    assert any((row.prediction or "").startswith("answer: ") for row in rows[2::12])
    scorers = release.scorers("honest")
    reasons = {
        next(iter(scorer.score(item, release.reference(name), response))).reason
        for name, item, row in zip(items, items.values(), rows, strict=True)
        for scorer in scorers
        if scorer.takes(item)
        for response in [
            Response(run="r", item=name, text=row.prediction, status=Status.OK, request_hash="h")
        ]
    }
    assert {"wrong-size", "placeholder", "several-letters"} <= reasons


@pytest.mark.parametrize("size", [1, 5, 7])
def test_any_size_will_do(tmp_path: Path, size: int):
    synthesise(tmp_path, seed=2, size=size)
    assert len(list(IgakuQa119Release(tmp_path).items(Selection()))) == size
