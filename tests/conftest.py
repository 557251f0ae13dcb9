"""What every test shares: settings for a busy machine, and real released files where there are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no fault of the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def released_data() -> Path:
    """Real released files, one folder a source; without them the tests that need them skip."""
    named = os.environ.get("OVERREAD_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("no released files: set OVERREAD_DATA to the folder that holds them")
    return Path(named)
