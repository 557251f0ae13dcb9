"""The error of a group of tasks that is worth telling: the first of the package's own."""

from __future__ import annotations

from overread.errors import OverreadError

__all__ = ["first_error"]


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
