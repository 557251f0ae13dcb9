from __future__ import annotations

import pytest

from overread.scoring.facts.facts import Lesion, Size
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.reader import read_facts, size_of


def one(sentence: str) -> Lesion:
    facts = read_facts(sentence)
    assert facts.unreadable is None
    (lesion,) = facts.lesions
    return lesion


def test_a_whole_sentence() -> None:
    lesion = one("A 2.3 x 1.5 cm spiculated nodule in the LUL, without calcification.")
    assert lesion == Lesion(
        types=frozenset({"nodule"}),
        regions=frozenset({"chest"}),
        organs=frozenset({"lung"}),
        sites=frozenset({"upper lobe"}),
        sides=frozenset({"left"}),
        size=Size(axes_mm=(23.0, 15.0), low_mm=23.0, high_mm=23.0),
        attributes=frozenset({("margin", "spiculated")}),
        denied=frozenset({("calcium", "calcified")}),
    )


@pytest.mark.parametrize(
    ("text", "axes", "low", "high"),
    [
        ("12 mm", (12.0,), 12.0, 12.0),
        ("1.2cm", (12.0,), 12.0, 12.0),
        ("1,2 cm", (12.0,), 12.0, 12.0),
        ("23 x 15 mm", (23.0, 15.0), 23.0, 23.0),
        ("15 × 23 mm", (23.0, 15.0), 23.0, 23.0),
        ("2.3 cm x 15 mm", (23.0, 15.0), 23.0, 23.0),
        ("53 mm by 41 mm by 38 mm", (53.0, 41.0, 38.0), 53.0, 53.0),
        ("4.1 (AP) x 3.6 (TR) x 5.0 (CC) cm", (50.0, 41.0, 36.0), 50.0, 50.0),
        ("5-8 mm", (8.0, 5.0), 5.0, 8.0),
        ("5 to 8 mm", (8.0, 5.0), 5.0, 8.0),
        ("between 5 and 8 mm", (8.0, 5.0), 5.0, 8.0),
        ("up to 12 mm", (12.0,), 12.0, 12.0),
        ("less than 1 cm", (10.0,), 0.0, 10.0),
        ("< 5 mm", (5.0,), 0.0, 5.0),
        ("subcentimetre", (10.0,), 0.0, 10.0),
        ("more than 5 cm", (50.0,), 50.0, None),
        ("two centimetres", (20.0,), 20.0, 20.0),
        ("twenty-five millimetres", (25.0,), 25.0, 25.0),
        ("thirteen by eleven mm", (13.0, 11.0), 13.0, 13.0),
        ("twenty to thirty mm", (30.0, 20.0), 20.0, 30.0),
        ("two and a half centimetres", (25.0,), 25.0, 25.0),
        ("one point two cm", (12.0,), 12.0, 12.0),
        ("sub-5 mm", (5.0,), 0.0, 5.0),
        ("half a centimeter", (5.0,), 5.0, 5.0),
        ("one and a half cm", (15.0,), 15.0, 15.0),
        ("a 3-cm", (30.0,), 30.0, 30.0),
        ("from 6 to 9 mm", (9.0,), 9.0, 9.0),
    ],
)
def test_sizes_in_mm(text: str, axes: tuple[float, ...], low: float, high: float | None) -> None:
    size = Size(axes_mm=axes, low_mm=low, high_mm=high)
    assert size_of(text) == size
    assert one(f"Nodule of {text} in the left lung".replace("of from", "grown from")).size == size


@pytest.mark.parametrize(
    "text",
    [
        "Nodule 2 cm from the carina",
        "Node 15 mm below the renal vein",
        "Nodule, previously 8 mm",
        "Nodule on 5 mm slices",
        "Nodule, 23 x 15",
        "Nodule, 45 HU",
        "Nodule of 9999 mm",
        "Nodule of 0 mm",
    ],
)
def test_what_is_no_size(text: str) -> None:
    assert one(text).size is None


