"""A model written in Python: ``--model python:package.module:name``.

The name may stand for

- a function that takes a `Query` and returns the reply's text or a `Reply`, with or without
  ``async`` (an ordinary one runs in a thread, one query at a time);
- a factory that takes `ModelOptions` and returns such a function or a `Model`;
- a `Model` itself.

A factory is told from a function by its parameter: annotated as ``ModelOptions`` or called
``options``. The current folder is searched first, as ``python -m`` does. ::

    def answer(query):                     # --model python:my_model:answer
        picture = query.pictures[query.item.media[0]][0]
        return "B" if looks_like_liver(picture.data) else "A"

    def segment(query):                    # of items that ask for a mask
        volume, = query.files[query.item.media[0]]
        path = query.write_to.with_suffix(".nii.gz")
        save_like(volume, network(volume), path)
        return Reply(path=str(path))
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import logging
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import cast

from overread.contracts import Form, Model, ModelOptions, Query, Reply
from overread.errors import FatalModelError, ModelError, OverreadError, UsageError, expected
from overread.records import ModelIdentity

__all__ = ["ADAPTER", "PythonAdapter"]

_log = logging.getLogger(__name__)

_MODEL_PARTS = ("identity", "sees", "form", "max_concurrency", "preflight", "ask", "close")
_OPTIONAL_PARTS = ("learn", "announce", "findings", "note", "reads_arrays", "writes_masks")


class PythonAdapter:
    """Opens ``python:MODULE:NAME``."""

    name = "python"
    summary = "A Python function of a query, or a factory of a model."
    examples = ("python:my_package.my_model:answer", "python:my_package.my_model:make_model")

    def open(self, target: str, options: ModelOptions) -> Model:
        """Import the module and take what the name stands for.

        Raises
        ------
        UsageError
            The module cannot be imported, has no such name, or the name stands for something
            else.
        """
        module_name, colon, name = target.partition(":")
        if not (module_name and colon and name):
            raise _wrong(repr(target), "Write the module, a colon and the name.")
        module = _import(module_name)
        found = _attribute(module, name)
        if callable(found) and not _is_model(found) and _is_factory(found):
            try:
                found = found(options)
            except OverreadError:
                raise
            except Exception as error:
                text = f"a factory that raised {type(error).__name__}: {error}"
                raise _wrong(text, "Call it by hand to see where.") from error
        if _is_model(found):
            return _guarded(target, cast("Model", found))
        if not callable(found):
            raise _wrong(f"{target} → {type(found).__name__}", "It is neither of these.")
        answer = cast("Callable[[Query], object]", found)
        return _FunctionModel(target, answer, options, revision=_source_hash(module))


class _FunctionModel:
    """A function as a model."""

    def __init__(
        self,
        target: str,
        answer: Callable[[Query], object],
        options: ModelOptions,
        *,
        revision: str | None,
    ) -> None:
        self._target = target
        self._answer = answer
        self._options = options
        self._revision = revision
        self._is_async = _is_coroutine_function(answer)
        self._running: asyncio.Future[object] | None = None

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(
            kind="python",
            name=self._target,
            revision=self._revision,
            settings={"seed": self._options.seed, "temperature": self._options.temperature},
        )

    @property
    def sees(self) -> bool:
        return True

    @property
    def reads_arrays(self) -> bool:
        return True

    @property
    def writes_masks(self) -> bool:
        """Where a query says it may write (`Query.write_to`), by a `Reply` with a path."""
        return True

    @property
    def form(self) -> Form:
        return "chat"

    @property
    def max_concurrency(self) -> int:
        """One for an ordinary function: it was not written to run beside itself."""
        return self._options.concurrency if self._is_async else 1

    async def preflight(self) -> None:
        """Nothing to find out: the function has been found."""

    async def ask(self, query: Query) -> Reply:
        try:
            found = await self._call(query)
        except OverreadError:
            raise
        except Exception as error:
            raise _failure(self._target, query, _worded(error)) from error
        if isinstance(found, Reply):
            return found
        if isinstance(found, str):
            return Reply(text=found.encode("utf-8", "replace").decode())
        raise _failure(self._target, query, f"a {type(found).__name__}")

    async def close(self) -> None:
        """Nothing is held."""

    async def _call(self, query: Query) -> object:
        async with asyncio.timeout(self._options.timeout_s):
            if self._is_async:
                return await cast("Callable[[Query], Awaitable[object]]", self._answer)(query)
        await self._let_the_last_one_end(query)
        running = _in_a_thread(self._answer, query)
        self._running = running
        return await self._within_time(running)

    async def _within_time(self, running: asyncio.Future[object]) -> object:
        # Shielded: a thread cannot be stopped, and its end must stay known.
        async with asyncio.timeout(self._options.timeout_s):
            return await asyncio.shield(running)

    async def _let_the_last_one_end(self, query: Query) -> None:
        """Wait for a call that ran out of time: two at once are not what its author expects."""
        if self._running is None or self._running.done():
            return
        try:
            await self._within_time(self._running)
        except TimeoutError:
            raise FatalModelError(
                expected(
                    f"item {query.item.id}",
                    rule=f"{self._target} to come back within {self._options.timeout_s:g} s",
                    got="a call that has not, in twice that time",
                    remedy="A function cannot be stopped from outside: raise --timeout-s, or run "
                    "the model as a process (command:…).",
                )
            ) from None
        except Exception:  # that question has been given up already
            pass


class _GuardedModel:
    """A model of somebody's own: whatever it raises is a failure of the model, not a crash."""

    def __init__(self, target: str, model: Model) -> None:
        self._target = target
        self._model = model

    @property
    def identity(self) -> ModelIdentity:
        return self._model.identity

    @property
    def sees(self) -> bool:
        return self._model.sees

    @property
    def form(self) -> Form:
        return self._model.form

    @property
    def max_concurrency(self) -> int:
        return self._model.max_concurrency

    async def preflight(self) -> None:
        try:
            await self._model.preflight()
        except OverreadError:
            raise
        except (Exception, SystemExit) as error:
            raise FatalModelError(
                expected(
                    "preflight",
                    rule=f"{self._target} to find itself ready",
                    got=_worded(error),
                    remedy="Call its preflight by hand to see where.",
                )
            ) from error

    async def ask(self, query: Query) -> Reply:
        try:
            reply: object = await self._model.ask(query)
        except OverreadError:
            raise
        except (Exception, SystemExit) as error:
            raise _failure(self._target, query, _worded(error)) from error
        if not isinstance(reply, Reply):
            raise _failure(self._target, query, f"a {type(reply).__name__}")
        return reply

    async def close(self) -> None:
        try:
            await self._model.close()
        except (Exception, SystemExit) as error:  # its answers are in: no reason to lose them
            _log.warning("%s did not close: %s", self._target, _worded(error))


