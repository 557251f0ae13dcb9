"""Blind floors of closed questions with a free answer."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from overread.analysis.blind_floor import blind_floors, find_floor
from overread.analysis.blind_text import is_closed, text_exam
from overread.analysis.estimates import estimate
from overread.contracts import AnalysisPlan
from overread.records import Item, PlannedItem, Reference, Response, Status, Text
from overread.scoring.spatial.forms import CLOSED_FORMS, question_classes, question_form
from overread.scoring.spatial.scorer import SpatialScorer

ALIKE = "commonest answer to questions that begin alike, learned"


def _item(name: str, question: str, patient: str | None = None, category: str = "a") -> Item:
    return Item(
        id=name, benchmark="test", task="spatial", condition="slices", question=question,
        answer_space=Text(classes=question_classes(question) or ()),
        groups={"patient": patient or name},
        strata={"form": question_form(question), "category": category},
    )  # fmt: skip


def _world(*pairs: tuple[str, str]) -> tuple[list[Item], dict[str, Reference]]:
    items = [_item(str(n), question) for n, (question, _) in enumerate(pairs)]
    references = {
        str(n): Reference(item=str(n), answer=answer) for n, (_, answer) in enumerate(pairs)
    }
    return items, references


HAND = (
    ("Is there any pleural effusion?", "No."),
    ("Is there any nodule?", "No, there is none."),
    ("Is there any consolidation?", "Yes, there is."),
    ("Which lung shows the nodule?", "The right lung."),
    ("Which lung shows the cyst?", "The right lung."),
    ("Which lung shows the scar?", "Both lungs."),
    ("Is the effusion unilateral or bilateral?", "It is on the left."),
    ("Where is the stent?", "In the aorta."),
)


def test_policies_by_hand() -> None:
    floors = blind_floors(*_world(*HAND), [(), ("form",)])
    total = {floor.policy: floor.value for floor in floors if not floor.stratum}
    # Seven closed questions; "where" is none. No: 2, yes: 1, right: 2, unilateral: 1 of one.
    assert {floor.n for floor in floors if not floor.stratum} == {7}
    assert total["always no"] == pytest.approx(2 / 7)
    assert total["always yes"] == pytest.approx(1 / 7)
    assert total["commonest answer of the form"] == pytest.approx((2 + 2 + 1) / 7)
    assert total["always refuse"] == 0.0
    side = {floor.policy: floor.value for floor in floors if floor.stratum == {"form": "side"}}
    assert side["always no"] == 0.0
    assert side["commonest answer of the form"] == pytest.approx(3 / 4)
    assert not [floor for floor in floors if floor.stratum == {"form": "where"}]


def test_chance_is_one_of_the_answers_that_the_question_leaves() -> None:
    (floor, *_) = blind_floors(*_world(*HAND), [()])
    # Three of yes or no, three of left, right or both, one of unilateral or bilateral.
    assert floor.chance == pytest.approx((4 / 2 + 3 / 3) / 7)


def test_learning_is_from_other_patients_only() -> None:
    pairs = [("Is there any nodule?", "Yes.")] + [("Are both lungs clear?", "No.")] * 30
    items, references = _world(*pairs)
    floors = blind_floors(items, references, [()])
    learned = next(floor for floor in floors if floor.policy == ALIKE)
    # The only question that begins so: its own answer is not looked up, the form's decides.
    assert learned.credit["0"] == 0.0
    assert learned.value == pytest.approx(30 / 31)
    same = [_item(str(n), question, patient="one") for n, (question, _) in enumerate(pairs)]
    alone = next(f for f in blind_floors(same, references, [()]) if f.policy == ALIKE)
    assert alone.value == pytest.approx(1 / 2)  # nothing learned: a toss between yes and no


def test_questions_that_begin_alike_are_told_apart_from_others() -> None:
    pairs = [("Is there any nodule?", "No.")] * 20 + [("Are both lungs involved?", "Yes.")] * 20
    learned = next(floor for floor in blind_floors(*_world(*pairs), [()]) if floor.policy == ALIKE)
    assert learned.value == 1.0


def test_an_unreadable_or_broken_reference_is_right_for_nobody() -> None:
    items, references = _world(
        ("Is there any nodule?", "As described."), ("Is there any cyst?", "No."),
        ("Is there any scar?", "No."), ("Is there any clot?", "No."),
    )  # fmt: skip
    references["1"] = Reference(item="1", answer="No.", problem="answered twice")
    references["2"] = Reference(item="2", answer=None)
    del references["3"]
    floors = blind_floors(items, references, [()])
    assert {floor.value for floor in floors} == {0.0}
    assert {floor.n for floor in floors} == {4}


def test_a_common_answer_outside_the_classes_can_be_learned() -> None:
    pairs = [("Which lobe shows the nodule?", "Both lower lobes.")] * 20
    total = {floor.policy: floor.value for floor in blind_floors(*_world(*pairs), [()])}
    assert total["commonest answer of the form"] == 1.0
    assert total[ALIKE] == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_a_fair_exam_is_no_leak_and_a_lopsided_one_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fair = [
        (f"Is there any finding {n % 7} here?", str(rng.choice(["Yes.", "No."])))
        for n in range(200)
    ]
    assert not any(floor.is_leak for floor in blind_floors(*_world(*fair), [()]))
    lopsided = [(question, "No." if rng.random() < 0.8 else "Yes.") for question, _ in fair]
    assert any(floor.is_leak for floor in blind_floors(*_world(*lopsided), [()]))


def test_the_credit_of_a_policy_is_what_its_words_would_score() -> None:
    items, references = _world(*HAND)
    floors = blind_floors(items, references, [()])
    for policy, word in (("always yes", "yes"), ("always no", "no")):
        credit = next(floor.credit for floor in floors if floor.policy == policy)
        for item in items:
            response = Response(
                run="r", item=item.id, request_hash="h", status=Status.OK, text=word
            )
            for score in SpatialScorer().score(item, references[item.id], response):
                assert credit[item.id] == (score.value or 0.0)


def test_only_and_labels_choose_the_items(make_item) -> None:
    items, references = _world(*HAND)
    items = [
        _item(item.id, item.question, category="a; b" if item.id == "0" else "b") for item in items
    ]
    floors = blind_floors(
        items, references, [(), ("category",)], only={"form": ("yes-no",)}, multi_label=["category"]
    )
    assert {(f.stratum.get("category"), f.n) for f in floors} == {(None, 3), ("a", 1), ("b", 3)}
    # Where a release has questions of choice, those are the exam.
    mixed = [*items, make_item("x", ["one", "two"])]
    references["x"] = Reference(item="x", answer="A")
    assert {floor.n for floor in blind_floors(mixed, references, [()])} == {1}


def test_nothing_to_answer_blindly_has_no_floor() -> None:
    assert blind_floors(*_world(("Where is the stent?", "In the aorta.")), [()]) == ()
    exam, _ = text_exam([], {}, cluster="patient")
    assert exam.letters == ()
    assert not is_closed("Where is the stent?")


def test_the_gain_over_the_floor_keeps_the_pairs() -> None:
    items, references = _world(*HAND)
    plan = AnalysisPlan(
        strata=((),), cells=("form",), cluster="patient", headline="rule_accuracy",
        headline_only={"form": CLOSED_FORMS},
    )  # fmt: skip
    planned = [
        PlannedItem(
            item=item.id, request_hash=item.id, groups=item.groups, strata=item.strata, chance=None
        )
        for item in items
    ]
    scores = [
        score
        for item in items
        for score in SpatialScorer().score(
            item,
            references[item.id],
            Response(run="r", item=item.id, request_hash="h", status=Status.OK,
                     text=references[item.id].answer),
        )
    ]  # fmt: skip
    floors = blind_floors(items, references, plan.strata, only=plan.headline_only)
    found = {
        row.metric: row for row in estimate(scores, planned, plan, floors=floors) if not row.stratum
    }
    best = find_floor(floors, {})
    assert best is not None
    assert found["rule_accuracy"].value == 1.0
    assert found["rule_accuracy"].blind_floor == pytest.approx(best.value)
    assert found["gain_over_blind"].value == pytest.approx(1 - best.value)


# ---------------------------------------------------------------- released questions

RELEASE = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"


@pytest.mark.data
@pytest.mark.slow
def test_the_released_exam_can_be_answered_blindly_far_above_chance(released_data: Path) -> None:
    path = RELEASE / "spatial_qa_filtered_full.json"
    if not path.is_file():
        pytest.skip(f"no released questions at {path}")
    cases = json.loads(path.read_text("utf-8"))
    items, references = [], {}
    for case, held in cases.items():
        for place, pair in enumerate(held["qa_pairs"]):
            name = f"{case}::{place}"
            items.append(_item(name, pair["question"], patient=case.split("_")[1]))
            references[name] = Reference(item=name, answer=pair["answer"])
    floors = blind_floors(items, references, [()])
    values = {floor.policy: floor.value for floor in floors}
    # Two answers in five are right by lot; saying what is said elsewhere is right three times.
    assert floors[0].chance == pytest.approx(0.40, abs=0.02)
    assert values["commonest answer of the form"] == pytest.approx(0.57, abs=0.03)
    assert values[ALIKE] == pytest.approx(0.61, abs=0.03)
    assert floors[0].is_leak
