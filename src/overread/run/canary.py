"""The canary: questions whose answer stands only in a picture, asked before a run.

A model that is sent pictures and does not see them still answers, and still gets a score. So a
number is drawn on an empty picture and asked for among four. A model that names it sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from overread.contracts import Model, Query
from overread.errors import FatalModelError, ModelError
from overread.imaging.canary import number_picture
from overread.records import Choice, Finding, Item, Media, Option, Part, Severity
from overread.scoring.honest_choice import read_choice

__all__ = ["ask_canaries"]

_QUESTION: Final = "Which number is written in the picture?"
_REQUEST: Final = 'Answer with one JSON object: {"selected_option": "<letter of the option>"}'
_N_CANARIES: Final = 4
_SEED: Final = 4071
_LETTERS: Final = "ABCD"


async def ask_canaries(model: Model) -> tuple[Finding, ...]:
    """Ask four canaries and say how many numbers the model read.

    Chance is one of four: a blind model reads three or more of the four with probability 0.05.
    """
    right, replies = 0, list[str]()
    for item, media, options, number, letter in _canaries():
        picture = number_picture(number)
        try:
            reply = await model.ask(Query(item=item, pictures={media: (picture,)}))
        except FatalModelError:
            raise
        except ModelError as error:
            replies.append(f"failed: {error}")
            continue
        reading = read_choice(reply.text, options)
        right += reading.answer == letter
        replies.append(f"{number}: {reading.answer or reading.rule}")
    sees = right >= _N_CANARIES - 1
    return (
        Finding(
            severity=Severity.INFO if sees else Severity.WARNING,
            code="canary",
            where="before the first question",
            evidence=f"the model named {right} of {_N_CANARIES} numbers that stand only in a "
            f"picture ({'; '.join(replies)[:300]})",
            effect="" if sees else "its answers may not rest on the pictures at all",
            remedy=""
            if sees
            else "Look at the receipts, and at whether the server passes pictures on.",
        ),
    )


def _canaries() -> Iterator[tuple[Item, Media, tuple[Option, ...], str, str]]:
    rng = np.random.default_rng(_SEED)
    for place in range(_N_CANARIES):
        numbers = [str(number) for number in rng.choice(np.arange(100, 1000), 4, replace=False)]
        right = int(rng.integers(4))
        media = Media(paths=(f"canary-{place}.png",))
        options = tuple(
            Option(letter=letter, text=number)
            for letter, number in zip(_LETTERS, numbers, strict=True)
        )
        lines = [_QUESTION, "Options:", *(f"{each.letter}: {each.text}" for each in options)]
        words = "\n".join([*lines, _REQUEST])
        item = Item(
            id=f"canary-{place}",
            benchmark="canary",
            task="canary",
            condition="canary",
            question=_QUESTION,
            media=(media,),
            prompt=(Part(text=words), Part(media=media)),
            answer_space=Choice(options=options),
        )
        yield item, media, options, numbers[right], _LETTERS[right]
