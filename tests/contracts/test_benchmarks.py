"""What every benchmark must do, held against each registered one and the template."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from overread import registry
from overread.contracts import Form, Selection
from overread.errors import ReleaseError
from overread.imaging.label_map import read_label_map
from overread.imaging.read_volume import read_volume
from overread.imaging.render import PictureRenderer
from overread.imaging.safe_path import resolve_inside
from overread.records import Choice, Item, Mask, Media, Recipe, Severity
from overread.run.asking import is_shown

GIVEN_AWAY = {
    # Its own validator demands one letter for each kind of probe: the fault that audits find in it.
    "medvigil": {"probe_kind", "cell"},
}
"""Benchmark → strata that go with letters in the real release too."""


def media_of(item: Item) -> tuple[Media, ...]:
    options = item.answer_space.options if isinstance(item.answer_space, Choice) else ()
    return (*item.media, *(option.media for option in options if option.media))


def asked_condition(item: Item) -> str:
    """Give the condition without the way a stack is shown: ``no-box+mosaic`` is ``no-box``."""
    return item.condition.partition("+")[0]


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


# ---------------------------------------------------------------- card


def test_the_card_says_what_it_is(case):
    card = case.benchmark.card
    assert card.name == case.name.strip("_")
    assert card.title
    assert card.protocol_version
    assert card.licence
    assert card.access
    assert card.tasks
    assert all(card.tasks.values())
    assert len(set(card.conditions)) == len(card.conditions) > 0
    assert len(set(card.splits)) == len(card.splits) > 0
    assert set(card.stacks) <= {"images", "mosaic", "features"}
    assert case.open().card == card


# ---------------------------------------------------------------- items


def test_items_are_lazy(case):
    release = case.open()
    items = release.items(Selection(split=release.card.splits[0]))
    assert isinstance(items, Iterator)
    assert isinstance(next(items), Item)


def test_every_split_has_items_with_unique_ids(case):
    release = case.open()
    seen = [item.id for item in case.items()]
    assert len(set(seen)) == len(seen)
    for split in release.card.splits:
        assert next(release.items(Selection(split=split)), None) is not None


@pytest.mark.parametrize("form", get_args(Form))
def test_two_openings_give_the_same_items_in_the_same_order(case, form):
    assert case.items(form=form) == case.items(form=form)


def test_how_a_stack_is_shown_changes_no_id(case):
    ids = [item.id for item in case.items()]
    for stack in case.benchmark.card.stacks:
        shown = case.items(stack=stack)
        assert [item.id for item in shown] == ids
        assert {media.recipe.stack for item in shown for media in media_of(item)} <= {
            stack,
            Recipe().stack,  # single pictures stay as they are
        }


def test_items_say_what_they_belong_to(case):
    card = case.benchmark.card
    for item in case.items():
        assert item.benchmark == card.name
        assert item.task in card.tasks
        assert asked_condition(item) in card.conditions
        assert item.question
        assert all(isinstance(text, str) for text in {**item.groups, **item.strata}.values())


def test_a_selection_is_obeyed(case):
    release = case.open()
    split = release.card.splits[0]
    everything = list(release.items(Selection(split=split)))
    for task in release.card.tasks:
        chosen = list(release.items(Selection(split=split, tasks=(task,))))
        if task in release.card.asked_by_name:
            assert {item.task for item in chosen} == {task}
            chosen = []
        assert chosen == [item for item in everything if item.task == task]
    for condition in release.card.conditions:
        chosen = list(release.items(Selection(split=split, conditions=(condition,))))
        assert chosen == [item for item in everything if asked_condition(item) == condition]
    few = list(release.items(Selection(split=split, limit=3)))
    assert len(few) == 3
    assert {item.id for item in few} <= {item.id for item in everything}
    assert list(release.items(Selection(split=split, limit=10**6))) == everything
    assert list(release.items(Selection(split=split, tasks=("no such task",)))) == []
    assert list(release.items(Selection(split="no such split"))) == []


def test_a_size_limit_reaches_every_recipe(case):
    for item in case.items(max_side_px=32):
        # A mask lies on the grid of what is released, so that it is never shrunk.
        if not isinstance(item.answer_space, Mask):
            assert all(media.recipe.max_side_px == 32 for media in media_of(item))


def test_options_are_whole(case):
    for item in case.items():
        if isinstance(item.answer_space, Choice):
            letters = item.answer_space.letters
            assert len(set(letters)) == len(letters) > 1
            assert all(option.text or option.media for option in item.answer_space.options)


def test_the_chat_wording_holds_question_letters_and_pictures(case):
    for item in case.items(form="chat"):
        words = "\n".join(part.text for part in item.prompt if part.text)
        pictures = [part.media for part in item.prompt if part.media]
        assert item.prompt[-1].role == "user"
        assert set(pictures) == set(media_of(item))
        if isinstance(item.answer_space, Choice):
            for option in item.answer_space.options:
                assert option.letter in words
                assert option.media or option.text in words


# ---------------------------------------------------------------- references


def test_no_field_of_an_item_can_hold_an_answer():
    assert not {field.name for field in fields(Item)} & {"answer", "reference", "correct", "label"}


def test_every_item_has_a_reference_that_can_be_used(case):
    release = case.open()
    for item in case.items():
        reference = release.reference(item.id)
        assert reference.item == item.id
        assert reference.problem is None
        if isinstance(item.answer_space, Choice):
            assert reference.answer in item.answer_space.letters


def test_a_reference_mask_lies_on_the_grid_of_its_volume_and_holds_known_labels(case):
    release = case.open()
    for item in case.items():
        if not isinstance(item.answer_space, Mask):
            continue
        assert item.answer_space.labels
        assert all(label > 0 and name for label, name in item.answer_space.labels.items())
        path = release.reference(item.id).path
        assert path is not None
        mask = read_label_map(resolve_inside(case.root, path))
        # Where one label is asked for, a release may tell kinds of it apart: they count as one.
        if len(item.answer_space.labels) > 1:
            assert set(np.unique(mask.array)) <= {0, *item.answer_space.labels}
        for media in item.media:
            if media.kind == "volume":
                volume = read_volume(resolve_inside(case.root, media.paths[0]))
                assert mask.geometry is not None
                assert mask.array.shape == volume.array.shape
                assert np.allclose(mask.geometry.affine_lps, volume.geometry.affine_lps, atol=1e-3)


def test_an_unknown_id_has_no_reference(case):
    with pytest.raises(KeyError):
        case.open().reference("no such item")


def test_nothing_an_item_shows_names_the_answer(case):
    release = case.open()
    items = [item for item in case.items() if isinstance(item.answer_space, Choice)]
    for item in items:
        answer = release.reference(item.id).answer
        shown = {**item.groups, **item.strata, "id": item.id}
        assert answer not in shown.values()
    # A file's name, a group or a stratum that always came with one letter would give it away.
    for key in {key for item in items for key in item.strata} - GIVEN_AWAY.get(case.name, set()):
        letters: dict[str, set[str | None]] = {}
        for item in items:
            letters.setdefault(item.strata[key], set()).add(release.reference(item.id).answer)
        assert len(set().union(*letters.values())) == 1 or all(
            len(found) > 1 for found in letters.values()
        )


# ---------------------------------------------------------------- pictures


def test_pictures_exist_and_stay_inside_the_release(case):
    for item in case.items():
        for media in media_of(item):
            assert media.paths
            assert hash(media) is not None
            for path in media.paths:
                assert resolve_inside(case.root, path).is_file()


def test_pictures_can_be_shown(case):
    render = PictureRenderer(case.root)
    shown = set()
    for item in case.items():
        if (item.task, item.condition) not in shown:
            shown.add((item.task, item.condition))
            for media in media_of(item):
                if not is_shown(item, media):
                    assert read_volume(resolve_inside(case.root, media.paths[0])).array.size
                    continue
                pictures = render(media)
                # A volume is one path and as many pictures as its preparation makes of it.
                assert len(pictures) == len(media.paths) or media.kind == "volume"
                assert pictures
                assert all(picture.data for picture in pictures)


def test_a_missing_picture_is_a_finding_and_its_question_stays(case, tmp_path):
    root = tmp_path / "copy"
    shutil.copytree(case.root, root)
    items = case.items()
    lost = media_of(items[0])[0].paths[0]
    (root / lost).unlink()
    release = case.benchmark.open(root)
    findings = release.findings()
    words = ("image", "picture", "volume")
    assert any(word in found.code for found in findings for word in words)
    asked = [
        item for split in release.card.splits for item in release.items(Selection(split=split))
    ]
    assert [item.id for item in asked] == [item.id for item in items]


# ---------------------------------------------------------------- the release as a whole


def test_a_synthetic_release_has_no_errors(case):
    found = case.open().findings()
    assert [finding for finding in found if finding.severity is Severity.ERROR] == []
    assert tuple(found) == tuple(case.open().findings())


@pytest.mark.slow
def test_the_same_seed_writes_the_same_bytes(case, tmp_path):
    case.benchmark.synthesise(tmp_path / "same", seed=case.seed, size=case.size)
    case.benchmark.synthesise(tmp_path / "other", seed=case.seed + 1, size=case.size)
    assert tree(case.root) == tree(tmp_path / "same") != {}
    assert tree(case.root) != tree(tmp_path / "other")
    assert {path.name for path in tmp_path.iterdir()} == {"same", "other"}
    fingerprint = case.open().fingerprint
    assert case.benchmark.open(tmp_path / "same").fingerprint == fingerprint
    assert case.benchmark.open(tmp_path / "other").fingerprint != fingerprint


@pytest.mark.parametrize("kind", ["absent", "empty", "file"])
def test_what_is_no_release_is_refused_in_words(case, tmp_path, kind):
    root = tmp_path / kind
    if kind == "empty":
        root.mkdir()
    if kind == "file":
        root.write_text("hello")
    with pytest.raises(ReleaseError, match=r"expected .+, got .+\. "):
        case.benchmark.open(root)


def test_the_plan_breaks_down_by_what_items_carry(case):
    plan = case.open().plan()
    assert () in plan.strata
    assert plan.cells
    keys = {key for stratum in plan.strata for key in stratum} | set(plan.cells)
    for item in case.items():
        assert keys <= item.strata.keys()
        assert plan.cluster is None or item.groups[plan.cluster]


def test_expected_counts_name_cells_of_the_plan(case):
    release = case.open()
    counts = release.expected_counts()
    cells = [(tuple(sorted(count.stratum.items())), count.split) for count in counts]
    assert len(set(cells)) == len(cells)
    for count in counts:
        assert set(count.stratum) in (set(release.plan().cells), set())
        assert count.split in release.card.splits
        assert count.n > 0


def test_printed_numbers_have_a_source_and_fit_their_counts(case):
    release = case.open()
    plan = release.plan()
    keys = {key for keys in (*plan.strata, plan.cells) for key in keys}
    strata = {key: {item.strata[key] for item in case.items()} for key in keys}
    ranges = {spec.name: (spec.low, spec.high) for spec in registry.metric_specs()}
    for row in release.published():
        assert row.source
        low, high = ranges.get(row.metric, (0.0, 1.0))  # the mean of votes has no metric's file
        assert low <= row.value <= high
        # A judge is no stratum of the items: it tells verdicts on the same items apart.
        broken_down = {key: value for key, value in row.stratum.items() if key != "judge"}
        assert all(value in strata[key] for key, value in broken_down.items())
        if row.count is not None:
            assert row.n is not None
            assert row.value == pytest.approx(row.count / row.n, abs=0.0005)


def test_notes_are_sentences(case):
    assert all(note.endswith(".") for note in case.open().notes())


def test_training_shares_no_item_and_no_patient_with_the_split_under_test(case):
    release = case.open()
    cluster = release.plan().cluster
    for split in release.card.splits:
        training = release.training(Selection(split=split))
        tested = list(release.items(Selection(split=split)))
        assert not {item.id for item, _ in training.exam} & {item.id for item in tested}
        assert all(item.id == reference.item for item, reference in training.exam)
        patients = {item.groups[cluster] for item in tested} if cluster else set()
        learnt = [item.groups for item, _ in training.exam] + [one.groups for one in training.cases]
        assert not {groups.get(cluster or "") for groups in learnt} & patients
        for one in training.cases:
            for media in one.media:
                assert all(resolve_inside(case.root, path).is_file() for path in media.paths)
