from __future__ import annotations

from dataclasses import replace

import pytest

from overread.errors import UsageError
from overread.records import Choice, Item, Reference, Response, Score, Status, Text
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.model_reader import read_by_model
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.reader import read_facts
from overread.scoring.facts.scorer import FactScorer

ITEM = Item(
    id="lesion-7",
    benchmark="test",
    task="caption",
    condition="box",
    question="Describe the lesion.",
    answer_space=Text(),
    groups={"patient": "p1", "lesion": "7"},
)
RIGHT = Reference(item=ITEM.id, answer="Nodule in the left lung.")
REPLY = Response(
    run="r", item=ITEM.id, draw=2, status=Status.OK, text="A left lung nodule", request_hash="h"
)
SCORER = FactScorer()


def rows(
    response: Response, reference: Reference = RIGHT, scorer: FactScorer = SCORER
) -> dict[str, Score]:
    return {row.metric: row for row in scorer.score(ITEM, reference, response)}


def test_a_right_description() -> None:
    found = rows(REPLY)
    assert list(found) == ["fact_score", "side_error", "organ_error"]
    assert [row.value for row in found.values()] == [1.0, 0.0, 0.0]
    row = found["fact_score"]
    assert (row.run, row.item, row.draw, row.patient) == ("r", ITEM.id, 2, "p1")
    assert (row.metric_version, row.profile, row.unit) == ("3", "honest", "score")
    assert row.reason == (
        "body part right (chest); organ right (lung); side right (left); type right (nodule)"
    )


def test_a_wrong_side_and_a_wrong_organ_are_rows_of_their_own() -> None:
    found = rows(replace(REPLY, text="Right lung nodule"))
    assert [row.value for row in found.values()] == [0.5, 1.0, 0.0]
    assert found["fact_score"].reason is not None
    assert "side wrong (left, not right)" in found["fact_score"].reason
    found = rows(replace(REPLY, text="A mass in the left kidney"))
    assert [row.value for row in found.values()][1:] == [0.0, 1.0]


def test_saying_nothing_of_the_side_is_neither_an_error_nor_free_of_one() -> None:
    found = rows(replace(REPLY, text="Lung nodule"))
    assert [row.value for row in found.values()] == [pytest.approx(0.8), None, 0.0]
    side = found["side_error"]
    assert (side.status, side.reason) == (Status.UNPARSED, "the description states no side")
    organ = rows(replace(REPLY, text="Nodule on the left"))["organ_error"]
    assert (organ.status, organ.reason) == (Status.UNPARSED, "the description states no organ")


def test_the_body_part_answers_for_the_organ() -> None:
    found = rows(replace(REPLY, text="A left chest nodule"))
    assert [found[name].value for name in ("side_error", "organ_error")] == [0.0, 0.0]


def test_the_side_of_another_lesion_is_no_answer() -> None:
    found = rows(replace(REPLY, text="A lung nodule. A cyst in the left kidney."))
    assert found["side_error"].status is Status.UNPARSED


def test_what_the_reference_does_not_state_is_undefined_whatever_the_reply() -> None:
    reference = replace(RIGHT, answer="Hepatic cyst")
    for text in ("Left renal cyst", None):
        row = rows(replace(REPLY, text=text), reference)["side_error"]
        assert (row.value, row.status) == (None, Status.UNDEFINED)
        assert row.reason == "the reference states no side"
    for answer in ("Rundherd im linken Oberlappen mit", "", None):
        found = rows(REPLY, replace(RIGHT, answer=answer))
        assert {row.status for row in found.values()} == {Status.UNDEFINED}
    found = rows(REPLY, replace(RIGHT, answer=None, problem="two lesions with one id"))
    assert {row.reason for row in found.values()} == {"two lesions with one id"}


