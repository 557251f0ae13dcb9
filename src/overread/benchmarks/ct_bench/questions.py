"""One question of CT-Bench, read from either question file as tolerantly as honesty allows.

Both files are hostile and odd: fields are missing, letters lie outside the options, spellings
differ. Whatever can still be asked is kept, with the reason why its answer cannot be used; what is
odd becomes a problem that the loader reports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from overread.benchmarks.ct_bench import layout
from overread.contracts import Form

__all__ = ["BOX_ONLY_TASKS", "Question", "normal_split", "read_question"]

BOX_ONLY_TASKS: Final = frozenset({"txt2bbox"})
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SPLITS: Final[Mapping[str, str]] = {
    spelling: split
    for split, spellings in layout.DATASET_SPELLINGS.items()
    for spelling in spellings
}
_SPLIT_NAMES: Final = ("test", "validation", "train")
_LONGEST_SHOWN: Final = 40
_WITH_BOX: Final = frozenset({"bbox", "box", "with", "withbbox", "withbox", "yes", "true", "1"})
_WITHOUT_BOX: Final = frozenset(
    {"nobbox", "nobox", "without", "withoutbbox", "withoutbox", "none", "no", "false", "0"}
)

BoxKind = Literal["box", "no-box", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as it stands in one of the two files, with its spellings made uniform."""

    form: Form
    place: str
    """File and position, for findings."""
    task: str
    box: BoxKind
    split: str | None
    """None where the entry does not say."""
    lesion: str
    qa_id: str | None
    text: str | None
    """The worded question (chat), or the description to be matched (clip, picture choice)."""
    letters: tuple[str, ...]
    option_texts: tuple[str | None, ...]
    picture_paths: tuple[str, ...]
    """As written: the slices shown or, where pictures are the options, the candidates."""
    correct: str | None
    problem: str | None
    """Why the stated answer cannot be used."""
    oddities: tuple[str, ...]
    """What else is wrong with the entry, as ``code: evidence``."""

    @property
    def pictures_are_options(self) -> bool:
        """Whether each option is a picture of its own."""
        return (
            self.task in layout.IMAGE_CHOICE_TASKS
            and len(self.picture_paths) == len(self.letters) > 1
        )

    @property
    def name(self) -> str:
        """Task, box and lesion: what the two forms of one question share."""
        return f"{self.task}/{self.box}/{self.lesion}"


def normal_split(raw: object) -> str | None:
    """Spell a split as `test`, `validation` or `train`; None for anything else."""
    return _SPLITS.get(str(raw).strip().casefold()) if raw is not None else None


def read_question(entry: Mapping[str, object], *, form: Form, place: str) -> Question:
    """Read one entry of ``qa_llm.json`` (`form` chat) or ``qa_clip.json`` (`form` clip).

    Raises
    ------
    ValueError
        The entry names no task or no lesion, so that nothing can be asked.
    """
    oddities: list[str] = []
    task = _word(entry.get("q_type"))
    lesion = _word(entry.get("lesion_idx"))
    if not task or not lesion:
        raise ValueError("no q_type or no lesion_idx")
    if task not in layout.TASKS:
        oddities.append(f"unknown-task: q_type {task!r}")
    paths = _paths(entry)
    if not paths:
        oddities.append("no-picture: no image_path or image_paths")
    letters, option_texts = _options(entry, form=form, task=task, n_pictures=len(paths))
    if not letters:
        oddities.append("no-options: no choices, text or candidate pictures")
    odd_count = _count_oddity(task, n_pictures=len(paths), n_options=len(letters))
    oddities += [odd_count] if odd_count else []
    correct, problem = _correct(entry.get("correct_choice"), letters, option_texts)
    split = normal_split(entry.get("split"))
    if split is None and (stated := _stated(entry.get("split"))):
        oddities.append(f"odd-split: split {stated!r} is none of {', '.join(_SPLIT_NAMES)}")
    box = _box(entry.get("bbox_type"), task=task, paths=paths)
    stated = _stated(entry.get("bbox_type"))
    if box != "unknown" and stated and _spelt_box(stated) is None:
        oddities.append(f"odd-box: bbox_type {stated!r} is no known spelling")
    return Question(
        form=form,
        place=place,
        task=task,
        box=box,
        split=split if split else _split_in_path(paths),
        lesion=lesion,
        qa_id=_word(entry.get("qa_id")) or None,
        text=_question_text(entry, form=form),
        letters=letters,
        option_texts=option_texts,
        picture_paths=paths,
        correct=correct,
        problem=problem,
        oddities=tuple(oddities),
    )


