from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from overread.metrics.facts import FACTS, FactCount, fact_score
from overread.scoring.facts.compare import FactComparison, compare_facts
from overread.scoring.facts.contradiction import contradicts, same_lesion_facts
from overread.scoring.facts.reader import read_facts


def compare(reference: str, prediction: str) -> FactComparison:
    return compare_facts(read_facts(reference), read_facts(prediction))


def outcomes(reference: str, prediction: str) -> dict[str, list[str]]:
    found = compare(reference, prediction)
    return {fact: [each.outcome for each in found.of(fact)] for fact in FACTS if found.of(fact)}


@pytest.mark.parametrize(
    ("reference", "prediction", "fact", "outcome"),
    [
        ("Left lung nodule", "Right lung nodule", "side", "wrong"),
        ("Left lung nodule", "Nodule in both lungs", "side", "wrong"),
        ("Nodules in both lungs", "Left lung nodule", "side", "missing"),
        ("Left lung nodule", "Lung nodule", "side", "missing"),
        ("Lung nodule", "Left lung nodule", "side", "added"),
        ("Left lung nodule", "Nodule in the chest on the left", "organ", "missing"),
        ("Left lung nodule", "Nodule in the left upper lobe", "organ", "right"),
        ("Nodule in the left upper lobe", "Left lung nodule", "site", "missing"),
        ("Nodule in the left upper lobe", "Left lower lobe nodule", "site", "wrong"),
        ("Left lung nodule", "Nodule in the left upper lobe", "site", "added"),
        ("Liver cyst", "Renal cyst", "organ", "wrong"),
        ("Liver cyst", "Renal cyst", "body part", "right"),
        ("Lung nodule", "Pleural nodule", "organ", "missing"),
        ("Lesion in a rib", "Bone lesion", "organ", "missing"),
        ("Bone lesion", "Lesion in a rib", "organ", "right"),
        ("Liver cyst", "Liver lesion", "type", "missing"),
        ("Liver lesion", "Liver cyst", "type", "right"),
        ("Lung nodule", "Lung mass", "type", "missing"),
        ("Liver cyst", "Liver metastasis", "type", "wrong"),
        ("Nodule of 20 mm", "Nodule of 22 mm", "size", "right"),
        ("Nodule of 20 mm", "Nodule of 23 mm", "size", "wrong"),
        ("Mass of 80 mm", "Mass of 72 mm", "size", "right"),
        ("Mass of 80 mm", "Mass of 71 mm", "size", "wrong"),
        ("Mass of 40 x 30 mm", "Mass of 40 x 20 mm", "size", "wrong"),
        ("Mass of 40 x 30 mm", "Mass of 4.1 cm", "size", "right"),
        ("Nodules of 5-8 mm", "Nodule of 6 mm", "size", "right"),
        ("Nodule of less than 1 cm", "Nodule of 15 mm", "size", "wrong"),
        ("Nodule of 8 mm", "Nodule", "size", "missing"),
        ("Calcified nodule", "Nodule without calcification", "attribute", "wrong"),
        ("Nodule without calcification", "Calcified nodule", "attribute", "wrong"),
        ("Nodule without calcification", "Noncalcified nodule", "attribute", "right"),
        ("Smooth nodule", "Spiculated nodule", "attribute", "wrong"),
        ("Spiculated nodule", "Irregular nodule", "attribute", "missing"),
        ("Irregular nodule", "Spiculated nodule", "attribute", "right"),
        ("Nodule", "Spiculated nodule", "attribute", "added"),
        ("Lung nodule", "No lung nodule", "presence", "wrong"),
        ("No lung nodule", "The lungs hold no nodule", "presence", "right"),
    ],
)
def test_what_becomes_of_a_fact(reference: str, prediction: str, fact: str, outcome: str) -> None:
    assert outcomes(reference, prediction)[fact] == [outcome]


def test_the_side_of_another_organ_gains_nothing() -> None:
    assert outcomes("Left renal cyst", "Left lung nodule")["side"] == ["missing"]
    assert outcomes("Left renal cyst", "Right lung nodule")["side"] == ["wrong"]


