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
