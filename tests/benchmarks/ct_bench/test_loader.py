import json

import pytest

from overread.benchmarks.ct_bench import BENCHMARK, layout
from overread.contracts import Selection
from overread.errors import ReleaseError


def opened(small_release):
    return BENCHMARK.open(small_release.root)


def codes(release):
    return {finding.code: finding for finding in release.findings()}


def ids(release, **selection):
    return [item.id for item in release.items(Selection(**selection))]


def test_nothing_is_found_where_nothing_is_odd(small_release):
    # Its clip file asks two of the six, of four lesions one has key slices, its stack has three.
    expected = {"one-form-only", "missing-key-slice", "key-slice-names", "slice-count"}
    assert set(codes(opened(small_release))) == expected


def test_items_come_in_file_order_with_stable_ids(small_release):
    expected = [
        "test/img2txt/box/10",
        "test/img2txt/no-box/10",
        "test/ct2txt/box/11",
        "test/txt2img/box/11",
        "test/img2size/box/11",
    ]
    assert ids(opened(small_release)) == expected
    assert ids(opened(small_release)) == expected
    assert ids(opened(small_release), split="validation") == ["validation/img2txt/box/20"]


def test_chat_and_clip_forms_share_ids(small_release):
    release = opened(small_release)
    assert set(ids(release, form="clip")) <= set(ids(release))
    item = next(iter(release.items(Selection(form="clip", tasks=("txt2img",)))))
    assert item.question == "a description"
    assert item.answer_space.options[0].media.paths == ("clip/test/a.png",)


def test_forms_with_different_letters_are_told_apart(small_release):
    small_release.clip[0]["correct_choice"] = "C"
    small_release.write()
    release = opened(small_release)
    assert "test/img2txt/box/10@clip" in ids(release, form="clip")
    assert release.reference("test/img2txt/box/10").answer == "B"
    assert release.reference("test/img2txt/box/10@clip").answer == "C"
    assert "forms-differ" in codes(release)


def test_items_show_pictures_and_groups_and_never_the_answer(small_release):
    item = next(iter(opened(small_release).items(Selection())))
    assert item.media[0].paths == ("llm/test/one.png",)
    assert item.media[0].spacing_mm == (0.75, 0.75)
    assert item.groups == {"lesion": "10", "patient": "7", "study": "7-1", "qa_id": "1"}
    assert item.strata == {"task": "img2txt", "box": "box", "stack": "single", "split": "test"}
    assert "correct" not in repr(item)


def test_a_stack_is_shown_by_the_recipe_that_is_part_of_the_condition(small_release):
    release = opened(small_release)
    for stack in ("images", "mosaic", "features"):
        (item,) = release.items(Selection(tasks=("ct2txt",), stack=stack))
        assert item.condition == f"box+{stack}"
        assert item.media[0].recipe.stack == stack
        assert item.media[0].kind == "stack"


def test_the_chat_prompt_holds_options_and_pictures_in_place(small_release):
    (item,) = opened(small_release).items(Selection(tasks=("txt2img",)))
    words = [part.text for part in item.prompt if part.text]
    assert item.prompt[0].role == "system"
    assert "A: alpha" in words[1]
    assert "selected_option" in words[1]
    assert words[2:] == ["Image A:", "Image B:", "Image C:", "Image D:"]
    assert [part.media.paths[0][-5] for part in item.prompt if part.media] == list("abcd")


def test_a_limit_is_spread_over_settings(small_release):
    small_release.llm = [dict(small_release.llm[0], lesion_idx=n) for n in range(20)]
    small_release.llm += [dict(small_release.llm[0], lesion_idx=n, q_type="img2size")
                          for n in range(20)]  # fmt: skip
    small_release.write()
    tasks = [item.task for item in opened(small_release).items(Selection(limit=6))]
    assert tasks == ["img2txt"] * 3 + ["img2size"] * 3


def test_a_missing_picture_is_a_finding_and_its_questions_stay(small_release):
    before = ids(opened(small_release))
    (small_release.root / "llm/test/one.png").unlink()
    release = opened(small_release)
    assert ids(release) == before
    finding = codes(release)["missing-image"]
    assert finding.where == "llm/test/one.png"
    assert "3 questions" in finding.evidence


