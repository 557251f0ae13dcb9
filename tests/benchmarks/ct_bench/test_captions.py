from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from overread.analysis.plans import plan_of
from overread.benchmarks.ct_bench import BENCHMARK, layout, protocol
from overread.contracts import PlansByTask, Selection
from overread.records import Item, PlannedItem, Text
from overread.store.hashes import item_media

CAPTIONS = Selection(tasks=("caption",))


def opened(small_release):
    return BENCHMARK.open(small_release.root)


def items(small_release, selection: Selection = CAPTIONS) -> list[Item]:
    return list(opened(small_release).items(selection))


def test_every_lesion_of_the_split_is_asked_for_without_its_box_and_with_it(small_release) -> None:
    assert [item.id for item in items(small_release)] == [
        "test/caption/no-box/10",
        "test/caption/no-box/11",
        "test/caption/box/10",
        "test/caption/box/11",
    ]
    validation = replace(CAPTIONS, split="validation", conditions=("box",))
    assert [item.id for item in items(small_release, validation)] == ["validation/caption/box/20"]
    assert not items(small_release, replace(CAPTIONS, conditions=("mosaic",)))


def test_nobody_is_asked_for_captions_who_does_not_name_them(small_release) -> None:
    asked = items(small_release, Selection())
    assert len(asked) == 5
    assert {item.task for item in asked} <= set(layout.TASKS)
    # The questions are the same whether captions are asked for beside them or not.
    both = items(small_release, Selection(tasks=(*layout.TASKS, "caption")))
    assert both[:5] == asked
    assert [item.task for item in both[5:]] == ["caption"] * 4
    training = opened(small_release).training(CAPTIONS)
    assert {item.task for item, _ in training.exam} == {"img2txt"}


def test_an_item_shows_its_picture_and_never_its_description(small_release) -> None:
    plain, boxed = items(small_release)[0], items(small_release)[2]
    assert isinstance(plain.answer_space, Text)
    assert plain.groups == {"lesion": "10", "patient": "7", "study": "7-1"}
    assert plain.strata == {
        "task": "caption", "box": "no-box", "stack": "single", "split": "test",
    }  # fmt: skip
    assert (plain.condition, boxed.condition) == ("no-box", "box")
    # Neither file is there: the name is the one that the captioning script would try.
    assert plain.media[0].paths == ("lesion_nobox/10.png",)
    assert boxed.media[0].paths == ("lesion_bbox/10.png",)
    assert plain.media[0].spacing_mm == (0.75, 0.75)
    assert set(item_media(boxed)) == set(boxed.media)
    words, picture = boxed.prompt
    assert picture.media == boxed.media[0]
    assert "drawn a box" in str(words.text)
    assert "drawn a box" not in str(plain.prompt[0].text)
    assert "left lung" not in str(words.text)
    assert items(small_release, replace(CAPTIONS, max_side_px=64))[0].media[0].recipe.max_side_px


@pytest.mark.parametrize("same", [True, False])
def test_a_lesion_that_is_described_twice_has_no_reference(small_release, same: bool) -> None:
    path = small_release.root / layout.METADATA_FILE
    first = opened(small_release).reference("test/caption/box/11")
    text = first.answer if same else "A cyst in the left kidney"
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(["11", text, "", "test"])
    release = opened(small_release)
    assert len(items(small_release)) == 4
    assert "duplicate-lesion" in {finding.code for finding in release.findings()}
    problem = release.reference("test/caption/box/11").problem
    assert problem == (None if same else "the release has two descriptions of this lesion")
    assert release.reference("test/caption/box/10").problem is None


def test_both_spellings_of_picture_names_are_found(small_release) -> None:
    for folder in ("lesion_bbox", "lesion_nobox"):
        root = small_release.root / folder
        (root / "30.png").rename(root / ("lesion_10.png"))
    assert items(small_release)[0].media[0].paths == ("lesion_nobox/lesion_10.png",)


def test_the_reference_is_the_description(small_release) -> None:
    release = opened(small_release)
    found = release.reference("test/caption/box/10")
    assert (found.answer, found.problem) == ("A nodule,\nin the left lung", None)
    for unknown in (
        "test/caption/box/99",
        "test/caption/box/20",  # of another split
        "test/caption/odd/10",
        "test/no-task/box/10",
        "caption",
        "",
    ):
        with pytest.raises(KeyError):
            release.reference(unknown)


