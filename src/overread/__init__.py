"""The second read for medical-image AI.

Importing overread reads no data, opens no socket and loads no heavy package; `records` is the
page to read first.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
