from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from overread.analysis.compare import RunScores, compare
from overread.contracts import AnalysisPlan
from overread.errors import UsageError
from overread.records import Status


@pytest.fixture
def run(make_line, make_score):
    """Make a run from one character a question: 1 right, 0 wrong, - unread, space not asked."""

    def make(label: str, marks: str, *, per_patient: int = 1, first: int = 0, box="box"):
        numbers = range(first, first + len(marks))
        value = {"1": 1.0, "0": 0.0, "-": None}
        return RunScores(
            label=label,
            scores=[
                make_score(str(n), value[mark])
                for n, mark in zip(numbers, marks, strict=True)
                if mark != " "
            ],
            planned=[make_line(str(n), patient=f"p{n // per_patient}", box=box) for n in numbers],
        )

    return make


def test_pairs_by_hand(run, plan) -> None:
    one = run("one", "1111110000--" * 5)
    two = run("two", "111000100-1-" * 5)
    (pair,) = compare([one, two], plan).pairs
    # Of twelve: both 3, only one 3, only two 2 (one wrong, one unread), neither 4.
    counts = (pair.both, pair.only_first, pair.only_second, pair.neither)
    assert counts == (15, 15, 10, 20)
    assert (pair.first_value, pair.second_value) == (0.5, pytest.approx(25 / 60))
    assert pair.difference == pytest.approx(5 / 60)
    assert pair.low < pair.difference < pair.high
    theirs = mcnemar([[15, 15], [10, 20]], exact=True).pvalue
    assert pair.p_mcnemar == pytest.approx(float(theirs))
    assert pair.p_adjusted == pair.p_mcnemar
    assert (pair.n, pair.n_clusters) == (60, 60)
    assert pair.method == "cluster bootstrap (patient)"


def test_draws_of_one_item_are_not_counted_as_items(make_line, make_score, plan) -> None:
    def drawn(label: str, right: range) -> RunScores:
        each = [(str(n), draw) for n in range(20) for draw in range(3)]
        return RunScores(
            label=label,
            scores=[make_score(n, float(int(n) in right), draw=draw) for n, draw in each],
            planned=[make_line(n, patient=f"p{n}", draw=draw) for n, draw in each],
        )

    (pair,) = compare([drawn("one", range(12)), drawn("two", range(7))], plan).pairs
    assert (pair.n, pair.only_first, pair.only_second) == (60, 15, 0)
    assert pair.p_mcnemar is None  # 2 · 0.5^15 would take 5 patients for 15
    assert pair.p_adjusted == pair.p_sign_flip == pytest.approx(2 * 0.5**5)
    assert "asked several times" in pair.reason


def test_questions_are_joined_by_name_and_never_by_row(run, plan) -> None:
    one = run("one", "1100" * 10)
    shuffled = dataclasses.replace(
        one, label="two", planned=one.planned[::-1], scores=one.scores[::-1]
    )
    (pair,) = compare([one, shuffled], plan).pairs
    assert (pair.both, pair.only_first, pair.only_second, pair.neither) == (20, 0, 0, 20)
    assert (pair.difference, pair.p_mcnemar, pair.p_adjusted) == (0.0, None, None)
    assert (pair.low, pair.high, pair.method) == (None, None, "none")
    assert "no variation" in pair.reason


def test_pairs_narrow_the_interval(run, plan) -> None:
    rng = np.random.default_rng(0)
    easy = rng.random(400) < 0.5
    better = easy | (rng.random(400) < 0.1)
    marks = ["".join("01"[int(v)] for v in values) for values in (better, easy)]
    (pair,) = compare([run("one", marks[0]), run("two", marks[1])], plan).pairs
    assert pair.low > 0
    # Two separate 95 % intervals of n = 400 are 0.098 wide each and overlap.
    assert pair.high - pair.low < 0.06
    assert pair.p_mcnemar == pytest.approx(2 * 0.5**14)  # 14 items for, none against