def test_key_slices_are_reported_by_their_spelling_and_where_they_lack(small_release):
    found = codes(opened(small_release))
    assert found["key-slice-names"].evidence == (
        "key slices are spelt lesion_bbox/{lesion_idx}.png and lesion_nobox/{lesion_idx}.png"
    )
    assert found["missing-key-slice"].count == 3
    folder = small_release.root / "lesion_bbox"
    (folder / "30.png").rename(folder / "lesion_30.png")
    found = codes(opened(small_release))
    assert "lesion_bbox/lesion_{lesion_idx}.png" in found["key-slice-names"].evidence
    for each in ("lesion_bbox/lesion_30.png", "lesion_nobox/30.png"):
        (small_release.root / each).unlink()
    found = codes(opened(small_release))
    assert found["missing-key-slice"].count == 4
    assert "key-slice-names" not in found


@pytest.mark.parametrize("gap", [None, 7, ""])
def test_a_gap_among_candidates_moves_no_picture_to_another_letter(small_release, gap):
    small_release.clip[1]["image_paths"][0] = gap
    small_release.llm[3]["image_path"][0] = gap
    small_release.write()
    release = opened(small_release)
    for form, folder in (("clip", "clip"), ("chat", "llm")):
        (item,) = release.items(Selection(form=form, tasks=("txt2img",)))
        shown = {option.letter: option.media.paths[0] for option in item.options}
        assert shown["B"] == f"{folder}/test/b.png"
        assert shown["A"] == f"{folder}/test/"
    assert codes(release)["missing-image"].count == 2


def test_a_stack_or_candidates_of_another_number_are_findings(small_release):
    small_release.llm[3]["image_path"].pop()
    small_release.write()
    found = codes(opened(small_release))
    assert found["picture-count"].evidence == "3 pictures for 4 options"
    assert found["slice-count"].evidence == "3 slices, a stack has 9"


def test_a_file_that_is_no_picture_is_a_finding(small_release):
    (small_release.root / "llm/test/one.png").write_text("<html>not found</html>")
    assert "unreadable-image" in codes(opened(small_release))


def test_a_whole_file_without_a_picture_is_found_when_it_is_looked_at_closely(small_release):
    import struct
    import zlib

    def chunk(kind, body):
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", 256, 256, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
    data += chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    (small_release.root / "llm/test/one.png").write_bytes(data)
    release = opened(small_release)
    assert "unreadable-image" not in codes(release)
    found = {finding.code for finding in release.findings(thorough=True)}
    assert "unreadable-image" in found


