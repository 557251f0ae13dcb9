"""Has a language model read the facts of a run's descriptions, and scores what it read.

::

    distinct texts of references and replies → what the store holds no reply about
    → ask → store each raw reply as it comes → read the stored replies → score

A second start asks only what is missing. A reply is found by what was asked (`hashes.vote_hash`),
so it stays good for as long as model, form and text are the same, in whichever description the
text stands. What a model has read is scored under names of its own (`metrics.facts.BY_MODEL`),
beside the rules' reading and never in its place.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from overread.analysis.asked import Asked, asked_of
from overread.contracts import Model, ModelOptions, Release, Reply, Reporter, Watched
from overread.errors import FatalModelError, PartialRunError, UsageError, expected
from overread.metrics.facts import BY_MODEL
from overread.records import Finding, Item, Reference, Response, Score, Severity, Status
from overread.registry import open_model
from overread.run.asking import Progress
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.model_form import FactForm
from overread.scoring.facts.model_reader import ask_for_facts, facts_of_reply, read_by_model
from overread.scoring.facts.scorer import FactScorer
from overread.store.fact_replies import FactReader, FactReply
from overread.store.hashes import judge_hash, vote_hash
from overread.store.run_store import RunStore

__all__ = ["FactReadingOutcome", "FactRequest", "fact_scorer_of", "model_read_scores", "read_facts"]

_KIND = "facts-model"
_MOST_UNREAD = 0.01
"""A share of texts without a reading above this is a warning."""
_Row = tuple[Item, Reference, Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRequest:
    """Which model reads."""

    model: str
    """``ADAPTER:NAME``."""
    options: ModelOptions = field(default_factory=ModelOptions)
    retry: bool = False
    """Ask again where a reply came and nothing of the form could be read in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReadingOutcome:
    """What came of asking."""

    n_texts: int
    """Distinct texts of references and replies."""
    n_asked: int
    """Requests of this start."""
    n_failed: int
    """Of them without a reply."""
    n_read: int
    """Texts of which there is a reading now."""


def fact_scorer_of(release: Release) -> FactScorer:
    """Give a release's way of scoring descriptions. UsageError when it asks for none."""
    found = _fact_scorer(release)
    if found is None:
        raise UsageError(
            expected(
                "--facts-model",
                rule="a benchmark that asks for descriptions of lesions",
                got=f"{release.card.name}, in whose answers no facts are read",
                remedy="Leave --facts-model out.",
            )
        )
    return found


def _fact_scorer(release: Release) -> FactScorer | None:
    return next((each for each in release.scorers("honest") if isinstance(each, FactScorer)), None)


def read_facts(
    store: RunStore,
    release: Release,
    request: FactRequest,
    *,
    on_progress: Callable[[Progress], None],
) -> FactReadingOutcome:
    """Have the texts of a run read, or go on with it; `scoring.score_run` then scores them.

    Parameters
    ----------
    store
        The run, opened for writing.
    release
        The release it was made on.
    request
        Which model.
    on_progress
        Is told after every request how far it is.

    Raises
    ------
    UsageError
        The run holds no descriptions, or the model is named wrongly; nothing was asked.
    FatalModelError
        The model cannot be reached or stopped answering. Its replies are stored.
    PartialRunError
        Interrupted; what came before is stored.
    """
    scorer = fact_scorer_of(release)
    model = open_model(request.model, replace(request.options, text_only=True))
    texts = _texts(_rows(store, asked_of(store, release), scorer))
    if not texts:
        raise UsageError(
            expected(
                "--facts-model",
                rule="a run with descriptions of lesions",
                got=f"{store.path}, which holds none",
                remedy="Ask for them first: 'overread run … --task caption'.",
            )
        )
    asking = _Asking(store, model, on_progress)
    try:
        asyncio.run(asking.all(_missing(store, asking.reader, texts, retry=request.retry)))
    except FatalModelError as error:
        raise FatalModelError(f"{error} {_way_on(store, asking.reader, texts)}") from error
    except KeyboardInterrupt:
        raise PartialRunError(f"Stopped. {_way_on(store, asking.reader, texts)}") from None
    finally:
        known = _readings(_replies(store, asking.reader, texts))
        if store.fact_reader() == asking.reader:
            found = [*_findings(asking.reader, texts, known), *_told_by(model)]
            store.replace_findings(_KIND, found)
    return FactReadingOutcome(
        n_texts=len(texts),
        n_asked=asking.done,
        n_failed=asking.failed,
        n_read=sum(not facts.reader_failed for facts in known.values()),
    )


