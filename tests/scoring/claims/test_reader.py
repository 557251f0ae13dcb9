"""What is read in sentences of our own; `test_labelled_sentences` measures it on real reports."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.scoring.claims.lexicon import lexicon
from overread.scoring.claims.reader import read_claims
from overread.scoring.claims.truth import FindingTruth

EFFUSION, AIR = "Pleural Effusion", "Pneumothorax"


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("No pleural effusion or pneumothorax", {EFFUSION: "denied", AIR: "denied"}),
        ("Cannot exclude small effusion", {EFFUSION: "hedged"}),
        ("Effusion has resolved", {EFFUSION: "denied"}),
        ("Left effusion", {EFFUSION: "asserted"}),
        ("Effusion is seen and pneumothorax is not seen.", {EFFUSION: "asserted", AIR: "denied"}),
        (
            "No pleural effusion, mild cardiomegaly.",
            {EFFUSION: "denied", "Cardiomegaly": "asserted"},
        ),
        (
            "No focal consolidation, pleural effusion, pneumothorax.",
            {"Consolidation": "denied", EFFUSION: "denied", AIR: "denied"},
        ),
        ("No significant change in the left effusion.", {EFFUSION: "asserted"}),
        ("The heart is not enlarged.", {"Cardiomegaly": "denied"}),
        ("Heart size is normal.", {"Cardiomegaly": "denied"}),
        ("The heart is enlarged.", {"Cardiomegaly": "asserted"}),
        ("Blunting of the left costophrenic angle.", {EFFUSION: "hedged"}),
        ("Pneumonia is unlikely.", {"Pneumonia": "denied"}),
        ("Pneumonia cannot be ruled out.", {"Pneumonia": "hedged"}),
        (
            "Opacity at the right base may represent atelectasis.",
            {"Lung Opacity": "asserted", "Atelectasis": "hedged"},
        ),
        ("Pneumothorax: absent\nEdema: yes\nFracture: uncertain",
         {AIR: "denied", "Edema": "asserted", "Fracture": "hedged"}),
        ("There is no pneumothorax; there is an effusion.", {AIR: "denied", EFFUSION: "asserted"}),
        ("History of pneumonia.", {}),
        ("Nodule of the thyroid.", {}),
        ("Pericardial effusion.", {}),
        ("The lungs are well expanded.", {}),
        ("Lungs: clear bilaterally.", {"Lung Opacity": "denied", "Consolidation": "denied"}),
        ("The lungs are clear.", {"Lung Opacity": "denied", "Consolidation": "denied"}),
    ],
)  # fmt: skip
def test_states(text: str, states: dict[str, str]):
    assert dict(read_claims(text).states) == states


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Left pleural effusion and right pneumothorax.", {EFFUSION: "left", AIR: "right"}),
        ("Bilateral effusions and atelectasis.", {EFFUSION: "left right"}),
        ("Effusions, left greater than right.", {EFFUSION: "left right"}),
        ("Atelectasis at the left base, and effusion on the right.", {EFFUSION: "right"}),
        ("RLL nodule.", {"Lung Lesion": "right"}),
        ("Pleural effusion.", {EFFUSION: ""}),
    ],
)
def test_sides(text: str, sides: dict[str, str]):
    reading = read_claims(text)
    for finding, told in sides.items():
        assert reading.state(finding) == "asserted"
        assert reading.sides(finding) == set(told.split())


def test_silence_is_no_denial():
    assert read_claims("Left effusion.").state(AIR) == "not mentioned"


def test_spans_are_places_in_the_text_read():
    reading = read_claims("**No** pleural effusion.\nSmall pneumothorax.")
    assert [reading.text[one.start : one.end] for one in reading.claims] == [
        "pleural effusion",
        "pneumothorax",
    ]
    assert [one.rule for one in reading.claims] == ["no", "stated"]


def test_time():
    reading = read_claims("New left effusion. Unchanged cardiomegaly. Prior pneumonia.")
    assert [sorted(one.tenses) for one in reading.claims] == [["new"], ["unchanged"], ["past"]]
    assert reading.compares
    assert not read_claims("Left effusion.").compares


def test_a_report_may_contradict_itself():
    assert read_claims("Left effusion. No pleural effusion.").contradictions == ()
    assert read_claims("Pleural effusion. No pleural effusion.").contradictions == (EFFUSION,)
    assert read_claims("Left effusion. No left effusion.").contradictions == (EFFUSION,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty"),
        ("…", "empty"),
        ("A nice picture.", "names no finding"),
        ("Kein Pneumothorax, das Herz ist nicht vergrößert und die Lunge ist frei", "German"),
        ("胸水はありません。", "another script"),
    ],
)
def test_what_cannot_be_read_says_why(text: str | None, reason: str):
    reading = read_claims(text)
    assert reading.claims == ()
    assert reason in str(reading.unreadable)


@pytest.mark.parametrize("text", ["Normal chest radiograph.", "No acute cardiopulmonary process."])
def test_a_normal_picture_claims_nothing_and_is_read(text: str):
    reading = read_claims(text)
    assert reading.says_normal
    assert reading.unreadable is None


@settings(max_examples=200)
@given(st.text(max_size=300) | st.lists(st.sampled_from(
    "no not left right effusion pneumothorax possible , . and or : is seen clear heart".split()  # noqa: SIM905
)).map(" ".join))  # fmt: skip
def test_no_text_raises_and_spans_lie_in_it(text: str):
    reading = read_claims(text)
    for claim in reading.claims:
        assert 0 <= claim.start < claim.end <= len(reading.text)


@pytest.mark.parametrize("text", ["effusion, ", "no ", "possible effusion or ", "left right ", "("])
def test_hostile_megabytes_take_no_time(text: str):
    begin = time.perf_counter()
    read_claims(text * (2_000_000 // len(text)))
    assert time.perf_counter() - begin < 5


LABELS = st.sampled_from(("present", "absent", "uncertain"))
NAMES = st.sampled_from(lexicon().findings)
SIDES = st.sampled_from((frozenset(("left",)), frozenset(("left", "right")), frozenset[str]()))


@given(st.dictionaries(NAMES, LABELS, min_size=1), SIDES)
def test_a_reference_in_words_reads_back_as_its_labels(stated, side):
    sides = {finding: side for finding, label in stated.items() if side and label == "present"}
    truth = FindingTruth(labels=stated, sides=sides)
    assert FindingTruth.of_words(truth.in_words()) == truth
    reading = read_claims(truth.in_words())
    meant = {"present": "asserted", "absent": "denied", "uncertain": "hedged"}
    assert dict(reading.states) == {finding: meant[label] for finding, label in stated.items()}
    for finding in sides:
        if finding not in ("Enlarged Cardiomediastinum", "Cardiomegaly", "Support Devices"):
            assert reading.sides(finding) == side
