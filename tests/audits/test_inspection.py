from __future__ import annotations

from typing import Any

import pytest

from overread.audits.exam_parts import split_parts
from overread.audits.inspection import inspect_release
from overread.contracts.replay import Replay
from overread.errors import UsageError
from overread.registry import audit_names, find_audit


def test_all_audits_look_and_the_worst_comes_first(slipped: Replay, shipped: Any):
    told: list[str] = []
    found = inspect_release(shipped(slipped), on_progress=told.append)
    assert found[0].code == "slipped-rows"
    ranks = [["error", "warning", "info"].index(one.severity) for one in found]
    assert ranks == sorted(ranks)
    assert (
        "looking for files joined by row number although a record is missing or out of order"
        in told
    )
    assert len(told) > 10


def test_only_those_asked_for_look(slipped: Replay, shipped: Any):
    codes = {one.code for one in inspect_release(shipped(slipped), only=["row-joins"])}
    assert codes == {"slipped-rows"}


def test_an_unknown_audit_is_refused_with_the_names(slipped: Replay, shipped: Any):
    with pytest.raises(UsageError, match=r"--only: expected one of .*row-joins.*got 'joins'"):
        inspect_release(shipped(slipped), only=["joins"])


def test_eight_audits_read_the_questions_of_a_split_once(
    slipped: Replay, shipped: Any, monkeypatch: pytest.MonkeyPatch
):
    release = shipped(slipped)
    items_of, read = type(release).items, list[str]()

    def counting(self: Any, selection: Any) -> Any:
        read.append(selection.split)
        return items_of(self, selection)

    monkeypatch.setattr(type(release), "items", counting)
    alone = [finding for name in audit_names() for finding in find_audit(name).look(release)]
    n_alone = len(read)
    read.clear()
    assert sorted(inspect_release(release), key=str) == sorted(alone, key=str)
    assert len(read) < n_alone / 2
    read.clear()
    list(split_parts(release))
    list(split_parts(release))
    assert len(read) == 2 * len(release.card.splits)