@pytest.mark.parametrize(
    ("response", "status", "reason"),
    [
        (replace(REPLY, text=""), Status.UNPARSED, "empty"),
        (replace(REPLY, text=None), Status.UNPARSED, "empty"),
        (replace(REPLY, text="Lovely."), Status.UNPARSED, "names no fact of a lesion"),
        (
            replace(REPLY, text="Nodule du poumon gauche"),
            Status.UNPARSED,
            "not in English (French?)",
        ),
        (replace(REPLY, text="As an AI model, I cannot help"), Status.REFUSED, "refusal"),
        (replace(REPLY, text="I cannot determine the finding."), Status.REFUSED, "abstention"),
        (replace(REPLY, status=Status.REFUSED, reason="filter"), Status.REFUSED, "filter"),
        (replace(REPLY, status=Status.FAILED), Status.FAILED, "no reply"),
    ],
)
def test_without_a_readable_reply_there_is_no_value_and_a_reason(
    response: Response, status: Status, reason: str
) -> None:
    for row in rows(response).values():
        assert (row.value, row.status, row.reason) == (None, status, reason)


def test_a_bare_statement_is_scored_where_nothing_is_declined() -> None:
    row = rows(replace(REPLY, text="There is a lesion."))["fact_score"]
    assert (row.status, row.value) == (Status.OK, 0.0)


def test_it_takes_free_text_alone() -> None:
    assert SCORER.takes(ITEM)
    assert not SCORER.takes(replace(ITEM, answer_space=Choice(options=())))


def test_a_refusal_that_describes_is_a_description() -> None:
    text = "I cannot give a diagnosis, but there is a nodule in the left lung."
    assert rows(replace(REPLY, text=text))["fact_score"].value == 1.0


def test_the_release_tells_more_than_the_sentence() -> None:
    scorer = FactScorer(terms=lambda item: OntologyTerms(size="12.0 x 9.0 mm"))
    said = replace(REPLY, text="30 mm left lung nodule")
    found = rows(said, scorer=scorer)["fact_score"]
    assert found.reason is not None
    assert "size wrong (12 x 9 mm, not 30 mm)" in found.reason
    assert rows(REPLY, scorer=FactScorer(terms=lambda item: None))["fact_score"].value == 1.0


def test_a_model_can_do_the_reading() -> None:
    read = {str(RIGHT.answer): read_facts("left lung nodule"), "L. lung": read_facts("left lung")}
    scorer = FactScorer(reader=read_by_model(read))
    # chest 1, lung 3, side 3 right; nodule 2 missing: 7 / (7 + 1)
    assert rows(replace(REPLY, text="L. lung"), scorer=scorer)["fact_score"].value == 7 / 8
    row = rows(replace(REPLY, text="unknown to it"), scorer=scorer)["fact_score"]
    assert (row.status, row.reason) == (Status.UNDEFINED, "the model was not asked about this text")
    nothing = FactScorer(reader=lambda text: LesionFacts(unreadable="broken"))
    assert rows(REPLY, scorer=nothing)["fact_score"].status is Status.UNDEFINED


def test_records_must_belong_together() -> None:
    with pytest.raises(UsageError, match="Join responses"):
        SCORER.score(ITEM, replace(RIGHT, item="other"), REPLY)
    with pytest.raises(UsageError, match="answer space"):
        SCORER.score(replace(ITEM, answer_space=Choice(options=())), RIGHT, REPLY)


def test_a_reader_that_gives_no_lesion_leaves_nothing_to_compare() -> None:
    found = rows(REPLY, scorer=FactScorer(reader=lambda _: LesionFacts()))
    assert {row.status for row in found.values()} == {Status.UNDEFINED}
    assert found["fact_score"].reason == "the reference states no fact"


def test_a_reply_that_could_not_be_read_is_no_fault_of_it() -> None:
    failed = LesionFacts(unreadable="cut off", reader_failed=True)
    read = {str(RIGHT.answer): read_facts(RIGHT.answer), str(REPLY.text): failed}
    found = rows(REPLY, scorer=FactScorer(reader=read_by_model(read)))
    assert {(row.value, row.status) for row in found.values()} == {(None, Status.UNDEFINED)}
    # One that declines is none, whoever reads.
    declined = replace(REPLY, text="I cannot give a medical opinion.")
    found = rows(declined, scorer=FactScorer(reader=read_by_model(read)))
    assert {row.status for row in found.values()} == {Status.REFUSED}
