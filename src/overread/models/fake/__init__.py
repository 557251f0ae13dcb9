"""A small OpenAI-compatible server on this machine, with scripted answers and scripted faults.

``--model fake`` runs it in the process and asks it through the chat adapter, so that every part
but the model itself is real; ``python -m overread.models.fake SCRIPT --port 8000`` runs it alone;
tests use `overread.models.fake.server.FakeServer`. `overread.models.fake.script` describes scripts.

It knows no answers: its letters come from a rule (a hash of the question, the first, a constant).
"""

from __future__ import annotations

from overread.models.fake.adapter import ADAPTER

__all__ = ["ADAPTER"]
