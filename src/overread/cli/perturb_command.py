"""`overread perturb sheet`: one picture in every kind and dose of change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from overread.analysis.picture_doses import Dosing, PictureDoses, Way, picture_doses
from overread.cli.output import notice, print_json, safe, show
from overread.errors import UsageError, expected
from overread.records import Box
from overread.report.picture_sheet import picture_sheet, remarks

__all__ = ["sheet_command"]


def sheet_command(
    image: Path,
    out: Path,
    /,
    *,
    modality: str | None = None,
    mode: Way = "plain",
    only: tuple[str, ...] = (),
    box: tuple[str, ...] = (),
    masks: bool = False,
    seed: int = 0,
    side: int = 128,
    json: bool = False,
) -> None:
    """Draw one picture in every kind and dose of change, with the likeness that each leaves.

    Parameters
    ----------
    image
        PNG, JPEG, DICOM, or one slice of NIfTI (scan.nii.gz#12).
    out
        The PNG to write.
    modality
        Kinds made for this one and for all, such as ct, mri or xray.
    mode
        What a dose is: the parameter of its level (plain), all that the released code does besides
        (published), a likeness (ssim), or that as the released code seeks it (published-ssim).
    only
        Only this kind; may be given several times.
    box
        X_MIN,Y_MIN,X_MAX,Y_MAX in pixels, for kinds that go by a box; may be given several times.
    masks
        As where masks are asked for: published code has a program of its own for those.
    seed
        Of all draws.
    side
        Longer side of each small picture, in pixels.
    json
        Print JSON for machines.
    """
    _check(image, out, side)
    found = picture_doses(
        image,
        way=mode,
        modality=modality,
        boxes=[_box(each) for each in box],
        is_mask=masks,
        seed=seed,
        kinds=only or None,
    )
    out.write_bytes(picture_sheet(found, side_px=side))
    if json:
        print_json(_as_json(found, out))
    else:
        _tell(found, out)


def _check(image: Path, out: Path, side: int) -> None:
    if out.suffix.lower() != ".png" or out == image:
        raise UsageError(
            expected(
                "out",
                rule="another file than the picture, whose name ends in .png",
                got=str(out),
                remedy="Name a PNG file.",
            )
        )
    if not 16 <= side <= 1024:
        raise UsageError(
            expected("--side", rule="16 to 1024", got=side, remedy="Leave it out for 128.")
        )


def _box(text: str) -> Box:
    try:
        x_min, y_min, x_max, y_max = (float(each) for each in text.split(","))
    except ValueError:
        raise UsageError(
            expected(
                "--box",
                rule="four numbers X_MIN,Y_MIN,X_MAX,Y_MAX",
                got=repr(text),
                remedy="Write for instance --box 10,20,110,90.",
            )
        ) from None
    return Box(x_min=x_min, y_min=y_min, x_max=x_max, y_max=y_max)


def _tell(found: PictureDoses, out: Path) -> None:
    table = Table(title="structural similarity to the unchanged picture")
    most = max((len(row.doses) for row in found.rows), default=0)
    table.add_column("kind", no_wrap=True)
    for place in range(most):
        table.add_column(f"dose {place + 1}", justify="right")
    table.add_column("remarks", overflow="fold")
    for row in found.rows:
        reached = [f"{dose.ssim:.3f}" for dose in row.doses]
        blank = [""] * (most - len(reached))
        table.add_row(row.kind, *reached, *blank, safe("; ".join(remarks(row))))
    show(table)
    for line in _left_out(found):
        notice(line)
    show(safe(f"{out}: {len(found.rows)} kinds, {sum(len(row.doses) for row in found.rows)} doses"))


def _left_out(found: PictureDoses) -> Sequence[str]:
    by_reason: dict[str, list[str]] = {}
    for one in found.left_out:
        by_reason.setdefault(one.reason, []).append(one.kind)
    return [f"not shown, {reason}: {', '.join(kinds)}" for reason, kinds in by_reason.items()]


def _as_json(found: PictureDoses, out: Path) -> dict[str, object]:
    return {
        "out": str(out),
        "mode": found.way,
        "kinds": [_row_as_json(row) for row in found.rows],
        "left_out": [{"kind": one.kind, "reason": one.reason} for one in found.left_out],
    }


def _row_as_json(row: Dosing) -> dict[str, object]:
    return {
        "kind": row.kind,
        "is_monotone": row.is_monotone,
        "as_the_level_before": list(row.alike),
        "doses": [
            {
                "level": dose.level or None,
                "ssim": round(dose.ssim, 6),
                "ssim_as_released": round(dose.ssim_as_released, 6),
                "in_band": dose.in_band,
                "effects": [
                    {"name": effect.name, **dict(effect.parameters)} for effect in dose.effects
                ],
            }
            for dose in row.doses
        ],
    }
