"""A release as it lies there: from file to item, and everything that may be odd about it."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from overread.benchmarks.jmed48k import BENCHMARK, layout
from overread.benchmarks.jmed48k.loader import JMed48kRelease
from overread.benchmarks.jmed48k.questions import EXCLUSIONS, FLAGS
from overread.contracts import Selection
from overread.errors import ReleaseError, UsageError
from overread.imaging.encode import encode_png
from overread.imaging.item_pictures import with_media
from overread.records import Choice, ModelIdentity, MultiChoice, Number, Response, Severity, Status
from overread.run.planning import make_plan

PHYSICIAN = ("01_physician", "2025")
BLANK = {"a": "", "b": "", "c": "", "d": "", "e": ""}


def items(release, **more):
    return {item.id: item for item in release.items(Selection(**more))}


def codes(release, **more):
    return {each.code: each.count for each in release.findings(**more)}


def shown(*content, options=()):
    return {"content_img": list(content), "answer_img": list(options)}


def picture(root, name, folder="01_physician/physician_2025"):
    path = root / "JMed48k-eval" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_png(np.zeros((4, 4), np.uint8)))


def test_one_question_from_file_to_items(write, question, tmp_path):
    row = question(
        12,
        section="F",
        question_text="図を示す。正しいのはどれか。２つ選べ。",
        text_reference="48歳の男性。発熱のため来院した。",
        correct_answer=["e", "c"],
        img=shown("2025_images/F12.png", options=["2025_images\\F12b.png"]),
        text_only=False,
    )
    picture(tmp_path, "2025_images/F12.png")
    picture(tmp_path, "2025_images/F12b.png")
    release = write({PHYSICIAN: [row]})
    found = items(release)
    assert list(found) == ["physician/2025/F12", "physician/2025/F12::images-removed"]
    asked, removed = found.values()
    folder = "JMed48k-eval/01_physician/physician_2025/2025_images"
    assert [media.paths for media in asked.media] == [
        (f"{folder}/F12.png",),
        (f"{folder}/F12b.png",),
    ]
    assert (
        asked.question == "48歳の男性。発熱のため来院した。\n図を示す。正しいのはどれか。２つ選べ。"
    )
    assert asked.answer_space == MultiChoice(options=asked.options, count=2)
    assert asked.strata == {
        "task": "several",
        "condition": "as-asked",
        "profession": "physician",
        "year": "2025",
        "era": "last year",
        "section": "section F",
        "image": "with figure",
        "figure_in": "in the options",
        "kind": "several options",
        "quality": "clean",
        "split": "test",
    }
    words = "\n".join(part.text or "" for part in asked.prompt)
    assert "医師国家試験" in words
    assert "選ぶ数：2" in words
    assert [part.media for part in asked.prompt if part.media] == list(asked.media)
    assert release.reference(asked.id).answer == release.reference(removed.id).answer == "ce"
    assert codes(release) == {"missing-papers": 54}


def test_without_figures_not_a_word_changes(write, question, tmp_path):
    row = question(img=shown("2025_images/1.png"), text_only=False)
    picture(tmp_path, "2025_images/1.png")
    asked, removed = items(write({PHYSICIAN: [row]})).values()
    bare = with_media(asked, lambda media: None, options=False)
    strata = {**asked.strata, "condition": "images-removed"}
    assert removed == replace(bare, id=removed.id, condition="images-removed", strata=strata)
    assert removed.media == ()
    assert removed.groups == asked.groups
    assert removed.groups["pair"] == asked.id


def test_every_kind_has_its_space_and_chance(write, question):
    six = {str(number): f"薬{number}" for number in range(1, 7)}
    four = {str(number): f"薬{number}" for number in range(1, 5)}
    two = "どれか。2つ選べ。"
    release = write(
        {
            PHYSICIAN: [
                question(1),
                question(2, question_text=two, correct_answer=["a", "b"]),
                question(3, question_text="どれか。3つ選べ。", correct_answer=["a", "b", "c"]),
                question(4, options=four, correct_answer=["2"]),
                question(5, options=six, question_text=two, correct_answer=["1", "6"]),
                question(6, options={}, correct_answer=["6", "0", "0"]),
                question(7, question_text="正しいのをすべて選べ。", correct_answer=["a", "d"]),
            ]
        }
    )
    found = list(items(release).values())
    plan = make_plan(
        found,
        identity=ModelIdentity(kind="x", name="y"),
        hashes={},
        draws=1,
        protocol_version="1",
    )
    chances = [line.line.chance for line in plan]
    assert chances == [
        pytest.approx(0.2),
        pytest.approx(0.1),
        pytest.approx(0.1),
        pytest.approx(0.25),
        pytest.approx(0.0667, abs=5e-5),
        None,
        None,
    ]
    spaces = [type(item.answer_space) for item in found]
    assert spaces == [Choice, MultiChoice, MultiChoice, Choice, MultiChoice, Number, MultiChoice]
    assert [release.reference(name).answer for name in items(release)] == [
        "c", "ab", "abc", "2", "16", "600", "ad"
    ]  # fmt: skip


def test_options_drawn_in_a_figure_are_named_by_their_labels(write, question, tmp_path):
    picture(tmp_path, "2025_images/o.png")
    figure = shown(options=["2025_images/o.png"])
    release = write(
        {
            PHYSICIAN: [
                question(1, options=BLANK, img=figure, text_only=False),
                question(2, options=BLANK),
                question(3, options=BLANK, correct_answer=["36"]),
            ]
        }
    )
    found = items(release)
    drawn = found["physician/2025/A1"]
    assert [option.text for option in drawn.options] == [f"図中の{each}" for each in "abcde"]
    assert drawn.strata["figure_in"] == "in the options"
    assert len(drawn.media) == 1
    # Nothing shows the options: asked by their labels, and marked.
    assert found["physician/2025/A2"].strata["quality"] == "flagged"
    assert isinstance(found["physician/2025/A3"].answer_space, Number)
    assert codes(release)["empty-option"] == 1


NOT_ASKED = {
    "deleted": {"correct_answer": ["採点除外"]},
    "no-key": {"correct_answer": []},
    "key-off-list": {"correct_answer": ["x"]},
    "key-is-no-number": {"options": {}, "correct_answer": ["a"]},
    "key-count": {"question_text": "どれか。2つ選べ。", "correct_answer": ["a"]},
    "alternative-sets": {
        "question_text": "どれか。2つ選べ。",
        "correct_answer": [["a", "b"], ["a", "c"]],
    },
    "no-question": {"question_text": "", "options": {}, "correct_answer": ["1"]},
}


def test_what_nobody_can_get_right_is_not_asked_and_counted_by_reason(write, question):
    assert NOT_ASKED.keys() == EXCLUSIONS.keys()
    rows = [question(n, **changes) for n, changes in enumerate(NOT_ASKED.values(), start=1)]
    release = write({PHYSICIAN: [*rows, question(50)], ("03_phn", "2025"): [rows[0]]})
    assert list(items(release)) == ["physician/2025/A50"]
    counts = Counter(each.reason for each in release.exclusions)
    assert counts == {**dict.fromkeys(EXCLUSIONS, 1), "deleted": 2}
    by_code = {each.code: each for each in release.findings()}
    deleted = by_code["excluded-deleted"]
    assert (deleted.count, deleted.severity) == (2, Severity.INFO)
    assert deleted.evidence.startswith("2 (physician 1, public-health-nurse 1): physician/2025/A1")
    assert by_code["excluded-no-key"].severity is Severity.WARNING
    assert any("8 of 9 questions are not asked" in note for note in release.notes())
    with pytest.raises(KeyError):
        release.reference("physician/2025/A1")


MARKED = {
    "several-accepted": {"correct_answer": ["a", "c"]},
    "empty-question": {"question_text": " "},
    "corrupt-text": {"question_text": "診\ufffdはどれか。"},
    "odd-characters": {"question_text": "診断\u200bはどれか。"},
    "empty-option": {"options": {"a": "肺炎", "b": "", "c": "肺癌"}},
    "duplicate-options": {"options": {"a": "肺炎", "b": "肺炎", "c": "肺癌"}},
    "odd-labels": {"options": ["肺炎", "気胸"], "correct_answer": ["2"]},
    "missing-figure": {"text_only": False},
    "contradicting-flag": {"img": {"content_img": "2025_images/1.png"}},
    "figure-named": {"question_text": "写真を別に示す。診断はどれか。"},
}


@pytest.mark.parametrize("flag", FLAGS)
def test_what_is_odd_is_asked_and_marked(write, question, tmp_path, flag):
    picture(tmp_path, "2025_images/1.png")
    release = write({PHYSICIAN: [question(1, **MARKED[flag]), question(2)]})
    found = items(release, conditions=("as-asked",))
    assert [item.strata["quality"] for item in found.values()] == ["flagged", "clean"]
    assert codes(release) == {flag: 1, "missing-papers": 54}
    assert release.exclusions == ()


@pytest.mark.parametrize("profile", ["published", "honest"])
def test_each_of_several_accepted_options_is_right(write, question, score, profile):
    release = write({PHYSICIAN: [question(1, correct_answer=["a", "c"])]})
    (item,) = items(release).values()
    values = [score(release, item, f"answer: {each}", profile).value for each in "abc"]
    assert values == [1.0, 0.0, 1.0]
    (english,) = items(release, tasks=("english",)).values()
    assert score(release, english, "answer: c", profile).value == 1.0


def test_answers_are_counted_with_figures_and_without(write, question, tmp_path, score):
    picture(tmp_path, "2025_images/1.png")
    row = question(img=shown("2025_images/1.png"), text_only=False)
    release = write({PHYSICIAN: [row]})
    for item, target in zip(
        items(release).values(), ("with figures", "figures removed"), strict=True
    ):
        assert score(release, item, "answer: a", "honest").metric == "accuracy"
        counted = {}
        for text in ("answer: a", "図がないので回答できません。"):
            rows = [
                row
                for scorer in release.scorers("honest")
                if scorer.takes(item)
                for row in scorer.score(item, release.reference(item.id), _response(item, text))
            ]
            (one,) = (row for row in rows if row.metric == "answered")
            assert one.target == target
            counted[text] = one.value
        assert list(counted.values()) == [1.0, None]


def _response(item, text):
    return Response(run="r", item=item.id, text=text, status=Status.OK, request_hash="h")


def test_the_frame_in_english_is_asked_by_name(write, question, tmp_path):
    picture(tmp_path, "2025_images/1.png")
    row = question(img=shown("2025_images/1.png"), text_only=False)
    release = write({PHYSICIAN: [row]})
    usual, english = items(release), items(release, tasks=("english",))
    assert list(english) == [
        "physician/2025/A1::english",
        "physician/2025/A1::english::images-removed",
    ]
    one = english["physician/2025/A1::english"]
    words = "\n".join(part.text or "" for part in one.prompt)
    assert "national examination for physicians" in words
    assert "Question: 診断はどれか。" in words
    assert one.question == usual["physician/2025/A1"].question
    assert release.reword(one) == one
    assert release.reference(one.id).answer == "c"
    pairs = {item.groups["pair"] for item in english.values()}
    assert pairs == {"physician/2025/A1::english"}


@pytest.mark.parametrize(
    "name",
    [
        "physician/2025/A9",
        "physician/2025/A1::images-removed",
        "physician/2025/A1::english::english",
        "physician/2025/A1::as-asked",
        "",
    ],
)
def test_unknown_ids_have_no_reference(write, question, name):
    release = write({PHYSICIAN: [question(1)]})
    with pytest.raises(KeyError):
        release.reference(name)


@pytest.mark.parametrize(
    "reference",
    [
        "2025_images/1.png",
        "2025_images\\1.png",
        "1.png",
        "JMed48k-eval/01_physician/physician_2025/2025_images/1.png",
        "01_physician/physician_2025/2025_images/1.png",
        "C:\\somewhere\\2025_images\\1.png",
        "../../../../etc/1.png",
    ],
)
def test_figures_are_found_by_path_or_name(write, question, tmp_path, reference):
    picture(tmp_path, "2025_images/1.png")
    release = write({PHYSICIAN: [question(img=shown(reference), text_only=False)]})
    asked, _ = items(release).values()
    folder = "JMed48k-eval/01_physician/physician_2025/2025_images"
    assert [media.paths for media in asked.media] == [(f"{folder}/1.png",)]
    inner = JMed48kRelease(tmp_path / "JMed48k-eval")  # the folder inside will do
    assert inner.fingerprint == release.fingerprint
    assert "missing-image" not in codes(inner)


def test_missing_and_broken_figures_are_findings(write, question, tmp_path):
    broken = tmp_path / "JMed48k-eval/01_physician/physician_2025/2025_images/2.png"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"no picture")
    rows = [
        question(1, img=shown("2025_images/1.png"), text_only=False),
        question(2, img=shown("2025_images/2.png"), text_only=False),
    ]
    release = write({PHYSICIAN: rows})
    assert codes(release)["missing-image"] == 1
    assert "unreadable-image" not in codes(release)
    assert codes(release, thorough=True)["unreadable-image"] == 1
    assert len(items(release)) == 4  # asked all the same


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_figure_that_links_out_is_refused(write, question, tmp_path_factory, tmp_path):
    outside = tmp_path_factory.mktemp("outside") / "1.png"
    outside.write_bytes(b"secret")
    folder = tmp_path / "JMed48k-eval/01_physician/physician_2025/2025_images"
    folder.mkdir(parents=True)
    (folder / "1.png").symlink_to(outside)
    release = write({PHYSICIAN: [question(img=shown("2025_images/1.png"), text_only=False)]})
    assert codes(release)["unsafe-path"] == 1


def test_questions_that_share_something_are_one_case(write, question, tmp_path):
    picture(tmp_path, "2025_images/1.png")
    long = "".join(f"{n}日前から発熱と咳嗽とが続き、{n}回受診した。" for n in range(20))
    figure = {"img": shown("2025_images/1.png"), "text_only": False}
    rows = [
        question(1, text_reference="文"),
        question(2, **figure),
        question(3, text_reference="文", **figure),  # joins both
        question(4),
        question(5, question_text=f"{long}診断はどれか。"),
        question(6, question_text=f"{long}治療はどれか。"),
        question(7, section="B", text_reference="文"),  # another section
    ]
    found = items(write({PHYSICIAN: rows}), conditions=("as-asked",))
    cases = [item.groups["case"].rpartition("/")[2] for item in found.values()]
    assert cases == ["A1", "A1", "A1", "A4", "A5", "A5", "B7"]


def test_years_and_professions_come_from_the_folders(write, question):
    release = write(
        {
            ("01_医師", "2024"): [question(1)],
            ("11薬剤師", "2025"): [question(1, section=None)],
            ("12_other", "2025"): [question(1)],
            ("notes", "2025"): [question(1)],
        }
    )
    found = items(release)
    assert list(found) == ["physician/2024/A1", "pharmacist/2025/1"]
    assert [item.strata["era"] for item in found.values()] == ["earlier", "last year"]
    assert found["pharmacist/2025/1"].strata["section"] == "whole paper"
    assert codes(release)["unknown-profession"] == 1


def test_odd_entries_are_told_and_repeated_numbers_keep_their_questions(write, question):
    rows = [question("１"), question(1), "text", question(""), question(None), {}]
    release = write({PHYSICIAN: rows})
    assert list(items(release)) == ["physician/2025/A1", "physician/2025/A1#1"]
    found = [each for each in release.findings() if each.code == "unusable-rows"]
    assert sorted(each.count for each in found) == [1, 3]
    assert codes(release)["repeated-id"] == 1


@pytest.mark.parametrize("text", ['{"questions": ', "[" * 100_000, "\ufffd", '{"questions": 3}'])
def test_a_broken_paper_is_a_finding_and_all_broken_no_release(write, question, tmp_path, text):
    write({PHYSICIAN: [question(1)]})
    place = tmp_path / "JMed48k-eval/05_nurse/nurse_2025"
    place.mkdir(parents=True)
    (place / "paper.json").write_text(text, encoding="utf-8")
    release = JMed48kRelease(tmp_path)
    assert codes(release)["unreadable-file"] == 1
    good = tmp_path / "JMed48k-eval/01_physician/physician_2025/paper.json"
    good.write_text(text, encoding="utf-8")
    with pytest.raises(ReleaseError, match="2 such files"):
        JMed48kRelease(tmp_path)


def test_huge_papers_are_not_read(write, question, monkeypatch):
    monkeypatch.setattr(layout, "_LARGEST_FILE_BYTES", 10)
    with pytest.raises(ReleaseError):
        write({PHYSICIAN: [question(1)]})


def test_other_media_are_refused(tmp_path):
    with pytest.raises(UsageError, match="--media"):
        BENCHMARK.open(tmp_path, media=tmp_path)


def test_hostile_entries_are_read_without_an_error(write, question):
    rows = [
        question(1, options={"a": None, "b": 3, "c": ["x"], "": "y"}, correct_answer={"a": 1}),
        question(2, question_text=7, text_reference=["x"], section={"a": 1}, img=["x"]),
        question(3, img={"content_img": {"a": 1}, "answer_img": [None, 3, ""]}, options=5),
        question("../../etc", section="<b>"),
    ]
    text = json.dumps(rows)
    release = write({PHYSICIAN: json.loads(text)})
    assert release.findings()
    assert set(items(release)) == {"physician/2025/2", "physician/2025/betc"}


def test_what_a_complete_release_holds(write, question):
    release = write({PHYSICIAN: [question(1)]})
    counts = {
        (each.stratum["condition"], each.stratum["image"]): each.n
        for each in release.expected_counts()
    }
    assert counts == {
        ("as-asked", "no figure"): 9905,
        ("as-asked", "with figure"): 2579,
        ("images-removed", "with figure"): 2579,
    }
    assert sum(n for (condition, _), n in counts.items() if condition == "as-asked") == 12_484
    assert len(layout.PROFESSIONS) * 5 == layout.N_PAPERS == 55


def test_printed_effects_differ_by_a_factor_of_seven(write, question):
    release = write({PHYSICIAN: [question(1)]})
    effects = {row.stratum["profession"]: row.value for row in release.published()}
    assert effects == {"physician": 0.057, "public-health-nurse": 0.398}
    ratio = effects["public-health-nurse"] / effects["physician"]
    assert ratio == pytest.approx(6.98, abs=5e-3)
    assert any("no exam result" in note for note in release.notes())
    assert release.training(Selection()).exam == ()