def test_two_sides_of_one_lesion_and_of_two() -> None:
    assert one("Nodules in both lungs").sides == {"left", "right"}
    assert one("Nodules in the left and right lung").sides == {"left", "right"}
    assert one("Nodule in the right lung, not in the left").sides == {"right"}
    assert one("The left lung is clear; nodule in the right lung").sides == {"right"}
    two = read_facts("5 mm nodule in the left lung and a 2 cm mass in the right kidney").lesions
    assert [(each.sides, each.organs, each.types) for each in two] == [
        ({"left"}, {"lung"}, {"nodule"}),
        ({"right"}, {"kidney"}, {"mass"}),
    ]
    assert [each.size.axes_mm for each in two if each.size] == [(5.0,), (20.0,)]


def test_what_is_denied() -> None:
    assert not one("No nodule in the left lung").present
    assert not one("The nodule in the left lung is no longer seen").present
    absent, there = read_facts("No lung nodule; stable liver cyst").lesions
    assert (absent.present, there.present) == (False, True)
    listed = read_facts("No lymphadenopathy, mass or fluid collection").lesions
    assert [each.present for each in listed] == [False] * 3
    assert one("Noncalcified nodule").denied == {("calcium", "calcified")}
    lesion = one("Cyst without septations or enhancement and with smooth margins")
    assert lesion.denied == {("septa", "septated"), ("enhancement", "enhancing")}
    assert lesion.attributes == {("margin", "smooth")}


def test_a_landmark_is_not_where_the_lesion_is() -> None:
    assert one("Mass in the pancreas abutting the left kidney").organs == {"pancreas"}
    assert one("Mass in the pancreas abutting the left kidney").sides == frozenset()
    beside = one("Mass posterior to the right kidney")
    assert (beside.organs, beside.sides, beside.regions) == (frozenset(), {"right"}, {"abdomen"})


def test_the_primary_of_a_metastasis_is_not_where_it_is() -> None:
    lesion = one("Liver metastasis from colon cancer")
    assert (lesion.organs, lesion.types) == ({"liver"}, {"metastasis"})


def test_a_part_tells_its_organ_and_sometimes_its_side() -> None:
    lesion = one("Lingular nodule")
    assert (lesion.organs, lesion.sites) == ({"lung"}, {"lingula", "upper lobe"})
    assert lesion.sides == {"left"}
    assert one("Nodule in the middle lobe").sides == {"right"}
    assert one("Mass of the uncinate process").organs == {"pancreas"}
    assert one("Lesion in segment VII/VIII of the liver").sites == {"segment 7", "segment 8"}
    assert one("Lytic lesion of L3").sites == {"level L3"}
    assert one("Fracture of the left 7th rib").sites == {"rib 7"}


def test_spelling_does_not_matter() -> None:
    assert one("Oesophageal tumour") == one("ESOPHAGEAL TUMOR")
    assert one("Ground-glass nodules") == one("ground glass nodule")
    assert one("**Left** renal haematomas") == one("left renal hematoma")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty"),
        ("", "empty"),
        (" \n", "empty"),
        ("<think>A nodule in the left lung", "empty"),
        ("Rundherd im linken Oberlappen mit Verkalkung", "not in English (German?)"),
        ("Nodule du lobe supérieur droit", "not in English (French?)"),
        ("Nódulo en el pulmón izquierdo", "not in English (Spanish?)"),
        ("右肺に結節を認める", "not in English (other letters)"),
        ("Узел в лёгком", "not in English (other letters)"),
        ("I see nothing of note.", "names no fact of a lesion"),
        ("12345", "names no fact of a lesion"),
    ],
)
def test_what_cannot_be_read_says_why(text: str | None, reason: str) -> None:
    facts = read_facts(text)
    assert (facts.lesions, facts.unreadable) == ((), reason)


def test_the_release_tells_what_the_sentence_does_not() -> None:
    terms = OntologyTerms(
        lesion_type="lymph node", body_part="axilla", imaging_property="necrotic", size="21 x 9 mm"
    )
    (lesion,) = read_facts("Lesion on the left", ontology=terms).lesions
    assert (lesion.types, lesion.organs, lesion.sides) == ({"lymph node"}, {"axilla"}, {"left"})
    assert lesion.attributes == {("composition", "necrotic")}
    assert lesion.size == size_of("21 x 9 mm")
    (said,) = read_facts("5 mm homogeneous nodule in the liver", ontology=terms).lesions
    assert (said.types, said.organs) == ({"nodule"}, {"liver"})
    assert said.attributes == {("composition", "homogeneous")}
    assert said.size == size_of("5 mm")
    two = "Nodule in the left lung and a cyst in the left kidney"
    assert read_facts(two, ontology=terms) == read_facts(two)
    german = "Rundherd im linken Oberlappen mit Verkalkung"
    assert read_facts(german, ontology=terms).unreadable is not None


