"""The gallery's data: every item of the report as the page's script reads it.

Replies, questions and options are hostile text. They travel as JSON in a data block that cannot
be closed from inside (`json_block`), and the script puts them on the page as text, never as HTML.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, Generic, TypeVar

from overread.analysis.strata import is_within
from overread.contracts import LABEL_SEPARATOR, AnalysisPlan
from overread.records import (
    Item,
    JsonValue,
    Media,
    Receipt,
    Reference,
    Response,
    Score,
    Status,
    Text,
    Vote,
)
from overread.report.data import GalleryAnswer, GalleryItem, ReportData, asks_for_text, run_labels
from overread.report.grades import errors_json, grade_json, metric_json, third
from overread.report.metric_names import is_graded
from overread.report.pictures import as_rendered, find_changed, preview_counts, role_of
from overread.report.thumbnails import LEFT_OUT, Role, Shelf
from overread.report.wording import stratum_label

__all__ = [
    "THUMBNAILS_PER_BLOCK",
    "gallery_payload",
    "json_block",
    "outcome",
    "thumbnail_blocks",
]

THUMBNAILS_PER_BLOCK: Final = 64
"""The page decodes thumbnails block by block, as they come into sight."""

_T = TypeVar("_T", bound=Hashable)

_REPLY_HEAD = 4000
_REPLY_TAIL = 2000
"""Of a long reply the page keeps the beginning and the end, where the answer mostly stands."""

_VOTE_HEAD = 400
"""Of a judge's words; the run file has all."""


