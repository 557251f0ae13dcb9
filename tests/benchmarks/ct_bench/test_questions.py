import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.benchmarks.ct_bench.questions import normal_split, read_question

JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
FIELDS = ("choices", "text", "question", "correct_choice", "image_path", "image_paths", "split")


def test_reads_a_chat_entry(entry):
    question = read_question(entry(10, "img2txt", "B", "one.png"), form="chat", place="p")
    assert (question.name, question.correct, question.problem) == ("img2txt/box/10", "B", None)
    assert question.letters == ("A", "B", "C", "D")
    assert question.option_texts[1] == "beta"
    assert question.oddities == ()


@pytest.mark.parametrize(
    ("stated", "letter"),
    [("b", "B"), ("(B)", "B"), (" B. ", "B"), ("beta", "B"), ("E", None), ("", None), (None, None),
     ("AB", None), (2, None), (True, None)],
)  # fmt: skip
def test_correct_choice_is_a_letter_on_offer_or_a_problem(entry, stated, letter):
    raw = entry(10, "img2txt", "B", "one.png") | {"correct_choice": stated}
    question = read_question(raw, form="chat", place="p")
    assert question.correct == letter
    assert (question.problem is None) == (letter is not None)


def test_an_absent_correct_choice_is_a_problem_and_the_question_is_kept(entry):
    raw = entry(10, "img2txt", "B", "one.png")
    del raw["correct_choice"]
    question = read_question(raw, form="chat", place="p")
    assert question.correct is None
    assert question.problem == "the release states no correct_choice"


@pytest.mark.parametrize(
    ("spelling", "box"),
    [("bbox", "box"), ("BBox", "box"), ("with_bbox", "box"), ("nobox", "no-box"),
     ("no_bbox", "no-box"), ("without", "no-box"), ("oval", "unknown"), (None, "unknown")],
)  # fmt: skip
def test_box_spellings(entry, spelling, box):
    raw = entry(10, "img2txt", "B", "one.png") | {"bbox_type": spelling}
    assert read_question(raw, form="chat", place="p").box == box


def test_the_box_task_always_has_a_box_and_a_path_may_say_it(entry):
    raw = entry(10, "txt2bbox", "B", ["a", "b", "c", "d"]) | {"bbox_type": None}
    assert read_question(raw, form="chat", place="p").box == "box"
    raw = entry(10, "img2txt", "B", "lesion_nobox/10.png") | {"bbox_type": None}
    assert read_question(raw, form="chat", place="p").box == "no-box"


def test_a_box_type_that_nobody_knows_is_odd_where_a_path_says_it(entry):
    raw = entry(10, "img2txt", "B", "lesion_nobox/10.png")
    for stated, odd in (("oval", True), (None, False), ("  ", False), ("bbox", False)):
        question = read_question(raw | {"bbox_type": stated}, form="chat", place="p")
        assert ("odd-box: bbox_type 'oval' is no known spelling" in question.oddities) == odd


def test_split_spellings():
    assert [normal_split(s) for s in ("val", "Valid", "validation ", "test", "train")] == [
        "validation", "validation", "validation", "test", "train",
    ]  # fmt: skip
    assert normal_split("fold 3") is None
    assert normal_split(None) is None


def test_picture_candidates_become_options():
    raw = {
        "q_type": "txt2img",
        "lesion_idx": 4,
        "image_paths": ["a", "b", "c", "d"],
        "text": "a cyst",
        "correct_choice": "C",
    }
    question = read_question(raw, form="clip", place="p")
    assert question.pictures_are_options
    assert question.letters == ("A", "B", "C", "D")
    assert question.text == "a cyst"


def test_one_composite_picture_is_shown_and_not_offered(entry):
    question = read_question(entry(1, "txt2img", "A", "all-four.png"), form="chat", place="p")
    assert not question.pictures_are_options
    assert question.picture_paths == ("all-four.png",)


def test_an_entry_without_task_or_lesion_cannot_be_asked():
    with pytest.raises(ValueError, match="no q_type or no lesion_idx"):
        read_question({"q_type": "img2txt"}, form="chat", place="p")


@given(st.dictionaries(st.sampled_from((*FIELDS, "bbox_type", "qa_id")), JSON))
def test_no_entry_breaks_the_reader(fields):
    raw = {"q_type": "img2txt", "lesion_idx": 3} | fields
    for form in ("chat", "clip"):
        question = read_question(raw, form=form, place="p")
        assert question.correct is None or question.correct in question.letters
        assert len(question.letters) == len(question.option_texts)
