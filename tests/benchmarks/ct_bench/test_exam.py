"""The exam is fair: whoever does not look at the pictures is right one time in four.

Every policy below is held to its binomial band: at n questions and chance p the deviation of the
score is sqrt(p (1 - p) / n); four and a half deviations are passed by luck once in 150,000 tries.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest

from overread.benchmarks.ct_bench.cases import draw_cases
from overread.benchmarks.ct_bench.exam import draw_exam
from overread.benchmarks.ct_bench.layout import (
    IMAGE_CHOICE_TASKS,
    KEY_SLICE,
    LETTERS,
    SETTINGS,
    SLICES_PER_STACK,
    STACK_TASKS,
)
from overread.benchmarks.ct_bench.lesions import attributes, description, size_text

N_EXAMS = 3
DEVIATIONS = 4.5


def make(size, seed):
    cases = draw_cases(size, np.random.default_rng([seed, 0]))
    return cases, draw_exam(cases, seed=seed, rng=np.random.default_rng([seed, 1]))


@pytest.fixture(scope="module")
def complete():
    """A few complete exams, 2,850 questions each."""
    return [make(1500, seed) for seed in range(N_EXAMS)]


@pytest.fixture(scope="module")
def text_questions(complete):
    """All questions with four texts, each with the index of the right one."""
    return [
        (question, LETTERS.index(question.correct_choice))
        for _, exam in complete
        for question in exam.questions
        if question.q_type not in IMAGE_CHOICE_TASKS
    ]


def assert_chance(score, n, what):
    band = DEVIATIONS * math.sqrt(0.25 * 0.75 / n)
    assert abs(score - 0.25) < band, f"{what}: {score:.3f} of {n}, band ±{band:.3f}"


@cache
def words(text):
    return frozenset(re.findall(r"[a-z0-9.-]+", text.lower()))


def credit(merit, right):
    """Give the chance of being right when one of the best is taken by lot."""
    best = max(merit)
    return (merit[right] == best) / merit.count(best)


# ---------------------------------------------------------------- shape


def test_a_complete_exam_has_the_printed_counts(complete):
    # arXiv 2602.14879: 1,900 test and 950 validation questions; 13 settings
    _, exam = complete[0]
    counts = Counter((q.split, q.q_type, q.bbox_type) for q in exam.questions)
    for setting in SETTINGS:
        assert counts["test", setting.task, setting.bbox_type] == setting.test
        assert counts["validation", setting.task, setting.bbox_type] == setting.validation
    assert len(exam.questions) == 2850
    assert [q.qa_id for q in exam.questions] == list(range(1, 2851))


def test_a_small_exam_keeps_the_proportions():
    _, exam = make(240, 1)
    counts = Counter((q.split, q.q_type, q.bbox_type) for q in exam.questions)
    for setting in SETTINGS:
        assert counts["test", setting.task, setting.bbox_type] == setting.test * 16 // 100
        assert counts["validation", setting.task, setting.bbox_type] == setting.test * 8 // 100


@pytest.mark.parametrize("size", [24, 25, 31, 45, 90])
def test_the_smallest_releases_have_an_exam_whatever_the_seed(size):
    for seed in range(12):
        _, exam = make(size, seed)
        assert {q.split for q in exam.questions} == {"test", "validation"}


def test_questions_keep_to_their_split(complete):
    cases, exam = complete[0]
    split = {case.lesion_idx: case.split for case in cases}
    for question in exam.questions:
        assert split[question.lesion_idx] == question.split
        for name in question.image_paths:
            assert exam.views[name].split == question.split
            assert split[exam.views[name].lesion_idx] == question.split


def test_pictures_are_what_the_task_asks_for(complete):
    cases, exam = complete[0]
    crowded = {case.lesion_idx for case in cases if case.crowded}
    for question in exam.questions:
        views = [exam.views[name] for name in question.image_paths]
        boxed = {view.boxed for view in views}
        right = LETTERS.index(question.correct_choice)
        if question.q_type == "txt2bbox":
            assert {view.lesion_idx for view in views} == {question.lesion_idx}
            assert question.lesion_idx in crowded
            assert boxed == {0, 1, 2, 3}
            assert views[right].boxed == 0
            continue
        assert boxed == ({None} if question.bbox_type == "nobox" else {0})
        # a slice with several lesions would make other questions ambiguous
        assert not {view.lesion_idx for view in views} & crowded
        if question.q_type == "txt2img":
            assert len({view.lesion_idx for view in views}) == 4
            assert views[right].lesion_idx == question.lesion_idx
        else:
            assert {view.lesion_idx for view in views} == {question.lesion_idx}
        slices = [view.slice_index for view in views]
        if question.q_type in STACK_TASKS:
            assert slices == list(range(SLICES_PER_STACK))
        else:
            assert set(slices) == {KEY_SLICE}


def test_one_name_is_one_picture_and_names_tell_nothing(complete):
    _, exam = complete[0]
    assert len(set(exam.views.values())) == len(exam.views)
    assert all(re.fullmatch(r"[0-9a-f]{16}\.png", name) for name in exam.views)


# ---------------------------------------------------------------- right and wrong


def test_the_right_option_is_true_and_the_wrong_ones_are_false(complete):
    cases, exam = complete[0]
    lesions = {case.lesion_idx: case.lesion for case in cases}
    told = {description(case.lesion): case.lesion.facts for case in cases}
    for question in exam.questions:
        lesion = lesions[question.lesion_idx]
        right = LETTERS.index(question.correct_choice)
        if question.q_type in IMAGE_CHOICE_TASKS:
            assert question.texts == (description(lesion),)
            continue
        expected = {
            "img2size": size_text(lesion),
            "img2attrib": attributes(lesion.facts),
            "ct2attrib": attributes(lesion.facts),
        }.get(question.q_type, description(lesion))
        assert question.texts[right] == expected
        wrong = [text for i, text in enumerate(question.texts) if i != right]
        assert len(set(question.texts)) == 4
        if question.q_type in ("img2txt", "ct2txt"):
            mine = told[expected]
            for text in wrong:
                assert any(
                    getattr(told[text], name) != getattr(mine, name)
                    for name in ("coarse_type", "side", "attenuation", "margin", "core")
                )
        if question.q_type == "img2size":
            long_mm = sorted(float(text.split(" x ")[0]) for text in question.texts)
            assert all(b / a > 1.2 for a, b in itertools.pairwise(long_mm))


def test_wrong_candidates_differ_from_the_description_looked_for(complete):
    cases, exam = complete[0]
    facts = {case.lesion_idx: case.lesion.facts for case in cases}
    names = ("coarse_type", "side", "attenuation", "margin", "core")
    for question in exam.questions:
        if question.q_type != "txt2img":
            continue
        shown = [facts[exam.views[name].lesion_idx] for name in question.image_paths]
        assert len({tuple(getattr(one, name) for name in names) for one in shown}) == 4


def test_wrong_options_are_hard(text_questions):
    """Most wrong attributes share two of three words with the right ones."""
    shared = [
        len(set(text.split(", ")) & set(question.texts[right].split(", ")))
        for question, right in text_questions
        if question.q_type == "img2attrib"
        for i, text in enumerate(question.texts)
        if i != right
    ]
    assert np.mean(shared) > 1.2


# ---------------------------------------------------------------- blindness


def test_letters_are_balanced_in_every_setting(complete):
    for _, exam in complete:
        counts = defaultdict(Counter)
        for question in exam.questions:
            counts[question.split, question.q_type, question.bbox_type][
                question.correct_choice
            ] += 1
        for found in counts.values():
            assert max(found.values()) - min(found[letter] for letter in LETTERS) <= 1


def test_left_over_letters_are_drawn_by_lot():
    letters = Counter(
        question.correct_choice for seed in range(40) for question in make(24, seed)[1].questions
    )
    n = letters.total()
    for letter in LETTERS:
        assert_chance(letters[letter] / n, n, letter)


@pytest.mark.parametrize(
    ("name", "merit"),
    [
        ("longest option", lambda texts: [len(text) for text in texts]),
        ("shortest option", lambda texts: [-len(text) for text in texts]),
        ("most words", lambda texts: [len(words(text)) for text in texts]),
        ("first in the alphabet", lambda texts: [-sorted(texts).index(text) for text in texts]),
        (
            "most like the others",
            lambda texts: [sum(len(words(a) & words(b)) for b in texts) for a in texts],
        ),
        (
            "odd one out",
            lambda texts: [-sum(len(words(a) & words(b)) for b in texts) for a in texts],
        ),
        (
            "most words shared with exactly one other",
            lambda texts: [
                sum(sum(word in words(b) for b in texts) == 2 for word in words(a)) for a in texts
            ],
        ),
        (
            "middle of the numbers",
            lambda texts: (
                [
                    -abs(number - np.median([float(re.findall(r"[\d.]+", t)[0]) for t in texts]))
                    for number in (float(re.findall(r"[\d.]+", t)[0]) for t in texts)
                ]
                if "mm" in texts[0]
                else [0.0] * 4
            ),
        ),
        (
            "largest number",
            lambda texts: [float((re.findall(r"[\d.]+ x", t) or ["0 x"])[0][:-2]) for t in texts],
        ),
    ],
)
def test_no_look_at_the_options_beats_chance(text_questions, name, merit):
    by_task = defaultdict(list)
    for question, right in text_questions:
        by_task[question.q_type].append(credit(merit(list(question.texts)), right))
    for task, credits in by_task.items():
        assert_chance(np.mean(credits), len(credits), f"{name} in {task}")
    total = [one for credits in by_task.values() for one in credits]
    assert_chance(np.mean(total), len(total), name)


@pytest.mark.parametrize("sign", [1, -1])
def test_knowing_how_often_a_text_is_right_elsewhere_does_not_help(complete, sign):
    """Leave one out over a whole exam: not the favourites, not the ones never right yet."""
    credits = []
    for _, exam in complete:
        asked = [q for q in exam.questions if q.q_type not in IMAGE_CHOICE_TASKS]
        right = Counter((q.q_type, q.texts[LETTERS.index(q.correct_choice)]) for q in asked)
        for question in asked:
            index = LETTERS.index(question.correct_choice)
            merit = [
                sign * (right[question.q_type, text] - (i == index))
                for i, text in enumerate(question.texts)
            ]
            credits.append(credit(merit, index))
    assert_chance(np.mean(credits), len(credits), "text most or least often right elsewhere")


def test_words_learned_from_validation_do_not_help_in_the_test(complete):
    """Naive Bayes over words and lengths of right against wrong options of another split."""
    credits = []
    for _, exam in complete:
        good, bad = Counter(), Counter()
        for question in exam.questions:
            if question.q_type in IMAGE_CHOICE_TASKS or question.split != "validation":
                continue
            for letter, text in zip(LETTERS, question.texts, strict=True):
                target = good if letter == question.correct_choice else bad
                target.update((question.q_type, word) for word in words(text))
        for question in exam.questions:
            if question.q_type in IMAGE_CHOICE_TASKS or question.split != "test":
                continue
            merit = [
                sum(
                    math.log(
                        (good[question.q_type, word] + 1) / (bad[question.q_type, word] / 3 + 1)
                    )
                    for word in words(text)
                )
                for text in question.texts
            ]
            credits.append(credit(merit, LETTERS.index(question.correct_choice)))
    assert_chance(np.mean(credits), len(credits), "words learned from validation")


def test_pictures_alone_do_not_give_the_right_candidate_away(complete):
    """The candidate most like the others, or shown most often, is not the right one."""
    alike, often = [], []
    for cases, exam in complete:
        facts = {case.lesion_idx: case.lesion.facts for case in cases}
        names = ("coarse_type", "side", "attenuation", "margin", "core", "size_class")
        asked = [q for q in exam.questions if q.q_type == "txt2img"]
        shown = Counter(name for q in asked for name in q.image_paths)
        for question in asked:
            right = LETTERS.index(question.correct_choice)
            four = [facts[exam.views[name].lesion_idx] for name in question.image_paths]
            merit = [
                sum(getattr(a, name) == getattr(b, name) for b in four for name in names)
                for a in four
            ]
            alike.append(credit(merit, right))
            often.append(credit([shown[name] for name in question.image_paths], right))
    assert_chance(np.mean(alike), len(alike), "candidate most like the others")
    assert_chance(np.mean(often), len(often), "candidate shown most often")


def test_the_exam_is_spread_over_many_lesions_and_patients(complete):
    cases, exam = complete[0]
    patient = {case.lesion_idx: case.patient for case in cases}
    asked = {q.lesion_idx for q in exam.questions if q.split == "test"}
    assert len(asked) > 300
    assert len({patient[index] for index in asked}) > 200


def test_same_seed_same_exam():
    assert make(60, 3)[1] == make(60, 3)[1]
    assert make(60, 3)[1].questions != make(60, 4)[1].questions
