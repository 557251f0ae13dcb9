from overread.analysis.reply_findings import reply_findings
from overread.contracts import AnalysisPlan
from overread.records import PlannedItem, Response, Score, Status

PLAN = AnalysisPlan(
    strata=((),), cells=("task",), cluster="patient", published_drops=(Status.FAILED,)
)


def planned(n):
    return [
        PlannedItem(item=f"i{k}", request_hash=f"h{k}", groups={}, strata={}, chance=0.25)
        for k in range(n)
    ]


def row(k, profile, answer, status=Status.OK, reason="letter"):
    return Score(
        run="r", item=f"i{k}", patient=None, metric="accuracy", metric_version="1",
        profile=profile, unit="share", status=status, reason=reason, answer=answer,
        value=None if answer is None else float(answer == "A"),
    )  # fmt: skip


def both(k, honest, published, **why):
    return [row(k, "honest", honest), row(k, "published", published, **why)]


def test_nothing_is_said_where_both_read_the_same():
    scores = [each for k in range(10) for each in both(k, "A", "A")]
    assert reply_findings(scores, planned(10), PLAN) == ()


def test_up_to_one_per_cent_without_an_answer_is_bearable():
    scores = [row(k, "honest", "A") for k in range(99)]
    scores.append(row(99, "honest", None, Status.UNPARSED, "several letters"))
    assert reply_findings(scores, planned(100), PLAN) == ()
    (finding,) = reply_findings(
        [*scores[1:], row(0, "honest", None, Status.UNPARSED, "empty")], planned(100), PLAN
    )
    assert (finding.code, finding.count) == ("unread-replies", 2)
    assert "1 × several letters" in finding.evidence


def test_the_gap_is_explained_by_what_the_script_did():
    scores = [
        *both(0, "A", None, status=Status.UNPARSED, reason="no JSON"),
        *both(1, "B", None, status=Status.UNPARSED, reason="no JSON"),
        *both(2, "A", "B"),
        *both(3, None, "A"),
        *both(4, "A", "A"),
    ]
    gap = {f.code: f for f in reply_findings(scores, planned(5), PLAN)}["profile-gap"]
    assert gap.count == 4
    assert gap.evidence.startswith("2 × the script reads no answer (no JSON)")


def test_dropped_requests_are_named():
    scores = both(0, None, None, status=Status.FAILED, reason="HTTP 500")
    codes = {f.code: f for f in reply_findings(scores, planned(1), PLAN)}
    assert "drops what it calls failed" in codes["profile-gap"].evidence


def test_questions_that_the_headline_is_not_about_do_not_count():
    plan = AnalysisPlan(
        strata=((),), cells=(), cluster=None, headline="rule_accuracy",
        headline_only={"form": ("side",)},
    )  # fmt: skip
    planned = [
        PlannedItem(
            item=str(n), request_hash=str(n), groups={}, chance=None,
            strata={"form": "side" if n < 10 else "where"},
        )
        for n in range(1000)
    ]  # fmt: skip
    scores = [
        Score(
            run="r", item="3", patient=None, metric="rule_accuracy", metric_version="1",
            profile="honest", unit="share", value=None, status=Status.UNPARSED, reason="no side",
        )
    ]  # fmt: skip
    (found,) = reply_findings(scores, planned, plan)
    assert found.where == "1 of 10 questions"


def test_questions_that_could_not_be_shown_are_counted_apart_and_whole():
    long = "expected a volume of three axes, got an array of 4: " + "very " * 60 + "long. Split it."
    scores = [row(k, "honest", "A") for k in range(996)]
    for k, name in enumerate(("valid/a.nii.gz", "valid/b.nii.gz", "valid/b.nii.gz"), start=996):
        reason = f"could not be shown: {name}: {long}"
        scores.append(row(k, "honest", None, Status.FAILED, reason))
    scores.append(row(999, "honest", None, Status.FAILED, "HTTP 500"))
    # One failed request in a thousand is bearable; a file that cannot be read is said in any case.
    (found,) = reply_findings(scores, planned(1000), PLAN)
    assert (found.code, found.where, found.count) == ("not-shown", "3 of 1000 questions", 3)
    assert found.evidence == (
        "could not be shown, so the model was not asked: "
        f"3 × {long} (valid/a.nii.gz and 1 more)"
    )  # fmt: skip
    assert found.remedy.startswith("Mend the files")


def test_failed_requests_are_no_unreadable_files():
    scores = [row(k, "honest", None, Status.FAILED, f"item i{k}: HTTP 500") for k in range(5)]
    scores.append(row(5, "honest", None, Status.FAILED, "could not be shown: a.png: expected x"))
    unseen, failed = reply_findings(scores, planned(6), PLAN)
    assert (unseen.code, unseen.evidence.split(": ", 1)[1]) == (
        "not-shown",
        "1 × expected x (a.png)",
    )
    assert (failed.code, failed.evidence) == ("failed-requests", "no reply came: 5 × HTTP 500")
    assert failed.remedy == "The same command asks them again."


def test_the_code_of_a_rejected_submission_is_told():
    reasons = ["E2: 19 files '.nii' instead of 20", "E4: i1: values 0, 2 instead of 0 and 1"]
    scores = [row(k, "honest", "A") for k in range(3)]
    scores += [
        row(k, "published", None, Status.FAILED, f"the whole submission is rejected: {reason}")
        for k, reason in enumerate(reasons)
    ]
    found = reply_findings(scores, planned(3), PLAN)[0]
    assert (found.code, found.count, found.severity) == ("rejected-submission", 2, "error")
    assert found.evidence == "; ".join(reasons)


def test_a_failed_request_counts_also_where_no_answer_has_a_value():
    scores = [
        row(0, "honest", None, Status.FAILED, "out of memory"),
        row(1, "honest", None, Status.UNDEFINED, "no lesion"),
        row(2, "honest", None, Status.UNDEFINED, "no lesion"),
        row(3, "honest", "A"),
    ]
    responses = [
        Response(
            run="r", item=f"i{k}", draw=0, request_hash=f"h{k}", status=status,
            reason="out of memory" if status is Status.FAILED else None,
        )
        for k, status in enumerate([Status.FAILED, Status.FAILED, Status.OK, Status.OK])
    ]  # fmt: skip
    (found,) = reply_findings(scores, planned(4), PLAN, responses=responses)
    assert (found.code, found.count, found.where) == ("failed-requests", 2, "2 of 4 questions")
    assert found.evidence == "no reply came: 2 × out of memory"
    assert found.effect.endswith("; 1 have no value whoever answers")