def test_the_score_is_the_sum_by_hand() -> None:
    # chest 1 + lung 3 + nodule 2 right; the side 3, wrong, twice: 6 / (6 + 6)
    assert compare("Left lung nodule", "Right lung nodule").score == 0.5
    # the side 3, missing, half: 6 / (6 + 1.5)
    assert compare("Left lung nodule", "Lung nodule").score == pytest.approx(6 / 7.5)
    # all 9 right; the size 2 added, a quarter: 9 / (9 + 0.5)
    assert compare("Left lung nodule", "5 mm left lung nodule").score == pytest.approx(9 / 9.5)
    # an invented liver cyst: abdomen 1 + liver 3 + cyst 2, half: 9 / (9 + 3)
    invented = compare("Left lung nodule", "Left lung nodule and a hepatic cyst")
    assert invented.score == pytest.approx(9 / 12)
    assert compare("Left lung nodule", "No left lung nodule").score == 0.0
    assert compare("Left lung nodule", "Rundherd im linken Oberlappen mit").score == 0.0
    assert compare("", "Left lung nodule").score is None


def test_lesions_are_paired_whatever_their_order() -> None:
    one = "5 mm nodule in the left lung and a 2 cm mass in the right kidney"
    other = "A 20 mm mass in the right kidney and a 5 mm nodule in the left lung"
    assert compare(one, other).score == 1.0
    alone = compare(one, "A 20 mm mass in the right kidney")
    assert {each.outcome for each in alone.verdicts} == {"right", "missing"}


def test_absent_lesions_beside_present_ones_are_not_asked_for() -> None:
    assert compare("Left lung nodule, no effusion", "Left lung nodule").score == 1.0
    assert compare("Left lung nodule", "Left lung nodule, no effusion").score == 1.0


def test_counting_by_metric() -> None:
    assert fact_score({}) is None
    assert fact_score({"size": FactCount(added=3)}) is None
    assert fact_score({"size": FactCount(right=1)}) == 1.0
    assert fact_score({"size": FactCount(wrong=1)}) == 0.0


# ---------------------------------------------------------------- for exams

APART = [
    ("8 mm nodule in the left lung", "Nodule in the right lung", "side: left against right"),
    ("Liver lesion", "Splenic lesion", "organ: liver against spleen"),
    ("Lung nodule", "Pelvic mass", "body part: chest against pelvis"),
    ("Left upper lobe nodule", "Left lower lobe nodule", "site: upper lobe against lower lobe"),
    ("Liver cyst", "Liver calcification", "type: cyst against calcification"),
    ("Lung nodule, 8 mm", "Lung nodule, 14 mm", "size: 8 mm against 14 mm"),
    ("Smooth lung nodule", "Spiculated lung nodule", "margin: smooth against spiculated"),
    ("Calcified node", "Node without calcification", "calcium: calcified against not calcified"),
]
TOGETHER = [
    ("Lung nodule", "Left lung nodule"),
    ("Lung nodule", "Pleural nodule"),
    ("Lung nodule", "Lung mass"),
    ("Left lung nodule", "Nodules in both lungs"),
    ("Lung nodule, 8 mm", "Lung nodule, 11 mm"),
    ("Stable lung nodule", "New lung nodule"),
    ("Single lung nodule", "Multiple lung nodules"),
    ("Liver metastasis", "Hepatic hemangioma"),
    ("Spiculated nodule", "Irregular nodule"),
    ("Left lung nodule", "Rundherd im rechten Oberlappen mit"),
    ("Left lung nodule", "No nodule in the right lung"),
    ("Left lung nodule and a right renal cyst", "Cyst in the right kidney"),
]


@pytest.mark.parametrize(("one", "other", "reason"), APART)
def test_what_cannot_be_one_lesion(one: str, other: str, reason: str) -> None:
    assert contradicts(read_facts(one), read_facts(other)) == reason
    assert contradicts(read_facts(other), read_facts(one)) is not None


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_doubt_is_no_contradiction(one: str, other: str) -> None:
    assert contradicts(read_facts(one), read_facts(other)) is None
    assert contradicts(read_facts(other), read_facts(one)) is None