def test_difference_is_clustered_by_patient(run, plan) -> None:
    rng = np.random.default_rng(3)
    marks = [
        "".join(mark * 8 for mark in rng.choice(["0", "1"], 60)),
        "".join(mark * 8 for mark in rng.choice(["0", "1"], 60)),
    ]
    (clustered,) = compare(
        [run("one", marks[0], per_patient=8), run("two", marks[1], per_patient=8)], plan
    ).pairs
    (naive,) = compare([run("one", marks[0]), run("two", marks[1])], plan).pairs
    assert clustered.n_clusters == 60
    ratio = (clustered.high - clustered.low) / (naive.high - naive.low)
    assert ratio == pytest.approx(np.sqrt(8), rel=0.15)
    assert clustered.p_sign_flip > clustered.p_mcnemar
    assert (clustered.adjusted, clustered.p_adjusted) == ("sign flip", clustered.p_sign_flip)
    assert (naive.adjusted, naive.p_adjusted) == ("mcnemar", naive.p_mcnemar)


def test_holm_adjusts_the_permutation_by_patient_where_patients_have_several_items(
    run, plan
) -> None:
    # 40 patients with two questions each, right or wrong together. Of the first 10 only `a` is
    # right, of the next 4 only `b`, of the next 6 `b` and `c`, then nobody.
    marks = {"a": (10, 0, 0), "b": (0, 4, 6), "c": (0, 0, 6)}
    runs = [
        run(
            name,
            "11" * first + "00" * (10 - first)
            + "11" * second + "00" * (4 - second)
            + "11" * third + "00" * (26 - third),
            per_patient=2,
        )
        for name, (first, second, third) in marks.items()
    ]  # fmt: skip
    by_pair = {(pair.first, pair.second): pair for pair in compare(runs, plan).pairs}
    # b and c differ in 4 patients, all one way: 2 of 2^4 swaps are as extreme. McNemar would take
    # their 8 questions for independent: 2 of 2^8.
    b_c = by_pair["b", "c"]
    assert (b_c.p_sign_flip, b_c.p_mcnemar) == (2 / 2**4, 2 / 2**8)
    # a and c: 10 patients against 6, binomial(16, 1/2): 2 · P(X <= 6) = 2 · 14893 / 65536
    assert by_pair["a", "c"].p_sign_flip == pytest.approx(2 * 14893 / 65536, abs=0.02)
    # a and b: 10 against 10: every swap is at least as extreme.
    assert by_pair["a", "b"].p_sign_flip == 1.0
    # Holm: the smallest of three times 3, the next times 2 or the one before.
    assert b_c.p_adjusted == 3 * 2 / 2**4
    assert by_pair["a", "c"].p_adjusted == min(1.0, 2 * by_pair["a", "c"].p_sign_flip)
    assert by_pair["a", "b"].p_adjusted == 1.0
    assert {pair.adjusted for pair in by_pair.values()} == {"sign flip"}


def test_a_clear_difference_stays_one_among_many_tests(make_line, make_score) -> None:
    # 400 strata of one kind: with 10,000 swaps the smallest p, 1 / 10,001, times 400 is 0.04;
    # with enough of them it can fall below a quarter of 0.05.
    fine = AnalysisPlan(strata=((), ("task",)), cells=("task",), cluster="patient",
                        bootstrap_draws=50)  # fmt: skip
    planned, scores = [], {"one": [], "two": []}
    for task in range(400):
        n_patients = 30 if task == 0 else 1
        for patient in range(n_patients):
            for question in range(2):
                name = f"{task}/{patient}/{question}"
                planned.append(make_line(name, task=f"t{task}", patient=f"p{task}-{patient}"))
                for label in scores:
                    value = float(label == "one" and task == 0)
                    scores[label].append(make_score(name, value))
    comparison = compare(
        [RunScores(label=label, scores=rows, planned=planned) for label, rows in scores.items()],
        fine,
    )
    first = comparison.by_stratum[0]
    assert len(comparison.by_stratum) == 400
    assert first.stratum == {"task": "t0"}
    assert first.p_adjusted is not None
    assert first.p_adjusted < 0.05 / 4
    assert comparison.by_stratum[1].adjusted is None


