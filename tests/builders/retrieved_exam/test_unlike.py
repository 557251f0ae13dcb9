from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.retrieved_exam.unlike import Pairs, excludes, seen_with, told, why_unlike


def unlike(task: str, one: ExamLesion, other: ExamLesion, *beside_one: ExamLesion) -> str | None:
    return why_unlike(task, one, other, with_one=beside_one, with_other=())


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("A nodule in the left lung.", "A nodule in the right lung.", "side: left against right"),
        ("A liver cyst.", "A renal cyst.", "organ: liver against kidney"),
        # may be said of one lesion: never side by side
        ("A nodule in the left lung.", "A pulmonary nodule.", None),
        ("A lung nodule.", "A lung mass.", None),
        ("A nodule in the left lung.", "Nodules in both lungs.", None),
        ("A nodule in the left lung.", "Rundherd in der rechten Lunge.", None),
        ("A nodule in the left lung.", "a nodule  in the left lung.", None),
    ],
)
def test_words_decide_what_can_be_a_wrong_choice(make_lesion, one, other, reason) -> None:
    first, second = make_lesion(1, one), make_lesion(2, other)
    assert unlike("img2txt", first, second) == reason
    assert (unlike("img2txt", second, first) is None) == (reason is None)


def test_tables_alone_make_no_wrong_choice(make_lesion) -> None:
    # the tables know that one has 8 mm, the other 30 mm; a reader of the question does not
    one = make_lesion(1, "A lung nodule.", size="8.0 x 6.0 mm")
    other = make_lesion(2, "A pulmonary nodule.", size="30.0 x 20.0 mm")
    assert unlike("img2txt", one, other) is None
    assert unlike("img2size", one, other) == "size: 8 x 6 mm against 30 x 20 mm"


def test_what_is_shown_counts_with_all_that_is_known(make_lesion) -> None:
    shown = make_lesion(1, "A lung nodule.", size="8.0 x 6.0 mm")
    assert excludes("img2txt", shown, make_lesion(2, "A lung nodule of 3 cm.")) is not None
    assert unlike("img2txt", shown, make_lesion(2, "A lung nodule of 3 cm.")) is None


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("20.0 x 10.0 mm", "30.0 x 10.0 mm", True),
        ("20.0 x 10.0 mm", "21.0 x 12.0 mm", False),
        ("2 cm", "35 mm", True),
        ("five millimetres", "two centimetres", True),
        ("box of 40 x 20 pixels", "box of 60 x 20 pixels", True),
        ("box of 40 x 20 pixels", "box of 44 x 20 pixels", False),
        ("as large as a walnut", "30 mm", False),
        ("box of 40 x 20 pixels", "20 mm", False),
    ],
)
def test_sizes_stand_side_by_side_where_they_can_be_told_apart(
    make_lesion, one, other, apart
) -> None:
    first = make_lesion(1, "A lung nodule.", size=one)
    second = make_lesion(2, "A lung nodule.", size=other)
    assert (unlike("img2size", first, second) is not None) is apart


def test_attributes_stand_side_by_side_where_they_exclude_each_other(make_lesion) -> None:
    low = make_lesion(1, "A hypoattenuating lesion with smooth margins.")
    high = make_lesion(2, "A smooth, hyperattenuating lesion of the liver.")
    edge = make_lesion(3, "A hypoattenuating lesion with irregular margins.")
    assert told("img2attrib", low) == "attenuation: low; margin: smooth"
    assert unlike("img2attrib", low, high) == "attenuation: low against high"
    assert unlike("img2attrib", low, edge) is not None
    assert unlike("img2attrib", low, make_lesion(4, low.description)) is None


def test_one_attribute_or_two_lesions_are_not_asked_about(make_lesion) -> None:
    assert told("img2attrib", make_lesion(1, "A hypoattenuating lesion.")) == ""
    two = "A low-attenuation smooth cyst in the liver and a calcified mass in the left kidney."
    assert told("img2attrib", make_lesion(2, two)) == ""


def test_neither_the_same_patient_nor_the_same_picture(make_lesion) -> None:
    one = make_lesion(1, "A liver cyst.", patient="a", picture="x")
    assert unlike("img2txt", one, make_lesion(2, "A lung nodule.", patient="a")) is None
    assert unlike("img2txt", one, make_lesion(2, "A lung nodule.", picture="x")) is None
    assert unlike("img2txt", one, make_lesion(2, "A lung nodule.")) is not None


def test_a_task_without_words_tells_nothing(make_lesion) -> None:
    assert told("img2attrib", make_lesion(1, "A liver cyst.")) == ""
    one, other = make_lesion(1, "A liver cyst."), make_lesion(2, "A lung nodule.")
    assert unlike("img2attrib", one, other) is None


def test_a_wrong_choice_is_wrong_for_every_lesion_on_the_picture(make_lesion) -> None:
    shown = make_lesion(1, "A cyst in the liver.", patient="a", picture="x")
    beside = make_lesion(2, "A cyst in the left kidney.", patient="a", picture="x")
    wrong = make_lesion(3, "A left renal cyst.")
    assert seen_with("img2txt", shown, [shown, beside, wrong]) == (beside,)
    assert unlike("img2txt", shown, wrong) is not None
    assert unlike("img2txt", shown, wrong, beside) is None
    assert why_unlike("img2txt", wrong, shown, with_one=(), with_other=(beside,)) is None
    other = make_lesion(4, "A nodule in the right lung.")
    assert unlike("img2txt", shown, other, beside) == "body part: abdomen against chest"


def test_a_stack_shows_the_lesions_of_its_nine_slices(make_lesion) -> None:
    def at(lesion_idx: int, name: str) -> ExamLesion:
        lesion = make_lesion(lesion_idx, "A liver cyst.", patient="1")
        return replace(lesion, cells={"File_name": name})

    shown, near = at(1, "000001_01_02_050.png"), at(2, "000001_01_02_054.png")
    far, elsewhere = at(3, "000001_01_02_055.png"), at(4, "000001_01_03_050.png")
    unknown = at(5, "")
    every = (shown, near, far, elsewhere, unknown)
    assert seen_with("ct2txt", shown, every) == (near, unknown)
    assert seen_with("img2txt", shown, every) == ()
    same_slice = at(6, "000001_01_02_050.png")  # in another window: another picture
    assert seen_with("img2txt", shown, (*every, same_slice)) == (same_slice,)


@pytest.mark.parametrize("task", ["img2txt", "ct2txt", "img2attrib", "img2size"])
def test_pairs_are_judged_alike_alone_and_among_all(make_lesion, task) -> None:
    words = (
        "A smooth, hypodense cyst in the liver.",
        "A hyperdense, irregular lesion of the spleen.",
        "A cyst in the left kidney of 3 cm.",
        "A spiculated nodule in the right lung.",
    )
    sizes = ("12 mm", "31.0 x 20.0 mm", "box of 40 x 20 pixels", "box of 90 x 20 pixels", "")
    lesions = [
        make_lesion(
            i,
            words[i % 4],
            size=sizes[i % 5],
            patient=f"{i % 7}",
            picture=f"{i if i < 16 else i % 9}",
        )
        for i in range(24)
    ]
    pairs = Pairs(task, lesions)
    found = set()
    for (row, one), (at, other) in itertools.permutations(enumerate(lesions), 2):
        reason = why_unlike(
            task,
            one,
            other,
            with_one=seen_with(task, one, lesions),
            with_other=seen_with(task, other, lesions),
        )
        assert pairs.why_unlike(row, at) == reason
        assert pairs.are_unlike(row, at) is (reason is not None)
        found.add(reason is None)
    assert found == {True, False}
