"""Stored replies through every published parser: what each makes of them, and what that moves.

A parser that draws a letter where it reads nothing is counted by the expectation of the draw, not
by one draw. What is right is what the release's own careful scorer takes for right; a reply that
never came is not right under any parser.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from overread.contracts import Release, Scorer, Selective
from overread.records import Choice, Item, Reference, Response, Score, Status
from overread.scoring.published.parser import ParsedKind, Parser, kind_of, read_for
from overread.scoring.published.parsers import HONEST, PARSERS

__all__ = [
    "NO_ANSWER",
    "RANDOM",
    "ParserRow",
    "ParserTable",
    "Split",
    "StoredReply",
    "replay_parsers",
]

_LONGEST_SHOWN: Final = 400
_MOST_EXAMPLES: Final = 20
_APART: Final = 0.2
"""Share of the stated answers that a close parser reads otherwise at most."""
_SOME_ANSWER: Final[Mapping[ParsedKind, str]] = {
    "choice": "-",
    "several": "-",
    "number": "0",
    "yes-no": "yes",
}
"""What is scored to learn whether a reference can be used at all."""
NO_ANSWER: Final = "–"
RANDOM: Final = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """One stored reply with its question."""

    item: Item
    reference: Reference
    response: Response


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserRow:
    """What one parser makes of the replies to questions of one kind."""

    parser: str
    n: int
    """Replies, those that never came included."""
    score: float
    """Share right, expected where letters are drawn."""
    points: float
    """Percentage points above (or below) the careful reading."""
    unread: float
    """Share in which nothing is read, before any letter is drawn."""
    n_differ: int
    """Replies read otherwise than by the careful reading, in all three ways together."""
    n_invented: int
    """Replies without an answer in which one is read."""
    n_lost: int
    """Replies with an answer in which none is read."""
    n_other: int
    """Replies in which another answer is read."""
    n_drawn: int
    """Replies for which a letter is drawn at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A reply that parsers read differently."""

    item: str
    reply: str
    """Shortened."""
    reference: str | None
    readings: Mapping[str, str]
    """Parser → answer, ``–`` for none, ``random`` for a drawn one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserTable:
    """One model's replies to questions of one kind, read by all parsers that read such answers."""

    who: str
    kind: ParsedKind
    n: int
    n_no_reply: int
    """Requests that failed: not right under any parser."""
    n_unusable: int
    """Questions left out because their reference cannot be used."""
    rows: tuple[ParserRow, ...]
    """The careful reading first, then the parsers by name."""
    examples: tuple[Split, ...]
    """The replies that split the parsers most, worst first."""

    @property
    def honest(self) -> ParserRow:
        """Give the careful reading."""
        return self.rows[0]

    @property
    def spread(self) -> float:
        """Say by how many percentage points the score depends on parsing: highest minus lowest."""
        return _spread(self.rows)

    @property
    def close(self) -> tuple[ParserRow, ...]:
        """Give the parsers that read four in five of the stated answers as the careful reading.

        The others were made for replies of another form.
        """
        honest = self.honest
        stated = round((1 - honest.unread) * honest.n)
        return tuple(row for row in self.rows if row.n_lost + row.n_other <= _APART * stated)

    @property
    def close_spread(self) -> float:
        """Say by how many points the score depends on which of the close parsers reads."""
        return _spread(self.close)


def _spread(rows: Sequence[ParserRow]) -> float:
    scores = [row.score for row in rows]
    return 100 * (max(scores) - min(scores))


def replay_parsers(
    who: str,
    replies: Iterable[StoredReply],
    release: Release,
    *,
    parsers: Sequence[Parser] = PARSERS,
    examples: int = 3,
) -> tuple[ParserTable, ...]:
    """Read stored replies by all parsers.

    Parameters
    ----------
    who
        The model, for people.
    replies
        Of one model. Replies to questions that no parser reads are passed over.
    release
        Says what is right: its honest scorer of the headline.
    parsers
        The careful reading among them, under the name ``honest``.
    examples
        How many replies to show of each kind of question, at most 20.

    Returns
    -------
    tuple of ParserTable
        One for each kind of question that was answered; none without such replies.
    """
    by_kind: defaultdict[ParsedKind, list[StoredReply]] = defaultdict(list)
    for each in replies:
        kind = kind_of(each.item)
        if kind is not None:
            by_kind[kind].append(each)
    judge = _Judge(release)
    kinds: tuple[ParsedKind, ...] = get_args(ParsedKind)
    tables = (
        _table(who, kind, by_kind[kind], judge, parsers, examples)
        for kind in kinds
        if by_kind[kind]
    )
    return tuple(table for table in tables if table is not None)


# ---------------------------------------------------------------- one kind of question


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """One reply read by one parser."""

    answer: str | None
    right: float
    drawn: bool


def _table(
    who: str,
    kind: ParsedKind,
    replies: Sequence[StoredReply],
    judge: _Judge,
    parsers: Sequence[Parser],
    examples: int,
) -> ParserTable | None:
    usable = [each for each in replies if judge.can(each)]
    reading = [each for each in parsers if each.reads(kind)]
    if not usable or not reading:
        return None
    grid = {
        parser.name: [_read(parser, each, judge) for each in usable]
        for parser in sorted(reading, key=lambda parser: (parser.name != HONEST.name, parser.name))
    }
    honest = next(iter(grid.values()))
    return ParserTable(
        who=who,
        kind=kind,
        n=len(usable),
        n_no_reply=sum(_text(each) is None for each in usable),
        n_unusable=len(replies) - len(usable),
        rows=tuple(_row(name, reads, honest) for name, reads in grid.items()),
        examples=_examples(usable, grid, min(examples, _MOST_EXAMPLES)),
    )