def test_holm_over_all_pairs(run, plan) -> None:
    rng = np.random.default_rng(1)
    runs = [
        run(name, "".join("01"[int(v)] for v in rng.random(300) < share))
        for name, share in (("a", 0.6), ("b", 0.5), ("c", 0.45))
    ]
    comparison = compare(runs, plan)
    assert [(pair.first, pair.second) for pair in comparison.pairs] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    raw = [pair.p_mcnemar for pair in comparison.pairs]
    assert [pair.p_adjusted for pair in comparison.pairs] == pytest.approx(
        list(multipletests(raw, method="holm")[1])
    )
    assert comparison.labels == ("a", "b", "c")
    assert (comparison.metric, comparison.profile) == ("accuracy", "honest")


def test_strata_are_compared_apart(make_line, make_score, plan) -> None:
    def make(label, right_box):
        planned, scores = [], []
        for n in range(80):
            box = "box" if n % 2 else "nobox"
            planned.append(make_line(str(n), patient=f"p{n}", box=box))
            right = (n // 2) % 2 if box == right_box else 0
            scores.append(make_score(str(n), float(right)))
        return RunScores(label=label, scores=scores, planned=planned)

    comparison = compare([make("one", "box"), make("two", "nobox")], plan)
    assert comparison.pairs[0].difference == 0.0
    by_box = {
        pair.stratum["box"]: pair.difference
        for pair in comparison.by_stratum
        if set(pair.stratum) == {"box"}
    }
    assert by_box == {"box": 0.5, "nobox": -0.5}
    strata = {tuple(sorted(pair.stratum)) for pair in comparison.by_stratum}
    assert strata == {("box",), ("task",), ("box", "task")}


def test_questions_of_one_run_alone_are_left_out_and_told(run, plan) -> None:
    comparison = compare([run("one", "1" * 30), run("two", "0" * 30, first=10)], plan)
    assert comparison.pairs[0].n == 20
    assert comparison.unshared == {"one": 10, "two": 10}
    assert "10 of the 30 questions of one were not asked of every other run." in comparison.notes


def test_a_run_without_any_response_is_refused(run, plan) -> None:
    rule = r"two: expected a run with a response .* none to any of 9"
    with pytest.raises(UsageError, match=rule):
        compare([run("one", "1" * 9), run("two", " " * 9)], plan)


def test_questions_without_a_response_are_told(run, plan) -> None:
    lacking = compare([run("one", "10" * 15), run("two", "1" * 29 + " ")], plan)
    assert lacking.notes == ("1 question of two has no response yet; it counts as not right.",)
    comparison = compare([run("one", "10" * 15), run("two", "1" * 20 + " " * 10)], plan)
    assert comparison.pairs[0].n == 30
    assert comparison.notes == (
        "10 questions of two have no response yet; they count as not right.",
    )


def test_what_the_benchmark_drops_stays_in_a_comparison(make_line, make_score, plan) -> None:
    dropping = dataclasses.replace(plan, published_drops=(Status.FAILED,))
    planned = [make_line(str(n), patient=f"p{n}") for n in range(30)]

    def make(label, n_failed):
        scores = [
            make_score(
                str(n),
                None if n < n_failed else float(n % 2),
                status=Status.FAILED if n < n_failed else None,
                profile=profile,
            )
            for n in range(30)
            for profile in ("published", "honest")
        ]
        return RunScores(label=label, scores=scores, planned=planned)

    runs = [make("one", 0), make("two", 6)]
    published = compare(runs, dropping, profile="published")
    assert published.pairs[0].n == 30
    assert published.pairs[0].second_value == pytest.approx(12 / 30)
    assert published.notes == (
        "6 questions of two would be left out by the benchmark's own code; compared item by item "
        "they count as not right.",
    )
    assert compare(runs, dropping).notes == ()


def test_few_patients_are_told(run, plan) -> None:
    one, two = run("one", "1010110100", per_patient=2), run("two", "1000100101", per_patient=2)
    (pair,) = compare([one, two], plan).pairs
    assert pair.reason == "only 5 patients: read the interval with care"


def test_one_patient_has_a_difference_and_no_interval(run, plan) -> None:
    (pair,) = compare(
        [run("one", "11", per_patient=9), run("two", "10", per_patient=9)], plan
    ).pairs
    assert (pair.difference, pair.low, pair.reason) == (0.5, None, "one cluster has no spread")


def test_scores_that_are_no_right_or_wrong_use_the_sign_flip(make_line, make_score, plan) -> None:
    rng = np.random.default_rng(0)
    planned = [make_line(str(n), patient=None) for n in range(60)]
    base = rng.random(60) * 0.5
    runs = [
        RunScores(
            label=label,
            scores=[make_score(str(n), float(v)) for n, v in enumerate(base + extra)],
            planned=planned,
        )
        for label, extra in (("one", rng.random(60) * 0.3), ("two", rng.random(60) * 0.1))
    ]
    (pair,) = compare(runs, plan).pairs
    assert (pair.both, pair.p_mcnemar, pair.n_clusters) == (None, None, None)
    assert pair.p_adjusted == pair.p_sign_flip
    assert pair.p_adjusted < 0.01
    assert pair.method == "cluster bootstrap (item)"


def test_profile_chooses_the_scores(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=f"p{n}") for n in range(30)]
    runs = [
        RunScores(
            label=label,
            planned=planned,
            scores=[
                make_score(
                    str(n), float(n < (limit if profile == "honest" else 5)), profile=profile
                )
                for n in range(30)
                for profile in ("published", "honest")
            ],
        )
        for label, limit in (("one", 20), ("two", 10))
    ]
    assert compare(runs, plan).pairs[0].difference == pytest.approx(1 / 3)
    assert compare(runs, plan, profile="published").pairs[0].difference == 0.0


