"""Finds the mask file of an item by its name, and says what fits no item or more than one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from overread.errors import UsageError, expected, listed
from overread.models.masks.listing import MaskFile
from overread.models.masks.naming import infer_pattern
from overread.models.masks.target import ANYTHING, SUFFIXES, Pattern, stem_of, values_of
from overread.records import Finding, Item, Severity

__all__ = ["Joined", "MaskJoin"]

_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The file of an item, or why there is none."""

    file: MaskFile | None
    reason: str | None
    n_fitting: int = 1
    """Files that fit: 0 is a missing mask."""


class MaskJoin:
    """The files of a folder by the items that they belong to.

    Parameters
    ----------
    files
        All mask files of the folder.
    pattern
        How they are named; None finds it out.
    items
        All items that ask for a mask, at least one.

    Raises
    ------
    UsageError
        The pattern has a key that not every item has, or the files are named in two ways.
    """

    def __init__(
        self, files: Sequence[MaskFile], pattern: Pattern | None, items: Sequence[Item]
    ) -> None:
        self._files = files
        self._is_inferred = pattern is None
        self._pattern = pattern or infer_pattern(files, items)
        _check_keys(self._pattern, items)
        self._by_name: dict[str, list[MaskFile]] = defaultdict(list)
        self._by_last: dict[str, list[MaskFile]] = defaultdict(list)
        """By the name without folders."""
        self._by_folded_stem: dict[str, MaskFile] = {}
        for file in files:
            name = self._name(file)
            self._by_name[name].append(file)
            self._by_last[name.rpartition("/")[2]].append(file)
            self._by_folded_stem.setdefault(stem_of(file.name.casefold()), file)
        self._fitting: set[str] = set()
        """Names of files that fit an item, used or refused."""
        self._joined = {item.id: self._look(item, draw=0) for item in items}
        self._refuse_shared()

    def find(self, item: Item, *, draw: int) -> Joined:
        """Find the file of an item."""
        if draw == 0 and item.id in self._joined:
            return self._joined[item.id]
        if draw and "draw" not in self._pattern.keys:
            reason = f"no mask of draw {draw}: the names of files hold no draw"
            return Joined(file=None, reason=reason, n_fitting=0)
        return self._look(item, draw=draw)

    def findings(self) -> Iterator[Finding]:
        """Report how the files are named, and which are missing, doubled or left over."""
        joined = list(self._joined.values())
        n_found = sum(each.file is not None for each in joined)
        if self._is_inferred:
            yield Finding(
                severity=Severity.INFO,
                code="mask-naming",
                where="predictions",
                evidence=f"files are joined as {self._pattern.text}: {n_found} of {len(joined)} "
                "cases have one",
                remedy="Is it another naming? Give it: masks:FOLDER/PATTERN.",
            )
        yield from _summed(
            "missing-mask",
            [each.reason or "" for each in joined if not each.n_fitting],
            effect="these cases failed, and stay in the denominator",
            remedy="Were they predicted? Give the pattern of their names.",
        )
        yield from _summed(
            "doubled-mask",
            [each.reason or "" for each in joined if each.n_fitting and each.file is None],
            effect="these cases failed, and stay in the denominator",
            remedy="Keep one file a case, or give the ending in the pattern.",
        )
        yield from _summed(
            "unknown-mask",
            [file.name for file in self._files if file.name not in self._fitting],
            effect="these files are no answer to any item that was asked",
            remedy="Compare their names with the cases of 'overread check'.",
        )

    def _look(self, item: Item, *, draw: int) -> Joined:
        values = values_of(item, draw=draw)
        name = self._pattern.name(values)
        files = self._fitting_files(name, values)
        self._fitting |= {file.name for file in files}
        if len(files) == 1:
            return Joined(file=files[0], reason=None)
        if files:
            names = " and ".join(file.name for file in files)
            reason = f"{len(files)} masks, and nothing says which counts: {names}"
            return Joined(file=None, reason=reason, n_fitting=len(files))
        has_suffix = self._pattern.has_suffix
        wanted = name if has_suffix else f"{name}{SUFFIXES[0]} (or {', '.join(SUFFIXES[1:])})"
        near = self._by_folded_stem.get(stem_of(name.casefold()))
        hint = _hint(near.name, name) if near is not None else ""
        return Joined(file=None, reason=f"no mask: expected {wanted}{hint}", n_fitting=0)

    def _name(self, file: MaskFile) -> str:
        return file.name if self._pattern.has_suffix else file.stem

    def _fitting_files(self, name: str, values: Mapping[str, str]) -> Sequence[MaskFile]:
        if not self._pattern.is_open:
            return self._by_name.get(name, [])
        last = name.rpartition("/")[2]
        near = self._files if ANYTHING in last else self._by_last.get(last, [])
        matcher = self._pattern.matcher(values)
        return [file for file in near if matcher.fullmatch(self._name(file))]

    def _refuse_shared(self) -> None:
        """Refuse a file to several items: one answer cannot be that of all of them."""
        claims: dict[str, list[str]] = defaultdict(list)
        for item, joined in self._joined.items():
            if joined.file is not None:
                claims[joined.file.name].append(item)
        for name, items in claims.items():
            if len(items) > 1:
                shown = ", ".join(items[:_SHOWN])
                reason = f"{name} fits {len(items)} items ({shown}): nothing says which"
                self._joined |= dict.fromkeys(items, Joined(file=None, reason=reason))


def _hint(near: str, name: str) -> str:
    """Say what is there instead: names differ in capital letters, or in the ending alone."""
    return (
        f"; {near} is there, with another ending"
        if stem_of(near) == stem_of(name)
        else f"; {near} is there, with other capital letters"
    )


def _check_keys(pattern: Pattern, items: Sequence[Item]) -> None:
    known = set.intersection(*(set(values_of(item, draw=0)) for item in items))
    unknown = [key for key in pattern.keys if key not in known]
    if unknown:
        raise UsageError(
            expected(
                "masks",
                rule="a pattern with keys of " + ", ".join(sorted(known)),
                got=", ".join(f"{{{key}}}" for key in unknown),
                remedy="These are the keys that every item of this release has.",
            )
        )


def _summed(code: str, texts: Sequence[str], *, effect: str, remedy: str) -> Iterator[Finding]:
    if not texts:
        return
    yield Finding(
        severity=Severity.WARNING,
        code=code,
        where="predictions",
        evidence=listed(texts, most=_SHOWN, between="; "),
        effect=effect,
        remedy=remedy,
        count=len(texts),
    )
