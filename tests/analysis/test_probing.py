from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from overread.analysis.probe_words import arm_sentence, rests_on, silence_sentence
from overread.analysis.probing import ArmEffect, ArmRun, Failures, Probed, probe_effects
from overread.contracts import AnalysisPlan
from overread.records import PlannedItem, Score, Status

PLAN = AnalysisPlan(strata=((), ("task",)), cells=("task",), cluster="patient", bootstrap_draws=400)
OK, UNPARSED, REFUSED = Status.OK, Status.UNPARSED, Status.REFUSED


def run(
    name: str,
    values: Sequence[float | Status],
    *,
    per_patient: int = 1,
    patients: bool = True,
    left_out: dict[str, int] | None = None,
    first: int = 0,
    chance: float | None = 0.25,
) -> ArmRun:
    """Make a run of questions q0, q1 …; a status in a value's place is an answer that is none."""
    planned = [
        PlannedItem(
            item=f"q{number}",
            request_hash=f"{name}-{number}",
            groups={"patient": f"p{number // per_patient}"} if patients else {},
            strata={"task": "one" if number % 2 else "two"},
            chance=chance,
        )
        for number in range(first, first + len(values))
    ]
    scores = [
        Score(
            run=name,
            item=line.item,
            patient=None,
            metric="accuracy",
            metric_version="1",
            profile="honest",
            unit="share",
            value=None if isinstance(value, Status) else value,
            status=value if isinstance(value, Status) else OK,
            answer=None if isinstance(value, Status) else "A",
        )
        for line, value in zip(planned, values, strict=True)
    ]
    return ArmRun(name=name, scores=scores, planned=planned, left_out=left_out or {})


def probed(original: ArmRun, *arms: ArmRun, plan: AnalysisPlan = PLAN) -> Probed:
    return probe_effects(original, arms, plan, not_applied={})


def one(original: ArmRun, arm: ArmRun) -> ArmEffect:
    (found,) = probed(original, arm).arms
    return found


# 100 questions: 40 right twice, 25 only as released, 10 only when changed, 25 never.
BEFORE = [1.0] * 65 + [0.0] * 35
AFTER = [1.0] * 40 + [0.0] * 25 + [1.0] * 10 + [0.0] * 25


def test_the_worked_example_of_image_removal() -> None:
    arm = one(run("original", BEFORE), run("no-image", AFTER))
    assert (arm.n, arm.original, arm.changed) == (100, 0.65, 0.5)
    assert arm.net_effect == pytest.approx(0.15)
    assert arm.p_mcnemar == pytest.approx(0.016674, abs=5e-7)
    assert (arm.adjusted, arm.p_holm) == ("mcnemar", arm.p_mcnemar)
    assert arm.persistence is not None
    assert arm.persistence.value == pytest.approx(0.6154, abs=5e-5)
    # A bootstrap of the same 100 pairs: Wald's interval is 3.78 to 26.22.
    assert arm.low == pytest.approx(0.0378, abs=0.02)
    assert arm.high == pytest.approx(0.2622, abs=0.02)
    assert arm.falls
    assert arm_sentence(arm).startswith("The score falls from 65.0 to 50.0 %, by 15.0 points (")
    assert "61.5 % of the right answers stay right" in arm_sentence(arm)


def test_where_patients_have_several_questions_the_test_goes_by_patient() -> None:
    arm = one(run("original", BEFORE, per_patient=5), run("no-image", AFTER, per_patient=5))
    assert (arm.n_clusters, arm.unit, arm.adjusted) == (20, "patient", "sign flip")
    assert arm.p_holm == arm.p_sign_flip
    assert arm.p_mcnemar == pytest.approx(0.016674, abs=5e-7)  # still told


def test_without_patients_it_says_that_the_interval_is_too_narrow() -> None:
    arm = one(run("original", BEFORE, patients=False), run("no-image", AFTER, patients=False))
    assert arm.n_clusters is None
    assert arm.reason == (
        "the release names no patients: the interval takes questions as independent"
    )


