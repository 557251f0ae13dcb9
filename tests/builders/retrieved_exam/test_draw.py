from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.benchmarks.ct_bench import layout
from overread.builders.retrieved_exam.draw import draw_units, reletter
from overread.builders.retrieved_exam.embeddings import Embeddings
from overread.builders.retrieved_exam.unlike import excludes, why_unlike
from overread.records import Box
from overread.store.hashes import canonical_json, sha256_text

SIDES, PLACES = ("left", "right"), ("lung", "kidney", "adrenal gland", "breast", "thyroid lobe")
MARGINS = ("smooth", "spiculated")


def _lesions(make_lesion, n: int = 60, *, patients: int = 60, split: str = "test"):
    told = itertools.cycle(itertools.product(PLACES, SIDES, MARGINS))
    return [
        make_lesion(
            i,
            f"A lesion in the {side} {place} with {margin} margins.",
            patient=f"p{i % patients}",
            size=f"{10 + 9 * (i % 7)}.0 x 8.0 mm",
            split=split,
        )
        for i, (place, side, margin) in zip(range(n), told, strict=False)
    ]


def _embeddings(n: int, *, seed: int = 0) -> Embeddings:
    rng = np.random.default_rng(seed)
    return Embeddings.join(
        rng.normal(size=(n, 5)),
        rng.normal(size=(n, 4)),
        label="x",
        numbers=range(n),
        picture_weight=0.5,
    )


def _draw(lesions, *, seed: int = 1, most: int | None = None, stacks=frozenset(), misplace=None):
    return draw_units(
        lesions,
        _embeddings(len(lesions)),
        stacks,
        misplace or (lambda lesion, rng: None),
        seed=seed,
        most=most,
    )


def test_four_choices_exclude_each_other_and_are_of_four_patients(make_lesion) -> None:
    lesions = _lesions(make_lesion, patients=20)
    by_index = {one.lesion_idx: one for one in lesions}
    units, _ = _draw(lesions)
    assert {unit.task for unit in units} == {"img2txt", "txt2img", "img2size"}
    for unit in units:
        four = [by_index[option.lesion_idx] for option in unit.options]
        assert len({one.patient for one in four}) == 4
        for one, other in itertools.permutations(four, 2):
            assert why_unlike(unit.task, one, other, with_one=(), with_other=()) is not None
        assert [o.why_wrong is None for o in unit.options].count(True) == 1
        assert unit.right.why_wrong is None


def test_no_choice_is_right_for_another_lesion_on_the_picture(make_lesion) -> None:
    # 30 slices show two lesions each; without a box either may be meant.
    lesions = [
        replace(one, picture_sha256=f"picture {i % 90}", patient=f"p{i % 90}")
        for i, one in enumerate(_lesions(make_lesion, 120, patients=90))
    ]
    by_index = {one.lesion_idx: one for one in lesions}
    on_picture = defaultdict(list)
    for one in lesions:
        on_picture[one.picture_sha256].append(one)
    units, _ = _draw(lesions)
    shared = {one.lesion_idx for some in on_picture.values() if len(some) > 1 for one in some}
    asked = Counter(unit.task for unit in units if unit.right.lesion_idx in shared)
    assert min(asked[task] for task in ("img2txt", "txt2img", "img2size")) > 5
    for unit in units:
        four = [by_index[option.lesion_idx] for option in unit.options]
        for shown, told_of in itertools.permutations(four, 2):
            for seen in on_picture[shown.picture_sha256]:
                assert excludes(unit.task, seen, told_of) is not None


WORDS = (
    "A nodule in the left lung.",
    "A pulmonary mass.",
    "Nodules in both lungs.",
    "A cyst in the right kidney.",
    "A renal cyst of 3 cm.",
    "A hypodense lesion in the liver with smooth margins.",
    "A hyperdense lesion in the right lobe of the liver with irregular margins.",
    "An enlarged lymph node in the pelvis.",
    "A lytic lesion in the left iliac bone.",
    "A hyperdense, irregular lesion of the spleen.",
    "A cyst in the liver and a nodule in the left lung.",
    "Rundherd in der rechten Lunge.",
    "A lesion.",
)
SIZES = ("", "12 mm", "two centimetres", "31.0 x 20.0 mm", "box of 40 x 20 pixels", "a walnut's")