def json_block(value: JsonValue) -> str:
    r"""Write JSON that is safe inside ``<script type="application/json">``.

    Examples
    --------
    >>> json_block("</script><img onerror=x>")
    '"\\u003c/script\\u003e\\u003cimg onerror=x\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def outcome(answer: GalleryAnswer | None, *, in_headline: bool = True) -> str:
    """Say what became of one answer: right, wrong, none, undefined, open, pending or absent.

    Where the answer earns a score instead (`GalleryAnswer.graded`) it is ``low``, ``middle`` or
    ``high``: the third of the range that the score lies in; what belongs to two thirds belongs to
    the upper.

    ``none`` is a reply without a readable answer, a refusal or no reply; ``open`` is a reply to a
    question that the headline is not about (`in_headline`); ``pending`` was not asked yet;
    ``absent`` is not in the run's plan.
    """
    if answer is None:
        return "absent"
    score = answer.graded or answer.honest
    if score is None:
        return "pending" if in_headline or answer.response is None else "open"
    if score.status is Status.UNDEFINED:
        return "undefined"
    if score.status is not Status.OK or score.value is None:
        return "none"
    if is_graded(score.metric):
        return third(score.value)
    return "right" if score.value >= 1 else "wrong"


def gallery_payload(data: ReportData, shelf: Shelf) -> dict[str, JsonValue]:
    """Build the gallery's JSON.

    Parameters
    ----------
    data
        The report; ``data.gallery`` in the order in which items are shown.
    shelf
        The report's pictures (`stock_shelf`), which the payload points to by their places.

    Returns
    -------
    dict
        The payload for `json_block`. An item holds what the first run was shown; where other runs
        were shown something else, `others` holds that once for each distinct sight, and `sight`
        says for each run which is its own: 0 the item's, 1 the first of `others`, and so on.
    """
    texts = _Index[str]()
    receipts = _Index[Receipt]()
    runs = run_labels(data.runs)
    changed = find_changed(data, shelf)
    named = _judges_of(data)
    judges = {judge: place for place, judge in enumerate(named)}
    items: list[JsonValue] = [
        _item_json(
            entry,
            list(runs),
            shelf,
            texts,
            receipts,
            data.plan,
            judges,
            {run for run, of_run in changed.items() if entry.item.id in of_run},
        )
        for entry in data.gallery
    ]
    filters: list[JsonValue] = [
        {
            "key": key,
            "values": list(_values(data.gallery, key, data.plan)),
            "labels": {
                value: stratum_label({key: value})
                for value in _values(data.gallery, key, data.plan)
            },
            "several": key in data.plan.multi_label,
        }
        for key in _filter_keys(data)
    ]
    counts = preview_counts(shelf)
    payload: dict[str, JsonValue] = {
        "runs": [{"id": run, "label": label} for run, label in runs.items()],
        "open": asks_for_text(data),
        "published": any(a.published for e in data.gallery for a in e.answers.values()),
        "graded": metric_json(data.plan),
        "errors": errors_json(data),
        "judges": [list(judge) for judge in named],
        "separator": LABEL_SEPARATOR,
        "previews": counts.n_shown,
        "tasks": list(dict.fromkeys(entry.item.task for entry in data.gallery)),
        "filters": filters,
        "perBlock": THUMBNAILS_PER_BLOCK,
        "items": items,
        "texts": texts.values,
        "receipts": [_receipt_json(receipt) for receipt in receipts.values],
    }
    return payload


def thumbnail_blocks(shelf: Shelf) -> Iterator[str]:
    """Give the thumbnails as JSON blocks of [base64, width, height], in index order."""
    pictures: list[JsonValue] = [[t.data, t.width, t.height] for t in shelf.thumbnails]
    for start in range(0, len(pictures), THUMBNAILS_PER_BLOCK):
        yield json_block(pictures[start : start + THUMBNAILS_PER_BLOCK])


def _judges_of(data: ReportData) -> list[tuple[str, str]]:
    """List the distinct judges with their profiles: votes name them by their places."""
    return list(
        dict.fromkeys(
            (vote.judge, vote.profile)
            for entry in data.gallery
            for answer in entry.answers.values()
            for vote in answer.votes
        )
    )


class _Index(Generic[_T]):
    """Numbers values in the order of their first use, so that each is written once."""

    def __init__(self) -> None:
        self.values: list[_T] = []
        self._places: dict[_T, int] = {}

    def place(self, value: _T) -> int:
        if value not in self._places:
            self._places[value] = len(self.values)
            self.values.append(value)
        return self._places[value]


def _filter_keys(data: ReportData) -> list[str]:
    """List the finest strata of the plan, the task aside: it has a filter of its own."""
    keys = (*data.plan.cells, *data.plan.multi_label)
    return list(dict.fromkeys(key for key in keys if key != "task"))


def _values(gallery: Iterable[GalleryItem], key: str, plan: AnalysisPlan) -> Iterator[str]:
    values = (entry.item.strata[key] for entry in gallery if key in entry.item.strata)
    if key in plan.multi_label:
        labels = {label for value in values for label in value.split(LABEL_SEPARATOR)}
        yield from sorted(labels - {""})
    else:
        yield from dict.fromkeys(values)


def _item_json(
    entry: GalleryItem,
    runs: Sequence[str],
    shelf: Shelf,
    texts: _Index[str],
    receipts: _Index[Receipt],
    plan: AnalysisPlan,
    judges: Mapping[tuple[str, str], int],
    changed: Set[str],
) -> dict[str, JsonValue]:
    item = entry.item
    in_headline = is_within(item.strata, plan.headline_only)
    answers: list[JsonValue] = [
        _answer_json(
            entry.answers.get(run),
            texts,
            receipts,
            judges,
            in_headline=in_headline,
            changed=run in changed,
        )
        for run in runs
    ]
    shown: dict[str, JsonValue] = {
        "id": item.id,
        "task": item.task,
        "strata": dict(item.strata),
        "groups": dict(item.groups),
        "problem": entry.reference.problem,
        "answers": answers,
        **_sight_json(item, entry.reference, shelf, texts),
    }
    if isinstance(item.answer_space, Text):
        shown["open"] = True
    if entry.others:
        sights = [
            _sight_json(entry.shown_to(run), entry.answer_for(run), shelf, texts) for run in runs
        ]
        distinct = [_sight_json(item, entry.reference, shelf, texts)]
        for sight in sights:
            if sight not in distinct:
                distinct.append(sight)
        if len(distinct) > 1:
            shown["others"] = [*distinct[1:]]
            shown["sight"] = [distinct.index(sight) for sight in sights]
    return shown


def _sight_json(
    item: Item, reference: Reference, shelf: Shelf, texts: _Index[str]
) -> dict[str, JsonValue]:
    """Write what a run was shown of an item, and the answer to just that."""
    options: list[JsonValue] = [
        {
            "letter": option.letter,
            "text": None if option.text is None else texts.place(option.text),
            "media": None if option.media is None else _media_json(option.media, "option", shelf),
        }
        for option in item.options
    ]
    return {
        "reference": reference.answer,
        "condition": item.condition,
        "question": texts.place(item.question),
        "media": [_media_json(media, role_of(media), shelf) for media in item.media],
        "options": options,
    }


def _media_json(media: Media, role: Role, shelf: Shelf) -> dict[str, JsonValue]:
    key = (as_rendered(media), role)
    place = shelf.places.get(key)
    if role == "preview":
        return _preview_json(media, place, shelf.problems.get(key))
    return {
        "at": [] if place is None else list(place),
        "role": role,
        "problem": shelf.problems.get(key),
    }


def _preview_json(
    media: Media, place: tuple[int, ...] | None, problem: str | None
) -> dict[str, JsonValue]:
    """Write a volume: its preview or why there is none, without the machine's paths."""
    if problem is not None and problem != LEFT_OUT:
        problem = f"{', '.join(media.paths)} cannot be shown"
    return {"at": list(place or ()), "role": "preview", "problem": problem}