def _read(parser: Parser, each: StoredReply, judge: _Judge) -> _Read:
    text = _text(each)
    if text is None:
        return _Read(answer=None, right=0.0, drawn=False)
    if parser.name == HONEST.name:
        return judge.honest(each, text)
    reading = read_for(parser, each.item, text)
    answer = reading.answer if reading is not None else None
    if answer is not None:
        return _Read(answer=answer, right=judge.right(each, answer), drawn=False)
    space = each.item.answer_space
    if parser.silence == "random option" and isinstance(space, Choice):
        chances = [judge.right(each, letter) for letter in space.letters]
        return _Read(answer=None, right=sum(chances) / len(chances), drawn=True)
    return _Read(answer=None, right=0.0, drawn=False)


def _row(name: str, reads: Sequence[_Read], honest: Sequence[_Read]) -> ParserRow:
    n = len(reads)
    score = sum(each.right for each in reads) / n
    ways = Counter(
        _way(mine.answer, other.answer) for mine, other in zip(reads, honest, strict=True)
    )
    return ParserRow(
        parser=name,
        n=n,
        score=score,
        points=100 * (score - sum(each.right for each in honest) / n),
        unread=sum(each.answer is None for each in reads) / n,
        n_differ=n - ways["same"],
        n_invented=ways["invented"],
        n_lost=ways["lost"],
        n_other=ways["other"],
        n_drawn=sum(each.drawn for each in reads),
    )


def _way(mine: str | None, honest: str | None) -> str:
    if mine == honest:
        return "same"
    if honest is None:
        return "invented"
    return "lost" if mine is None else "other"


def _examples(
    replies: Sequence[StoredReply], grid: Mapping[str, Sequence[_Read]], most: int
) -> tuple[Split, ...]:
    """Take the replies with the most different readings, one of each pattern of readings."""
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for place in range(len(replies)):
        pattern = tuple(_shown(reads[place]) for reads in grid.values())
        distinct = len(set(pattern))
        if distinct > 1:
            found.setdefault(pattern, (-distinct, place))
    order = sorted(found.items(), key=lambda each: each[1])[:most]
    return tuple(
        Split(
            item=replies[place].item.id,
            reply=_short(_text(replies[place]) or ""),
            reference=replies[place].reference.answer,
            readings=dict(zip(grid, pattern, strict=True)),
        )
        for pattern, (_, place) in order
    )


def _shown(read: _Read) -> str:
    return read.answer if read.answer is not None else RANDOM if read.drawn else NO_ANSWER


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _text(each: StoredReply) -> str | None:
    """Give the reply's text; None where no reply came."""
    if each.response.status is Status.FAILED:
        return None
    if each.response.text is None:
        return "" if each.response.status is Status.OK else None
    return each.response.text


# ---------------------------------------------------------------- what is right


class _Judge:
    """Says of an answer whether it is right, as the release's honest scorer has it."""

    def __init__(self, release: Release) -> None:
        headline = release.plan().headline
        scorers = release.scorers("honest")
        self._scorers = [each for each in scorers if each.metric == headline] or list(scorers)
        self._known: dict[tuple[str, str], float] = {}

    def can(self, each: StoredReply) -> bool:
        """Tell whether something here scores the question, and its reference can be used."""
        return each.reference.problem is None and self._is_defined(each)

    def _is_defined(self, each: StoredReply) -> bool:
        row = _row_of(self._scorers, each, _SOME_ANSWER[kind_of(each.item) or "number"])
        return row is not None and row.status is not Status.UNDEFINED

    def right(self, each: StoredReply, answer: str) -> float:
        """Give 1.0 for a right answer, stated as nothing but itself."""
        key = (each.item.id, answer)
        if key not in self._known:
            row = _row_of(self._scorers, each, answer)
            self._known[key] = 0.0 if row is None or row.value is None else row.value
        return self._known[key]

    def honest(self, each: StoredReply, text: str) -> _Read:
        """Read a reply as the release's own honest scorer does, where it names what it read."""
        if kind_of(each.item) == "yes-no":
            reading = read_for(HONEST, each.item, text)
            answer = reading.answer if reading else None
            right = self.right(each, answer) if answer is not None else 0.0
            return _Read(answer=answer, right=right, drawn=False)
        scorer = _scorer_of(self._scorers, each.item)
        rows = () if scorer is None else scorer.score(each.item, each.reference, each.response)
        row = next(iter(rows), None)
        if row is None or row.value is None:
            return _Read(answer=None, right=0.0, drawn=False)
        return _Read(answer=row.answer, right=row.value, drawn=False)


def _scorer_of(scorers: Sequence[Scorer], item: Item) -> Scorer | None:
    """Give the first scorer that takes an item."""
    for each in scorers:
        if not isinstance(each, Selective) or each.takes(item):
            return each
    return None


def _row_of(scorers: Sequence[Scorer], each: StoredReply, answer: str) -> Score | None:
    """Score an answer that states nothing but itself."""
    scorer = _scorer_of(scorers, each.item)
    if scorer is None:
        return None
    stated = Response(
        run="replay", item=each.item.id, status=Status.OK, text=answer, request_hash=""
    )
    return next(iter(scorer.score(each.item, each.reference, stated)), None)