@pytest.mark.slow
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(WORDS),
            st.sampled_from(SIZES),
            st.integers(0, 20),
            st.integers(0, 1),
            st.sampled_from(["test", "test", "test", "validation"]),
        ),
        min_size=25,
        max_size=40,
    ),
    st.integers(0, 5),
)
def test_whatever_is_drawn_has_one_right_choice_of_four(make_lesion, told_of, seed) -> None:
    lesions = [
        # a patient is in one split, and a picture of one patient
        make_lesion(
            i,
            words,
            size=size,
            patient=f"{split} {patient}",
            picture=f"{split} {patient} {picture}",
            split=split,
        )
        for i, (words, size, patient, picture, split) in enumerate(told_of)
    ]
    by_index = {one.lesion_idx: one for one in lesions}
    units, findings = _draw(lesions, seed=seed, stacks=frozenset(by_index))
    for unit in units:
        four = [by_index[option.lesion_idx] for option in unit.options]
        assert len({one.patient for one in four}) == 4
        assert {one.split for one in four} == {unit.split}
        assert [option.why_wrong for option in unit.options].count(None) == 1
        assert unit.right.why_wrong is None
        for shown, other in itertools.permutations(four, 2):
            seen = [one for one in lesions if one.picture_sha256 == shown.picture_sha256]
            if unit.task in layout.STACK_TASKS:  # no name says which slices these are
                seen = [one for one in lesions if one.patient == shown.patient]
            assert all(excludes(unit.task, one, other) is not None for one in seen)
    asked = {f"{unit.split}/{unit.task}" for unit in units}
    said = {one.where for one in findings if one.code == "task-not-asked"}
    every = {f"{split}/{task}" for split in layout.QUESTION_SPLITS for task in layout.TASKS}
    silent = every - asked - said
    assert all(f"{one.partition('/')[0]}/any task" in said for one in silent)


def test_a_seed_draws_the_same_questions_in_every_version(make_lesion) -> None:
    # Of 90 lesions whose slices show two each, as drawn before pairs were kept.
    lesions = [
        replace(one, picture_sha256=f"picture {i % 60}", patient=f"p{i % 60}")
        for i, one in enumerate(_lesions(make_lesion, 90, patients=60))
    ]
    units, _ = _draw(lesions, stacks=frozenset(range(50)))
    told_of = [
        (unit.split, unit.task, unit.letter, [(o.lesion_idx, o.why_wrong) for o in unit.options])
        for unit in units
    ]
    assert len(units) == 246
    assert sha256_text(canonical_json(told_of)).startswith("5b4cc632dda15880")


def test_splits_never_meet_in_a_question(make_lesion) -> None:
    test = _lesions(make_lesion, 30)
    other = [
        make_lesion(100 + i, one.description, split="validation", patient=f"v{i}", size=one.size)
        for i, one in enumerate(test)
    ]
    units, _ = _draw([*test, *other])
    split = {one.lesion_idx: one.split for one in (*test, *other)}
    assert {unit.split for unit in units} == {"test", "validation"}
    for unit in units:
        assert {split[option.lesion_idx] for option in unit.options} == {unit.split}


def test_letters_are_balanced_in_every_task(make_lesion) -> None:
    units, _ = _draw(_lesions(make_lesion))
    for _, some in itertools.groupby(units, key=lambda unit: unit.task):
        counts = Counter(unit.letter for unit in some)
        assert max(counts.values()) - min(counts[a] for a in "ABCD") <= 1


