import asyncio
import io

import numpy as np
import pytest
from PIL import Image

from overread.contracts import Reply
from overread.errors import FatalModelError, ModelError
from overread.imaging.canary import number_picture
from overread.records import ModelIdentity, Severity, Status
from overread.run.canary import ask_canaries


class Reader:
    """Reads the picture by comparing it with what each option would look like."""

    sees = True
    form = "chat"
    max_concurrency = 1
    identity = ModelIdentity(kind="test", name="reader")

    def __init__(self, *, blind: bool) -> None:
        self.blind = blind

    async def preflight(self) -> None: ...

    async def close(self) -> None: ...

    async def ask(self, query):
        if self.blind:
            return Reply(status=Status.OK, text="A")
        shown = next(iter(query.pictures.values()))[0].data
        for option in query.item.answer_space.options:
            if number_picture(option.text).data == shown:
                return Reply(status=Status.OK, text=f'{{"selected_option": "{option.letter}"}}')
        raise AssertionError("no option is in the picture")


def test_a_model_that_sees_names_all_numbers():
    (finding,) = asyncio.run(ask_canaries(Reader(blind=False)))
    assert finding.severity is Severity.INFO
    assert "named 4 of 4" in finding.evidence


def test_a_model_that_does_not_see_is_warned_about():
    (finding,) = asyncio.run(ask_canaries(Reader(blind=True)))
    assert finding.severity is Severity.WARNING
    assert finding.effect


class Broken(Reader):
    def __init__(self, error):
        super().__init__(blind=True)
        self.error = error

    async def ask(self, query):
        raise self.error


def test_a_model_that_fails_at_canaries_is_warned_about_and_may_go_on():
    (finding,) = asyncio.run(ask_canaries(Broken(ModelError("out of memory"))))
    assert finding.severity is Severity.WARNING
    assert "named 0 of 4" in finding.evidence
    assert "failed: out of memory" in finding.evidence


def test_a_model_that_cannot_answer_at_all_ends_the_run():
    with pytest.raises(FatalModelError):
        asyncio.run(ask_canaries(Broken(FatalModelError("no key"))))


def test_the_number_stands_only_in_the_pixels():
    pictures = {number: number_picture(number) for number in ("123", "124")}
    assert pictures["123"].data != pictures["124"].data
    pixels = np.asarray(Image.open(io.BytesIO(pictures["123"].data)))
    assert pixels.shape == (256, 256)
    assert 0.02 < (pixels > 128).mean() < 0.4
