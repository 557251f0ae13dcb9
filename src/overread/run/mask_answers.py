"""Answers that are files: which items ask for them, where models write them, what is accepted."""

from __future__ import annotations

import gzip
import re
import shutil
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from overread.contracts import Joiner, MaskWriter, Model, Reply
from overread.errors import ImageError, StoreFullError, UsageError, expected
from overread.imaging.bounds import MAX_VOLUME_BYTES
from overread.imaging.safe_path import resolve_inside
from overread.records import Item, Mask, Media, Response, Status
from overread.run.planning import Planned
from overread.store.hashes import file_sha256

__all__ = [
    "MaskFolder",
    "as_it_lies",
    "asks_for_mask",
    "check_writer",
    "released_files",
    "stale_answers",
]

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9.-]+")
_LONGEST_NAME: Final = 60
_HASH: Final = "sha256:"
_PACKED: Final = ".nii.gz"
_PLAIN: Final = ".nii"
_PIECE: Final = 2**22
_HEADERS: Final = (".mhd", ".hdr", ".img")
"""Halves of a mask: a hash of one says nothing of the other."""


def asks_for_mask(item: Item) -> bool:
    """Tell whether the answer to an item is a mask."""
    return isinstance(item.answer_space, Mask)


def check_writer(items: Sequence[Item], model: Model, perturbation: str | None) -> None:
    """Check, before anything is asked, that a model can answer the items that ask for a mask.

    Raises
    ------
    UsageError
        Some items ask for a mask, and the model writes none; or they are to be changed, and a mask
        lies on the grid of the volume as released; or a built-in writer of masks has none to write,
        or is told of a volume that no case has.
    """
    n = sum(asks_for_mask(item) for item in items)
    if n and perturbation is not None:
        raise UsageError(
            expected(
                perturbation,
                rule="questions whose answer is no mask",
                got=f"{n} of {len(items)} that ask for one, about volumes as released",
                remedy="Choose other tasks with --task.",
            )
        )
    writes = isinstance(model, MaskWriter) and model.writes_masks
    if not n and writes and model.identity.kind == "baselines":  # which answers nothing else
        raise UsageError(
            expected(
                "--model",
                rule="questions that ask for a mask",
                got=f"none, for {model.identity.label}",
                remedy="Name a task that asks for masks with --task, or take another model.",
            )
        )
    place = model.identity.settings.get("volume") if model.identity.kind == "baselines" else None
    most = max((len(item.media) for item in items if asks_for_mask(item)), default=0)
    if n and writes and isinstance(place, int) and place > most:
        raise UsageError(
            expected(
                "--model",
                rule=f"one of the {most} volumes of a case",
                got=f"{model.identity.label}, which takes volume {place}",
                remedy="Write for instance threshold:150, or threshold:4:2 for the second volume.",
            )
        )
    if not n or writes:
        return
    others = sorted({item.task for item in items if not asks_for_mask(item)})
    other = f" Or leave these questions out: --task {others[0]}." if others else ""
    raise UsageError(
        expected(
            "--model",
            rule=f"a model that writes masks, for {n} of {len(items)} questions",
            got=f"{model.identity.label}, which writes none",
            remedy="Take masks:FOLDER, command:PROGRAM or python:MODULE:NAME, or a built-in one: "
            f"empty-mask, threshold:VALUE.{other}",
        )
    )


def released_files(item: Item, root: Path) -> dict[Media, tuple[Path, ...]]:
    """Give the files behind the media of an item that asks for a mask, absolute.

    Raises
    ------
    ImageError
        A file or folder is not there or holds no volume.
    UnsafePathError
        A path leaves the release.
    """
    return {media: _files_of(media, root) for media in item.media}


def _files_of(media: Media, root: Path) -> tuple[Path, ...]:
    # Imported here: it stands on nibabel and pydicom, which other runs do not need.
    from overread.imaging.read_volume import volume_files

    files: list[Path] = []
    for path in media.paths:
        # A slice of a volume, ``scan.nii.gz#12``, is part of a file.
        place = resolve_inside(root, path.partition("#")[0])
        if not place.exists():
            raise ImageError(
                expected(
                    path,
                    rule="a file or folder of the release",
                    got="nothing of this name",
                    remedy="Complete the release, or name the folder of its volumes: --media.",
                )
            )
        files += volume_files(place) if media.kind == "volume" else [place]
    if not files:
        raise ImageError(
            expected(
                "media",
                rule="at least one file",
                got="none",
                remedy="Complete the question in the release.",
            )
        )
    return tuple(files)