def _word(raw: object) -> str:
    if isinstance(raw, bool) or raw is None:
        return ""
    if isinstance(raw, float) and raw.is_integer():
        return str(int(raw))
    return str(raw).strip() if isinstance(raw, str | int | float) else ""


def _paths(entry: Mapping[str, object]) -> tuple[str, ...]:
    raw = entry.get("image_paths", entry.get("image_path"))
    if isinstance(raw, str):
        return (raw,) if raw.strip() else ()
    if isinstance(raw, Sequence):
        return tuple(map(_path, cast("Sequence[object]", raw)))
    if isinstance(raw, Mapping):  # {"A": path, …}: candidates by letter
        by_letter = cast("Mapping[str, object]", raw)
        return tuple(_path(by_letter[letter]) for letter in sorted(by_letter))
    return ()


def _path(raw: object) -> str:
    """Keep the place of what is no path: left out, it would move the next one to its letter."""
    return raw if isinstance(raw, str) else ""


def _count_oddity(task: str, *, n_pictures: int, n_options: int) -> str | None:
    """Say when slices or candidates are too few or many; one picture may hold all, tiled."""
    if n_pictures < 2:
        return None
    if task in layout.STACK_TASKS and n_pictures != layout.SLICES_PER_STACK:
        return f"slice-count: {n_pictures} slices, a stack has {layout.SLICES_PER_STACK}"
    if task in layout.IMAGE_CHOICE_TASKS and n_pictures != n_options:
        return f"picture-count: {n_pictures} pictures for {n_options} options"
    return None


def _options(
    entry: Mapping[str, object], *, form: Form, task: str, n_pictures: int
) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    choices = entry.get("choices")
    if isinstance(choices, Mapping) and choices:
        by_letter = {
            str(letter).strip().upper(): None if text is None else str(text)
            for letter, text in cast("Mapping[object, object]", choices).items()
        }
        letters = tuple(sorted(by_letter))
        return letters, tuple(by_letter[letter] for letter in letters)
    texts = choices if choices else entry.get("text")
    if isinstance(texts, Sequence) and not isinstance(texts, str) and texts:
        words = tuple(str(text) for text in cast("Sequence[object]", texts))[: len(_LETTERS)]
        return tuple(_LETTERS[: len(words)]), words
    if task in layout.IMAGE_CHOICE_TASKS and form == "clip" and n_pictures > 1:
        letters = tuple(_LETTERS[:n_pictures])
        return letters, (None,) * len(letters)
    return (), ()


def _question_text(entry: Mapping[str, object], *, form: Form) -> str | None:
    raw = entry.get("question") if form == "chat" else entry.get("text")
    return raw.strip() if isinstance(raw, str) and raw.strip() else None


def _correct(
    raw: object, letters: tuple[str, ...], texts: tuple[str | None, ...]
) -> tuple[str | None, str | None]:
    stated = _word(raw)
    if not stated:
        return None, "the release states no correct_choice"
    match = re.fullmatch(r"\W*([A-Za-z])\W*", stated)
    letter = match.group(1).upper() if match else None
    if letter is None and stated in texts:
        letter = letters[texts.index(stated)]
    if letter is None or letter not in letters:
        stated = stated[:_LONGEST_SHOWN]
        return None, f"correct_choice {stated!r} is none of the options {', '.join(letters)}"
    return letter, None


def _box(raw: object, *, task: str, paths: tuple[str, ...]) -> BoxKind:
    spelt = _spelt_box(raw)
    if spelt == "box" or task in BOX_ONLY_TASKS:
        return "box"
    if spelt:
        return spelt
    folders = "/".join(paths).casefold()
    if re.search(r"no_?b?box", folders):
        return "no-box"
    return "box" if "bbox" in folders else "unknown"


def _spelt_box(raw: object) -> Literal["box", "no-box"] | None:
    if raw is None:
        return None
    spelling = re.sub(r"[^a-z0-9]", "", str(raw).casefold())
    return "box" if spelling in _WITH_BOX else "no-box" if spelling in _WITHOUT_BOX else None


def _stated(raw: object) -> str:
    """Give what a field says, short enough to be shown; nothing where it is empty."""
    return "" if raw is None else str(raw).strip()[:_LONGEST_SHOWN]


def _split_in_path(paths: tuple[str, ...]) -> str | None:
    for path in paths:
        for folder in path.replace("\\", "/").split("/")[:-1]:
            if (split := normal_split(folder)) is not None:
                return split
    return None
