"""Checks that every changelog fragment has a name that a release can gather."""

import re
import sys
from pathlib import Path

NAME = re.compile(r"[a-z0-9][a-z0-9-]*\.(added|changed|fixed|scores)\.md")


def main() -> int:
    """Return 1 and name the fragments that are misnamed or empty."""
    folder = Path(__file__).parents[1] / "changelog.d"
    bad = [
        path
        for path in sorted(folder.iterdir())
        if path.name != "README.md"
        and (not NAME.fullmatch(path.name) or not path.read_text(encoding="utf-8").strip())
    ]
    for path in bad:
        print(f"{path}: expected a text in NAME.(added|changed|fixed|scores).md", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
