"""The registered way to processes."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from overread.contracts import Form, Model, ModelOptions, Query, Reply
from overread.errors import FatalModelError, ModelError, UsageError, expected
from overread.models.command.exchange import ExchangeFolder
from overread.models.command.hidden import without_secrets
from overread.models.command.messages import (
    BadReplyError,
    ReportedError,
    question_line,
    read_reply_line,
)
from overread.models.command.process import LineProcess, ProcessDiedError
from overread.records import Item, Mask, ModelIdentity

__all__ = ["ADAPTER", "CommandAdapter", "CommandModel"]

_LOADING_S = 600.0
"""More time for the first question after a start: weights are read from a disk."""
_DEATHS_IN_A_ROW = 3
_DEATHS_OVER_VOLUMES = 10
"""The same where masks are asked for: several cases too large for the memory may come first."""
_EARLY_END_S = 0.3
_LARGEST_HASHED_FILE = 1 << 20


class CommandAdapter:
    """Opens ``command:PROGRAM ARGUMENTS``."""

    name = "command"
    summary = "A process in its own environment: one JSON line in, one JSON line out."
    examples = ("command:python my_model.py", "command:conda run -n ct python my_model.py")

    def open(self, target: str, options: ModelOptions) -> Model:
        """Split the command line as a shell would. UsageError when its program is not found."""
        try:
            argv = shlex.split(target)
        except ValueError as error:
            raise _wrong(f"{target!r} ({error})") from None
        if not argv:
            raise _wrong("no command")
        if shutil.which(argv[0]) is None:
            raise _wrong(f"{argv[0]!r}, which is no program that can be found")
        return CommandModel(argv, options)


class CommandModel:
    """A process as a model, one question at a time.

    Parameters
    ----------
    argv
        Program and arguments.
    options
        `timeout_s` bounds the wait for each reply.
    """

    def __init__(self, argv: Sequence[str], options: ModelOptions) -> None:
        self._argv = tuple(argv)
        self._options = options
        self._turn = asyncio.Lock()
        self._process: LineProcess | None = None
        self._is_fresh = True
        self._deaths = 0
        self._folder: ExchangeFolder | None = None

    @property
    def identity(self) -> ModelIdentity:
        """The command line without secrets, and a hash of the small files it names."""
        options = self._options
        return ModelIdentity(
            kind="command",
            name=shlex.join(without_secrets(self._argv)),
            revision=_files_hash(self._argv),
            settings={
                "seed": options.seed,
                "temperature": options.temperature,
                "max_tokens": options.max_tokens,
            },
        )

    @property
    def sees(self) -> bool:
        """Pictures are written as files."""
        return True

    @property
    def reads_arrays(self) -> bool:
        """Volumes are named by the path of their prepared array."""
        return True

    @property
    def form(self) -> Form:
        """The worded questions."""
        return "chat"

    @property
    def max_concurrency(self) -> int:
        """One process, one question at a time."""
        return 1

    @property
    def writes_masks(self) -> bool:
        """It is told where, and by what labels."""
        return True

    async def preflight(self) -> None:
        """Start the process. FatalModelError when it ends at once."""
        process = await self._running()
        if await process.wait(seconds=_EARLY_END_S):
            self._process = None
            await process.kill()
            remedy = "Run it by hand: it must wait for lines on its standard input."
            raise FatalModelError(self._message("preflight", process.describe_end(), remedy))

    async def ask(self, query: Query) -> Reply:
        """Ask one question.

        Raises
        ------
        ModelError
            The process dies of it or answers amiss.
        FatalModelError
            It has died several times in a row, or the disk takes no pictures.
        """
        async with self._turn:
            process = await self._running()
            try:
                folder = self._picture_folder()
                written = await asyncio.to_thread(  # volumes take a while to be copied
                    question_line, query, self._options, folder=folder
                )
            except OSError as error:
                got = f"a folder that takes no pictures ({error.strerror or error})"
                remedy = "Is the disk full? TMPDIR names another folder."
                raise FatalModelError(self._message(f"item {query.item.id}", got, remedy)) from None
            try:
                return await self._exchange(process, written.line, query.item)
            finally:
                for path in written.files:
                    if path.is_dir():
                        shutil.rmtree(path, ignore_errors=True)
                    else:
                        path.unlink(missing_ok=True)

    async def close(self) -> None:
        """Let the process leave, and remove the folder of pictures."""
        process, self._process = self._process, None
        folder, self._folder = self._folder, None
        if process is not None:
            await process.leave()
        if folder is not None:
            folder.remove()

    async def _exchange(self, process: LineProcess, line: bytes, item: Item) -> Reply:
        where = f"item {item.id}"
        allowed_s = self._options.timeout_s + (_LOADING_S if self._is_fresh else 0.0)
        done = False
        try:
            async with asyncio.timeout(allowed_s):
                answer = await process.exchange(line)
            reply = read_reply_line(answer, item=item)
            done = True
        except ReportedError as error:
            done = True
            raise ModelError(
                self._message(where, f"its error: {error}", "The process goes on.")
            ) from None
        except TimeoutError:
            got = f"no reply within {allowed_s:g} s"
            raise ModelError(
                self._message(where, got, "It was ended and is started again; see --timeout-s.")
            ) from None
        except (BadReplyError, ValueError) as error:
            remedy = "It was ended and is started again. Only replies go to standard output."
            raise ModelError(self._message(where, str(error), remedy)) from None
        except ProcessDiedError as error:
            self._deaths += 1
            raise self._death(item, str(error)) from None
        finally:
            if done:
                self._is_fresh, self._deaths = False, 0
            else:  # also when the run was cancelled: a late reply must meet no other question
                self._process = None
                await asyncio.shield(process.kill())
        return reply

    async def _running(self) -> LineProcess:
        if self._process is None or not self._process.is_running:
            try:
                self._process = await LineProcess.start(self._argv)
            except OSError as error:
                got = f"{error.strerror or error}"
                raise FatalModelError(
                    self._message("command", got, "It cannot be started.")
                ) from None
            self._is_fresh = True
        return self._process

    def _picture_folder(self) -> Path:
        if self._folder is None:
            self._folder = ExchangeFolder()
        return self._folder.path

    def _death(self, item: Item, how: str) -> ModelError:
        where = f"item {item.id}"
        is_mask = isinstance(item.answer_space, Mask)
        if self._deaths >= (_DEATHS_OVER_VOLUMES if is_mask else _DEATHS_IN_A_ROW):
            remedy = f"It has died {self._deaths} times in a row without a reply."
            return FatalModelError(self._message(where, how, remedy))
        remedy = "It is started again for the next question; this one has failed."
        return ModelError(self._message(where, how, remedy))

    def _message(self, where: str, got: str, remedy: str) -> str:
        shown = shlex.join(without_secrets(self._argv))
        return expected(where, rule=f"a reply line from '{shown}'", got=got, remedy=remedy)


def _files_hash(argv: Sequence[str]) -> str | None:
    """Hash the scripts and settings named on the command line: edited, it is another model."""
    digest, count = sha256(), 0
    for argument in argv:
        try:
            path = Path(argument.rpartition("=")[2])
            if path.is_file() and path.stat().st_size <= _LARGEST_HASHED_FILE:
                digest.update(sha256(path.read_bytes()).digest())
                count += 1
        except (OSError, ValueError):
            continue
    return digest.hexdigest()[:16] if count else None


def _wrong(got: str) -> UsageError:
    return UsageError(
        expected(
            "--model",
            rule="command:PROGRAM ARGUMENTS",
            got=got,
            remedy="The program reads and writes JSON lines; see overread.models.command.",
        )
    )


ADAPTER = CommandAdapter()
