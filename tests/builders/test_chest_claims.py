"""Samples of pictures out of label tables, and blinded annotation sheets."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from overread.benchmarks.hallucxr import BENCHMARK, layout
from overread.benchmarks.hallucxr.layout import FINDINGS, Output
from overread.builders.chest_claims import (
    annotation_sheet,
    draw_pictures,
    read_sheet,
    write_release,
)
from overread.cli.build_claims_command import chest_claims_command
from overread.contracts import Selection
from overread.errors import UsageError


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """Write 12 patients of 6 studies, one in three normal, a frontal and a lateral view each."""
    labels, pictures = io.StringIO(), io.StringIO()
    label_table, picture_table = csv.writer(labels), csv.writer(pictures)
    label_table.writerow(("subject_id", "study_id", *FINDINGS, "No Finding", "Support Devices"))
    picture_table.writerow(("dicom_id", "subject_id", "study_id", "ViewPosition"))
    for study in range(72):
        subject = 10_000_000 + study // 6
        is_normal = study % 3 == 0
        states = ["0.0" if is_normal else ("1.0", "", "-1.0")[k % 3] for k in range(12)]
        label_table.writerow((subject, study, *states, "1.0" if is_normal else "", ""))
        picture_table.writerow((f"d{study}a", subject, study, "PA"))
        picture_table.writerow((f"d{study}b", subject, study, "LATERAL"))
    paths = tmp_path / "labels.csv", tmp_path / "metadata.csv"
    for path, text in zip(paths, (labels, pictures), strict=True):
        path.write_text(text.getvalue(), encoding="utf-8")
    return paths


def test_strata_are_even_and_no_patient_leads(tables):
    sample = draw_pictures(*tables, n=24, per_patient=3, seed=1)
    assert sample.pool == {"normal": 24, "abnormal": 48}
    assert sample.drawn == {"normal": 12, "abnormal": 12}
    assert max(Counter(row["subject_id"] for row in sample.rows).values()) <= 3
    assert {row["view"] for row in sample.rows} == {"PA"}
    assert sample == draw_pictures(*tables, n=24, per_patient=3, seed=1)
    assert sample.rows != draw_pictures(*tables, n=24, per_patient=3, seed=2).rows


def test_the_cap_ends_the_draw(tables):
    assert len(draw_pictures(*tables, n=100, per_patient=2, seed=1).rows) == 24


def test_the_sample_opens_as_a_release(tables, tmp_path: Path):
    out = tmp_path / "release"
    write_release(draw_pictures(*tables, n=12, per_patient=3, seed=1), out)
    release = BENCHMARK.open(out)
    item = next(iter(release.items(Selection())))
    assert item.media[0].paths[0].startswith("files/p10/p100000")
    assert release.reference(item.id).problem is None
    with pytest.raises(UsageError, match="OUT: expected a folder without"):
        write_release(draw_pictures(*tables, n=12, per_patient=3, seed=1), out)


def test_a_table_without_a_column_is_refused(tables, tmp_path: Path):
    (tmp_path / "short.csv").write_text("subject_id,study_id\n1,2\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"expected a table .+ got without Enlarged"):
        draw_pictures(tmp_path / "short.csv", tables[1], n=3, per_patient=1, seed=1)
    with pytest.raises(UsageError, match="No such file"):
        draw_pictures(tmp_path / "none.csv", tables[1], n=3, per_patient=1, seed=1)


def test_a_sheet_names_no_model_and_reads_back():
    outputs = [
        Output(picture=f"i{k}", query=query, model=model, response=f"No effusion, {k}.")
        for k in range(10)
        for query in layout.QUERIES
        for model in ("alpha", "beta")
    ]
    text, key = annotation_sheet(outputs, n=12, seed=4)
    assert "alpha" not in text
    assert set(Counter((query, model) for _, query, model in key.values()).values()) == {2}
    rows = list(csv.DictReader(io.StringIO(text)))
    rows[0] |= {"category": "Omitted  finding", "severity": "severe"}
    rows[1] |= {"category": "none"}
    rows[2] |= {"category": "nonsense", "severity": "minor"}
    filled = io.StringIO()
    table = csv.DictWriter(filled, rows[0].keys())
    table.writeheader()
    table.writerows(rows)
    found, unread = read_sheet(filled.getvalue(), key, annotator="reader 1")
    assert [(one.category, one.severity) for one in found] == [
        ("omitted finding", "severe"),
        ("none", "none"),
    ]
    assert (found[0].picture, found[0].query, found[0].model) == key[rows[0]["code"]]
    assert len(unread) == 10


def test_the_command_says_what_it_drew(tables, tmp_path: Path, capsys):
    out = tmp_path / "release"
    assert chest_claims_command(*tables, out, n=12, per_patient=2, json=True) == 0
    assert '"patients"' in capsys.readouterr().out
    assert chest_claims_command(*tables, tmp_path / "more", n=90, per_patient=2) == 1