def test_what_adjustment_takes_back_is_not_called_luck() -> None:
    # Ten lost and two won of 40: by itself p 0.039, after Holm over four arms 0.15.
    before = [1.0] * 20 + [0.0] * 20
    after = [0.0] * 10 + [1.0] * 12 + [0.0] * 18
    arms = [run(name, after) for name in ("no-image", "options-only", "blur", "mirror")]
    found = probed(run("original", before), *arms)
    arm = found.arms[0]
    assert arm.low is not None
    assert arm.low > 0
    assert not arm.falls
    said = arm_sentence(arm)
    assert "leaves out 0" in said
    assert "not beyond luck once adjusted for all arms after Holm (p 0.15, 40 patients)" in said
    assert "within luck" not in said
    assert "this exam is too small to tell" in rests_on(found)
    assert "do as well" not in arm_sentence(found.arms[1])


def test_a_rise_is_a_negative_net_effect() -> None:
    arm = one(run("original", AFTER), run("mirror", BEFORE))
    assert arm.net_effect == pytest.approx(-0.15)
    assert arm.rises
    assert arm_sentence(arm).startswith("The score rises by 15.0 points (")


def test_nothing_moved() -> None:
    arm = one(run("original", BEFORE), run("mirror", BEFORE))
    assert (arm.net_effect, arm.p_holm, arm.low) == (0.0, 1.0, None)
    assert arm.reason == "no answer became right or wrong"
    assert not arm.falls
    assert arm_sentence(arm).startswith("The score stays at 65.0 %: nothing here shows")


def test_holm_is_over_all_arms() -> None:
    original = run("original", BEFORE)
    found = probed(original, run("no-image", AFTER), run("blur", AFTER), run("mirror", BEFORE))
    p = found.arms[0].p_mcnemar
    assert p is not None
    # Three tests, two with the same p: the smallest times three, and steps never go down.
    assert [arm.p_holm for arm in found.arms] == [pytest.approx(3 * p), pytest.approx(3 * p), 1.0]


def test_strata_are_adjusted_among_themselves() -> None:
    found = probed(run("original", BEFORE), run("no-image", AFTER))
    assert {tuple(row.stratum.items()) for row in found.by_stratum} == {
        (("task", "one"),), (("task", "two"),),
    }  # fmt: skip
    assert sum(row.n for row in found.by_stratum) == 100


def test_lost_to_silence_is_not_lost_evidence() -> None:
    silent = [1.0] * 40 + [REFUSED] * 20 + [UNPARSED] * 5 + [0.0] * 35
    arm = one(run("original", BEFORE), run("no-image", silent))
    assert (arm.silence.changed, arm.silence.refused, arm.silence.lost) == (25, 20, 25)
    assert arm.silence.original == 0
    said = silence_sentence(arm)
    assert "20 declined" in said
    assert "Of 25 right answers lost, 25 became no answer" in said
    assert "may be refusal" in said
    assert "Under no-image most lost answers became no answer" in rests_on(
        probed(run("original", BEFORE), run("no-image", silent))
    )


def test_silence_without_a_fall_explains_none() -> None:
    silent = [1.0] * 63 + [REFUSED] * 2 + [1.0] * 3 + [0.0] * 32
    arm = one(run("original", BEFORE), run("blur", silent))
    assert not arm.falls
    assert silence_sentence(arm).endswith("Of 2 right answers lost, 2 became no answer.")


def test_wrong_answers_are_no_silence() -> None:
    arm = one(run("original", BEFORE), run("no-image", AFTER))
    assert (arm.silence.changed, arm.silence.lost) == (0, 0)
    assert silence_sentence(arm) == ""


def test_only_questions_of_both_runs_are_paired_and_the_rest_is_counted() -> None:
    arm = one(
        run("original", BEFORE[:60]),
        run("no-image", BEFORE[10:70], first=10, left_out={"its options are pictures": 7}),
    )
    assert arm.n == 50
    assert arm.left_out == {"its options are pictures": 7, "it was not asked as released": 10}


def test_questions_without_a_usable_answer_leave_the_pairs() -> None:
    undefined: list[float | Status] = [Status.UNDEFINED, *BEFORE[1:]]
    found = probed(run("original", undefined), run("blur", undefined))
    assert found.original.n == 99
    assert found.arms[0].n == 99
    assert sum(found.arms[0].left_out.values()) == 1


def test_an_arm_without_a_pair_is_told_with_its_reasons() -> None:
    found = probed(run("original", BEFORE[:5]), run("blur", BEFORE[:5], first=50))
    assert found.arms == ()
    assert found.not_applied == {"blur": {"it was not asked as released": 5}}