def test_same_input_same_output_and_json(run, plan) -> None:
    runs = [run("one", "1101" * 10), run("two", "0111" * 10)]
    comparison = compare(runs, plan)
    assert comparison == compare(runs, plan)
    json.dumps(dataclasses.asdict(comparison), allow_nan=False)


def test_runs_that_share_nothing_are_refused(run, plan) -> None:
    with pytest.raises(UsageError, match="one and two: expected two runs that share questions"):
        compare([run("one", "11"), run("two", "11", first=50)], plan)


def test_fewer_than_two_runs_are_refused(run, plan) -> None:
    with pytest.raises(UsageError, match="runs: expected two or more runs"):
        compare([run("one", "11")], plan)
    with pytest.raises(UsageError, match="runs: expected two or more runs"):
        compare([run("one", "11"), run("one", "10")], plan)


def test_a_release_without_patients_says_that_intervals_are_too_narrow(
    make_line, make_score, plan
) -> None:
    def make(label: str, marks: str, named: int) -> RunScores:
        patients = [f"p{n}" if n < named else None for n in range(len(marks))]
        return RunScores(
            label=label,
            scores=[make_score(str(n), float(mark)) for n, mark in enumerate(marks)],
            planned=[make_line(str(n), patient=who) for n, who in enumerate(patients)],
        )

    nobody = compare([make("one", "10" * 20, 0), make("two", "11" * 20, 0)], plan)
    assert nobody.unit == "item"
    assert "No patients are named" in nobody.notes[0]
    assert "too narrow" in nobody.notes[0]
    some = compare([make("one", "10" * 20, 39), make("two", "11" * 20, 39)], plan)
    assert some.unit == "patient"
    assert some.notes[0].startswith("1 question names no patient and stands alone")
    assert compare([make("one", "10" * 20, 40), make("two", "11" * 20, 40)], plan).notes == ()


