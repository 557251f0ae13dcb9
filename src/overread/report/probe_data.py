"""A finished probe, ready for its page and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from overread.analysis.probe_words import arm_sentence, rests_on, silence_sentence
from overread.analysis.probing import ArmEffect, ArmExample, Probed
from overread.records import JsonValue

__all__ = ["ProbeReport", "probe_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """What a page about a probe is made of."""

    model: str
    benchmark: str
    """Title of the benchmark."""
    probed: Probed
    examples: tuple[ArmExample, ...]
    notes: tuple[str, ...]
    """What numbers on this release do not show."""
    files: Mapping[str, str]
    """Arm → the name of its run file."""
    created: str


def probe_json(report: ProbeReport) -> dict[str, JsonValue]:
    """Write a probe for machines: shares as 0..1, what is undefined as null with its reason."""
    probed = report.probed
    return {
        "model": report.model,
        "benchmark": report.benchmark,
        "created": report.created,
        "metric": probed.metric,
        "original": {
            "n": probed.original.n,
            "value": probed.original.value,
            "chance": probed.original.chance,
            "no_answer": probed.original.no_answer,
            "no_reply": probed.original.failed,
        },
        "rests_on": rests_on(probed),
        "arms": [_arm(arm) for arm in probed.arms],
        "by_stratum": [_arm(arm) for arm in probed.by_stratum],
        "not_applied": {name: _reasons(reasons) for name, reasons in probed.not_applied.items()},
        "runs": dict(report.files),
        "notes": list(report.notes),
    }


def _arm(arm: ArmEffect) -> dict[str, JsonValue]:
    states, kept, silence = arm.states, arm.persistence, arm.silence
    return {
        "arm": arm.name,
        "stratum": dict(arm.stratum),
        "n": arm.n,
        "n_clusters": arm.n_clusters,
        "original": arm.original,
        "changed": arm.changed,
        "chance": arm.chance,
        "states": None
        if states is None
        else {
            "right_right": states.right_right,
            "right_wrong": states.right_wrong,
            "wrong_right": states.wrong_right,
            "wrong_wrong": states.wrong_wrong,
        },
        "net_effect": arm.net_effect,
        "low": arm.low,
        "high": arm.high,
        "level": arm.level,
        "method": arm.method,
        "persistence": None if kept is None else kept.value,
        "persistence_low": None if kept is None else kept.low,
        "persistence_high": None if kept is None else kept.high,
        "p_mcnemar": arm.p_mcnemar,
        "p_sign_flip": arm.p_sign_flip,
        "adjusted": arm.adjusted,
        "p_holm": arm.p_holm,
        "no_answer": {
            "original": silence.original,
            "changed": silence.changed,
            "refused_original": silence.refused_original,
            "refused": silence.refused,
            "right_answers_lost": silence.lost,
        },
        "no_reply": None
        if arm.failures is None
        else {
            "original": arm.failures.original,
            "changed": arm.failures.changed,
            "pairs_left_out": arm.failures.pairs,
        },
        "left_out": _reasons(arm.left_out),
        "sentence": arm_sentence(arm),
        "silence": silence_sentence(arm),
        "reason": arm.reason,
    }


def _reasons(reasons: Mapping[str, int]) -> list[JsonValue]:
    return [{"reason": reason, "n": n} for reason, n in reasons.items()]
