"""The registered way to chat models."""

from __future__ import annotations

import os

from overread.contracts import Model, ModelOptions
from overread.errors import UsageError, expected

__all__ = ["ADAPTER", "ChatAdapter"]


class ChatAdapter:
    """Opens ``chat:NAME``. Nothing is imported or connected before the first request."""

    name = "chat"
    summary = "Any OpenAI-compatible endpoint: vLLM, SGLang, Ollama, llama.cpp, hosted models."
    examples = ("chat:gpt-4o", "chat:google/medgemma-4b-it", "chat:qwen2.5vl:7b")

    def open(self, target: str, options: ModelOptions) -> Model:
        """Open the model that the server calls `target`.

        Raises
        ------
        UsageError
            No name, a base URL that is none, a setting out of range, or no key where one is
            needed.
        """
        from overread.models.chat.endpoint import find_endpoint
        from overread.models.chat.model import ChatModel

        if not target.strip():
            raise UsageError(
                expected(
                    "--model",
                    rule="chat:NAME with the server's name for the model",
                    got="'chat:' without a name",
                    remedy="Most servers list their names at BASE_URL/models.",
                )
            )
        _check(options)
        return ChatModel(target.strip(), find_endpoint(options.base_url, os.environ), options)


def _check(options: ModelOptions) -> None:
    images = options.max_images
    rules = (
        ("--concurrency", options.concurrency, options.concurrency >= 1, "1 or more"),
        ("--timeout-s", options.timeout_s, options.timeout_s > 0, "more than 0 seconds"),
        ("--max-retries", options.max_retries, options.max_retries >= 0, "0 or more"),
        ("--max-tokens", options.max_tokens, options.max_tokens >= 1, "1 or more"),
        ("--temperature", options.temperature, 0 <= options.temperature <= 2, "from 0 to 2"),
        ("--max-images", images, images is None or images >= 1, "1 or more"),
    )
    for argument, value, holds, rule in rules:
        if not holds:
            raise UsageError(
                expected(argument, rule=f"a number of {rule}", got=value, remedy="Change it.")
            )


ADAPTER = ChatAdapter()
