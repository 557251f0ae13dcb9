"""The validator's gates and what it passes over, each planted once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.benchmarks.medvigil import BENCHMARK
from overread.benchmarks.medvigil.readers import decay_steps, reader_counts
from overread.benchmarks.medvigil.regions import box_problem, grey_region, only_region, region_px
from overread.records import Severity


def codes(root: Path, *, thorough: bool = False):
    found: dict[str, list] = {}
    for each in BENCHMARK.open(root).findings(thorough=thorough):
        found.setdefault(each.code, []).append(each)
    return found


def region_case(root: Path) -> str:
    """Name a case whose region is hidden in some probe."""
    return min(path.name for path in (root / "images_perturbed").glob("*_roi_masked.png"))[:8]


def set_box(root: Path, rewrite, box: object) -> str:
    case = region_case(root)

    def change(rows):
        for row in rows:
            if row["case_id"] == case:
                row["roi_bbox_norm"] = json.dumps(box)

    rewrite(root / "grounding.csv", change)
    return case


def test_a_synthetic_release_follows_its_letter_rule_and_nothing_else_is_odd(drawn: Path) -> None:
    found = codes(drawn, thorough=True)
    assert set(found) == {"letter-rule"}
    assert "validator" in found["letter-rule"][0].evidence


@pytest.mark.parametrize(
    ("box", "problem"),
    [
        ([0.2, 0.2, 1.3, 0.6], "it leaves the picture"),
        ([0.4, 0.2, 0.4, 0.6], "it has no area"),
        ([0.1, 0.2], "no list of four"),
        ("left lung", "no list of four"),
        ([0.1, None, 0.4, 0.5], "no list of four"),
    ],
)
def test_boxes_that_cannot_be(release: Path, rewrite, box: object, problem: str) -> None:
    case = set_box(release, rewrite, box)
    (found,) = codes(release)["bad-box"]
    assert (found.where, found.severity) == (case, Severity.ERROR)
    assert problem in found.evidence


@pytest.mark.parametrize("box", [[0, 0, 1, 1], [0.01, 0.01, 0.99, 0.99]])
def test_a_box_over_the_whole_picture(release: Path, rewrite, box: list[float]) -> None:
    case = set_box(release, rewrite, box)
    (found,) = codes(release)["box-covers-all"]
    assert found.where == case


def test_a_picture_that_hides_something_else(release: Path) -> None:
    path = release / "images_perturbed" / f"{region_case(release)}_roi_masked.png"
    pixels = np.asarray(Image.open(path)).copy()
    Image.fromarray(pixels[::-1]).save(path)
    (found,) = codes(release, thorough=True)["picture-not-as-stated"]
    assert "roi_masked" in found.effect
    assert found.count == 1


def test_jpeg_is_no_other_picture(release: Path, rewrite) -> None:
    case = region_case(release)
    path = release / "images_perturbed" / f"{case}_roi_masked.png"
    Image.open(path).save(path.with_suffix(".jpg"), quality=92)

    def change(rows):
        for row in rows:
            if row["image_file"].endswith(path.name):
                row["image_file"] = row["image_file"].replace(".png", ".jpg")

    rewrite(release / "probes_mcq.csv", change)
    assert "picture-not-as-stated" not in codes(release, thorough=True)


def test_an_unreadable_picture(release: Path) -> None:
    (release / "images" / "MVB-0002.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 50)
    (found,) = codes(release, thorough=True)["unreadable-image"]
    assert found.where == "images/MVB-0002.png"


def test_a_path_that_leaves_the_release(release: Path, rewrite) -> None:
    def change(rows):
        rows[0].update(image_file="../../etc/passwd")

    rewrite(release / "probes_mcq.csv", change)
    assert codes(release)["unsafe-path"][0].count == 1


def change_probes(release: Path, rewrite, **values: str) -> None:
    rewrite(release / "probes_mcq.csv", lambda rows: rows[1].update(values))


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"case_id": "MVB-9999"}, "unknown-case"),
        ({"probe_kind": "mood"}, "unknown-kind"),
        ({"choice_B": "  Disc. ", "choice_C": "disc"}, "repeated-option"),
        ({"choice_C": "", "choice_D": "", "choice_B": ""}, "too-few-options"),
        ({"provenance": "gpt-5.5, edited"}, "machine-provenance"),
        ({"probe_id": "MVB-0001__orig"}, "repeated-id"),
        ({"question": ""}, "unusable-rows"),
    ],
)
def test_odd_probes(release: Path, rewrite, values: dict[str, str], code: str) -> None:
    change_probes(release, rewrite, **values)
    assert code in codes(release)


def test_probes_without_their_original(release: Path, rewrite) -> None:
    rewrite(release / "probes_mcq.csv", lambda rows: rows.pop(0))
    (found,) = codes(release)["probe-without-original"]
    assert found.where.startswith("MVB-0001__")
    assert found.count >= 4


@pytest.mark.parametrize(
    ("column", "source", "problem"),
    [
        ("tcf_question", "anchor_question", "the paraphrase is the question itself"),
        ("tcf_gold", None, "the paraphrase has another answer"),
        ("vcf_gold", "anchor_gold", "the changed condition leaves the answer"),
    ],
)
def test_triplets(release: Path, rewrite, column: str, source: str | None, problem: str) -> None:
    rewrite(
        release / "triplets.csv",
        lambda rows: rows[0].update({column: rows[0][source] if source else "something else"}),
    )
    (found,) = codes(release)["broken-triplet"]
    assert found.effect == problem


def mirrored_of(rows, case_letter: str):
    """Give the mirrored probes that have a letter."""
    return [
        row
        for row in rows
        if row["probe_kind"] == "lr_flip" and row["correct_letter"] == case_letter
    ]


@pytest.mark.parametrize(
    ("letter", "new", "code"),
    [("B", "A", "mirror-answer-stays"), ("A", "B", "mirror-answer-moves")],
)
def test_mirrored_answers_that_contradict_the_flag(
    release: Path, rewrite, letter: str, new: str, code: str
) -> None:
    rewrite(
        release / "probes_mcq.csv",
        lambda rows: mirrored_of(rows, letter)[0].update(correct_letter=new),
    )
    assert codes(release)[code][0].count == 1


def test_changed_pictures_with_options_of_their_own(release: Path, rewrite) -> None:
    rewrite(
        release / "probes_mcq.csv",
        lambda rows: mirrored_of(rows, "A")[0].update(choice_C="something else"),
    )
    assert codes(release)["options-not-inherited"][0].count == 1


def test_a_text_only_subset_that_contradicts_the_manifest(release: Path) -> None:
    path = release / "splits" / "text_only_subset.json"
    path.write_text(json.dumps(json.loads(path.read_text())[1:]))
    assert codes(release)["text-only-differs"][0].count == 1


def test_splits_that_lose_and_repeat_cases(release: Path) -> None:
    path = release / "splits" / "by_tier.json"
    content = json.loads(path.read_text())
    moved = content["L1"].pop()
    content["L5"] += [content["L3"][0], moved]
    path.write_text(json.dumps(content))
    found = codes(release)
    assert "0 cases in no part, 1 in several" in found["no-partition"][0].evidence
    assert found["two-tiers"][0].count == 2


@pytest.mark.parametrize("content", ["[]", "{", '{"L1": 3}', "[" * 5000])
def test_hostile_splits(release: Path, content: str) -> None:
    (release / "splits" / "by_source.json").write_text(content)
    assert {"no-partition", "unreadable-file"} & set(codes(release))


def test_counts_that_contradict_each_other(release: Path, rewrite) -> None:
    rewrite(release / "clinician_baseline.csv", lambda rows: rows[0].update(acc_or_sfr_pct="12.3"))
    assert "12.3" in codes(release)["reader-counts"][0].evidence


def test_counts_of_traps_may_be_of_those_answered(release: Path, rewrite) -> None:
    before = reader_counts(release)

    def swap(rows):
        for row in rows:
            if row["probe_kind"] == "halluc_trap":
                row["n_correct"] = str(int(row["n_probes"]) - int(row["n_correct"]))

    rewrite(release / "clinician_baseline.csv", swap)
    assert reader_counts(release) == before


@pytest.mark.parametrize("n_correct", ["", "many", "-1", "10000", "2.5", "nan", "1e300"])
def test_odd_counts_are_passed_over(release: Path, rewrite, n_correct: str) -> None:
    n = len(reader_counts(release))
    rewrite(release / "clinician_baseline.csv", lambda rows: rows[0].update(n_correct=n_correct))
    assert len(reader_counts(release)) == n - 1


def test_tiers_that_do_not_add_up_and_other_probes(release: Path, rewrite) -> None:
    def change(rows):
        row = next(r for r in rows if (r["probe_kind"], r["risk_tier"]) == ("tcf", "ALL"))
        row.update(n_probes=str(int(row["n_probes"]) + 1), acc_or_sfr_pct="")

    rewrite(release / "clinician_baseline.csv", change)
    told = " ".join(found.evidence for found in codes(release)["reader-counts"])
    assert "tiers add up to" in told
    assert "31 probes read, 30 in the release" in told


@pytest.mark.parametrize("n_cases", ["", "0", "x"])
def test_odd_steps_are_passed_over(release: Path, rewrite, n_cases: str) -> None:
    n = len(decay_steps(release))
    rewrite(release / "visual_token_ablation.csv", lambda rows: rows[0].update(n_cases=n_cases))
    assert len(decay_steps(release)) == n - 1


def test_a_manifest_of_other_columns_and_cases(release: Path, rewrite) -> None:
    (release / "SYNTHETIC.txt").unlink()

    def change(rows):
        for row in rows:
            del row["annotator_notes"]
            row["surgeon"] = "x"
        rows[1]["case_id"] = "mvb-0001"
        rows[2]["risk_tier"] = "L7"

    rewrite(release / "manifest.csv", change)
    found = codes(release)
    assert "annotator_notes, surgeon" in found["manifest-columns"][0].evidence
    assert "30 cases, 300" in found["case-count"][0].evidence
    assert found["repeated-case"][0].count == 1
    assert found["unknown-tier"][0].where == "MVB-0003"


def test_an_open_probe_without_its_twin(release: Path, rewrite) -> None:
    rewrite(release / "probes_open.csv", lambda rows: rows[0].update(probe_id="MVB-0001__sketch"))
    (found,) = codes(release)["open-probe-alone"]
    assert found.where == "MVB-0001__sketch"


def test_a_case_without_a_box(release: Path, rewrite) -> None:
    rewrite(release / "grounding.csv", lambda rows: rows.pop(3))
    assert codes(release)["missing-box"][0].where == "MVB-0004"


def test_a_share_that_no_count_gives(release: Path, rewrite) -> None:
    rewrite(release / "visual_token_ablation.csv", lambda rows: rows[0].update(refusal_pct="51.5"))
    assert "51.5" in codes(release)["impossible-share"][0].evidence


def test_two_cases_of_one_picture(release: Path, rewrite) -> None:
    rewrite(release / "manifest.csv", lambda rows: rows[1].update(image_file=rows[0]["image_file"]))
    assert codes(release)["shared-picture"][0].where == "MVB-0001.png"


# ---------------------------------------------------------------- regions


def test_the_grey_rectangle_holds_its_last_row_and_column() -> None:
    pixels = np.full((10, 20, 3), 7, dtype=np.uint8)
    corners = region_px((0.1, 0.2, 0.5, 0.6), 20, 10)
    assert corners == (2, 2, 10, 6)
    masked, only = grey_region(pixels, corners), only_region(pixels, corners)
    assert (masked[..., 0] == 128).sum() == 9 * 5
    assert (only[..., 0] == 7).sum() == 8 * 4


def test_boxes_in_words() -> None:
    assert box_problem((0.0, 0.0, 1.0, 1.0)) is None
    assert box_problem((float("nan"), 0.0, 1.0, 1.0)) is not None
    assert region_px((float("nan"), 0.0, 1.0, 1.0), 10, 10) is None
    assert region_px((0.5, 0.5, 2.0, 0.7), 100, 100) == (50, 50, 100, 70)  # clipped
    assert region_px((0.0, 0.0, 1.0, 0.5), 100, 100) is not None  # one side is not both
