"""What all built-in readers share: a letter or a word as the reply, or the reason why not."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from overread.contracts import Form, Query, Reply
from overread.errors import ModelError
from overread.records import Choice, JsonValue, ModelIdentity, Option, Status, Text

if TYPE_CHECKING:
    from overread.records import Item

__all__ = ["Baseline", "DeclinedError", "NothingToSayError", "options_of"]


class NothingToSayError(ModelError):
    """Nothing to go on for one item; never leaves `Baseline.ask`."""


class DeclinedError(NothingToSayError):
    """The reader will not answer without what it goes by, such as a picture."""


class Baseline(ABC):
    """A reader that answers four-choice questions (and others with letters) at once.

    Some also answer questions that ask for free text, with the shortest words that do.

    Parameters
    ----------
    name
        As in ``baselines:NAME``.
    settings
        All that could change an answer.
    """

    sees = False
    """Whether it is shown pictures."""
    max_concurrency = 1
    form: Form = "chat"

    def __init__(self, name: str, *, settings: Mapping[str, JsonValue]) -> None:
        self._identity = ModelIdentity(
            kind="baselines", name=name, revision="1", settings=dict(settings)
        )

    @property
    def identity(self) -> ModelIdentity:
        """Which reader, with its settings."""
        return self._identity

    async def preflight(self) -> None:  # noqa: B027  a hook, not a gap
        """Do nothing: a built-in reader can always be asked."""

    async def ask(self, query: Query) -> Reply:
        """Answer in the JSON form that chat protocols ask for, so that scripts can read it too.

        A question that asks for text gets the bare words. `Status.FAILED` says why when nothing can
        be said, and `Status.REFUSED` why the reader declines.
        """
        try:
            if isinstance(query.item.answer_space, Text):
                return Reply(text=self.say(query), finish_reason="stop")
            letter = self.choose(query, options_of(query.item))
            text = json.dumps({"selected_option": letter}, ensure_ascii=False)
            return Reply(text=text, finish_reason="stop")
        except NothingToSayError as problem:
            declined = isinstance(problem, DeclinedError)
            status = Status.REFUSED if declined else Status.FAILED
            return Reply(status=status, reason=f"{self.identity.name}: {problem}")

    async def close(self) -> None:  # noqa: B027  a hook, not a gap
        """Do nothing: there is nothing to let go of."""

    @abstractmethod
    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Choose a letter of the options (at least one). NothingToSayError when it cannot."""

    def say(self, query: Query) -> str:
        """Answer a question that asks for text. NothingToSayError when it cannot."""
        kind = type(query.item.answer_space).__name__
        raise NothingToSayError(f"it answers questions with options, and this one asks for {kind}")


def options_of(item: Item) -> tuple[Option, ...]:
    """List the options of an item, in order.

    Raises
    ------
    NothingToSayError
        The item asks for something else than one of several options, or offers none.
    """
    if not isinstance(item.answer_space, Choice):
        kind = type(item.answer_space).__name__
        raise NothingToSayError(f"it answers questions with options, and this one asks for {kind}")
    if not item.answer_space.options:
        raise NothingToSayError("the question offers no option")
    return item.answer_space.options
