"""What the result shows, and what it does not: whole sentences, said before any table.

Only the intervals decide the wording, so the same numbers always give the same sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from overread.records import Estimate
from overread.report.data import ReportData, asks_for_text, run_labels
from overread.report.judges import jury_estimate
from overread.report.lookup import EstimateTable
from overread.report.metric_names import (
    direction_words,
    error_metrics,
    is_graded,
    metric_label,
    score_metric,
)
from overread.report.scorecard import verdict
from overread.report.wording import count, gain, independent_units, percent

__all__ = ["limits", "sentences"]

_WORTH_SAYING = 0.01
"""Shares of questions without an answer above this are said in the sentence."""

_VERDICTS = {
    "above": "Above it",
    "level": "Not to be told apart from it",
    "below": "Below it",
    "unknown": "Without a comparison",
}


def sentences(data: ReportData) -> tuple[str, ...]:
    """Say what the headline shows: one run in full, several sorted by their blind floor."""
    labels = run_labels(data.runs)
    unfinished = [
        f"{labels[run.manifest.run]} is not finished: {count(run.n_waiting)} of "
        f"{count(run.n_planned)} questions have not been asked yet, so nothing is said of it."
        for run in data.runs
        if run.n_waiting
    ]
    finished = [run for run in data.runs if not run.n_waiting]
    if not finished:
        return tuple(unfinished)
    if len(data.runs) == 1:
        told = _sentence(data, labels[data.runs[0].manifest.run])
        return (told, *_errors(data), *_juries(data))
    tables = {
        labels[run.manifest.run]: EstimateTable.of(run.estimates, data.plan.headline)
        for run in finished
    }
    graded = is_graded(data.plan.headline)
    return (*_sorted_runs(tables, graded), *_errors(data), *_juries(data), *unfinished)


def limits(data: ReportData) -> tuple[str, ...]:
    """Say what the result does not show, the benchmark's own remarks last."""
    return (_limit(data), *data.notes)


def _sentence(data: ReportData, label: str) -> str:
    table = EstimateTable.of(data.runs[0].estimates, data.plan.headline)
    score = table.score("honest", {})
    if score is None or score.value is None:
        why = score.reason if score is not None and score.reason else "nothing was scored"
        return f"{label} has no score: {why}."
    if is_graded(data.plan.headline):
        told = (
            f"{metric_label(data.plan.headline)}: {label} has {percent(score.value)} % on the mean "
            f"of {count(score.n)} descriptions{_interval(score)}"
        )
        return " ".join([told + _against_floor(table, score), *_unread(table)])
    closed = "closed " if data.plan.headline_only and asks_for_text(data) else ""
    told = (
        f"{label} gave the reference answer to {percent(score.value)} % of {count(score.n)} "
        f"{closed}questions{_interval(score)}"
    )
    return " ".join([told + _against_floor(table, score), *_unanswered(table)])


def _errors(data: ReportData) -> list[str]:
    """Say how often descriptions contradict the reference in a fact that harms."""
    labels = run_labels(data.runs)
    told: list[str] = []
    for metric in error_metrics(data.plan):
        found = [
            (labels[run.manifest.run], estimate)
            for run in data.runs
            if not run.n_waiting
            and (estimate := EstimateTable.of(run.estimates, metric).score("honest", {}))
            is not None
            and estimate.value is not None
        ]
        if found:
            each = ", ".join(f"{label} {percent(one.value)} %" for label, one in found)
            told.append(f"{metric_label(metric)} ({direction_words(metric)}): {each}.")
    return told


def _juries(data: ReportData) -> list[str]:
    """Say what judges call right, of all questions, the open ones included."""
    told: list[str] = []
    for number, label in enumerate(run_labels(data.runs).values()):
        estimate = jury_estimate(data, number)
        judges = [j for p in data.runs[number].panels if p.profile == "honest" for j in p.judges]
        if estimate is None or estimate.value is None or not judges:
            continue
        who = "One judge calls" if len(judges) == 1 else f"A jury of {len(judges)} judges calls"
        told.append(
            f"{who} {percent(estimate.value)} % of the {count(estimate.n)} answers of {label} "
            f"right{_interval(estimate)}."
        )
    return told


