from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.run.small_masks import SmallBenchmark, SmallMasks

from overread.contracts import CaseScorer, Selection
from overread.records import Response, Score, Status
from overread.run.case_journal import CaseJournal
from overread.run.case_worker import Case, Scored, score_case
from overread.store.hashes import file_sha256


@pytest.fixture
def root(tmp_path: Path) -> Path:
    SmallBenchmark().synthesise(tmp_path / "release", seed=1, size=3)
    return tmp_path / "release"


def case_of(root: Path) -> Case:
    release = SmallMasks(root)
    item = next(release.items(Selection()))
    reference = release.reference(item.id)
    mask = root / (reference.path or "")
    response = Response(
        run="r",
        item=item.id,
        status=Status.OK,
        path=str(mask),
        text=f"sha256:{file_sha256(mask)}",
        request_hash=64 * "a",
    )
    return Case(item=item, reference=reference, response=response, takers=(0,))


def scorers_of(root: Path) -> list[CaseScorer]:
    found: Any = SmallMasks(root).scorers("honest")
    return list(found)


def journal(root: Path, scorers: list[CaseScorer] | None = None) -> CaseJournal:
    given = scorers_of(root) if scorers is None else scorers
    return CaseJournal(root.with_name("run.sqlite"), SmallMasks(root), given)


def broken_off(root: Path) -> tuple[Case, Scored]:
    """Leave a journal as a start does that is stopped after one case."""
    case = case_of(root)
    scored = score_case(case, scorers_of(root))
    with pytest.raises(KeyboardInterrupt), journal(root) as kept:  # noqa: PT012
        kept.keep(case, scored)
        raise KeyboardInterrupt
    return case, scored


def test_what_was_scored_before_a_stop_is_known_after_it(root: Path) -> None:
    case, scored = broken_off(root)
    with journal(root) as again:
        assert again.rows(case) == scored.rows
        assert [row.metric for row in scored.rows] == ["reference_voxels", "dice"]
    assert not root.with_name("run.sqlite.scoring").exists()
    with journal(root) as gone:
        assert gone.rows(case) is None


def test_nothing_is_known_of_another_answer_reference_or_scorer(root: Path) -> None:
    case, _ = broken_off(root)
    others = [
        replace(case, response=replace(case.response, text="sha256:other")),
        replace(case, response=replace(case.response, request_hash=64 * "b")),
        replace(case, response=replace(case.response, status=Status.FAILED, text=None, path=None)),
        replace(case, reference=replace(case.reference, problem="two masks")),
        replace(case, item=replace(case.item, groups={"case": "c00", "patient": "other"})),
        replace(case, takers=(0, 1)),
    ]
    for other in others:
        assert journal(root).rows(other) is None
    faulty: list[Any] = list(SmallMasks(root, faults={"c05": "raise"}).scorers("honest"))
    assert journal(root, faulty).rows(case) is None
    assert journal(root).rows(case) is not None
    os.utime(root / (case.reference.path or ""), ns=(1, 1))
    assert journal(root).rows(case) is None


def test_changed_code_scores_anew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case, _ = broken_off(root)
    monkeypatch.setattr("overread.run.case_journal._newest_source", lambda: 1)
    assert journal(root).rows(case) is None


def test_a_case_whose_scoring_broke_is_tried_again(root: Path) -> None:
    case = case_of(root)
    with pytest.raises(KeyboardInterrupt), journal(root) as kept:  # noqa: PT012
        kept.keep(case, Scored(rows=(), broken="killed"))
        raise KeyboardInterrupt
    assert journal(root).rows(case) is None


@pytest.mark.parametrize("tail", [b"", b'{"key": "x", "ro', b"[]\n7\nnull\n", b"\xff\xfe"])
def test_a_line_that_was_cut_off_costs_itself_alone(root: Path, tail: bytes) -> None:
    case, scored = broken_off(root)
    file = root.with_name("run.sqlite.scoring")
    file.write_bytes(file.read_bytes() + tail)
    assert journal(root).rows(case) == (None if tail == b"\xff\xfe" else scored.rows)


def test_without_room_the_scoring_goes_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root.with_name("run.sqlite.scoring").mkdir()
    case = case_of(root)
    with journal(root) as kept:
        kept.keep(case, score_case(case, scorers_of(root)))
        assert kept.rows(case) is None


def test_a_value_that_cannot_be_stored_is_not_kept(root: Path) -> None:
    case = case_of(root)
    (row, *_) = score_case(case, scorers_of(root)).rows
    odd: Score = replace(row, value=float("nan"))
    with pytest.raises(KeyboardInterrupt), journal(root) as kept:  # noqa: PT012
        kept.keep(case, Scored(rows=(odd,)))
        raise KeyboardInterrupt
    assert journal(root).rows(case) is None
