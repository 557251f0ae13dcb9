"""``--model fake``: the fake server in this process, asked through the real chat adapter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from overread.contracts import Form, Model, ModelOptions, Query, Reply, Reporter
from overread.models.fake.script import Script, read_script
from overread.models.fake.server import FakeServer
from overread.records import Finding, ModelIdentity
from overread.registry import open_model

__all__ = ["ADAPTER", "FakeAdapter"]


class FakeAdapter:
    """Opens ``fake`` and ``fake:SCRIPT``."""

    name = "fake"
    summary = "A scripted server on this machine: tries out a run without a model."
    examples = (
        "fake",
        "fake:letter=first",
        "fake:429=0.05,cut=0.01,seed=3",
        "fake:judge=exact",
        "fake:script.json",
    )

    def open(self, target: str, options: ModelOptions) -> Model:
        """Read the script. UsageError when it is none."""
        return _FakeModel(target.strip(), read_script(target), options)


class _FakeModel:
    """A chat model whose server starts with the first request and ends with `close`."""

    def __init__(self, target: str, script: Script, options: ModelOptions) -> None:
        self._target = target
        self._script = script
        self._options = options
        self._server: FakeServer | None = None
        self._chat: Model | None = None
        self._findings: tuple[Finding, ...] = ()

    @property
    def identity(self) -> ModelIdentity:
        options = self._options
        return ModelIdentity(
            kind="fake",
            # Several fake judges sit on one jury: each has a name of its own.
            name=f"judge-{self._script.judge}" if "judge" in self._target else self._script.letter,
            settings={
                "script": self._target,
                "temperature": options.temperature,
                "max_tokens": options.max_tokens,
                "seed": options.seed,
                "structured": options.structured,
            },
        )

    @property
    def sees(self) -> bool:
        return not self._options.text_only

    @property
    def form(self) -> Form:
        return "chat"

    @property
    def max_concurrency(self) -> int:
        return self._options.concurrency

    @property
    def note(self) -> str:
        """The chat model's own note; empty before the first request."""
        return str(getattr(self._chat, "note", ""))

    def findings(self) -> Sequence[Finding]:
        """Report the chat model's own findings, also after the end."""
        if isinstance(self._chat, Reporter):
            return self._chat.findings()
        return self._findings

    async def preflight(self) -> None:
        await self._opened().preflight()

    async def ask(self, query: Query) -> Reply:
        return await self._opened().ask(query)

    async def close(self) -> None:
        self._findings = tuple(self.findings())
        chat, self._chat = self._chat, None
        server, self._server = self._server, None
        if chat is not None:
            await chat.close()
        if server is not None:
            server.stop()

    def _opened(self) -> Model:
        if self._chat is None:
            self._server = FakeServer(self._script).start()
            options = replace(self._options, base_url=self._server.base_url)
            self._chat = open_model(f"chat:{self._script.model or 'fake'}", options)
        return self._chat


ADAPTER = FakeAdapter()
