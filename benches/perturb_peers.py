"""The same changes by scikit-image and albumentations, where they have them; prints JSON.

Run by ``benches.perturb`` in an environment that may have no overread.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Change = Callable[[np.ndarray, int], np.ndarray]


def _scikit_image() -> dict[str, Change]:
    from skimage import exposure, filters, transform, util

    def byte(real: Any) -> np.ndarray:
        return np.rint(np.clip(np.asarray(real), 0, 1) * 255).astype(np.uint8)

    def noise(mode: str, **options: float) -> Change:
        return lambda pixels, seed: byte(util.random_noise(pixels, mode, rng=seed, **options))

    def blur(sigma: float) -> Change:
        return lambda pixels, seed: byte(filters.gaussian(pixels, sigma))

    def shift(pixels: np.ndarray, seed: int) -> np.ndarray:
        across, down = np.random.default_rng(seed).integers(-15, 15, 2).tolist()
        move = transform.AffineTransform(translation=(across, down))
        return byte(transform.warp(pixels, move.inverse, mode="symmetric"))

    def smaller(pixels: np.ndarray, seed: int) -> np.ndarray:
        rows, columns = (int(size * 0.85) for size in pixels.shape)
        whole = np.zeros_like(pixels)
        whole[:rows, :columns] = byte(transform.resize(pixels, (rows, columns), order=1))
        return whole

    def coarse(pixels: np.ndarray, seed: int) -> np.ndarray:
        half = tuple(size // 2 for size in pixels.shape)
        small = transform.resize(pixels, half, order=0)
        return byte(transform.resize(small, pixels.shape, order=0))

    def window(pixels: np.ndarray, seed: int) -> np.ndarray:
        return exposure.rescale_intensity(pixels, in_range=(40, 220), out_range=np.uint8)

    return {
        "gaussian-noise": noise("gaussian", var=0.03**2),
        "salt-pepper-noise": noise("s&p", amount=0.005),
        "speckle-noise": noise("speckle", var=0.15**2),
        "gaussian-blur": blur(1.5),
        "defocus-artifacts": blur(1.5),
        "blur": blur(8),
        "blur-px": blur(8),
        "rotation": lambda pixels, seed: byte(
            transform.rotate(pixels, 15 if seed % 2 else -15, mode="symmetric")
        ),
        "translation": shift,
        "scale": smaller,
        "pixelate": coarse,
        "window-level": window,
    }


def _albumentations() -> dict[str, Change]:
    import albumentations as a
    import cv2

    cv2.setNumThreads(1)

    def of(transform: Any) -> Change:
        return lambda pixels, seed: transform(image=pixels)["image"]

    return {
        "gaussian-noise": of(a.GaussNoise(std_range=(0.03, 0.03), p=1)),
        "salt-pepper-noise": of(a.SaltAndPepper(amount=(0.005, 0.005), p=1)),
        "speckle-noise": of(a.MultiplicativeNoise((0.85, 1.15), elementwise=True, p=1)),
        "gaussian-blur": of(a.GaussianBlur(blur_limit=0, sigma_limit=(1.5, 1.5), p=1)),
        "defocus-artifacts": of(a.GaussianBlur(blur_limit=0, sigma_limit=(1.5, 1.5), p=1)),
        "blur": of(a.GaussianBlur(blur_limit=0, sigma_limit=(8, 8), p=1)),
        "blur-px": of(a.GaussianBlur(blur_limit=0, sigma_limit=(8, 8), p=1)),
        "motion-blur": of(a.MotionBlur(blur_limit=(7, 7), p=1)),
        "brightness-contrast": of(a.RandomBrightnessContrast(0.15, 0.15, p=1)),
        "brightness": of(a.RandomBrightnessContrast(0.15, 0, p=1)),
        "contrast": of(a.RandomBrightnessContrast(0, 0.15, p=1)),
        "compression-artifacts": of(a.ImageCompression(quality_range=(50, 50), p=1)),
        "pixelate": of(a.Downscale(scale_range=(0.5, 0.5), p=1)),
        "rotation": of(a.Rotate((15, 15), border_mode=cv2.BORDER_REFLECT, p=1)),
        "scale": of(a.Affine(scale=0.85, p=1)),
        "translation": of(a.Affine(translate_px=(-15, 15), p=1)),
        "mirror": of(a.HorizontalFlip(p=1)),
    }


def _encoded(pixels: np.ndarray) -> int:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(stream, format="PNG", compress_level=1)
    return len(stream.getvalue())


def main(file: str, pictures: int) -> None:
    """Time what there is."""
    stack = np.load(file)
    figures: dict[str, dict[str, float]] = {}
    skipped: dict[str, str] = {}
    for peer, changes_of in (("scikit-image", _scikit_image), ("albumentations", _albumentations)):
        try:
            changes = changes_of()
        except ImportError as error:
            skipped[peer] = f"{sys.executable}: {error}"
            continue
        for name, change in changes.items():
            _encoded(change(stack[0], 0))
            start = time.process_time()
            for number in range(pictures):
                _encoded(change(stack[number % len(stack)], number))
            figures.setdefault(name, {})[peer] = time.process_time() - start
    print(json.dumps({"figures": figures, "skipped": skipped}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
