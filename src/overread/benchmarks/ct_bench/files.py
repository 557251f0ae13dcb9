"""Where the pictures of a CT-Bench release lie, and which of them cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from os import walk
from pathlib import Path
from typing import Final, Literal

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.questions import Question
from overread.errors import ImageError, UnsafePathError
from overread.imaging.bounds import check_file
from overread.imaging.header import read_header
from overread.imaging.picture_file import decode_picture
from overread.imaging.safe_path import resolve_inside

__all__ = ["ReleaseFiles"]

_FOLDERS: Final[Mapping[str, str]] = {"chat": layout.LLM_FOLDER, "clip": layout.CLIP_FOLDER}


class ReleaseFiles:
    """The picture files of one release; folders are listed once, when first needed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def origin(self) -> Literal["published", "synthetic", "built"]:
        """Where this release comes from: a file that we write beside the others tells it."""
        if (self._root / layout.SYNTHETIC_MARK).is_file():
            return "synthetic"
        return "built" if (self._root / layout.BUILT_MARK).is_file() else "published"

    @cached_property
    def _exam(self) -> frozenset[str]:
        """Files below ``llm/`` and ``clip/``, relative to the release."""
        return frozenset(
            (Path(folder) / name).relative_to(self._root).as_posix()
            for top in _FOLDERS.values()
            for folder, _, names in walk(self._root / top)
            for name in names
        )

    def locate(self, question: Question, raw: str) -> str:
        """Give a picture's path relative to the release.

        The files write paths relative to ``llm/<split>/`` (the scripts are pointed at that
        folder); others are accepted where the file lies. A missing file keeps the path that the
        scripts would try.
        """
        candidates = list(self._candidates(question, raw))
        for candidate in candidates:
            if candidate in self._exam:
                return candidate
        if raw not in candidates and "\0" not in raw and (self._root / raw).is_file():
            return raw
        return candidates[0]

    def split_of(self, question: Question) -> str | None:
        """Tell a question's split by the folder that holds its first picture."""
        folder = _FOLDERS[question.form]
        for split in (*layout.QUESTION_SPLITS, "train"):
            for spelling in dict.fromkeys((split, *layout.DATASET_SPELLINGS[split])):
                for raw in question.picture_paths[:1]:
                    if f"{folder}/{spelling}/{raw}" in self._exam:
                        return split
        return None

    def lesion_pictures(self, lesion_id: str) -> tuple[str, ...]:
        """Give a lesion's key slices, with the box and without, by the name the release uses."""
        return tuple(
            f"{folder}/{name.format(lesion_idx=lesion_id)}"
            for folder, names in self._lesion_names.items()
            for name in layout.LESION_IMAGE_NAMES
            if name.format(lesion_idx=lesion_id) in names
        )

    def lesion_picture(self, lesion_id: str, *, folder: str) -> str:
        """Give a lesion's key slice in one of both folders, by the name the release uses.

        A missing file keeps the name that the captioning script would try.
        """
        names = [name.format(lesion_idx=lesion_id) for name in layout.LESION_IMAGE_NAMES]
        found = (name for name in names if name in self._lesion_names[folder])
        return f"{folder}/{next(found, names[0])}"

    @cached_property
    def _lesion_names(self) -> Mapping[str, frozenset[str]]:
        return {
            folder: frozenset(path.name for path in (self._root / folder).glob("*"))
            for folder in (layout.LESION_BBOX_FOLDER, layout.LESION_NOBOX_FOLDER)
        }

    def lesion_spellings(self) -> tuple[str, ...]:
        """Tell which spellings of key-slice names the release uses: folder and pattern."""
        patterns = dict.fromkeys(
            f"{folder}/{layout.LESION_IMAGE_NAMES[int(name.startswith('lesion_'))]}"
            for folder, names in self._lesion_names.items()
            for name in sorted(names)
        )
        return tuple(patterns)

    def problems(self, paths: Iterable[str], *, thorough: bool) -> Mapping[str, tuple[str, str]]:
        """Look at each file: there, a picture, whole, and of bearable size.

        `thorough` decodes it too: a file can be whole to its last checksum and hold no picture.

        Returns
        -------
        Mapping[str, tuple[str, str]]
            Only for files that cannot be shown: path → (code, evidence).
        """
        ordered = sorted(set(paths))
        with ThreadPoolExecutor() as pool:
            found = pool.map(lambda path: self._problem(path, thorough), ordered)
            return {path: one for path, one in zip(ordered, found, strict=True) if one}

    def _problem(self, path: str, thorough: bool) -> tuple[str, str] | None:
        try:
            file = resolve_inside(self._root, path)
        except UnsafePathError as error:
            return "unsafe-path", str(error)
        if not file.is_file():
            return "missing-image", ""
        try:
            check_file(file)
            data = file.read_bytes()
            header = read_header(data, file)
            if thorough:
                decode_picture(data, header, file)
        except ImageError as error:
            return "unreadable-image", str(error)
        return None

    def _candidates(self, question: Question, raw: str) -> Iterator[str]:
        folder = _FOLDERS[question.form]
        splits = [question.split] if question.split else [*layout.QUESTION_SPLITS, "train"]
        for split in splits:
            for spelling in dict.fromkeys((split, *layout.DATASET_SPELLINGS[split])):
                yield f"{folder}/{spelling}/{raw}"
        yield f"{folder}/{raw}"
