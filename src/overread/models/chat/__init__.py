"""Chat models behind any OpenAI-compatible endpoint: vLLM, SGLang, Ollama, llama.cpp, hosted.

``--model chat:NAME`` with ``--base-url`` (or ``OPENAI_BASE_URL``); the key comes from
``OPENAI_API_KEY`` alone and is written nowhere. The pieces, in the order a query meets them:
`request` (a query as bytes), `budget` (how many pictures may go), `limiter` (how many requests
at once), `trouble` (what went wrong and whether to try again), `bounded` and `reply` (what came
back), `model` (the loop that joins them), `probe` (the question asked before the first item).
"""

from __future__ import annotations

from overread.models.chat.adapter import ADAPTER

__all__ = ["ADAPTER"]
