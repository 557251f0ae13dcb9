"""Pairs of a shade of grey and its name, and a tiny network that can learn them."""

from __future__ import annotations

import importlib
import importlib.util
import io

import pytest
from PIL import Image

from overread.errors import ImageError
from overread.imaging.picture import with_receipt
from overread.records import Media

SHADES = {"dark": 10, "dim": 70, "grey": 128, "pale": 190, "white": 245}


def _render(media: Media):
    (path,) = media.paths
    shade = SHADES.get(path)
    if shade is None:
        raise ImageError(f"{path}: no such shade")
    buffer = io.BytesIO()
    Image.new("L", (40, 40), shade).save(buffer, "PNG")
    return (
        with_receipt(
            buffer.getvalue(), media_type="image/png", width=40, height=40, sources=(path,)
        ),
    )


@pytest.fixture(scope="session")
def render():
    return _render


@pytest.fixture(scope="session")
def shades():
    return dict(SHADES)


@pytest.fixture(autouse=True)
def _one_thread():
    """One thread sums in one order, and leaves the other workers their cores."""
    if importlib.util.find_spec("torch") is None:
        yield
        return
    torch = importlib.import_module("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