def test_standings_are_over_the_questions_that_all_share(run, plan) -> None:
    found = compare(
        [run("one", "1" * 30), run("two", "0" * 10 + "1" * 20), run("three", "0" * 30, first=10)],
        plan,
    )
    # Questions 10 to 29 are asked of all: one and two are right there, three is not. On the first
    # ten, which only one and two share, one alone is right: they are told apart all the same.
    assert [(row.label, row.value, row.n) for row in found.standings] == [
        ("one", 1.0, 20), ("two", 1.0, 20), ("three", 0.0, 20),
    ]  # fmt: skip
    assert [row.groups for row in found.standings] == [(0,), (1,), (2,)]
    assert [row.groups for row in compare([run("one", "1"), run("two", "1")], plan).standings] == [
        (0,), (0,),
    ]  # fmt: skip


def test_runs_may_share_questions_by_twos_only(run, plan) -> None:
    # one: 0-19, two: 10-29, three: 0-9 and 20-29; no question is asked of all.
    whole = run("three", "1" * 30)
    three = dataclasses.replace(
        whole, planned=[*whole.planned[:10], *whole.planned[20:]], scores=whole.scores
    )
    found = compare([run("one", "1" * 20), run("two", "0" * 20, first=10), three], plan)
    assert [row.n for row in found.standings] == [20, 20, 20]
    assert [pair.n for pair in found.pairs] == [10, 10, 10]


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_the_adjustment_is_the_one_named(run, plan, adjust) -> None:
    rng = np.random.default_rng(1)
    runs = [
        run(name, "".join("01"[int(v)] for v in rng.random(300) < share))
        for name, share in (("a", 0.6), ("b", 0.5), ("c", 0.45))
    ]
    found = compare(runs, plan, adjust=adjust)
    theirs = multipletests(
        [pair.p_mcnemar for pair in found.pairs], method={"holm": "holm", "bh": "fdr_bh"}[adjust]
    )[1]
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(list(theirs))
    assert found.adjust == adjust
    assert {pair.exam.level for pair in found.pairs} == {
        round(1 - 0.05 / 3, 12) if adjust == "holm" else 0.95
    }


def test_a_margin_is_asked_about_only_where_named(run, plan) -> None:
    runs = [run("one", "1101" * 100), run("two", "1011" * 100)]
    assert compare(runs, plan).pairs[0].margin is None
    (pair,) = compare(runs, plan, margin=0.2).pairs
    assert (pair.margin.verdict, pair.margin.margin) == ("equivalent", 0.2)
    assert not pair.is_told_apart
    assert compare(runs, plan, margin=0.01).pairs[0].margin.verdict == "open"


def test_an_interval_of_shares_stays_within_all_points(run, plan) -> None:
    (pair,) = compare(
        [run("one", "11110000", per_patient=4), run("two", "00000000", per_patient=4)], plan
    ).pairs
    # Two patients, 1 and 0: Student's t(1) = 12.7 alone would give -585 to 685 points.
    assert -1.0 <= pair.low < pair.difference < pair.high <= 1.0


@pytest.mark.parametrize("margin", [0.0, -0.1, float("nan"), float("inf")])
def test_a_margin_that_is_none_is_refused(run, plan, margin) -> None:
    with pytest.raises(UsageError, match="margin: expected a difference above 0"):
        compare([run("one", "11"), run("two", "10")], plan, margin=margin)


@pytest.mark.parametrize("power", [0.05, 1.0, float("nan"), 80])
def test_a_power_that_is_none_is_refused(run, plan, power) -> None:
    with pytest.raises(UsageError, match=r"power: expected a probability above 0\.05"):
        compare([run("one", "11"), run("two", "10")], plan, power=power)
