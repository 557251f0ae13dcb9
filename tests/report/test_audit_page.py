from __future__ import annotations

import json
import re
from pathlib import Path

from overread.audits.table.audit import audit_table
from overread.audits.table.claims import Claims, Counts
from overread.records import Finding, Severity
from overread.report.audit_page import AuditPage, audit_json, page_of_table, write_audit
from overread.store.printed_table import read_table


def _page(tmp_path: Path, text: str, n: int | None = 100) -> AuditPage:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    audit = audit_table(read_table(path), Claims(n=Counts(all=n)), label="t.csv")
    return page_of_table(
        audit,
        title="A table",
        source="",
        command="overread audit table t.csv",
        created="2026-01-02",
    )


def test_the_page_marks_the_cell_and_leads_to_its_finding(tmp_path: Path) -> None:
    page = _page(tmp_path, "m,accuracy\nA,24.5\nB,**30.0**\n")
    html, markdown, data = (path.read_text() for path in write_audit(page, tmp_path / "out"))
    assert re.search(r'<td class="number error"><bdi>24\.5</bdi><sup><a href="#f1">1</a>', html)
    assert '<li id="f1">' in html
    assert '<td class="number"><b>30.0</b></td>' in html
    assert "nearest that can be is 24 of 100" in html
    assert "1. **error** `impossible-share`, A, accuracy (line 2)" in markdown
    found = json.loads(data)
    assert found["findings"][0]["cells"] == [
        {"row": "A", "line": 2, "column": "accuracy", "text": "24.5"}
    ]
    assert {each["name"] for each in found["checks"]} >= {"shares against the number of items"}
    assert found == json.loads(json.dumps(audit_json(page)))


def test_hostile_cells_stay_text(tmp_path: Path) -> None:
    name = '<script>alert(1)</script>"'
    page = _page(tmp_path, f'm,accuracy\n"{name.replace(chr(34), chr(34) * 2)}",24.5\nB,30.0\n')
    html, markdown, _ = (path.read_text() for path in write_audit(page, tmp_path / "out"))
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "<script" not in markdown.replace("\\<", "")
    assert "default-src &#39;none&#39;" in html


def test_a_long_table_is_cut_but_not_its_flaws(tmp_path: Path) -> None:
    rows = "".join(f"m{n},{n % 100}.0\n" for n in range(400))
    page = _page(tmp_path, f"m,accuracy\n{rows}last,24.5\n")
    html = write_audit(page, tmp_path / "out")[0].read_text()
    assert "200 further rows without a finding are not shown" in html
    assert "<bdi>last</bdi>" in html


def test_a_release_has_findings_alone(tmp_path: Path) -> None:
    finding = Finding(
        severity=Severity.WARNING, code="odd", where="here|there", evidence="it is", count=1200
    )
    page = AuditPage(
        title="Audit", subject="release", findings=(finding,), command="c", created="2026-01-02"
    )
    html, markdown, data = (path.read_text() for path in write_audit(page, tmp_path))
    assert "What was tried" not in html
    assert "The table" not in html
    assert "here\\|there" in markdown
    assert json.loads(data)["findings"][0]["severity"] == "warning"
    assert "cells" not in json.loads(data)["findings"][0]


def test_nothing_found_says_so(tmp_path: Path) -> None:
    page = _page(tmp_path, "m,accuracy\nA,24.0\nB,30.0\n", n=None)
    html, markdown, _ = (path.read_text() for path in write_audit(page, tmp_path / "out"))
    assert "Nothing was found." in html
    assert "Nothing was found." in markdown
    # And that nothing could be tried about counts.
    assert "state it with --n" in html


def test_a_wide_table_scrolls_in_its_box_and_says_so(tmp_path: Path) -> None:
    names = ",".join(f"Dice of centre {number}" for number in range(16))
    cells = ",".join(f"0.{number + 50} (3)" for number in range(16))
    page = _page(tmp_path, f"place,algorithm,{names}\n1,nnU-Net,{cells}\n2,other,{cells}\n")
    html = write_audit(page, tmp_path / "out")[0].read_text()
    assert '<p class="sideways wide-everywhere"' in html
    assert '<div class="panel scroll sheet-box" tabindex="0"' in html
    # The column of names stays in view, and none but it.
    assert re.search(r'<th scope="col" class=" stays"><bdi>algorithm</bdi>', html)
    assert html.count(' stays"') == 3
    narrow = write_audit(_page(tmp_path, "m,acc\nA,24.0\nB,30.0\n"), tmp_path / "b")[0].read_text()
    assert '<p class="sideways' not in narrow
    assert narrow.count(' stays"') == 3


def test_a_table_without_names_keeps_its_first_column(tmp_path: Path) -> None:
    page = _page(tmp_path, "acc,dice\n24.0,0.31\n30.0,0.52\n")
    html = write_audit(page, tmp_path / "out")[0].read_text()
    assert re.search(r'class="number stays"><bdi>acc</bdi>', html)