def test_likeness_does_not_tell_the_answer(make_lesion) -> None:
    # Of four, the one most like the others is asked for one time in four: 25 % within four
    # standard errors of 1.3 % on 20 exams of 55 questions or more.
    lesions = _lesions(make_lesion)
    vectors = _embeddings(len(lesions)).vectors
    row = {one.lesion_idx: i for i, one in enumerate(lesions)}
    central: list[bool] = []
    for seed in range(20):
        units, _ = _draw(lesions, seed=seed)
        for unit in units:
            if unit.task != "img2txt":
                continue
            rows = [row[option.lesion_idx] for option in unit.options]
            likeness = (vectors[rows] @ vectors[rows].T).sum(axis=1)
            central.append(unit.options[int(likeness.argmax())].why_wrong is None)
    assert len(central) > 1000
    assert np.mean(central) == pytest.approx(0.25, abs=0.05)


def test_wrong_choices_are_the_nearest_that_differ(make_lesion) -> None:
    lesions = _lesions(make_lesion)
    units, _ = _draw(lesions)
    likeness = [o.likeness for unit in units for o in unit.options if o.likeness is not None]
    vectors = _embeddings(len(lesions)).vectors
    assert np.mean(likeness) > float((vectors @ vectors.T).mean()) + 0.2


def test_the_same_four_come_once_and_no_choice_is_repeated(make_lesion) -> None:
    units, _ = _draw(_lesions(make_lesion))
    for _, some in itertools.groupby(units, key=lambda unit: unit.task):
        sets = [frozenset(o.lesion_idx for o in unit.options) for unit in some]
        assert all(len(one) == 4 for one in sets)
        assert len(set(sets)) == len(sets)


def test_fewer_lesions_than_wrong_choices_are_said_and_none_is_repeated(make_lesion) -> None:
    lesions = [
        make_lesion(1, "A nodule in the left lung."),
        make_lesion(2, "A nodule in the right lung."),
        make_lesion(3, "A liver cyst."),
        make_lesion(4, "A cyst in the liver."),
    ]
    units, findings = _draw(lesions)
    assert units == ()
    found = next(one for one in findings if one.where == "test/img2txt")
    assert found.code == "task-not-asked"
    assert found.evidence.startswith("for 4 of 4 lesions no three other patients' lesions")


def test_stacks_are_asked_about_where_they_are(make_lesion) -> None:
    units, findings = _draw(_lesions(make_lesion), stacks=frozenset(range(40)))
    stacked = [unit for unit in units if unit.task == "ct2txt"]
    assert stacked
    assert {option.lesion_idx for unit in stacked for option in unit.options} <= set(range(40))
    assert not any(one.where == "test/ct2txt" and "--slices" in one.evidence for one in findings)


def test_boxes_are_choices_on_one_picture(make_lesion) -> None:
    places = [Box(x_min=i, y_min=1, x_max=i + 5, y_max=6) for i in (1, 10, 50)]
    units, _ = _draw(_lesions(make_lesion, 8), misplace=lambda lesion, rng: tuple(places))
    boxes = [unit for unit in units if unit.task == "txt2bbox"]
    assert len(boxes) == 8
    for unit in boxes:
        assert len({option.lesion_idx for option in unit.options}) == 1
        assert unit.right.box is not None
        assert unit.right.box.x_min == 20


def test_most_limits_each_task_and_seeds_draw_anew(make_lesion) -> None:
    lesions = _lesions(make_lesion)
    few, _ = _draw(lesions, most=7)
    assert set(Counter(unit.task for unit in few).values()) == {7}
    assert _draw(lesions, most=7)[0] == few
    assert _draw(lesions, most=7, seed=2)[0] != few


def test_letters_are_balanced_again_after_some_are_struck(make_lesion) -> None:
    units, _ = _draw(_lesions(make_lesion))
    kept = [unit for unit in units if unit.letter != "A"]
    again = reletter(kept, seed=1)
    assert [unit.number for unit in again] == [unit.number for unit in kept]
    for before, after in zip(kept, again, strict=True):
        assert before.right == after.right
        assert set(before.options) == set(after.options)
    for _, some in itertools.groupby(again, key=lambda unit: unit.task):
        counts = Counter(unit.letter for unit in some)
        assert max(counts.values()) - min(counts[a] for a in "ABCD") <= 1
