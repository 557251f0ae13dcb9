"""Synonyms from the files of Princeton's WordNet 3.0, read as its manual describes them.

Sources: the manual pages wndb(5WN), the format of the files, and morphy(7WN), the rules that lead
from "nodules" to "nodule". Which forms are looked up follows NLTK, so that METEOR's digits are
NLTK's: a word found in a list of exceptions is not also cut by the rules, and all forms that
WordNet holds count, not the first alone. NLTK's own reader needs a file ``lexnames`` that Debian's
packages lack; synonyms do not need it, so neither do we.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from overread.errors import UsageError, expected

__all__ = ["WORDNET_VARIABLE", "WordNet", "find_wordnet", "open_wordnet"]

WORDNET_VARIABLE = "OVERREAD_WORDNET"
"""Environment variable that names the folder of WordNet's files."""

_PARTS = ("noun", "verb", "adj", "adv")
_DEBIAN = Path("/usr/share/wordnet")
_USUAL = (Path.home(), Path("/usr/share"), Path("/usr/local/share"), Path("/usr/lib"))
"""Where a folder ``nltk_data`` may lie."""
# morphy(7WN), "Rules of Detachment": ending → what takes its place.
_ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
        ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
_ZIP = ".zip"
_Offsets = tuple[int, ...]


class WordNet:
    """WordNet's index in memory; each word is looked up once.

    Parameters
    ----------
    folder
        With ``index.PART``, ``data.PART`` and ``PART.exc`` for noun, verb, adj and adv; or NLTK's
        ``wordnet.zip``, which holds such a folder.

    Raises
    ------
    UsageError
        A file is missing, or is no such file.

    Notes
    -----
    The index of WordNet 3.0 has 155,287 entries; with the data it holds 52 MB of memory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index = {part: _index(_text(folder, f"index.{part}")) for part in _PARTS}
        self._data = {part: _text(folder, f"data.{part}") for part in _PARTS}
        self._exceptions = {part: _exceptions(_text(folder, f"{part}.exc")) for part in _PARTS}
        self._known: dict[str, frozenset[str]] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """Give the single words that share a meaning with `word`, itself among them.

        Parameters
        ----------
        word
            In any form and case. One that WordNet does not know has itself alone.

        Returns
        -------
        frozenset
            As WordNet spells them, names with capitals; expressions of several words are left out.
        """
        found = self._known.get(word)
        if found is None:
            found = frozenset([word, *self._words(word.lower())])
            self._known[word] = found
        return found

    def _words(self, word: str) -> Iterator[str]:
        for part in _PARTS:
            for form in self._forms(word, part):
                for offset in self._offsets(form, part):
                    yield from self._synset(part, offset)

    def _forms(self, word: str, part: str) -> dict[str, None]:
        """Give the word and its base forms, each once; some may not be in WordNet."""
        bases = self._exceptions[part].get(word)
        if bases is None:
            bases = tuple(
                word[: -len(ending)] + other
                for ending, other in _ENDINGS[part]
                if word.endswith(ending)
            )
        return dict.fromkeys((word, *bases))

    def _offsets(self, form: str, part: str) -> _Offsets:
        rest = self._index[part].get(form)
        if rest is None:
            return ()
        # part, number of synsets, number of pointers, the pointers, two more counts, the offsets
        fields = rest.split()
        try:
            return tuple(map(int, fields[len(fields) - int(fields[1]) :]))
        except (IndexError, ValueError) as problem:
            raise self._damaged(f"index.{part}", form) from problem

    def _synset(self, part: str, offset: int) -> Iterator[str]:
        data = self._data[part]
        line = data[offset : data.find("\n", offset)]
        # offset, file number, type, number of words (hexadecimal), then each word and its number
        fields = line.partition("|")[0].split()
        if len(fields) < 4 or not fields[0].isdigit() or int(fields[0]) != offset:
            raise self._damaged(f"data.{part}", str(offset))
        for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
            if "_" not in word:
                # "(a)", "(p)" and "(ip)" say where an adjective stands.
                yield word.partition("(")[0]

    def _damaged(self, name: str, where: str) -> UsageError:
        return UsageError(
            expected(
                str(self.folder / name),
                rule="a file of WordNet 3.0",
                got=f"one that is damaged at {where!r}",
                remedy="Install WordNet again.",
            )
        )


def find_wordnet() -> Path | None:
    """Find the folder of WordNet's files; None when there is none.

    Looked at in turn: the folder (or zip) that ``OVERREAD_WORDNET`` names, Debian's
    ``/usr/share/wordnet``, and ``corpora/wordnet`` or ``corpora/wordnet.zip`` in the usual folders
    of NLTK's data.
    """
    named = os.environ.get(WORDNET_VARIABLE)
    if named:
        # A folder named by hand is taken or refused, never passed over.
        return Path(named)
    for folder in (_DEBIAN, *_nltk_folders()):
        if (folder / "index.noun").is_file():
            return folder
        if (packed := folder.with_suffix(_ZIP)).is_file():
            return packed
    return None


def open_wordnet(folder: Path | None = None) -> WordNet:
    """Open WordNet, once in a process.

    Parameters
    ----------
    folder
        Where its files lie; None looks for it (see `find_wordnet`).

    Raises
    ------
    UsageError
        There is none, or the folder does not hold it; the message says what to install.
    """
    folder = folder or find_wordnet()
    if folder is None:
        raise UsageError(
            expected(
                "METEOR",
                rule="the files of WordNet 3.0",
                got="a computer without them",
                remedy=_INSTALL,
            )
        )
    return _open(folder)


@cache
def _open(folder: Path) -> WordNet:
    return WordNet(folder)


_INSTALL = (
    "Install them: apt-get install wordnet-base (Debian, Ubuntu), or python -m nltk.downloader "
    f"wordnet (elsewhere); or name their folder in {WORDNET_VARIABLE}."
)


def _nltk_folders() -> Iterator[Path]:
    named = [Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    for folder in (*named, *(place / "nltk_data" for place in _USUAL)):
        yield folder / "corpora" / "wordnet"


def _text(folder: Path, name: str) -> str:
    try:
        if folder.suffix == _ZIP:
            with ZipFile(folder) as packed:
                content = packed.read(f"wordnet/{name}")
        else:
            content = (folder / name).read_bytes()
    except (OSError, KeyError, BadZipFile) as problem:
        raise UsageError(
            expected(
                "WordNet",
                rule=f"a folder with the file {name}",
                got=str(folder),
                remedy=_INSTALL,
            )
        ) from problem
    # Offsets count bytes, so every byte must be one character; the files are ASCII.
    return content.decode("latin-1")


def _index(text: str) -> dict[str, str]:
    """Give the rest of each line by its word; lines that begin with a space are the licence."""
    lines = (line.partition(" ") for line in text.split("\n") if line[:1] not in ("", " "))
    return {word: rest for word, _, rest in lines}


def _exceptions(text: str) -> dict[str, tuple[str, ...]]:
    fields = (line.split() for line in text.split("\n"))
    return {words[0]: tuple(words[1:]) for words in fields if words}
