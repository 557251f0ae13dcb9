from __future__ import annotations

import pytest

from overread.benchmarks.ct_spatialvqa import BENCHMARK, layout, protocol
from overread.contracts import Judged, Selection
from overread.contracts.audits import Replayable
from overread.errors import ImageError, ReleaseError, UsageError
from overread.imaging.render import PictureRenderer
from overread.records import Text

ONE = "valid_1_a_1.nii.gz"


def test_an_item_holds_what_a_reader_may_see(small):
    item = small.items()[0]
    assert item.question == "In which lung is the nodule?"
    assert item.groups == {"patient": "valid_1", "study": "valid_1_a", "case": ONE}
    assert item.strata == {
        "form": "side",
        "category": "Laterality & Bilateral Symmetry",
        "split": "test",
    }
    assert (item.task, item.condition) == ("spatial", "slices-32")
    assert item.media[0].paths == (layout.volume_path(ONE),)
    assert item.media[0].kind == "volume"
    assert item.answer_space == Text(classes=("left", "right", "both"))


def test_several_categories_stand_in_one_stratum(small):
    categories = [item.strata["category"] for item in small.items()]
    assert categories[1] == "Laterality & Bilateral Symmetry; Longitudinal (Vertical) Position"
    assert categories[2] == "Medial-Lateral Orientation (Centricity)"
    assert categories[3] == protocol.NO_CATEGORY


def test_the_recipe_is_the_condition(small):
    (first, *_) = small.items(recipe="lingshu", max_side_px=64)
    assert first.condition == "lingshu"
    assert first.media[0].recipe.volume.slices == 32
    assert first.media[0].recipe.max_side_px == 64
    assert small.items(recipe="lingshu", conditions=("lingshu",))
    assert not small.items(recipe="lingshu", conditions=("merlin",))


def test_an_unknown_recipe_is_refused_with_the_known_ones(small):
    with pytest.raises(UsageError, match="slices-32"):
        small.items(recipe="sharp")


def test_every_recipe_on_offer_is_known():
    for name in protocol.RECIPES:
        assert protocol.volume_recipe(name).name == name


def test_a_limit_takes_the_questions_of_the_first_cases(small):
    assert [item.id for item in small.items(limit=3)] == [
        f"{ONE}::0",
        f"{ONE}::1",
        "valid_1_b_1.nii.gz::0",
    ]


def test_volumes_may_lie_elsewhere(small, tmp_path):
    media = tmp_path / "download"
    small.volume(str(media / "dataset" / layout.volume_path(ONE)))
    release = small.open(media)
    assert release.media_root == media
    assert release.root == small.root
    item = next(release.items(Selection()))
    assert item.media[0].paths == (f"dataset/{layout.volume_path(ONE)}",)
    assert PictureRenderer(release.media_root)(item.media[0])


def test_without_media_volumes_are_looked_for_in_the_release(small):
    assert small.open().media_root == small.root
    with pytest.raises(ImageError):
        PictureRenderer(small.root)(small.items()[0].media[0])


@pytest.mark.parametrize("kind", ["absent", "file"])
def test_media_that_are_no_folder_are_refused(small, tmp_path, kind):
    if kind == "file":
        (tmp_path / kind).write_text("")
    with pytest.raises(ReleaseError, match="--media: expected"):
        BENCHMARK.open(small.root, media=tmp_path / kind)


def test_the_fingerprint_follows_the_question_files_alone(small):
    before = small.open().fingerprint
    small.put(layout.JURY_FILE, [])
    small.volume(layout.volume_path(ONE))
    assert small.open().fingerprint == before
    small.labelled[ONE]["qa_pairs"][0]["category"] = []
    small.write()
    changed = small.open().fingerprint
    assert changed != before
    small.pairs[ONE]["qa_pairs"][0]["answer"] += "!"
    small.write()
    assert small.open().fingerprint not in (before, changed)


def test_what_a_release_can_do(small):
    release = small.open()
    assert isinstance(release, Judged)
    assert isinstance(release, Replayable)
    assert release.training(Selection()).cases == ()
    assert release.training(Selection()).exam == ()


def test_printed_numbers_stand_beside_the_published_release_alone(small):
    assert len(small.open().published()) == 64
    printed = small.open().replay().published
    assert [one for one in printed if one.kind == "model"] == list(small.open().published())
    assert len(printed) == 64 + 2  # and what the paper says of its human audit
    assert sum(count.n for count in small.open().expected_counts()) == 9077
    mark = small.put(layout.SYNTHETIC_MARK, "")
    assert len(small.open().published()) == 64  # for the layout of a report
    assert small.open().replay().published == ()
    mark.unlink()
    small.put(layout.BUILT_MARK, "")
    assert small.open().published() == ()
    assert small.open().expected_counts() == ()
    assert "built from other reports" in small.open().notes()[0]
    assert small.open().replay().published == ()