class _Asking:
    """Asks one model, and stores each raw reply before the next text is asked about."""

    def __init__(
        self, store: RunStore, model: Model, on_progress: Callable[[Progress], None]
    ) -> None:
        self._store = store
        self._model = model
        self._on_progress = on_progress
        self._form = FactForm()
        self._total = 0
        self.done = 0
        self.failed = 0
        self.reader = FactReader(
            model=model.identity.label,
            model_hash=judge_hash(model.identity, self._form.name),
            form=self._form.name,
        )

    async def all(self, texts: Sequence[str]) -> None:
        self._total = len(texts)
        try:
            if texts:
                await self._model.preflight()
            if texts or self._store.fact_reader() != self.reader:
                # A run that is stopped now must not be left with the numbers of an earlier reader.
                self._store.replace_scores(())
                self._store.replace_estimates(())
                self._store.set_fact_reader(self.reader)
            await ask_for_facts(self._model, texts, form=self._form, keep=self._keep)
        finally:
            await self._model.close()

    async def _keep(self, text: str, reply: Reply) -> None:
        stored = FactReply(
            status=reply.status,
            text=reply.text,
            reason=reply.reason,
            finish_reason=reply.finish_reason,
        )
        request_hash = _hash(self.reader, self._form, text)
        await asyncio.to_thread(self._store.add_fact_reply, request_hash, stored)
        self.done += 1
        self.failed += reply.status is Status.FAILED
        note = self._model.note if isinstance(self._model, Watched) else ""
        self._on_progress(
            Progress(done=self.done, total=self._total, failed=self.failed, note=note)
        )


def _missing(
    store: RunStore, reader: FactReader, texts: Sequence[str], *, retry: bool
) -> list[str]:
    """List the texts to ask about: without a reply or, to be asked again, without a reading."""
    replies = _replies(store, reader, texts)
    known = _readings(replies)
    return [
        text
        for text, stored in replies.items()
        if stored is None or stored.status is Status.FAILED or (retry and known[text].reader_failed)
    ]


def _told_by(model: Model) -> list[Finding]:
    if not isinstance(model, Reporter):
        return []
    label = model.identity.label
    return [replace(each, where=f"{label}: {each.where}") for each in model.findings()]


def model_read_scores(store: RunStore, release: Release, rows: Sequence[_Row]) -> Iterator[Score]:
    """Score descriptions by what a model has read; nothing where no model was asked to.

    Parameters
    ----------
    store
        The run.
    release
        The release it was made on.
    rows
        Every answered item with its reference and response.
    """
    reader, scorer = store.fact_reader(), _fact_scorer(release)
    if reader is None or scorer is None:
        return
    taken = [row for row in rows if scorer.takes(row[0])]
    known = _readings(_replies(store, reader, _texts(taken)))
    by_model = replace(scorer, reader=read_by_model(known), metrics=BY_MODEL)
    for row in taken:
        yield from by_model.score(*row)


def _rows(store: RunStore, asked: Asked, scorer: FactScorer) -> list[_Row]:
    responses = {response.request_hash: response for response in store.responses()}
    return [
        (asked.items[line.item], asked.references[line.item], response)
        for line in store.plan()
        if (response := responses.get(line.request_hash)) is not None
        and scorer.takes(asked.items[line.item])
    ]


def _texts(rows: Sequence[_Row]) -> list[str]:
    """List the distinct texts that scoring reads, those of references first."""
    references = [r.answer for _, r, _ in rows if r.problem is None and r.answer is not None]
    replies = [r.text for _, _, r in rows if r.status is Status.OK and r.text is not None]
    return [text for text in dict.fromkeys([*references, *replies]) if text.strip()]


def _hash(reader: FactReader, form: FactForm, text: str) -> str:
    return vote_hash(reader.model_hash, form.prompt(text))


def _replies(
    store: RunStore, reader: FactReader, texts: Sequence[str]
) -> Mapping[str, FactReply | None]:
    """Give the stored reply about each text; None where nothing was asked yet."""
    form, stored = FactForm(), store.fact_replies()
    return {text: stored.get(_hash(reader, form, text)) for text in texts}


def _readings(replies: Mapping[str, FactReply | None]) -> dict[str, LesionFacts]:
    """Read the replies; a text that was not asked about has none."""
    form = FactForm()
    return {
        text: facts_of_reply(
            Reply(
                status=stored.status,
                text=stored.text,
                reason=stored.reason,
                finish_reason=stored.finish_reason,
            ),
            text,
            form,
        )
        for text, stored in replies.items()
        if stored is not None
    }


def _way_on(store: RunStore, reader: FactReader, texts: Sequence[str]) -> str:
    n_kept = sum(stored is not None for stored in _replies(store, reader, texts).values())
    kept = f"{n_kept} of {len(texts)} replies"
    return f"{kept} are in {store.path}; the same command goes on from there."


def _findings(
    reader: FactReader, texts: Sequence[str], readings: Mapping[str, LesionFacts]
) -> Iterator[Finding]:
    failed = Counter(
        "it was not asked" if facts is None else facts.unreadable or ""
        for text in texts
        if (facts := readings.get(text)) is None or facts.reader_failed
    )
    n_failed = failed.total()
    shown = f"{len(texts)} distinct texts of references and descriptions were put to it"
    if not n_failed:
        yield Finding(
            severity=Severity.INFO,
            code="facts-read-by-model",
            where=f"{reader.model}, form {reader.form}",
            evidence=shown,
            effect="its scores stand beside those of the rules, under names of their own",
        )
        return
    yield Finding(
        severity=Severity.WARNING if n_failed > _MOST_UNREAD * len(texts) else Severity.INFO,
        code="facts-unread",
        where=f"{reader.model}, form {reader.form}",
        evidence=f"{shown}, {n_failed} of them in vain ({failed.most_common(1)[0][0]})",
        effect="descriptions that were read in vain, or whose reference was, leave its scores",
        remedy="Ask again with --retry, with a larger --max-tokens or another model.",
        count=n_failed,
    )