def test_a_huge_picture_is_a_finding_before_it_is_decoded(small_release):
    import struct
    import zlib

    header = b"IHDR" + struct.pack(">IIBBBBB", 20_000, 20_000, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header
    data += struct.pack(">I", zlib.crc32(header))
    (small_release.root / "llm/test/one.png").write_bytes(data)
    assert "20,000" in codes(opened(small_release))["unreadable-image"].where


@pytest.mark.parametrize("path", ["../../../secret.png", "/etc/hostname", "a/../../../../x.png"])
def test_a_path_that_climbs_out_is_a_finding(small_release, path):
    (small_release.root.parent / "secret.png").write_bytes(b"")
    small_release.llm[0]["image_path"] = path
    small_release.write()
    found = codes(opened(small_release))
    assert "unsafe-path" in found or "missing-image" in found
    if path.startswith("/") or (small_release.root.parent / "secret.png").name in path:
        assert "unsafe-path" in found


def test_a_link_that_leaves_the_release_is_a_finding(small_release):
    outside = small_release.root.parent / "outside.png"
    (small_release.root / "llm/test/one.png").rename(outside)
    (small_release.root / "llm/test/one.png").symlink_to(outside)
    assert "unsafe-path" in codes(opened(small_release))


def test_unusable_answers_stay_as_questions_with_a_problem(small_release):
    del small_release.llm[0]["correct_choice"]
    small_release.llm[1]["correct_choice"] = "E"
    small_release.write()
    release = opened(small_release)
    assert len(ids(release)) == 5
    assert release.reference("test/img2txt/box/10").problem is not None
    assert "none of the options" in release.reference("test/img2txt/no-box/10").problem
    assert codes(release)["unusable-answer"].count == 1


def test_duplicates_are_asked_and_reported(small_release):
    small_release.llm.append(dict(small_release.llm[0]))
    small_release.clip.append(dict(small_release.clip[0]))
    small_release.write()
    release = opened(small_release)
    assert ids(release)[-1] == "test/img2txt/box/10#2"
    assert len(set(ids(release))) == len(ids(release)) == 6
    assert "duplicate-id" in codes(release)
    repeats = [f.where for f in release.findings() if f.code == "repeated-question"]
    assert repeats == ["qa_llm.json[6]", "qa_clip.json[2]"]


def test_twins_of_one_name_are_paired_by_their_options_and_never_by_order(small_release):
    first = small_release.llm[0]
    others = {letter: f"other {letter}" for letter in "ABCD"}
    small_release.llm = [first, dict(first, choices=others)]
    clip = small_release.clip[0]
    texts = [list(one["choices"].values()) for one in small_release.llm]
    small_release.clip = [
        dict(clip, qa_id=number, text=texts[place], correct_choice=first["correct_choice"])
        for number, place in ((1, 1), (2, 0))  # the other way round
    ]
    small_release.write()
    release = opened(small_release)
    assert ids(release, form="clip") == ["test/img2txt/box/10@clip", "test/img2txt/box/10#2@clip"]
    assert all("qa_id" not in item.groups for item in release.items(Selection()))
    small_release.clip.reverse()
    small_release.write()
    numbers = [item.groups["qa_id"] for item in opened(small_release).items(Selection())]
    assert numbers == ["2", "1"]


def test_a_question_of_one_file_only_is_a_finding(small_release):
    alone = codes(opened(small_release))["one-form-only"]
    small_release.llm = small_release.llm[:1]
    small_release.write()
    fewer = codes(opened(small_release))["one-form-only"]
    assert (alone.count, alone.evidence) == (4, "these questions are not in qa_clip.json")
    assert (fewer.count, fewer.evidence) == (1, "these questions are not in qa_llm.json")


def test_an_entry_that_is_no_question_is_reported(small_release):
    small_release.llm += [7, {"q_type": "img2txt"}]
    small_release.write()
    release = opened(small_release)
    assert len(ids(release)) == 5
    assert codes(release)["unusable-question"].where.startswith("qa_llm.json[")


def test_quoted_newlines_are_read(small_release):
    release = opened(small_release)
    assert release._index.lesions["10"].description == "A nodule,\nin the left lung"


def test_another_encoding_is_read_and_reported(small_release):
    text = (small_release.root / layout.METADATA_FILE).read_text()
    (small_release.root / layout.METADATA_FILE).write_bytes(
        text.replace("nodule", "nodulé").encode("cp1252")
    )
    release = opened(small_release)
    assert "mixed-encoding" in codes(release)
    assert "nodulé" in release._index.lesions["10"].description


def test_training_holds_nothing_of_the_test_split(small_release):
    training = opened(small_release).training(Selection())
    assert [case.id for case in training.cases] == ["30"]
    assert training.cases[0].texts["attributes"] == "calcified"
    assert {m.paths[0] for m in training.cases[0].media} == {
        "lesion_bbox/30.png", "lesion_nobox/30.png",
    }  # fmt: skip
    assert [item.id for item, _ in training.exam] == ["validation/img2txt/box/20"]


def test_the_other_spelling_of_key_slices_is_accepted(small_release):
    for folder in ("lesion_bbox", "lesion_nobox"):
        path = small_release.root / folder / "30.png"
        path.rename(path.with_name("lesion_30.png"))
    media = opened(small_release).training(Selection()).cases[0].media
    assert media[0].paths == ("lesion_bbox/lesion_30.png",)


def test_one_broken_question_file_leaves_the_other(small_release):
    text = json.dumps(small_release.llm)
    (small_release.root / "qa_llm.json").write_text(text[: len(text) // 2])
    release = opened(small_release)
    assert ids(release) == ["test/img2txt/box/10", "test/txt2img/box/11"]
    assert "cut short" in codes(release)["unreadable-questions"].evidence


def test_an_unstated_split_is_its_lesions_or_its_folders(small_release):
    for question in small_release.llm:
        del question["split"]
    small_release.write()
    assert len(ids(opened(small_release), split="test")) == 5
    assert len(ids(opened(small_release), split="validation")) == 1
    (small_release.root / layout.METADATA_FILE).unlink()
    assert len(ids(opened(small_release), split="test")) == 6  # one.png lies in both folders
    small_release.llm[5]["image_path"] = "nowhere.png"
    small_release.write()
    assert codes(opened(small_release))["unknown-split"].count == 1


def test_a_split_that_nobody_knows_is_reported_wherever_the_split_is_found(small_release):
    small_release.llm[0]["split"] = "fold 3"  # lesion 10 is of the test split
    small_release.llm[1] |= {"split": "fold 3", "image_path": "validation/one.png"}
    small_release.llm[2]["split"] = ["x" * 500]
    small_release.write()
    release = opened(small_release)
    found = [each for each in release.findings() if each.code == "odd-split"]
    assert [each.count for each in found] == [2, 1]
    assert found[0].evidence == "split 'fold 3' is none of test, validation, train"
    assert found[0].where == "qa_llm.json[0] and 1 more"
    assert len(found[1].evidence) < 100
    assert ids(release, split="validation")[0] == "validation/img2txt/no-box/10"
    assert ids(release)[0] == "test/img2txt/box/10"


def test_questions_of_the_training_split_are_in_no_denominator_and_are_reported(small_release):
    small_release.llm[0]["split"] = "train"
    del small_release.llm[1]["split"]
    small_release.llm[1]["lesion_idx"] = 30  # whose table says train
    small_release.write()
    release = opened(small_release)
    found = codes(release)["train-question"]
    assert (found.count, found.where) == (2, "qa_llm.json[0] and 1 more")
    assert "neither test nor validation" in found.effect
    assert ids(release, split="train") == ["train/img2txt/box/10", "train/img2txt/no-box/30"]
    assert {case.id for case in release.training(Selection(split="test")).cases} == {"30"}
    assert release.training(Selection(split="train")).cases == ()


@pytest.mark.parametrize("make", ["absent", "file", "empty", "other", "empty-json", "cut"])
def test_no_release_is_an_error_that_helps(tmp_path, make):
    root = tmp_path / "release"
    if make == "file":
        root.write_text("x")
    elif make != "absent":
        root.mkdir()
        if make == "other":
            (root / "readme.md").write_text("hello")
        for name in ("qa_llm.json", "qa_clip.json") if make in ("empty-json", "cut") else ():
            (root / name).write_text("[]" if make == "empty-json" else '[{"q_type": "img')
    with pytest.raises(ReleaseError, match="RELEASE: expected"):
        BENCHMARK.open(root)


def test_a_table_that_went_through_a_data_frame_is_joined_all_the_same(small_release):
    path = small_release.root / layout.MERGED_FILE
    path.write_text(path.read_text().replace("\n10,", "\n10.0,").replace("\n11,", "\n11.0,"))
    release = opened(small_release)
    assert {item.groups["patient"] for item in release.items(Selection())} == {"7"}
    assert "unknown-patient" not in codes(release)


def test_a_release_without_tables_is_still_an_exam(small_release):
    for name in (layout.METADATA_FILE, layout.MERGED_FILE, layout.ONTOLOGY_FILE):
        (small_release.root / name).unlink()
    release = opened(small_release)
    assert len(ids(release)) == 5
    item = next(iter(release.items(Selection())))
    assert item.groups["patient"] == "lesion-10"
    assert codes(release)["missing-table"].count == 1
    assert "unknown-lesion" in codes(release)


def test_the_fingerprint_follows_the_questions(small_release):
    first = opened(small_release).fingerprint
    assert opened(small_release).fingerprint == first
    small_release.llm[0]["question"] = "Which other?"
    small_release.write()
    assert opened(small_release).fingerprint != first


@pytest.mark.parametrize("name", [layout.METADATA_FILE, layout.MERGED_FILE, layout.ONTOLOGY_FILE])
def test_another_table_is_another_release_and_so_is_none(small_release, name):
    first = opened(small_release).fingerprint
    path = small_release.root / name
    path.write_text(path.read_text().replace("30,", "31,"))
    changed = opened(small_release).fingerprint
    path.unlink()
    assert len({first, changed, opened(small_release).fingerprint}) == 3


def test_a_table_without_its_stray_blank_is_the_same_table(small_release):
    first = opened(small_release).fingerprint
    path = small_release.root / layout.MERGED_FILE
    path.rename(small_release.root / layout.MERGED_FILE.replace(" .csv", ".csv"))
    assert opened(small_release).fingerprint == first


def test_neither_opening_nor_the_fingerprint_parses_a_table(small_release, monkeypatch):
    monkeypatch.setattr(
        "overread.benchmarks.ct_bench.index.read_text", lambda *_, **__: pytest.fail("parsed")
    )
    assert opened(small_release).fingerprint
