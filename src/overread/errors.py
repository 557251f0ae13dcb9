"""Everything that overread raises on purpose, in one tree.

::

    OverreadError
    ├── UsageError             an argument is wrong                          exit status 2
    │   └── MissingExtraError  an optional dependency is not installed       exit status 2
    ├── ReleaseError           a release cannot be read at all               exit status 2
    │   └── UnsafePathError    a path in a release leaves the release        exit status 2
    ├── ImageError             one picture or volume cannot be used
    ├── StoreError             a run file cannot be used                     exit status 2
    │   ├── StoreBusyError     another process writes this run
    │   ├── StoreDamagedError  the file is not a whole run
    │   └── StoreFullError     the disk took no more                         exit status 3
    ├── ModelError             one request to a model came to nothing
    │   └── FatalModelError    no request can succeed: wrong key, no server  exit status 3
    └── PartialRunError        a run stopped part-way and can go on          exit status 3

A part of a release that is missing or odd is no exception: it is a `records.Finding`.
A reply that cannot be used is no exception: it is a `records.Response` with a status.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

__all__ = [
    "FatalModelError",
    "ImageError",
    "MissingExtraError",
    "ModelError",
    "OverreadError",
    "PartialRunError",
    "ReleaseError",
    "StoreBusyError",
    "StoreDamagedError",
    "StoreError",
    "StoreFullError",
    "UnsafePathError",
    "UsageError",
    "expected",
    "first_error",
    "listed",
]

_LONGEST_QUOTED_VALUE = 400
"""Characters: a message that quotes another one leaves it whole, with its remedy."""


class OverreadError(Exception):
    """The root: whatever overread raises on purpose is one of these."""

    exit_status = 2


class UsageError(OverreadError):
    """An argument breaks its rule; nothing was done."""


class MissingExtraError(UsageError):
    """An optional dependency is needed and absent; the message holds the install line."""

    def __init__(self, what: str, *, extra: str) -> None:
        super().__init__(
            expected(
                what,
                rule=f"the optional dependencies of extra '{extra}'",
                got="an installation without them",
                remedy=f"Install them: pip install 'overread[{extra}]'.",
            )
        )


class ReleaseError(OverreadError):
    """A folder is no release of the benchmark, or its question file cannot be read at all."""


class UnsafePathError(ReleaseError):
    """A path written in a release (or a link in it) leads out of the release's folder."""


class ImageError(OverreadError):
    """One picture cannot be shown: absent, unreadable, out of bounds, of an unknown kind."""


class StoreError(OverreadError):
    """A run file cannot be used."""


class StoreBusyError(StoreError):
    """Another process is writing this run."""


class StoreDamagedError(StoreError):
    """The file is not a whole run; it was left as it is."""


class StoreFullError(StoreError):
    """The disk refused a write; every answer committed before it is safe."""

    exit_status = 3


class ModelError(OverreadError):
    """One request came to nothing after its bounded retries; the run goes on."""


class FatalModelError(ModelError):
    """No request can succeed (wrong key, unknown model, no server): the run stops at once."""

    exit_status = 3


class PartialRunError(OverreadError):
    """A run stopped part-way; the message says how to go on."""

    exit_status = 3


def expected(argument: str, *, rule: str, got: object, remedy: str) -> str:
    """Word a message the way every message of overread is worded.

    Parameters
    ----------
    argument
        Name of the argument, item or file that broke a rule.
    rule
        What was expected, as a noun phrase.
    got
        What came instead; a long value is cut.
    remedy
        What to do about it, as whole sentences.

    Examples
    --------
    >>> expected("--limit", rule="a whole number of 1 or more", got=0, remedy="Leave it out.")
    '--limit: expected a whole number of 1 or more, got 0. Leave it out.'
    """
    shown = str(got)
    if len(shown) > _LONGEST_QUOTED_VALUE:
        shown = f"{shown[:_LONGEST_QUOTED_VALUE]}… ({len(shown)} characters)"
    return f"{argument}: expected {rule}, got {shown}. {remedy}"


def listed(values: Collection[object], *, most: int = 6, between: str = ", ") -> str:
    """List a few values for a message, and say how many more there are.

    Examples
    --------
    >>> listed([404, 794, 4039]), listed("abcd", most=2, between="; ")
    ('404, 794, 4039', 'a; b and 2 more')
    """
    shown = between.join(str(value) for value in islice(values, most))
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def first_error(errors: BaseExceptionGroup[OverreadError]) -> OverreadError:
    """Give the first error of a group, however deep groups are nested.

    One task's error cancels the others of an `asyncio.TaskGroup`; those that fail while they stop
    say nothing new.

    Parameters
    ----------
    errors
        What ``except* OverreadError`` caught.

    Examples
    --------
    >>> group = ExceptionGroup("tasks", [ExceptionGroup("inner", [OverreadError("no disk")])])
    >>> first_error(group)
    OverreadError('no disk')
    """
    for error in errors.exceptions:
        return error if isinstance(error, OverreadError) else first_error(error)
    raise AssertionError("an exception group is never empty")  # pragma: no cover
