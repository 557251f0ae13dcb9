"""The pictures of a report: rendered once, and held against what the receipts say was sent.

A report is often written long after its runs. Where the release's files, or the code that turns
them into pictures, have changed since, the page would show what no model was shown; it says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from overread.contracts import Renderer
from overread.records import Finding, Item, Media, Receipt, Severity
from overread.report.data import GalleryItem, ReportData
from overread.report.previews import MOST_PREVIEWS, preview_of
from overread.report.thumbnails import LEFT_OUT, Role, Shelf, make_shelf

__all__ = [
    "PreviewCounts",
    "as_rendered",
    "find_changed",
    "preview_counts",
    "role_of",
    "stock_shelf",
    "with_changed_pictures",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewCounts:
    """How many volumes of a report can be seen in it."""

    n: int
    n_shown: int
    n_left_out: int
    """Not tried, for enough others are shown."""
    problem: str
    """Why the first of those that were tried in vain cannot be shown; empty without any."""


def stock_shelf(data: ReportData, render: Renderer, *, most_previews: int = MOST_PREVIEWS) -> Shelf:
    """Render every picture that any run of the report was shown, each distinct one once.

    Volumes are shown by previews of some of them (`previews`), whatever was sent.
    """
    return make_shelf(_wanted(data), render, most_previews=most_previews)


def preview_counts(shelf: Shelf) -> PreviewCounts:
    """Count the previews of volumes on a shelf."""
    shown = [entry for entry in shelf.places if entry[1] == "preview"]
    problems = [problem for entry, problem in shelf.problems.items() if entry[1] == "preview"]
    tried = [problem for problem in problems if problem != LEFT_OUT]
    return PreviewCounts(
        n=len(shown) + len(problems),
        n_shown=len(shown),
        n_left_out=len(problems) - len(tried),
        problem=tried[0] if tried else "",
    )


def role_of(media: Media) -> Role:
    """Say what pictures an item asks about are in it, which decides how large they are kept."""
    if media.kind == "volume":
        return "preview"
    if media.recipe.stack == "mosaic" and len(media.paths) > 1:
        return "mosaic"
    return "slice" if len(media.paths) > 1 else "single"


def as_rendered(media: Media) -> Media:
    """Give media the plainest recipe that renders the same.

    A stack of features goes out slice by slice as a stack of images does, and one picture is no
    mosaic; so runs that differ in no more than that share their pictures. A volume is shown by its
    preview, whatever was sent of it.
    """
    if media.kind == "volume":
        return preview_of(media)
    if media.recipe.stack == "images" or role_of(media) == "mosaic":
        return media
    return replace(media, recipe=replace(media.recipe, stack="images"))


def find_changed(data: ReportData, shelf: Shelf) -> dict[str, dict[str, tuple[Receipt, ...]]]:
    """Find the receipts that do not match their pictures as they are rendered now.

    What was sent of a volume is not rendered again, and nothing is said of it.

    Returns
    -------
    dict
        Run id → item id → its receipts that do not match; only runs and items with any.
    """
    changed: dict[str, dict[str, tuple[Receipt, ...]]] = defaultdict(dict)
    for entry in data.gallery:
        for run, answer in entry.answers.items():
            if answer.response is None or not answer.response.receipts:
                continue
            item = entry.shown_to(run)
            now, volumes = _hashes(item, shelf), _volumes(item)
            odd = tuple(
                receipt
                for receipt in answer.response.receipts
                if receipt.sources not in volumes
                and receipt.sha256 not in now.get(receipt.sources, ())
            )
            if odd:
                changed[run][entry.item.id] = odd
    return dict(changed)


def with_changed_pictures(data: ReportData, shelf: Shelf) -> ReportData:
    """Add the finding ``pictures-changed`` to every run that was sent other pictures."""
    changed = find_changed(data, shelf)
    if not changed:
        return data
    runs = tuple(
        replace(run, findings=(*run.findings, _finding(changed[run.manifest.run])))
        if run.manifest.run in changed
        else run
        for run in data.runs
    )
    return replace(data, runs=runs)


def _finding(changed: Mapping[str, tuple[Receipt, ...]]) -> Finding:
    item, (receipt, *_) = next(iter(changed.items()))
    n = sum(map(len, changed.values()))
    pictures = "1 picture that was sent has" if n == 1 else f"{n} pictures that were sent have"
    questions = "1 question" if len(changed) == 1 else f"{len(changed)} questions"
    return Finding(
        severity=Severity.WARNING,
        code="pictures-changed",
        where=f"{questions}, such as {item}: {', '.join(receipt.sources)}",
        evidence=f"{pictures} another SHA-256, or cannot be rendered, now",
        effect="the gallery shows pictures that differ from those the model was shown; its score "
        "is about the latter",
        remedy="Restore the release's files. If they are as they were, another version of "
        "overread or of its picture library encodes them: write the report with the versions "
        "in the manifest.",
        count=n,
    )


def _hashes(item: Item, shelf: Shelf) -> dict[tuple[str, ...], set[str]]:
    """Gather the SHA-256 of an item's pictures by the files behind each."""
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for entry in _media_of(item):
        for sources, sha256 in shelf.hashes.get(entry, ()):
            found[sources].add(sha256)
    return found


def _volumes(item: Item) -> set[tuple[str, ...]]:
    media = (*item.media, *(option.media for option in item.options if option.media))
    return {one.paths for one in media if one.kind == "volume"}


def _wanted(data: ReportData) -> Iterator[tuple[Media, Role]]:
    for entry in data.gallery:
        for item in _views(entry):
            yield from _media_of(item)


def _views(entry: GalleryItem) -> Iterator[Item]:
    yield entry.item
    yield from entry.others.values()


def _media_of(item: Item) -> Iterator[tuple[Media, Role]]:
    for media in item.media:
        yield as_rendered(media), role_of(media)
    for option in item.options:
        if option.media is not None:
            yield as_rendered(option.media), "option"
