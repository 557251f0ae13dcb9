"""The claims that the documentation shows are claims."""

from __future__ import annotations

import re
from pathlib import Path

from overread.audits.table.claims import Claims
from overread.audits.table.read_claims import read_claims

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "audit-a-table.md"


def test_the_claims_of_the_how_to_use_every_key(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "claims.toml"
    path.write_text(shown, encoding="utf-8")
    claims = read_claims(path)
    assert claims.n.cells == {("junior doctor", "box"): 55}
    assert claims.totals[0].weights == (1000, 900)
    empty = Claims()
    untouched = {
        name
        for name in Claims.__dataclass_fields__
        if getattr(claims, name) == getattr(empty, name)
    }
    # Shown at their defaults, or said by an option.
    assert untouched == {"rounding", "sites", "infer"}


def test_every_code_is_in_the_how_to() -> None:
    page = PAGE.read_text(encoding="utf-8")
    folder = Path(__file__).parents[3] / "src" / "overread" / "audits" / "table"
    codes = {
        code
        for path in folder.glob("*.py")
        for code in re.findall(
            r'Severity\.\w+(?: if .*? else Severity\.\w+)?,\s+"([a-z-]+)"',
            path.read_text(encoding="utf-8"),
        )
    }
    assert len(codes) > 15
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []
