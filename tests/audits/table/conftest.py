from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from overread.audits.table.audit import TableAudit, audit_table
from overread.audits.table.claims import Claims
from overread.audits.table.read_claims import read_claims
from overread.store.printed_table import read_table

Auditor = Callable[..., TableAudit]


@pytest.fixture
def audit(tmp_path: Path) -> Auditor:
    """Audit a table given as text, with claims given as TOML."""

    def run(table: str, claims: str = "", name: str = "table.csv") -> TableAudit:
        path = tmp_path / name
        path.write_text(table, encoding="utf-8")
        known = Claims()
        if claims:
            file = tmp_path / "claims.toml"
            file.write_text(claims, encoding="utf-8")
            known = read_claims(file)
        return audit_table(read_table(path), known, label=name)

    return run