def test_columns_of_an_ontology_are_found_by_their_words() -> None:
    row = {"lesion_idx": "3", "Lesion Type": "cyst", "Body_Part": "kidney", "imaging property": ""}
    assert OntologyTerms.of_row(row) == OntologyTerms(lesion_type="cyst", body_part="kidney")


def test_soft_tissue_is_a_place_or_what_a_lesion_is_made_of() -> None:
    assert one("Metastasis in the soft tissues of the left thigh").organs == {"soft tissue"}
    lesion = one("Soft tissue mass in the left thigh")
    assert (lesion.organs, lesion.attributes) == (frozenset(), {("attenuation", "soft")})
    for text in ("Soft tissue lesion, 14 mm.", "Soft tissue metastasis in the left thigh"):
        lesion = one(text)
        assert (lesion.organs, lesion.attributes) == ({"soft tissue"}, frozenset())
    for text in ("Soft tissue lesion in the left lung", "Soft tissue lesion in the pelvis"):
        lesion = one(text)
        assert "soft tissue" not in lesion.organs
        assert lesion.attributes == {("attenuation", "soft")}


def test_numbers_that_name_a_bone_or_none() -> None:
    assert one("Fracture of the seventh left rib").sides == {"left"}
    assert one("Fracture of the seventh left rib").sites == {"rib 7"}
    assert one("Nodule in L9, left lung").sites == frozenset()
    assert one("Mass of 20 to 9999 mm in the lung").size is None


def test_one_lesion_told_in_two_sentences_or_under_two_headings() -> None:
    assert one("Organ: left kidney. Type: cyst. Kind: solid cyst").organs == {"kidney"}
    assert one("Mass in the liver. Lesion is smooth.").attributes == {("margin", "smooth")}
    assert len(read_facts("Mass in the liver. Splenic lesion.").lesions) == 2


def test_terms_that_say_nothing_add_nothing() -> None:
    terms = OntologyTerms(lesion_type="unknown", body_part="?", imaging_property="none")
    assert read_facts("", ontology=terms).unreadable == "empty"


@pytest.mark.parametrize(
    ("text", "sites"),
    [
        ("Nodules in the left upper and lower lobes", {"upper lobe", "lower lobe"}),
        (
            "Nodules in the upper, middle and lower lobe",
            {"upper lobe", "middle lobe", "lower lobe"},
        ),
        ("Nodule in the left upper or left lower lobe", {"upper lobe", "lower lobe"}),
        ("Cysts in the upper and middle pole", {"upper pole", "mid pole"}),
        ("Cysts in the middle and lower pole", {"mid pole", "lower pole"}),
        ("Nodule, upper and then lower lobe", {"lower lobe"}),
        ("Nodule, upper", set()),
    ],
)
def test_parts_that_share_their_noun(text: str, sites: set[str]) -> None:
    assert one(text).sites == sites


@pytest.mark.parametrize(
    ("text", "sides", "organs"),
    [
        ("Left renal mass, right kidney normal", {"left"}, {"kidney"}),
        ("Normal left kidney, mass in the right kidney", {"right"}, {"kidney"}),
        ("Lesion in the right hepatic lobe, left hepatic lobe spared", {"right"}, {"liver"}),
        ("The left kidney is displaced by a right psoas mass", {"right"}, {"psoas muscle"}),
        ("Metastasis from right breast cancer in the left femur", {"left"}, {"femur"}),
        ("Node in the left lung hilum, normal size", {"left"}, {"hilum"}),
        ("Status post right nephrectomy with a mass in the left kidney", {"left"}, {"kidney"}),
        ("Mass left of the midline in the pelvis", {"left"}, set()),
    ],
)
def test_other_places_than_the_lesion_s_own(text: str, sides: set[str], organs: set[str]) -> None:
    lesion = one(text)
    assert (lesion.sides, lesion.organs) == (sides, organs)
