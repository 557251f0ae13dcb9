from dataclasses import replace
from pathlib import Path

import pytest

from overread.contracts import ModelOptions, Selection
from overread.errors import UsageError
from overread.registry import find_benchmark, open_model
from overread.run.request import RunRequest
from overread.run.selecting import check_selected, fit_selection


@pytest.fixture
def request_(release_root):
    return RunRequest(
        benchmark="ct-bench", release=release_root, model="chance", out=Path("run.sqlite")
    )


def test_a_chat_model_sees_images_and_a_scorer_features(request_, release_root):
    release = find_benchmark("ct-bench").open(release_root)
    chat = open_model("chance", ModelOptions())
    assert fit_selection(request_, chat, release).stack == "images"

    class Scorer:
        form = "clip"

    fitted = fit_selection(request_, Scorer(), release)
    assert (fitted.form, fitted.stack) == ("clip", "features")
    asked = replace(request_, stack="mosaic")
    assert fit_selection(asked, Scorer(), release).stack == "mosaic"


def test_an_empty_split_names_those_there_are(release_root):
    release = find_benchmark("ct-bench").open(release_root)
    with pytest.raises(UsageError, match="test, validation"):
        check_selected([], Selection(split="trial"), release)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"conditions": ("nonsense",)}, "--condition: expected .* of no-box, box, got 'nonsense'"),
        ({"tasks": ("nonsense",), "conditions": ("box",)}, "--task: expected .*, got 'nonsense'"),
        ({"tasks": ("caption", "captoin"), "conditions": ("box",)}, "--task: .*, got 'captoin'"),
    ],
)
def test_a_name_that_the_card_does_not_know_is_blamed_first(release_root, more, message):
    release = find_benchmark("ct-bench").open(release_root)
    selection = Selection(**{"tasks": ("caption",), **more})
    with pytest.raises(UsageError, match=message):
        check_selected(list(release.items(selection)), selection, release)


def test_a_scorer_is_not_asked_for_text(release_root):
    release = find_benchmark("ct-bench").open(release_root)
    for tasks in (("caption",), ("caption", "img2txt")):
        selection = Selection(tasks=tasks, form="clip", stack="features")
        items = list(release.items(selection))
        with pytest.raises(UsageError, match=r"--task: expected questions with options.*'caption'"):
            check_selected(items, selection, release)
        check_selected(items, replace(selection, form="chat"), release)
    selection = Selection(tasks=("img2txt",), form="clip", stack="features")
    check_selected(list(release.items(selection)), selection, release)


def test_a_scorer_is_refused_where_nothing_has_options(release_root):
    release = find_benchmark("ct-bench").open(release_root)
    captions = list(release.items(Selection(tasks=("caption",))))
    with pytest.raises(UsageError, match="--model: expected a model that writes text"):
        check_selected(captions, Selection(form="clip", stack="features"), release)