def test_shares_are_compared_by_their_mean() -> None:
    arm = one(run("original", [0.5, 0.75] * 30), run("blur", [0.25, 0.5] * 30))
    assert (arm.states, arm.p_mcnemar, arm.persistence) == (None, None, None)
    assert arm.net_effect == pytest.approx(0.25)


def test_an_unanswered_question_counts_as_not_right() -> None:
    cut = run("no-image", AFTER)
    arm = one(
        run("original", BEFORE),
        ArmRun(name="no-image", scores=cut.scores[:50], planned=cut.planned, left_out={}),
    )
    # An unfinished run says nothing of what it did not ask.
    assert arm.n == 50
    assert arm.failures == Failures(original=0, changed=50, pairs=50)


def test_a_failure_is_no_lost_answer() -> None:
    """Crashes in either arm leave the pairs, and are counted; refusals stay."""
    failed = Status.FAILED
    before = [1.0] * 10 + [failed] * 3 + [1.0] * 7
    after = [1.0] * 6 + [failed] * 4 + [failed] * 2 + [1.0] + [REFUSED] * 2 + [1.0] * 5
    found = probed(run("original", before), run("no-image", after))
    (arm,) = found.arms
    assert arm.failures == Failures(original=3, changed=6, pairs=7)
    assert (arm.n, arm.original, arm.changed) == (13, 1.0, 11 / 13)
    assert arm.states is not None
    assert (arm.states.right_right, arm.states.right_wrong) == (11, 2)
    assert (arm.silence.changed, arm.silence.refused, arm.silence.lost) == (2, 2, 2)
    said = silence_sentence(arm)
    assert "7 questions take no part, because no reply came (3 as released, 6 when changed)" in said
    assert sum(each.n for each in found.by_stratum) == 13
    assert (found.original.n, found.original.failed) == (20, 3)
    assert "To 3 questions of these no reply came, which counts as not right." in rests_on(found)


def test_an_arm_that_only_failed_is_compared_with_nothing() -> None:
    found = probed(run("original", [1.0] * 4), run("no-image", [Status.FAILED] * 4))
    assert found.arms == ()
    assert found.not_applied == {"no-image": {"no reply came to it, as released or changed": 4}}


def test_a_refusal_within_the_form_is_one() -> None:
    arm = run("no-image", [UNPARSED] * 3 + [1.0] * 5)
    arm = replace(arm, declined=frozenset({("q0", 0), ("q1", 0)}))
    found = one(run("original", [1.0] * 8), arm)
    assert (found.silence.changed, found.silence.refused) == (3, 2)
    assert "3 questions have no answer (2 declined, 1 unreadable) here" in silence_sentence(found)


def test_a_reader_that_always_declines_is_said_to() -> None:
    found = one(run("original", [REFUSED] * 8), run("no-image", [REFUSED] * 8))
    assert silence_sentence(found) == (
        "8 questions have no answer (8 declined, 0 unreadable) here; as released 8 questions have "
        "no answer (8 declined, 0 unreadable)."
    )


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ({"no-image": AFTER, "other-patient": AFTER},
         "of 40.0 points above a blind guess 15.0 rest on the picture"),
        ({"no-image": [0.0] * 100}, "all that is above a blind guess rests on the picture"),
        ({"no-image": BEFORE}, "nothing here shows that the score rests on the pictures"),
        ({"no-image": AFTER, "other-patient": BEFORE}, "nothing shows that it matters whose"),
        ({"no-image": BEFORE, "other-patient": AFTER}, "words carry it"),
        ({"shuffled-options": AFTER}, "places or letters"),
        ({"options-only": AFTER}, "The options alone give 50.0 %, where a guess gets 25.0 %"),
    ],
)  # fmt: skip
def test_what_the_score_rests_on(arms: dict[str, list[float]], said: str) -> None:
    runs = [run(name, values) for name, values in arms.items()]
    assert said in rests_on(probed(run("original", BEFORE), *runs))


def test_a_score_at_chance_rests_on_nothing() -> None:
    quarter = [1.0] * 25 + [0.0] * 75
    words = rests_on(probed(run("original", quarter), run("no-image", quarter)))
    assert "no better than a guess" in words
