from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy import stats

from overread.benchmarks.ct_bench.exam_files import Question
from overread.benchmarks.ct_bench.layout import KEY_SLICE, LETTERS
from overread.builders.lesion_exam import SetExam, draw_set_exam
from overread.builders.lesion_words import NOUNS, SetLesion, description, size_text
from overread.records import Box


def lesions(n: int, *, seed: int, in_mm: bool = True) -> list[SetLesion]:
    """Lesions as a real table has them: lung is common, kidney lesions are large."""
    rng = np.random.default_rng(seed)
    found = []
    for index in range(1, n + 1):
        coarse_type = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8], p=[2 / 58, *[8 / 58] * 7]))
        coarse_type = 5 if rng.uniform() < 0.4 else coarse_type
        long = float(rng.lognormal(3.6 if coarse_type == 6 else 2.8, 0.4))
        x, y = (float(place) for place in rng.uniform(50, 300, size=2))
        found.append(
            SetLesion(
                lesion_idx=index,
                split=("test", "validation", "train")[index % 3],
                coarse_type=coarse_type if index % 40 else -1,
                picture=f"{index // 2:06d}_01_01_010",
                box=Box(x_min=x, y_min=y, x_max=x + long, y_max=y + 0.7 * long),
                diameters_mm=(long, 0.7 * long) if in_mm else None,
            )
        )
    return found


def shifted(lesion: SetLesion, rng: np.random.Generator) -> tuple[Box, ...]:
    box = lesion.box
    return tuple(
        Box(
            x_min=box.x_min + by,
            y_min=box.y_min,
            x_max=box.x_max + by,
            y_max=box.y_max,
        )
        for by in rng.permutation([100, 200, 300]).tolist()
    )


def draw(found: list[SetLesion], *, seed: int = 1, stacks: set[int] | None = None) -> SetExam:
    every = {lesion.lesion_idx for lesion in found}
    return draw_set_exam(found, every if stacks is None else stacks, shifted, seed=seed)


FOUND = lesions(360, seed=0)
BY_IDX = {lesion.lesion_idx: lesion for lesion in FOUND}


@cache
def exam_of(seed: int) -> SetExam:
    return draw(FOUND, seed=seed)


def test_every_setting_but_attributes_is_asked_once_a_lesion() -> None:
    counts = Counter((one.split, one.q_type, one.bbox_type) for one in exam_of(1).questions)
    assert (
        counts["test", "img2txt", "nobox"] == counts["test", "ct2txt", "bbox"] == 117
    )  # of 120, 3 are of no type
    assert counts["test", "img2size", "bbox"] == 100  # as in a complete release
    assert counts["validation", "img2size", "nobox"] == 50
    assert counts["test", "txt2bbox", "bbox"] == 100
    assert ("test", "txt2bbox", "nobox") not in counts
    assert len(counts) == 2 * 9


def test_the_right_option_is_the_lesion_and_all_four_differ() -> None:
    for question in exam_of(1).questions:
        lesion = BY_IDX[question.lesion_idx]
        assert lesion.split == question.split
        if question.q_type in ("txt2img", "txt2bbox"):
            assert question.texts == (description(lesion),)
            assert len(set(question.image_paths)) == 4
        else:
            tell = size_text if question.q_type == "img2size" else description
            right = question.texts[LETTERS.index(question.correct_choice)]
            assert right == tell(lesion)
            assert len(set(question.texts)) == 4


def test_options_of_one_type_differ_by_a_quarter_in_size() -> None:
    checked = 0
    for question in exam_of(1).questions:
        if question.q_type != "img2txt":
            continue
        told = [text.removesuffix(" mm.").split(", ") for text in question.texts]
        by_noun = defaultdict(list)
        for noun, size in told:
            by_noun[noun].append(float(size.split(" x ")[0]))
        for sizes in by_noun.values():
            sizes.sort()
            for small, large in itertools.pairwise(sizes):
                assert large / small > 1.24
                checked += 1
    assert checked > 200


def test_the_same_is_asked_with_and_without_the_box() -> None:
    exam = exam_of(1)
    asked: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for one in exam.questions:
        if one.q_type != "txt2bbox":
            asked[one.bbox_type].append(
                (one.split, one.q_type, one.lesion_idx, one.texts, one.correct_choice)
            )
    assert asked["bbox"] == asked["nobox"]
    for question in exam.questions:
        boxes = [exam.views[name].boxed for name in question.image_paths]
        indices = [exam.views[name].slice_index for name in question.image_paths]
        if question.q_type == "ct2txt":
            assert indices == list(range(9))
            assert [box is not None for box in boxes] == [
                question.bbox_type == "bbox" and index == KEY_SLICE for index in range(9)
            ]
        else:
            assert set(indices) == {KEY_SLICE}
            assert all((box is not None) == (question.bbox_type == "bbox") for box in boxes)


def test_the_right_picture_bears_the_right_letter() -> None:
    exam = exam_of(1)
    for question in exam.questions:
        if question.q_type not in ("txt2img", "txt2bbox"):
            continue
        shown = [exam.views[name] for name in question.image_paths]
        right = shown[LETTERS.index(question.correct_choice)]
        assert right.lesion_idx == question.lesion_idx
        if question.q_type == "txt2bbox":
            assert right.boxed == BY_IDX[question.lesion_idx].box
            assert {one.lesion_idx for one in shown} == {question.lesion_idx}
        else:
            assert len({BY_IDX[one.lesion_idx].picture for one in shown}) == 4


