from __future__ import annotations

from types import SimpleNamespace

import pytest

from overread.contracts import Training, TrainingCase
from overread.records import Media
from overread.registry import find_benchmark
from overread.run.finetuning.lesions import pick_lesions, unreadable_finding


def _case(number, *, views=("bbox", "nobox"), text="a cyst", patient="p1"):
    return TrainingCase(
        id=str(number),
        media=tuple(Media(paths=(f"lesion_{view}/{number}.png",)) for view in views),
        texts={"description": text, "size": "1 mm"} if text else {"size": "1 mm"},
        groups={"patient": patient},
    )


def _release(cases, *, asked=()):
    items = [SimpleNamespace(groups={"patient": patient}) for patient in asked]
    return SimpleNamespace(
        training=lambda selection: Training(cases=tuple(cases)),
        items=lambda selection: iter(items if selection.split == "validation" else ()),
    )


@pytest.mark.parametrize(
    ("boxes", "folder"), [("with", "lesion_bbox"), ("without", "lesion_nobox")]
)
def test_each_lesion_is_shown_as_asked_for(boxes, folder):
    picked = pick_lesions(_release([_case(1), _case(2, views=("nobox", "bbox"))]), boxes)
    assert [pair.media.paths for pair in picked.pairs] == [
        (f"{folder}/1.png",),
        (f"{folder}/2.png",),
    ]
    assert not picked.findings


def test_what_is_left_out_is_counted_with_the_reason():
    cases = [
        _case(1, text=" a \n cyst "),
        _case(2, text=""),
        _case(3, text="  "),
        _case(4, views=("nobox",)),
        _case(5, patient="seen"),
    ]
    picked = pick_lesions(_release(cases, asked=["seen"]), "with")
    assert [(pair.id, pair.text) for pair in picked.pairs] == [("1", "a cyst")]
    assert {finding.code: finding.count for finding in picked.findings} == {
        "training-without-description": 2,
        "training-without-picture": 1,
        "training-patient-in-exam": 1,
    }
    assert "2 of 5 lesions" in picked.findings[0].evidence


def test_a_synthetic_release_gives_all_its_training_lesions_and_no_patient_of_the_exam(
    release_root,
):
    release = find_benchmark("ct-bench").open(release_root)
    picked = pick_lesions(release, "with")
    index = {line.split(",")[0]: line for line in _table(release_root)}
    assert len(picked.pairs) == sum(line.endswith(",train") for line in index.values())
    assert all(index[pair.id].endswith(",train") for pair in picked.pairs)
    assert not picked.findings


def _table(root):
    return (root / "Metadata.csv").read_text(encoding="utf-8").splitlines()[1:]


def test_unreadable_pictures_are_told_of_all():
    pairs = pick_lesions(_release([_case(1), _case(2)]), "with").pairs
    finding = unreadable_finding(1, pairs)
    assert (finding.count, "1 of 2" in finding.evidence) == (1, True)
