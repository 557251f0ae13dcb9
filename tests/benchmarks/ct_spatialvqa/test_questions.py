from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.questions import read_pairs, read_question_files
from overread.errors import ReleaseError

ONE = "valid_1_a_1.nii.gz"


def ids(root):
    return [question.id for question in read_question_files(root).questions]


def test_ids_are_case_and_place_in_the_case(small):
    assert ids(small.root) == [
        "valid_1_a_1.nii.gz::0",
        "valid_1_a_1.nii.gz::1",
        "valid_1_b_1.nii.gz::0",
        "valid_20_a_2.nii.gz::0",
    ]


def test_labels_keep_their_spelling_and_categories_have_one(small):
    mass = read_question_files(small.root).questions[2]
    assert mass.labels == ("Medial-Lateral Orientation",)
    assert mass.categories == ("Medial-Lateral Orientation (Centricity)",)


def test_both_spellings_of_a_label_are_one_category(small):
    small.labelled["valid_1_b_1.nii.gz"]["qa_pairs"][0]["category"] = [
        "Medial-Lateral Orientation (Centricity)",
        "Medial-Lateral Orientation",
    ]
    small.write()
    assert len(read_question_files(small.root).questions[2].categories) == 1


@pytest.mark.parametrize("kept", [layout.QUESTIONS_FILE, layout.CATEGORIES_FILE, layout.ROWS_FILE])
def test_any_one_of_the_files_is_enough(small, kept):
    whole = read_question_files(small.root).questions
    layout.write_questions(
        small.root,
        [
            layout.Pair(case=one.case, question=one.question, answer=one.answer or "")
            for one in whole
        ],
    )
    small.put(layout.CATEGORIES_FILE, small.labelled)
    for name in (layout.QUESTIONS_FILE, layout.CATEGORIES_FILE, layout.ROWS_FILE):
        if name != kept:
            (small.root / name).unlink()
    alone = read_question_files(small.root).questions
    plain = [replace(one, labels=(), place="") for one in whole]
    assert [replace(one, labels=(), place="") for one in alone] == plain


def test_without_any_file_there_is_no_release(small):
    for name in (layout.QUESTIONS_FILE, layout.CATEGORIES_FILE):
        (small.root / name).unlink()
    with pytest.raises(ReleaseError, match="RELEASE: expected a CT-SpatialVQA release"):
        read_question_files(small.root)


@pytest.mark.parametrize("document", ["[]", "7", '{"a": {"qa_pairs": []}}', "{", "NaN", "null"])
def test_files_without_a_question_are_no_release(small, document):
    for name in (layout.QUESTIONS_FILE, layout.CATEGORIES_FILE):
        small.put(name, document)
    with pytest.raises(ReleaseError):
        read_question_files(small.root)


def test_a_broken_file_is_replaced_by_its_twin_and_reported(small):
    small.put(layout.QUESTIONS_FILE, '{"valid_1_a_1.nii.gz": {"qa_pairs": [{"ques')
    assert len(ids(small.root)) == 4
    found = small.finding("unreadable-questions")
    assert (found.severity, found.where) == ("error", layout.QUESTIONS_FILE)
    assert layout.CATEGORIES_FILE in found.effect


@pytest.mark.parametrize(
    "entry", [None, 7, "words", [], {}, {"question": None}, {"question": " "}, {"question": ["x"]}]
)
def test_an_entry_without_a_question_keeps_the_places_of_the_others(small, entry):
    small.pairs[ONE]["qa_pairs"].insert(0, entry)
    small.write()
    assert ids(small.root)[:2] == [f"{ONE}::1", f"{ONE}::2"]
    found = small.finding("unusable-question")
    assert (found.severity, found.count) == ("error", 1)


@pytest.mark.parametrize("answer", [None, "", " \n", 7, ["left"], float("nan")])
def test_an_answer_that_is_no_text_is_a_problem_and_no_word(small, answer):
    small.pairs[ONE]["qa_pairs"][0]["answer"] = answer
    small.put(layout.QUESTIONS_FILE, json.dumps(small.pairs))
    release = small.open()
    reference = release.reference(f"{ONE}::0")
    assert reference.answer is None
    assert reference.problem
    assert "unusable-answer" in small.codes()


def test_a_case_that_stands_twice_is_asked_twice(small):
    first = json.dumps(small.pairs)[:-1]
    again = json.dumps({ONE: {"qa_pairs": [{"question": "Where?", "answer": "There."}]}})[1:]
    small.put(layout.QUESTIONS_FILE, f"{first}, {again}")
    assert f"{ONE}::0" in ids(small.root)
    assert f"{ONE}::0#2" in ids(small.root)
    assert small.open().reference(f"{ONE}::0#2").answer == "There."
    assert small.finding("duplicate-case").count == 1


def test_the_same_question_twice_in_a_case_is_asked_twice_and_reported(small):
    pairs = small.pairs[ONE]["qa_pairs"]
    pairs.append({"question": pairs[0]["question"], "answer": "In the left lung."})
    small.labelled[ONE]["qa_pairs"].append({**pairs[-1], "category": ["Adjacency & Containment"]})
    small.write()
    questions = {one.id: one for one in read_question_files(small.root).questions}
    assert len(questions) == 5
    # Labels go by case, question and answer: the twin's differ.
    assert questions[f"{ONE}::0"].labels == (layout.CATEGORIES[0],)
    assert questions[f"{ONE}::2"].labels == ("Adjacency & Containment",)
    assert small.finding("duplicate-question").where == f"{ONE}::2"


def test_labels_are_joined_by_key_whatever_the_order(small):
    small.labelled = dict(reversed(small.labelled.items()))
    small.labelled[ONE]["qa_pairs"].reverse()
    before = [one.labels for one in read_question_files(small.root).questions]
    small.write()
    assert [one.labels for one in read_question_files(small.root).questions] == before


def test_pairs_without_their_twin_are_reported(small):
    del small.labelled["valid_20_a_2.nii.gz"]
    small.labelled[ONE]["qa_pairs"][0]["question"] += "?"
    small.write()
    found = [f for f in small.open().findings() if f.code == "categories-not-joined"]
    assert [one.count for one in found] == [2, 1]


@pytest.mark.parametrize("value", ["Adjacency & Containment", ["Adjacency & Containment", "", 7]])
def test_odd_labels_are_read_as_far_as_they_are_words(small, value):
    small.labelled[ONE]["qa_pairs"][0]["category"] = value
    small.write()
    labels = read_question_files(small.root).questions[0].labels
    assert labels == ("Adjacency & Containment",)


def test_a_label_cannot_part_itself(small):
    small.labelled[ONE]["qa_pairs"][0]["category"] = ["one; two"]
    small.write()
    assert read_question_files(small.root).questions[0].labels == ("one, two",)
    assert small.finding("unknown-category").count == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["qa_pairs", "question", "answer", "category", ONE, "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(document=json_values)
def test_no_json_breaks_the_reader(small, document):
    small.put(layout.CANDIDATES_FILE, json.dumps(document))
    findings = []
    try:
        pairs = read_pairs(small.root, layout.CANDIDATES_FILE, findings)
    except ReleaseError as error:
        assert ": expected " in str(error)  # noqa: PT017 - anything else is a failure
        return
    assert all(isinstance(pair.question, str) and pair.question.strip() for pair in pairs)
    assert len({pair.id for pair in pairs}) == len(pairs)