def _answer_json(
    answer: GalleryAnswer | None,
    texts: _Index[str],
    receipts: _Index[Receipt],
    judges: Mapping[tuple[str, str], int],
    *,
    in_headline: bool,
    changed: bool,
) -> dict[str, JsonValue] | None:
    if answer is None:
        return None
    response, honest, published = answer.response, answer.honest, answer.published
    shown: dict[str, JsonValue] = {
        "outcome": outcome(answer, in_headline=in_headline),
        "letter": honest.answer if honest else None,
        "status": str(honest.status) if honest else None,
        "rule": None if honest is None or honest.reason is None else texts.place(honest.reason),
    }
    if published is not None:
        shown["published"] = {
            "letter": published.answer,
            "status": str(published.status),
            "rule": None if published.reason is None else texts.place(published.reason),
        }
    if answer.graded is not None:
        shown |= grade_json(answer.graded, answer.errors, texts.place)
    if answer.jury:
        shown["jury"] = {profile: _verdict(score) for profile, score in answer.jury.items()}
    if answer.votes:
        shown["votes"] = [
            _vote_json(vote, judges[vote.judge, vote.profile], texts) for vote in answer.votes
        ]
    if response is not None:
        shown |= _response_json(response, texts, receipts)
        if changed:
            shown["changed"] = True
    return shown


def _response_json(
    response: Response, texts: _Index[str], receipts: _Index[Receipt]
) -> dict[str, JsonValue]:
    """Write what came back; what is not known is left out, for a page can hold 20,000 of them."""
    text, cut = _trimmed(response.text)
    known: dict[str, JsonValue] = {
        "cut": cut or None,
        "reason": None if response.reason is None else texts.place(response.reason),
        "finish": response.finish_reason,
        "seconds": None if response.seconds is None else round(response.seconds, 3),
        "request": response.request_hash[:12],
    }
    if (response.tokens_in, response.tokens_out) != (None, None):
        known["tokens"] = [response.tokens_in, response.tokens_out]
    if response.receipts:
        known["receipts"] = [receipts.place(receipt) for receipt in response.receipts]
    return {
        "reply": None if text is None else texts.place(text),
        **{key: value for key, value in known.items() if value is not None},
    }


def _verdict(score: Score) -> str:
    """Say what a jury decided: right, wrong or none."""
    if score.status is not Status.OK or score.value is None:
        return "none"
    return "right" if score.value >= 1 else "wrong"


def _vote_json(vote: Vote, judge: int, texts: _Index[str]) -> JsonValue:
    """One vote: its judge, verdict (1, 0 or null), and its words or why it has no verdict."""
    words = vote.rationale if vote.verdict is not None else vote.reason or vote.rationale
    text = words if words is None or len(words) <= _VOTE_HEAD else f"{words[:_VOTE_HEAD]} […]"
    return [
        judge,
        None if vote.verdict is None else int(vote.verdict),
        None if text is None else texts.place(text),
    ]


def _trimmed(text: str | None) -> tuple[str | None, int]:
    """Keep both ends of a long reply; also say how many characters were left out."""
    if text is None or len(text) <= _REPLY_HEAD + _REPLY_TAIL:
        return text, 0
    left_out = len(text) - _REPLY_HEAD - _REPLY_TAIL
    return f"{text[:_REPLY_HEAD]}\n[…]\n{text[-_REPLY_TAIL:]}", left_out


def _receipt_json(receipt: Receipt) -> list[JsonValue]:
    """One receipt, in the order in which the page's script names the columns."""
    return [
        receipt.layout,
        receipt.width,
        receipt.height,
        receipt.size_bytes,
        receipt.media_type,
        receipt.window,
        receipt.orientation,
        receipt.boxes_drawn,
        receipt.sha256,
        list(receipt.sources),
    ]