def _guarded(target: str, model: Model) -> Model:
    """Guard a model, and leave it what else it can do (see `contracts`)."""
    parts = {name: _handed_on(name) for name in _OPTIONAL_PARTS if hasattr(model, name)}
    # A class of its own: whether a model can learn is asked of its class.
    guard = cast("type[_GuardedModel]", type("_GuardedModel", (_GuardedModel,), parts))
    return guard(target, model)


def _handed_on(name: str) -> property:
    return property(lambda guard: getattr(guard._model, name))


def _failure(target: str, query: Query, got: str) -> ModelError:
    return ModelError(
        expected(
            f"item {query.item.id}",
            rule=f"text or a Reply from {target}",
            got=got,
            remedy="The question counts as failed; the others go on.",
        )
    )


def _worded(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an exception may fail at wording itself
        return type(error).__name__


def _in_a_thread(answer: Callable[[Query], object], query: Query) -> asyncio.Future[object]:
    """Call a function in a thread that does not keep the process alive.

    `asyncio.to_thread` would: its threads are waited for at the end, for ever where one hangs.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[object] = loop.create_future()

    def settle(result: object, error: Exception | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def call() -> None:
        result, failure = None, None
        try:
            result = answer(query)
        except Exception as error:
            failure = error
        except SystemExit as error:  # it would end this thread and leave the question waiting
            failure = RuntimeError(f"it called sys.exit({error.code!r})")
        with suppress(RuntimeError):  # the loop has gone: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=call, name="overread-python-model", daemon=True).start()
    future.add_done_callback(_look_at)
    return future


def _look_at(future: asyncio.Future[object]) -> None:
    """Mark an error as seen: the question may have been given up before it came."""
    if not future.cancelled():
        future.exception()


def _import(name: str) -> ModuleType:
    here = str(Path.cwd())
    added = here not in sys.path and "" not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except Exception as error:  # a module may raise anything while it is imported
        text = f"{name}, which cannot be imported ({type(error).__name__}: {error})"
        raise _wrong(text, f"Try: python -c 'import {name}'.") from error
    finally:
        if added:
            sys.path.remove(here)


def _attribute(module: ModuleType, name: str) -> object:
    found: object = module
    for part in name.split("."):
        if not hasattr(found, part):
            public = [known for known in vars(module) if not known.startswith("_")]
            remedy = f"{module.__name__} has: {', '.join(sorted(public)[:20]) or 'nothing'}."
            raise _wrong(f"{module.__name__}:{name}, which is not there", remedy)
        found = getattr(found, part)
    return found


def _is_model(found: object) -> bool:
    return not inspect.isclass(found) and all(hasattr(found, part) for part in _MODEL_PARTS)


def _is_factory(found: Callable[..., object]) -> bool:
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):
        return False
    if not parameters:
        return False
    kind = parameters[0].annotation
    shown = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    return shown.rpartition(".")[2] == "ModelOptions" or parameters[0].name == "options"


def _is_coroutine_function(found: Callable[..., object]) -> bool:
    return inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(
        getattr(found, "__call__", None)  # noqa: B004 — an object may answer asynchronously
    )


def _source_hash(module: ModuleType) -> str | None:
    """Hash the module's file: an edited model is another model."""
    try:
        return sha256(Path(module.__file__ or "").read_bytes()).hexdigest()[:16]
    except OSError:
        return None


def _wrong(got: str, remedy: str) -> UsageError:
    rule = "python:MODULE:NAME with a function of a query, a factory or a model"
    return UsageError(expected("--model", rule=rule, got=got, remedy=remedy))


ADAPTER = PythonAdapter()