def test_no_option_is_right_for_another_lesion_of_the_slice() -> None:
    # Each slice of FOUND holds two lesions; without a box either may be meant.
    def fits(task: str, told_of: SetLesion, shown: SetLesion) -> bool:
        assert told_of.diameters_mm is not None
        assert shown.diameters_mm is not None
        a, b = sorted((told_of.diameters_mm[0], shown.diameters_mm[0]))
        types = {told_of.coarse_type, shown.coarse_type}
        same_type = task == "img2size" or len(types) == 1 or min(types) < 0
        return same_type and b < 1.2499 * a

    by_text = {
        (one.split, tell(one)): one
        for one in FOUND
        for tell in (description, size_text)
        if one.split != "train"
    }
    seen = Counter[str]()
    for question in exam_of(1).questions:
        if len(question.texts) != 4:
            continue
        picture = BY_IDX[question.lesion_idx].picture
        shown = [one for one in FOUND if one.picture == picture]
        for letter, text in zip(LETTERS, question.texts, strict=True):
            if letter != question.correct_choice:
                wrong = by_text[question.split, text]
                assert not any(fits(question.q_type, wrong, one) for one in shown)
                seen[question.q_type] += 1
    assert min(seen[task] for task in ("img2txt", "ct2txt", "img2size")) > 200


def test_letters_are_balanced_in_every_setting() -> None:
    letters: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for one in exam_of(1).questions:
        letters[one.split, one.q_type, one.bbox_type][one.correct_choice] += 1
    for counts in letters.values():
        assert max(counts.values()) - min(counts[letter] for letter in LETTERS) <= 1


def test_an_unknown_type_is_asked_for_its_size_only() -> None:
    asked = {one.q_type for one in exam_of(1).questions if BY_IDX[one.lesion_idx].coarse_type < 0}
    assert asked <= {"img2size"}


def longest(texts: tuple[str, ...]) -> int:
    return int(np.argmax([len(text) for text in texts]))


def shortest(texts: tuple[str, ...]) -> int:
    return int(np.argmin([len(text) for text in texts]))


def largest(texts: tuple[str, ...]) -> int:
    return int(np.argmax([_long(text) for text in texts]))


def smallest(texts: tuple[str, ...]) -> int:
    return int(np.argmin([_long(text) for text in texts]))


def most_central(texts: tuple[str, ...]) -> int:
    longs = np.log([_long(text) for text in texts])
    return int(np.argmin(np.abs(longs - np.median(longs))))


def commonest_type(texts: tuple[str, ...]) -> int:
    counts = Counter(NOUNS[lesion.coarse_type] for lesion in FOUND)
    return int(np.argmax([_count(text, counts) for text in texts]))


def most_like_the_others(texts: tuple[str, ...]) -> int:
    words = [set(text.split()) for text in texts]
    return int(np.argmax([sum(len(one & other) for other in words) for one in words]))


def odd_one_out(texts: tuple[str, ...]) -> int:
    words = [set(text.split()) for text in texts]
    return int(np.argmin([sum(len(one & other) for other in words) for one in words]))


def _long(text: str) -> float:
    return float(text.split(" x ")[0].split()[-1])


def _count(text: str, counts: Counter[str]) -> int:
    return next((n for noun, n in counts.items() if noun in text and noun != "lesion"), 0)


@pytest.fixture(scope="module")
def asked_often() -> list[Question]:
    """About 3,400 text questions over one pool; the box changes no words."""
    return [
        question
        for seed in range(10)
        for question in exam_of(seed).questions
        if len(question.texts) == 4 and question.bbox_type == "bbox"
    ]


@pytest.mark.parametrize(
    "policy",
    [
        longest,
        shortest,
        largest,
        smallest,
        most_central,
        commonest_type,
        most_like_the_others,
        odd_one_out,
    ],
)
def test_who_sees_no_picture_is_right_one_time_in_four(
    policy: Callable[[tuple[str, ...]], int], asked_often: list[Question]
) -> None:
    right = sum(
        LETTERS[policy(question.texts)] == question.correct_choice for question in asked_often
    )
    low, high = stats.binom.interval(0.999, len(asked_often), 0.25)
    assert len(asked_often) > 3000
    assert low <= right <= high


def test_the_same_seed_gives_the_same_exam_and_another_one_another() -> None:
    assert draw(FOUND, seed=3) == exam_of(3)
    assert exam_of(3).questions != exam_of(4).questions
    assert not exam_of(3).views.keys() & exam_of(4).views.keys()


def test_a_small_split_is_asked_what_it_can_be_and_the_rest_is_said() -> None:
    few = [lesion for lesion in lesions(9, seed=1, in_mm=False) if lesion.split != "test"]
    exam = draw(few, stacks=set())
    assert all(one.split == "validation" for one in exam.questions)
    lacking = {finding.where for finding in exam.findings}
    assert {"test/img2txt", "test/txt2bbox", "validation/ct2txt"} <= lacking


def test_a_slice_without_room_is_not_asked_about() -> None:
    exam = draw_set_exam(FOUND, set(), lambda _lesion, _rng: None, seed=1)
    assert "txt2bbox" not in {one.q_type for one in exam.questions}
    assert "test/txt2bbox" in {finding.where for finding in exam.findings}
