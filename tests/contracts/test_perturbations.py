"""What every perturbation must do, held against each registered one on every benchmark's items."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pytest

from overread import registry
from overread.analysis.perturbed import perturb, perturbed_again
from overread.contracts import (
    Dosed,
    Neighbours,
    NotApplicable,
    Release,
    Rewording,
    Scene,
    Selection,
)
from overread.imaging.render import PictureRenderer
from overread.imaging.stored_unit import UnitLooker
from overread.perturb._dosed_picture import DosedPicture
from overread.records import Choice, Item, ModelIdentity, Reference
from overread.store.hashes import item_media, request_hash

KINDS = registry.perturbation_names()
MOST = 30
QUICK = ("_template", "wbcatt-plus")
"""Changes of pixels do not look at what is asked: two benchmarks of pictures stand for all."""


def pairs() -> list[tuple[str, str]]:
    """Give each kind with each benchmark it is held against."""
    every = [*registry.benchmark_names(), "_template"]
    return [
        (name, benchmark)
        for name in KINDS
        for benchmark in (
            QUICK if isinstance(registry.find_perturbation(name), DosedPicture) else sorted(every)
        )
    ]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A release, some of its items, and what may be seen beside them."""

    release: Release
    items: list[Item]
    scene: Scene


def asked_of(release: Release) -> Asked:
    """Take items evenly from all of a release."""
    every = list(release.items(Selection(split=release.card.splits[0])))
    scene = Scene(
        others=Neighbours(every),
        unit_of=UnitLooker(release.media_root),
        render=PictureRenderer(release.media_root),
    )
    items = list(islice(every, 0, None, max(1, len(every) // MOST)))
    return Asked(release=release, items=items, scene=scene)


@pytest.fixture(scope="module")
def asked(case_of: Callable[[str], Any]) -> Callable[[str], Asked]:
    """Open each release once: no perturbation changes what it was given."""
    made: dict[str, Asked] = {}

    def of(benchmark: str) -> Asked:
        if benchmark not in made:
            made[benchmark] = asked_of(case_of(benchmark).open())
        return made[benchmark]

    return of


EACH = pytest.mark.parametrize(("name", "benchmark"), pairs())


@pytest.mark.parametrize("name", KINDS)
def test_a_perturbation_describes_itself(name: str) -> None:
    kind = registry.find_perturbation(name)
    assert kind.name == name
    for words in (kind.summary, kind.if_it_falls, kind.if_it_stays):
        assert words
        assert "\n" not in words
        assert not words.endswith(".")


@pytest.mark.parametrize("name", KINDS)
def test_every_dose_has_its_own_name(name: str) -> None:
    kind = registry.find_perturbation(name)
    if not isinstance(kind, Dosed):
        return
    assert len(set(kind.levels)) == len(kind.levels) > 0
    for level in kind.levels:
        assert registry.find_perturbation(f"{name}@{level}").name == f"{name}@{level}"


@EACH
def test_the_same_seed_draws_the_same_in_any_order(
    name: str, benchmark: str, asked: Callable[[str], Asked]
) -> None:
    kind = registry.find_perturbation(name)
    items, scene = asked(benchmark).items, asked(benchmark).scene
    first = [kind.draw(item, scene, 11) for item in items]
    again = [kind.draw(item, scene, 11) for item in reversed(items)]
    assert first == again[::-1]


@EACH
def test_what_was_drawn_repeats_the_change_from_json(
    name: str, benchmark: str, asked: Callable[[str], Asked]
) -> None:
    kind = registry.find_perturbation(name)
    items, scene = asked(benchmark).items, asked(benchmark).scene
    for item in items:
        drawn = kind.draw(item, scene, 5)
        if isinstance(drawn, NotApplicable):
            assert drawn.reason
            continue
        read = json.loads(json.dumps(dict(drawn), allow_nan=False))
        assert kind.apply(item, read, scene.others) == kind.apply(item, drawn, scene.others)


@EACH
def test_a_changed_item_is_still_the_same_question(
    name: str, benchmark: str, asked: Callable[[str], Asked]
) -> None:
    kind = registry.find_perturbation(name)
    items, scene = asked(benchmark).items, asked(benchmark).scene
    for item in items:
        drawn = kind.draw(item, scene, 5)
        if isinstance(drawn, NotApplicable):
            continue
        changed = kind.apply(item, drawn, scene.others)
        assert (changed.id, changed.benchmark, changed.task) == (
            item.id, item.benchmark, item.task,
        )  # fmt: skip
        assert (changed.groups, changed.strata) == (item.groups, item.strata)
        letters = [option.letter for option in item.options]
        assert [option.letter for option in changed.options] == letters
        moved = [
            kind.move(Reference(item=item.id, answer=letter), item, drawn).answer
            for letter in letters
        ]
        assert sorted(map(str, moved)) == sorted(letters)  # no answer is lost, none comes twice
        assert hash(changed.media) is not None


@EACH
def test_a_prompt_shows_what_the_item_shows(
    name: str, benchmark: str, asked: Callable[[str], Asked]
) -> None:
    one = asked(benchmark)
    items, scene, release = one.items, one.scene, one.release
    found = perturb(
        items,
        name,
        seed=3,
        others=scene.others,
        release=release,
        unit_of=scene.unit_of,
        render=scene.render,
        kept={},
    )
    assert len(found.items) + len(found.left_out) == len(items)
    for item in found.items:
        assert item.condition.endswith(f"+{name}")
        shown = {part.media for part in item.prompt if part.media is not None}
        assert shown == {*item.media, *(option.media for option in item.options if option.media)}
        words = "\n".join(part.text or "" for part in item.prompt)
        if isinstance(item.answer_space, Choice):
            assert all(option.text in words for option in item.options if option.text)
        assert item.question in words or item.question == ""


@EACH
def test_a_record_gives_the_same_items_again(
    name: str, benchmark: str, asked: Callable[[str], Asked]
) -> None:
    one = asked(benchmark)
    items, scene, release = one.items, one.scene, one.release
    found = perturb(
        items,
        name,
        seed=3,
        others=scene.others,
        release=release,
        unit_of=scene.unit_of,
        render=scene.render,
        kept={},
    )
    kept = json.loads(json.dumps({key: dict(drawn) for key, drawn in found.parameters.items()}))
    applied = [item for item in items if item.id in kept]
    again = perturbed_again(applied, name, others=scene.others, release=release, kept=kept)
    assert list(again.values()) == list(found.items)


@EACH
def test_a_change_is_another_request(
    name: str, benchmark: str, asked: Callable[[str], Asked]
) -> None:
    one = asked(benchmark)
    items, scene, release = one.items, one.scene, one.release
    found = perturb(
        items,
        name,
        seed=3,
        others=scene.others,
        release=release,
        unit_of=scene.unit_of,
        render=scene.render,
        kept={},
    )
    by_id = {item.id: item for item in items}
    for item in found.items:
        assert _hash(item) != _hash(by_id[item.id])


def _hash(item: Item) -> str:
    paths = {path: "0" * 64 for media in item_media(item) for path in media.paths}
    return request_hash(
        identity=ModelIdentity(kind="k", name="n"),
        item=item,
        media_hashes=paths,
        draw=0,
        protocol_version="1",
    )


def test_what_was_not_changed_is_worded_as_it_was(case: Any) -> None:
    release = case.open()
    if not isinstance(release, Rewording):
        pytest.skip("it cannot word anew")
    for form in ("chat", "clip"):
        for split in release.card.splits:
            for item in release.items(Selection(split=split, form=form)):  # type: ignore[arg-type]
                assert release.reword(item) == item


def test_options_without_a_question_are_asked_about(case: Any) -> None:
    release = case.open()
    items = asked_of(release).items
    if not isinstance(release, Rewording):
        pytest.skip("it cannot word anew")
    for item in items:
        if item.options:
            words = release.reword(replace(item, question="", media=())).prompt
            text = "\n".join(part.text or "" for part in words)
            assert item.question not in text
            assert all(option.text in text for option in item.options if option.text)
