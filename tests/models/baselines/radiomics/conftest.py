"""A world of small slices in which everything that a text says can be seen."""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from PIL import Image

from overread.contracts import Picture, Query, Training, TrainingCase
from overread.errors import ImageError
from overread.imaging.boxes import draw_box
from overread.imaging.picture import with_receipt
from overread.records import Box, Choice, Item, Media, Option

SIDE = 96
SPACING_MM = 3.6  # a body of 96 pixels is 346 mm wide


@dataclass(frozen=True)
class Lesion:
    """What is drawn; `text` says it all."""

    number: int
    side: str
    density: str
    region: str
    radius_px: float

    @property
    def text(self) -> str:
        return f"A {self.density} lesion on the {self.side} side of the {self.region}"

    @property
    def size(self) -> str:
        return f"{2 * self.radius_px * SPACING_MM:.0f} x {1.8 * self.radius_px * SPACING_MM:.0f} mm"


def lesions(rng: np.random.Generator, n: int) -> list[Lesion]:
    kinds = list(product(("left", "right"), ("bright", "dark"), ("chest", "abdomen")))
    return [
        Lesion(i, *kinds[int(rng.integers(len(kinds)))], float(rng.uniform(4, 9))) for i in range(n)
    ]


def draw(lesion: Lesion, *, boxed: bool) -> np.ndarray:
    """Draw a slice: body, two lungs in the chest, spine, noise, and the lesion."""
    rng = np.random.default_rng(lesion.number)
    y, x = np.mgrid[:SIDE, :SIDE]
    grey = np.full((SIDE, SIDE), 0.0)
    body = ((x - 48) / 46) ** 2 + ((y - 48) / 38) ** 2 <= 1
    grey[body] = 110
    if lesion.region == "chest":
        for centre in (27, 69):
            grey[((x - centre) / 16) ** 2 + ((y - 46) / 24) ** 2 <= 1] = 60
    grey[(x - 48) ** 2 + (y - 74) ** 2 <= 36] = 230
    # The patient's left is on the right of the picture.
    at_x = (69 if lesion.side == "left" else 27) + rng.uniform(-5, 5)
    at_y = 46 + rng.uniform(-8, 8)
    radius = lesion.radius_px
    inside = ((x - at_x) / radius) ** 2 + ((y - at_y) / (0.9 * radius)) ** 2 <= 1
    grey[inside] += 70 if lesion.density == "bright" else -45
    pixels = np.clip(grey + rng.normal(0, 4, grey.shape), 0, 255).astype(np.uint8)
    if not boxed:
        return pixels
    return draw_box(
        pixels,
        Box(
            x_min=at_x - radius - 2,
            y_min=at_y - 0.9 * radius - 2,
            x_max=at_x + radius + 2,
            y_max=at_y + 0.9 * radius + 2,
        ),
    )


def encode(pixels: np.ndarray, *, layout: str = "single", sources: int = 1) -> Picture:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return with_receipt(
        buffer.getvalue(),
        media_type="image/png",
        width=pixels.shape[1],
        height=pixels.shape[0],
        sources=tuple(f"{n}.png" for n in range(sources)),
        layout=layout,
    )


class World:
    """Training cases, a renderer, and questions with their right letters."""

    def __init__(self, *, n_train: int, n_test: int) -> None:
        rng = np.random.default_rng(5)
        self.train = lesions(rng, n_train)
        self.test = [Lesion(1000 + one.number, *_facts(one)) for one in lesions(rng, n_test)]
        self.by_number = {one.number: one for one in (*self.train, *self.test)}

    def media(self, lesion: Lesion, *, boxed: bool) -> Media:
        return Media(
            paths=(f"{'box' if boxed else 'plain'}/{lesion.number}.png",),
            spacing_mm=(SPACING_MM, SPACING_MM),
        )

    def render(self, media: Media) -> tuple[Picture, ...]:
        folder, name = media.paths[0].split("/")
        number = int(name.removesuffix(".png"))
        if number not in self.by_number:
            raise ImageError(f"{name}: expected a file, got none. Check the release.")
        return (encode(draw(self.by_number[number], boxed=folder == "box")),)

    @property
    def training(self) -> Training:
        return Training(
            cases=tuple(
                TrainingCase(
                    id=str(one.number),
                    media=(self.media(one, boxed=True), self.media(one, boxed=False)),
                    texts={"description": one.text, "size": one.size},
                )
                for one in self.train
            )
        )

    def text_question(self, lesion: Lesion, *, boxed: bool) -> tuple[Query, str]:
        """Four descriptions that differ in two facts each; the right letter goes round."""
        other_side = "right" if lesion.side == "left" else "left"
        other_density = "dark" if lesion.density == "bright" else "bright"
        texts = [
            Lesion(0, side, density, lesion.region, 5).text
            for side in (lesion.side, other_side)
            for density in (lesion.density, other_density)
        ]
        return self._question(lesion, texts, media=self.media(lesion, boxed=boxed))

    def size_question(self, lesion: Lesion, *, boxed: bool) -> tuple[Query, str]:
        texts = [
            Lesion(0, "left", "dark", "chest", lesion.radius_px * times).size
            for times in (1, 0.5, 1.5, 2.2)
        ]
        return self._question(lesion, texts, media=self.media(lesion, boxed=boxed))

    def picture_question(self, lesion: Lesion, *, boxed: bool) -> tuple[Query, str]:
        others = [one for one in self.test if one.text != lesion.text][:3]
        turn = lesion.number % 4
        candidates = [*others[:turn], lesion, *others[turn:]]
        options = tuple(
            Option(letter=letter, text=f"Image {letter}", media=self.media(one, boxed=boxed))
            for letter, one in zip("ABCD", candidates, strict=True)
        )
        item = _item(lesion, f"Which image shows this? {lesion.text}", (), options)
        pictures = {o.media: self.render(o.media) for o in options if o.media}
        return Query(item=item, pictures=pictures), "ABCD"[turn]

    def _question(self, lesion: Lesion, texts: list[str], *, media: Media) -> tuple[Query, str]:
        turn = lesion.number % 4
        texts = [*texts[4 - turn :], *texts[: 4 - turn]]
        options = tuple(
            Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=True)
        )
        item = _item(lesion, "Which is it?", (media,), options)
        return Query(item=item, pictures={media: self.render(media)}), "ABCD"[turn]


def _facts(one: Lesion) -> tuple[str, str, str, float]:
    return one.side, one.density, one.region, one.radius_px


def _item(
    lesion: Lesion, question: str, media: tuple[Media, ...], options: tuple[Option, ...]
) -> Item:
    return Item(
        id=f"{question}{lesion.number}",
        benchmark="world",
        task="t",
        condition="c",
        question=question,
        media=media,
        answer_space=Choice(options=options),
    )


@pytest.fixture(scope="session")
def world() -> World:
    return World(n_train=60, n_test=24)


@pytest.fixture(scope="session")
def learned(world, reader):
    model = reader("radiomics")
    model.learn(world.training, world.render)
    return model


@pytest.fixture(scope="session")
def make_picture():
    """Encode an array as a picture with its receipt."""
    return encode
