from dataclasses import replace

from overread.report.scorecard import score_card
from overread.report.sentence import sentences


def stopped(run, n_waiting):
    return replace(run, fates={**run.fates, "pending": n_waiting})


def test_a_stopped_run_gets_no_verdict(small_report):
    first = stopped(small_report.runs[0], 72)
    (told,) = sentences(replace(small_report, runs=(first,)))
    assert "is not finished: 72 of" in told
    assert "above" not in told
    assert "below" not in told
    assert score_card(replace(small_report, runs=(first,)))[0].verdict == "unknown"


def test_finished_runs_are_told_beside_a_stopped_one(small_report):
    told = sentences(
        replace(small_report, runs=(stopped(small_report.runs[0], 5), *small_report.runs[1:]))
    )
    assert "is not finished: 5 of" in told[-1]
    assert len(told) > 1
