"""``python -m overread``: the same as the command ``overread``."""

from __future__ import annotations

from overread.cli import main

if __name__ == "__main__":
    main()
