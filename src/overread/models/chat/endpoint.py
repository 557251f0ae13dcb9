"""Where requests go and with which key, kept so that the key cannot reach a message or a file."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit, urlunsplit

from overread.errors import UsageError, expected

__all__ = ["Endpoint", "find_endpoint"]

_OPENAI = "https://api.openai.com/v1"
_DUMMY_KEY = "no-key"
"""Sent to servers that ask for none; the SDK insists on having one."""

# Hosts echo a wrong key with its middle starred out; what is left of it is still a secret.
_KEY_LIKE = re.compile(r"\b(?:sk|key|gsk|xai|hf)[-_][\w*.\-]{4,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A base URL and its key."""

    base_url: str
    key: str = field(repr=False)
    has_key: bool
    """Whether `key` is the user's, not a dummy."""

    @property
    def shown(self) -> str:
        """The base URL without user, password and query: safe in messages and in identities."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, _host_and_port(parts), parts.path.rstrip("/"), "", ""))

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine."""
        host = urlsplit(self.base_url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def redact(self, text: str) -> str:
        """Take the key, and whatever looks like one, out of a server's words."""
        secrets = [self.key] if self.has_key else []
        password = urlsplit(self.base_url).password
        for secret in [*secrets, *([password] if password else [])]:
            text = text.replace(secret, "[key]")
        return _KEY_LIKE.sub("[key]", text)


def find_endpoint(base_url: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Find the server and its key.

    Parameters
    ----------
    base_url
        What the command line says; else ``OPENAI_BASE_URL``; else OpenAI's own address.
    environment
        Where ``OPENAI_API_KEY`` is looked up, the only place a key is taken from.

    Raises
    ------
    UsageError
        The URL is none, or OpenAI's own server is meant and there is no key.
    """
    url = (base_url or environment.get("OPENAI_BASE_URL") or _OPENAI).strip()
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            expected(
                "--base-url",
                rule="a URL such as http://127.0.0.1:8000/v1",
                got=repr(_KEY_LIKE.sub("[key]", url)),
                remedy="Give scheme, host and path, with /v1 where the server has it.",
            )
        )
    key = _find_key(environment, is_needed=urlsplit(url).hostname == "api.openai.com")
    return Endpoint(base_url=url, key=key or _DUMMY_KEY, has_key=bool(key))


def _find_key(environment: Mapping[str, str], *, is_needed: bool) -> str:
    key = environment.get("OPENAI_API_KEY", "").strip()
    if key and not (key.isascii() and key.isprintable()):
        raise UsageError(
            expected(
                "OPENAI_API_KEY",
                rule="printable ASCII characters",
                got="others among them (not shown)",
                remedy="Copy the key again.",
            )
        )
    if is_needed and not key:
        raise UsageError(
            expected(
                "OPENAI_API_KEY",
                rule="a key in the environment, which api.openai.com asks for",
                got="none",
                remedy="Set it, or name another server with --base-url.",
            )
        )
    return key


def _host_and_port(parts: SplitResult) -> str:
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    return shown if parts.port is None else f"{shown}:{parts.port}"
