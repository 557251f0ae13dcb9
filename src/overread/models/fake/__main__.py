"""Run the fake server alone: ``python -m overread.models.fake [SCRIPT] [--port N]``."""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import suppress

from overread.errors import OverreadError
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer


def main() -> int:
    """Serve until interrupted; the first line printed is the base URL."""
    parser = argparse.ArgumentParser(prog="python -m overread.models.fake", description=__doc__)
    parser.add_argument("script", nargs="?", default="", help="such as letter=hash,429=0.05")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    arguments = parser.parse_args()
    try:
        script = read_script(arguments.script)
        with FakeServer(script, port=arguments.port) as server:
            print(server.base_url, flush=True)
            with suppress(KeyboardInterrupt):
                threading.Event().wait()
    except (OverreadError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