def test_no_description_contradicts_itself_and_the_relation_is_symmetric() -> None:
    texts = [text for pair in (*APART, *TOGETHER) for text in pair[:2]]
    for one, other in combinations_with_replacement(texts, 2):
        facts = read_facts(one), read_facts(other)
        assert (contradicts(*facts) is None) == (contradicts(*reversed(facts)) is None)
        if same_lesion_facts(*facts):
            assert contradicts(*facts) is None


def test_same_facts_in_other_words() -> None:
    def same(one: str, other: str) -> bool:
        return same_lesion_facts(read_facts(one), read_facts(other))

    assert same("Left lung nodule, 12 mm", "A nodule of 1.2 cm in the lung on the left")
    assert not same("Left lung nodule, 12 mm", "Left lung nodule")
    assert not same("Left lung nodule", "Left upper lobe nodule")
    assert not same("", "")


def test_counts_and_verdicts_by_fact() -> None:
    found = compare("Left lung nodule", "Right lung mass and a liver cyst")
    assert found.counts["side"] == FactCount(wrong=1)
    assert found.counts["organ"] == FactCount(right=1, invented=1)
    assert found.is_wrong("side")
    assert not found.is_wrong("organ", "type")
    assert found.states("side")
    assert not found.states("size")
    assert found.summary.startswith("body part right (chest); organ right (lung); side wrong")


@pytest.mark.parametrize(
    ("reference", "prediction", "told"),
    [
        ("Nodule of more than 3 cm", "Nodule of 12 mm", "size wrong (more than 30 mm, not 12 mm)"),
        ("Nodule of 5-8 mm", "Nodule of 12 mm", "size wrong (5 to 8 mm, not 12 mm)"),
    ],
)
def test_sizes_are_spelt(reference: str, prediction: str, told: str) -> None:
    assert told in compare(reference, prediction).summary


def test_near_organs_of_two_body_parts_are_no_contradiction() -> None:
    found = outcomes("Mass in the iliac chain", "Mass in the external iliac artery")
    assert found["organ"] == ["missing"]
    near = outcomes("Obturator mass in the pelvis", "Mass of the abdominal aorta")
    assert near["body part"] == near["organ"] == ["missing"]


@pytest.mark.parametrize(
    ("reference", "prediction", "fact"),
    [
        ("Liver cyst", "Cyst in the liver or the spleen", "organ"),
        ("Liver cyst", "Cyst or metastasis in the liver", "type"),
        ("Left upper lobe nodule", "Nodule in the left upper or left lower lobe", "site"),
        ("Smooth nodule", "Nodule, smooth or spiculated", "attribute"),
    ],
)
def test_to_name_several_is_to_invent_all_but_one(
    reference: str, prediction: str, fact: str
) -> None:
    found = outcomes(reference, prediction)[fact]
    assert found[0] == "right"
    assert set(found[1:]) == {"invented"}


def test_naming_everything_does_not_pay() -> None:
    reference = "12 mm solid nodule in the left upper lobe of the lung"
    everything = (
        "Nodule, mass, cyst, lymph node or metastasis in the left or right lung, liver, kidney, "
        "spleen, pancreas, thyroid or pelvis, solid or ground-glass, smooth or spiculated, 12 mm"
    )
    honest = compare(reference, "Lung nodule").score
    hedged = compare(reference, everything).score
    assert honest is not None
    assert hedged is not None
    assert hedged < 0.3 < honest


def test_an_attribute_is_told_with_its_name() -> None:
    reference = read_facts("Hypodense homogeneous liver lesion without calcification")
    said = read_facts("Hyperdense spiculated liver lesion with calcification")
    told = compare_facts(reference, said).summary
    assert "attribute wrong (attenuation: low, not high)" in told
    assert "attribute wrong (calcium: not calcified, not calcified)" in told
    assert "attribute added (margin: spiculated)" in told
    missing = compare_facts(reference, read_facts("Liver lesion")).summary
    assert "attribute missing (attenuation: low)" in missing
