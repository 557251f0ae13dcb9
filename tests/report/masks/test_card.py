"""The score card of runs of masks: one number for one estimate, many published ones in a line."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from overread.contracts import AlsoMetric, AnalysisPlan
from overread.records import Estimate, Manifest, ModelIdentity, Profile, PublishedValue, Status
from overread.report.data import ReportData
from overread.report.masks.card import mask_card, mask_settings


def estimate(
    metric: str,
    value: float | None,
    *,
    profile: Profile = "honest",
    published: Sequence[float] = (),
    stratum: dict[str, str] | None = None,
) -> Estimate:
    return Estimate(
        metric=metric,
        profile=profile,
        stratum=stratum or {},
        n=12,
        n_answered=12,
        n_clusters=12,
        value=value,
        low=None if value is None else value - 0.1,
        high=None if value is None else value + 0.1,
        method="cluster wilson",
        status=Status.OK if value is not None else Status.UNDEFINED,
        published=tuple(
            PublishedValue(
                metric=metric, stratum=stratum or {}, who=f"place {place}", kind="model",
                value=each, source="a leaderboard",
            )
            for place, each in enumerate(published, 1)
        ),
    )  # fmt: skip


def report(*estimates: Estimate) -> ReportData:
    manifest = Manifest(
        run="r1", benchmark="b", protocol_version="1", release_root="/r", release_fingerprint="f",
        model=ModelIdentity(kind="masks", name="careful"), selection={}, seed=0, created="",
        software={}, command="",
    )  # fmt: skip
    plan = AnalysisPlan(
        strata=((), ("centre",)),
        cells=("centre",),
        cluster="patient",
        headline="dice",
        also=(AlsoMetric(metric="hd95_mm"), AlsoMetric(metric="iou")),
    )
    run = SimpleNamespace(manifest=manifest, estimates=estimates, masks=None)
    return cast("ReportData", cast("Any", SimpleNamespace(plan=plan, runs=(run,))))


def test_a_metric_has_its_own_unit_and_both_readings() -> None:
    groups = mask_card(
        report(
            estimate("dice", 0.5),
            estimate("dice", 0.625, profile="published"),
            estimate("hd95_mm", 12.5),
        )
    )
    assert [(group.title, group.direction) for group in groups] == [
        ("Dice", "more is better"),
        ("HD95, mm", "less is better"),
    ]
    (dice,), (distance,) = (group.rows for group in groups)
    assert (dice.value, dice.interval, dice.published) == ("0.500", "0.400 to 0.600", "0.625")
    assert (distance.value, distance.published) == ("12.5", "–")


def test_a_metric_that_only_the_published_code_has_stands_with_a_dash() -> None:
    ((row,),) = (g.rows for g in mask_card(report(estimate("dice", 0.5, profile="published"))))
    assert (row.value, row.published) == ("–", "0.500")


def test_a_metric_without_any_value_is_left_out() -> None:
    assert [g.title for g in mask_card(report(estimate("dice", 0.5), estimate("iou", None)))] == [
        "Dice"
    ]


def test_few_published_numbers_stand_one_by_one_and_many_in_a_line() -> None:
    (few,) = mask_card(report(estimate("dice", 0.5, published=(0.7, 0.6))))
    assert [(row.label, row.value) for row in few.rows[1:]] == [
        ("place 1", "0.700"),
        ("place 2", "0.600"),
    ]
    (many,) = mask_card(report(estimate("dice", 0.5, published=(0.7, 0.6, 0.1, 0.8, 0.65))))
    (line,) = many.rows[1:]
    assert (line.label, line.value, line.interval) == (
        "5 published methods",
        "0.650",
        "from 0.100 to 0.800",
    )
    assert line.source == "a leaderboard"


def test_settings_show_every_published_number_and_where_it_lies() -> None:
    groups = mask_settings(
        report(
            estimate("dice", 0.5),
            estimate("dice", 0.25, stratum={"centre": "K"}, published=(0.7, 0.6, 0.1, 0.8)),
        )
    )
    assert [group.label for group in groups] == ["All cases", "K"]
    run, *papers = groups[1].rows
    assert run.mark is not None
    assert run.mark.x == "25.00%"
    assert [paper.value for paper in papers] == ["0.700", "0.600", "0.100", "0.800"]


def test_the_whole_alone_is_no_table_of_settings() -> None:
    assert mask_settings(report(estimate("dice", 0.5))) == ()