class MaskFolder:
    """Where a run's models write their masks: a folder beside the run file, one in it an item.

    Parameters
    ----------
    run_file
        The run; its masks lie in ``RUN.sqlite.masks``, which is made with the first one.
    model
        One that looks masks up writes none.
    ending
        The only one that the benchmark's own code takes (`Card.mask_ending`): a mask written as
        ``.nii.gz`` is unpacked where it is ``.nii``. None takes any.
    """

    def __init__(self, run_file: Path, model: Model, *, ending: str | None = None) -> None:
        self._ending = ending
        self._folder = _folder_of(run_file).absolute()
        self._writes = not isinstance(model, Joiner)

    def place(self, planned: Planned) -> Path | None:
        """Give the path without a suffix for a model's mask; its folder is there, and empty.

        What an attempt that was broken off left there goes, so that it is never taken for this
        answer.

        Raises
        ------
        StoreFullError
            The folder cannot be made.
        """
        if not self._writes or not asks_for_mask(planned.item):
            return None
        name = _NOT_IN_NAMES.sub("_", planned.item.id)[:_LONGEST_NAME].strip("._") or "item"
        # By the request: two ids, or two draws, may give one name.
        folder = self._folder / f"{name}-{planned.line.request_hash[:12]}"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise StoreFullError(
                expected(
                    "masks",
                    rule=f"a folder for them beside the run, {self._folder}",
                    got=error.strerror or str(error),
                    remedy="Make room, or let it be written; the same command goes on from there.",
                )
            ) from error
        return folder / "mask"

    def settle(self, item: Item, reply: Reply, place: Path | None) -> Reply:
        """Take a reply to an item that asks for a mask, or say why it is none.

        Parameters
        ----------
        place
            Where the mask had to be written; None for a model that looks masks up.

        Returns
        -------
        Reply
            The file with its hash as text; `FAILED` where it is absent, no file, or elsewhere.
        """
        if reply.status is Status.OK:
            if place is not None and self._ending == _PLAIN:
                reply = _unpacked(reply, place)
            reply = _with_hash(item, reply, place)
        if place is not None and reply.path is None:
            shutil.rmtree(place.parent, ignore_errors=True)
        return reply


def as_it_lies(response: Response, run_file: Path) -> Response:
    """Give a response as it can be scored now: a file that has gone or changed is no answer.

    Masks beside the run file are found there, wherever both were moved to.
    """
    if response.path is None or response.status is not Status.OK:
        return response
    if not (response.text or "").startswith(_HASH):
        return response  # a file beside words: nothing is known of it
    path = Path(response.path)
    if not path.is_file():
        moved = _folder_of(run_file).joinpath(*path.parts[-2:])
        path = moved if moved.is_file() else path
    shown = "/".join(path.parts[-2:])
    try:
        found = _HASH + file_sha256(path) if path.is_file() else None
    except OSError as error:
        reason = f"its file cannot be read: {shown} ({error.strerror or error})"
    else:
        if found == response.text:
            return response if str(path) == response.path else replace(response, path=str(path))
        if found is None:
            reason = f"its file is no longer there: {shown}"
        else:
            reason = f"its file has changed since it was the answer: {shown}"
    return replace(response, status=Status.FAILED, text=None, path=None, reason=reason)


def stale_answers(responses: Iterable[Response], run_file: Path) -> set[str]:
    """Give the request hashes of answers whose files have gone or changed."""
    return {
        each.request_hash
        for each in responses
        if as_it_lies(each, run_file).status is not each.status
    }


def _folder_of(run_file: Path) -> Path:
    return run_file.with_name(f"{run_file.name}.masks")


def _unpacked(reply: Reply, place: Path) -> Reply:
    """Unpack a NIfTI file that a model wrote; what cannot be unpacked stays as it is."""
    path = Path(reply.path or "")
    try:
        is_own = path.name.lower().endswith(_PACKED) and path.resolve().is_relative_to(
            place.parent.resolve()
        )
        if not is_own or not path.is_file():
            return reply
        plain = path.with_name(path.name[: -len(_PACKED)] + _PLAIN)
        if plain.exists() or not _unpack(path, plain):
            return reply
    except (OSError, ValueError):
        return reply
    path.unlink(missing_ok=True)
    return replace(reply, path=str(plain))


def _unpack(path: Path, plain: Path) -> bool:
    """Unpack a file; False, and nothing left of it, where it is damaged or too large."""
    n_bytes = 0
    try:
        with gzip.open(path) as packed, plain.open("xb") as file:
            while piece := packed.read(_PIECE):
                n_bytes += len(piece)
                if n_bytes > MAX_VOLUME_BYTES:
                    raise ValueError
                file.write(piece)
    except (OSError, EOFError, ValueError, zlib.error):
        plain.unlink(missing_ok=True)
        return False
    return True


def _with_hash(item: Item, reply: Reply, place: Path | None) -> Reply:
    if reply.path is None:
        got = "text alone" if reply.text else "nothing"
        return _refused(item, got, place)
    path = Path(reply.path)
    try:
        if place is not None and not path.resolve().is_relative_to(place.parent.resolve()):
            return _refused(item, f"{reply.path!r}, outside that folder", place)
        if not path.is_file():
            what = "a folder" if path.is_dir() else "where no file is"
            return _refused(item, f"{reply.path!r}, {what}", place)
        if path.suffix.lower() in _HEADERS:
            return _refused(item, f"{path.name}, whose voxels lie in another file", place)
        digest = file_sha256(path)
    except (OSError, ValueError) as error:
        return _refused(item, f"{reply.path!r} ({error})", place)
    return replace(reply, path=str(path.absolute()), text=f"{_HASH}{digest}")


def _refused(item: Item, got: str, place: Path | None) -> Reply:
    where = "a mask file" if place is None else f"a mask file in the folder {place.parent}"
    reason = expected(
        f"item {item.id}",
        rule=where,
        got=got,
        remedy="A model writes its mask to 'write_to' with an ending such as .nii.gz added, and "
        "replies with that path.",
    )
    return Reply(status=Status.FAILED, reason=reason)