def _sorted_runs(tables: Mapping[str, EstimateTable], graded: bool) -> tuple[str, ...]:
    told = _shared_floor(tables.values())
    for key, phrase in _VERDICTS.items():
        found = [
            f"{label} ({_brief(table)})"
            for label, table in tables.items()
            if verdict(table.get("gain_over_blind", "honest", {})) == key
        ]
        if found:
            told.append(f"{phrase}: {', '.join(found)}.")
    silent = [
        f"{label} ({percent(no_answer.value)} %)"
        for label, table in tables.items()
        if (no_answer := table.get("no_answer", "honest", {})) is not None
        and no_answer.value is not None
        and no_answer.value >= _WORTH_SAYING
    ]
    if silent:
        counts_as = "counted as 0" if graded else "so not right"
        told.append(f"Without a readable answer, and {counts_as}: {', '.join(silent)}.")
    return tuple(told)


def _shared_floor(tables: Iterable[EstimateTable]) -> list[str]:
    """Name the floor where all runs were asked the same and so have the same one."""
    totals = [table.score("honest", {}) for table in tables]
    floors = {
        (total.blind_floor, total.blind_policy)
        for total in totals
        if total is not None and total.blind_floor is not None
    }
    if len(floors) != 1 or None in totals:
        return ["Each run is held against the best policy that sees no picture."]
    value, policy = floors.pop()
    named = f" ({policy})" if policy else ""
    return [f"The best policy that sees no picture{named} gets {percent(value)} %."]


def _brief(table: EstimateTable) -> str:
    score = table.score("honest", {})
    gained = table.get("gain_over_blind", "honest", {})
    if score is None or score.value is None:
        return "no score"
    points = "" if gained is None or gained.value is None else f", {gain(gained.value)} points"
    return f"{percent(score.value)} %{points}"


def _interval(score: Estimate) -> str:
    behind = "" if score.n_clusters is None else f", {independent_units(score)}"
    if score.low is None or score.high is None:
        return f" (no interval{behind})"
    level = f"{100 * score.level:.0f} % interval"
    return f" ({level} {percent(score.low)} to {percent(score.high)}{behind})"


def _against_floor(table: EstimateTable, score: Estimate) -> str:
    gained = table.get("gain_over_blind", "honest", {})
    if score.blind_floor is None:
        return "."
    policy = f" ({score.blind_policy})" if score.blind_policy else ""
    floor = f"{percent(score.blind_floor)} % of the best policy that sees no picture{policy}"
    points = (
        "" if gained is None or gained.value is None else f" by {percent(abs(gained.value))} points"
    )
    return {
        "above": f": above the {floor}{points}.",
        "below": f": below the {floor}{points}.",
        "level": f", which cannot be told apart from the {floor}.",
        "unknown": f", beside the {floor}.",
    }[verdict(gained)]


def _unanswered(table: EstimateTable) -> list[str]:
    no_answer = table.get("no_answer", "honest", {})
    if no_answer is None or no_answer.value is None or no_answer.value < _WORTH_SAYING:
        return []
    answered = table.answered({})
    of_those = (
        f"; of those answered {percent(answered.value)} % were right"
        if answered is not None and answered.value is not None
        else ""
    )
    return [
        f"{percent(no_answer.value)} % got no readable answer and count as not right{of_those}."
    ]


def _unread(table: EstimateTable) -> list[str]:
    no_answer = table.get("no_answer", "honest", {})
    if no_answer is None or no_answer.value is None or no_answer.value < _WORTH_SAYING:
        return []
    answered = table.answered({})
    of_those = (
        f"; those that could be read have {percent(answered.value)} %"
        if answered is not None and answered.value is not None
        else ""
    )
    return [f"{percent(no_answer.value)} % could not be read and count as 0{of_those}."]


def _limit(data: ReportData) -> str:
    if asks_for_text(data) and score_metric(data.plan) is not None:
        does = (
            "how many facts of the reference description of a lesion a reader states rightly, as "
            "rules read both texts, on the pictures of"
        )
        not_shown = (
            "that it finds a lesion unaided, that what it adds beyond the reference is true, that "
            "a whole report of it can be relied on"
        )
    elif asks_for_text(data):
        does = (
            "how often the words of a reader agree, by rule or in the eyes of judge models, with "
            "the reference answers to the questions of"
        )
        not_shown = (
            "that it finds what nobody asks about, writes a report that can be relied on, knows "
            "when to abstain"
        )
    else:
        does = "how often a reader picks the listed answer to the questions of"
        not_shown = (
            "that it finds a lesion unaided, reports it in its own words, knows when to abstain"
        )
    return (
        f"The numbers tell {does} {data.card.title}, shown as the receipts say. They do not show "
        f"{not_shown}, or does as well on other scanners and patients; they are no evidence of use "
        "in care."
    )
