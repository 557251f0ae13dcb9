"""The released exam and its two models' stored answers, with values counted from the files.

Sources: docto-rin/IgakuQA119 (Apache-2.0), questions, ``results/correct_answers.csv``,
``answers/demo``, ``results/leaderboard.json`` (314 and 272 of 400, 241 and 209 of 297 without
figures) and ``results/demo/119_*_summary.txt``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from overread.audits.parsers import released_tables
from overread.benchmarks.igakuqa119 import BENCHMARK
from overread.benchmarks.igakuqa119.protocol import ACCEPTED
from overread.contracts import Release, Selection
from overread.records import Item, Reference, Response, Status
from overread.scoring.published.igakuqa119 import GradedAnswerScorer

pytestmark = pytest.mark.data

MODELS = ("pfn-medllm-qwen-72b", "qwen2_5-72b")
BLOCKS = "ABCDEF"


@pytest.fixture(scope="module")
def release(released_data: Path) -> Release:
    root = released_data / "igakuqa119"
    if not root.is_dir():
        pytest.skip(f"no released exam at {root}")
    return BENCHMARK.open(root)


@pytest.fixture(scope="module")
def items(release: Release) -> dict[str, Item]:
    return {item.id: item for item in release.items(Selection())}


@pytest.fixture(scope="module")
def responses(release: Release) -> dict[str, dict[str, Response]]:
    replay = release.replay()  # type: ignore[attr-defined]
    return {
        one.model: {
            row.case: Response(
                run=one.model, item=row.case, status=Status.OK, text=row.prediction, request_hash=""
            )
            for row in one.rows
        }
        for one in replay.predictions
    }


def test_the_exam_has_400_questions_in_six_blocks(release, items):
    assert len(items) == 400
    assert sum(item.strata["image"] == "with figure" for item in items.values()) == 103
    cells = Counter((item.strata["block"], item.strata["image"]) for item in items.values())
    expected = {
        (each.stratum["block"], each.stratum["image"]): each.n for each in release.expected_counts()
    }
    assert cells == expected
    assert sum(expected.values()) == 400


def test_kinds_and_keys(release, items):
    # 356 keys of one letter and 119E28 (a or c); 34 of two letters, 5 of three; 4 numbers.
    kinds = Counter(item.task for item in items.values())
    assert kinds == {"one": 357, "several": 39, "number": 4}
    answers = {name: release.reference(name).answer for name in items}
    sizes = Counter(len(answers[n] or "") for n, i in items.items() if i.task == "several")
    assert sizes == {2: 34, 3: 5}
    numbers = {n: answers[n] for n, i in items.items() if i.task == "number"}
    assert numbers == {"119A75": "600", "119C74": "36", "119C75": "27", "119F75": "40"}
    assert ACCEPTED == {"119E28": ("a", "c")}
    assert [release.reference(name).problem for name in items] == [None] * 400


def test_what_is_odd_in_the_release(release):
    found = Counter(each.code for each in release.findings() if each.code != "missing-image")
    assert found == {
        "empty-question": 1,
        "lost-option": 1,
        "options-in-text": 1,
        "figure-named": 1,
    }
    by_code = {each.code: each for each in release.findings()}
    assert by_code["empty-question"].where == "119C18"
    assert by_code["lost-option"].evidence == "2: 119A22, 119C19"
    assert "in 1 of them" in by_code["lost-option"].effect
    assert by_code["options-in-text"].evidence == "2: 119E45, 119E48"


def test_options_in_the_text_are_whole(items):
    for name in ("119E45", "119E48"):
        options = items[name].options
        assert [option.letter for option in options] == list("abcde")
        assert all(option.text for option in options)
    assert items["119E48"].options[3].text == "アドレナリン"


def test_thirty_questions_share_the_case_of_the_one_before(items):
    patients = Counter(item.groups["patient"] for item in items.values())
    assert len(patients) == 370
    assert Counter(patients.values()) == {1: 350, 2: 10, 3: 10}
    assert items["119E44"].groups["patient"] == "119E43"  # a slip of the scanner's in the passage


def right(scorer, release, items, responses, only=lambda item: True) -> int:
    return sum(
        scorer_of.score(items[name], release.reference(name), response)[0].value == 1.0
        for name, response in responses.items()
        if only(items[name])
        for scorer_of in [next(s for s in scorer if s.takes(items[name]))]
    )


@pytest.mark.parametrize(
    ("model", "blocks", "with_images"),
    [
        ("qwen2_5-72b", (60, 42, 55, 55, 41, 60), (27, 4, 10, 19, 4, 9)),
        ("pfn-medllm-qwen-72b", (50, 32, 50, 51, 32, 56), (21, 2, 8, 19, 2, 11)),
    ],
)
def test_strict_grading_block_by_block(release, items, responses, model, blocks, with_images):
    """Without the rule for 119E28, which adds one to E for both models."""
    strict = (GradedAnswerScorer(accepted={"119E28": ("no such option",)}),)
    without_rule = {name: each for name, each in responses[model].items() if name != "119E28"}
    for block, expected, images in zip(BLOCKS, blocks, with_images, strict=True):

        def of_block(item: Item, block: str = block) -> bool:
            return item.strata["block"] == block

        def with_image(item: Item, block: str = block) -> bool:
            return item.strata["block"] == block and item.strata["image"] == "with figure"

        assert right(strict, release, items, without_rule, of_block) == expected
        assert right(strict, release, items, without_rule, with_image) == images


@pytest.mark.parametrize(
    ("model", "everything", "without_figures"),
    [("qwen2_5-72b", 314, 241), ("pfn-medllm-qwen-72b", 272, 209)],
)
def test_the_published_profile_gives_the_leaderboard(
    release, items, responses, model, everything, without_figures
):
    scorers = release.scorers("published")
    assert right(scorers, release, items, responses[model]) == everything
    plain = right(
        scorers, release, items, responses[model], lambda item: item.strata["image"] == "no figure"
    )
    assert plain == without_figures
    title = release.replay().title_of[model]
    printed = [row for row in release.published() if row.who == title]
    assert [row.count for row in printed] == [everything, without_figures]


@pytest.mark.parametrize(
    ("model", "n_right", "rules"),
    [
        ("qwen2_5-72b", 314, {"several-letters": 7}),
        (
            "pfn-medllm-qwen-72b",
            275,  # and "a" with its quotes, b (100%), e 確信度(0~1): 0.95
            {
                "placeholder": 22,
                "several-letters": 11,
                "wrong-size": 6,
                "nothing-named": 2,  # af, and 8;100;90.9;1.6
                "off-list": 1,
            },
        ),
    ],
)
def test_the_honest_profile_keeps_kinds_of_no_answer_apart(
    release, items, responses, model, n_right, rules
):
    scorers = release.scorers("honest")
    rows = {
        name: next(
            iter(
                next(s for s in scorers if s.takes(items[name])).score(
                    items[name], release.reference(name), response
                )
            )
        )
        for name, response in responses[model].items()
    }
    assert sum(row.value == 1.0 for row in rows.values()) == n_right
    assert Counter(row.reason for row in rows.values() if row.value is None) == rules
    if model == "pfn-medllm-qwen-72b":
        assert [rows[name].answer for name in ("119F4", "119E7", "119C69")] == ["a", "b", "e"]
        assert rows["119F67"].answer == "ae"
        assert rows["119A70"].reason == "wrong-size"


@pytest.mark.parametrize(("given", "reason"), [("ec", None), ("c, e", None), ("c", "wrong-size")])
def test_sets_in_any_order_and_of_another_size(release, items, given, reason):
    name = next(n for n in items if release.reference(n).answer == "ce")
    (scorer,) = (s for s in release.scorers("honest") if s.takes(items[name]))
    response = Response(
        run="r", item=name, status=Status.OK, text=f"answer: {given}", request_hash=""
    )
    row, _ = scorer.score(items[name], release.reference(name), response)
    assert row.value == (1.0 if reason is None else None)
    assert reason is None or row.reason == reason


def test_how_far_scores_depend_on_parsing(release):
    tables = {
        (each.who, each.kind): each
        for each in released_tables(release.replay(), release, examples=0)
    }
    found = tables["Preferred-MedLLM-Qwen-72B", "choice"]
    assert (found.n, found.n_no_reply, found.n_unusable) == (357, 0, 0)
    counts = {each.parser: each.score * found.n for each in found.rows}
    assert counts["honest"] == pytest.approx(246)
    assert counts["igakuqa119"] == pytest.approx(243)
    # A reply that must be a letter: the most alike option is right in 12 of 33 non-answers.
    assert counts["medevalkit"] == pytest.approx(258)
    # "ANSWER: …" begins with A.
    assert counts["deeptumorvqa"] == pytest.approx(65)
    # A letter drawn for all: 1 in 5, 1 in 4 of two questions' options, and 119E28 takes two.
    assert counts["vlmevalkit-random"] == pytest.approx(_chance(release))
    assert found.close_spread == pytest.approx(100 * (258 - 228) / 357)
    other = tables["Qwen2.5-72B", "choice"]
    assert other.honest.score * other.n == pytest.approx(282)
    assert other.close_spread < 1


def _chance(release: Release) -> float:
    chosen = list(release.items(Selection(tasks=("one",))))
    return sum(len(ACCEPTED.get(item.id, "a")) / len(item.options) for item in chosen)


def test_a_reference_of_another_question_is_refused(release, items):
    name = "119A1"
    wrong = replace(release.reference(name), item="119A2")
    response = Response(run="r", item=name, status=Status.OK, text="answer: a", request_hash="")
    with pytest.raises(Exception, match="119A2"):
        release.scorers("published")[0].score(items[name], wrong, response)
    assert isinstance(wrong, Reference)