def test_a_lesion_without_a_description_stays_and_says_so(small_release) -> None:
    table = small_release.root / layout.METADATA_FILE
    table.write_text("lesion_idx,description,size,dataset\n10,,12 mm,test\n", "utf-8")
    release = opened(small_release)
    assert [item.id for item in release.items(CAPTIONS)][-1] == "test/caption/box/10"
    found = release.reference("test/caption/box/10")
    assert (found.answer, found.problem) == (
        None, "the release has no description of this lesion",
    )  # fmt: skip


def test_a_limit_is_spread_over_both_pictures(small_release) -> None:
    few = items(small_release, replace(CAPTIONS, limit=2))
    assert [item.condition for item in few] == ["no-box", "box"]
    few = items(small_release, Selection(tasks=("caption", "img2size"), limit=3))
    assert sorted(item.task for item in few) == ["caption", "caption", "img2size"]


def test_terms_are_what_the_tables_say_beside_the_description(small_release) -> None:
    table = small_release.root / layout.ONTOLOGY_FILE
    table.write_text("lesion_idx,lesion_type,body_part,imaging_property\n10,nodule,lung,\n")
    release = opened(small_release)
    terms = release._captions.terms(next(iter(release.items(CAPTIONS))))
    assert (terms.lesion_type, terms.body_part, terms.imaging_property, terms.size) == (
        "nodule", "lung", None, "12 mm",
    )  # fmt: skip


def test_scorers_take_what_they_can_score(small_release) -> None:
    release = opened(small_release)
    question, caption = next(iter(release.items(Selection()))), items(small_release)[0]
    by_profile = {
        "published": ["bleu1", "meteor_penn", "rouge1_plain", "bertscore_f1", "cosine"],
        "honest": ["fact_score"],
    }
    for profile, measures in by_profile.items():
        scorers = release.scorers(profile)
        assert [one.metric for one in scorers if one.takes(question)] == ["accuracy"]
        assert [one.metric for one in scorers if one.takes(caption)] == measures


# ---------------------------------------------------------------- plans


def line(task: str) -> PlannedItem:
    return PlannedItem(
        item=task, request_hash=task, groups={}, strata={"task": task, "box": "box"}, chance=None
    )


def test_a_run_of_questions_keeps_the_plan_of_the_exam(small_release) -> None:
    release = opened(small_release)
    assert isinstance(release, PlansByTask)
    asked = [line(task) for task in layout.TASKS]
    assert plan_of(release, asked) is plan_of(release, []) is release.plan() is protocol.PLAN
    assert not protocol.PLAN.also
    assert protocol.PLAN.cells_are_independent


def test_facts_lead_where_captions_alone_are_asked_for(small_release) -> None:
    plan = plan_of(opened(small_release), [line("caption")])
    assert plan.headline == "fact_score"
    assert not plan.cells_are_independent
    assert [also.metric for also in plan.also] == [
        *("fact_score_by_model", "side_error", "organ_error"),
        *("side_error_by_model", "organ_error_by_model"),
        *("bleu1", "meteor_penn", "rouge1_plain", "bertscore_f1", "cosine"),
    ]


def test_accuracy_leads_where_both_are_asked_for(small_release) -> None:
    plan = plan_of(opened(small_release), [line("caption"), line("img2txt"), line("odd")])
    assert (plan.headline, plan.cells) == ("accuracy", protocol.PLAN.cells)
    assert plan.headline_only == {"task": ("img2txt", "odd")}
    assert plan.also[0].metric == "fact_score"
    assert all(also.only == {"task": ("caption",)} for also in plan.also)


def test_printed_captions_have_a_measure_of_the_plan() -> None:
    printed = [
        each
        for each in protocol.published_values()
        if each.metric not in ("accuracy", "printed_accuracy")
    ]
    assert {each.who: each.value for each in printed} == {
        "RadFM, fine-tuned": 0.24, "best model as released": 0.17,
    }  # fmt: skip
    assert {each.metric for each in printed} <= {also.metric for also in protocol.CAPTION_PLAN.also}
