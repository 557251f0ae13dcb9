"""What went wrong with a request, and what follows from it."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from overread.models.chat.budget import read_image_limit
from overread.models.chat.reply import GarbledReplyError, HostError

if TYPE_CHECKING:
    from openai import APIStatusError

    from overread.models.chat.endpoint import Endpoint

__all__ = ["Kind", "Trouble", "classify", "tries_after"]

_LONGEST_QUOTE = 300
_FEW = 2
_LOOSE_JSON = (
    "The server does not take the JSON form of answers that --structured asks for: leave "
    "--structured out; the question asks for JSON in words as well."
)


class Kind(StrEnum):
    """Kinds of trouble, by what is to be done about them."""

    FATAL = "fatal"
    """No request can succeed: stop at once."""
    THROTTLED = "throttled"
    """Too many requests: fewer at once, wait as told, again."""
    SERVER = "server error"
    """A fault of the server: wait, again."""
    TIMEOUT = "timeout"
    """No whole answer in time: fewer at once, again, but not often."""
    CONNECT = "no connection"
    """Nobody listens: wait, again."""
    CUT = "connection cut"
    """The connection broke: wait, again."""
    GARBLED = "garbled reply"
    """A reply that is no chat completion: again, but not often."""
    IMAGE_LIMIT = "image limit"
    """The server takes fewer pictures: remember, give up this question."""
    PARAMETER = "parameter"
    """The server knows a setting under another name or not at all: adapt, again."""
    FILTERED = "filtered"
    """The host declines the question: that is an answer of a kind."""
    ITEM = "rejected"
    """This request is wrong: give it up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One failed try."""

    kind: Kind
    message: str
    """Without secrets."""
    remedy: str = ""
    retry_after_s: float | None = None
    image_limit: int | None = None
    parameter: str | None = None
    rejected: bool = False
    """The server called the request wrong, as it does with a picture it cannot take."""


def tries_after(kind: Kind, *, max_retries: int) -> int:
    """Say how many more tries this kind of trouble is worth, at most."""
    if kind in (Kind.THROTTLED, Kind.SERVER, Kind.CONNECT, Kind.CUT):
        return max_retries
    if kind in (Kind.TIMEOUT, Kind.GARBLED, Kind.PARAMETER):
        return min(_FEW, max_retries) if kind is not Kind.PARAMETER else _FEW
    return 0


def classify(error: Exception, endpoint: Endpoint, *, model: str, timeout_s: float) -> Trouble:
    """Turn what the SDK raised into a `Trouble`.

    Raises
    ------
    Exception
        The error itself, when it is none of a request.
    """
    import openai

    if isinstance(error, openai.APIStatusError):
        return _of_status(error, endpoint, model)
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        if _name_of_cause(error) in ("ConnectTimeout", "PoolTimeout"):
            return Trouble(kind=Kind.CONNECT, message="no connection in time")
        return Trouble(kind=Kind.TIMEOUT, message=f"no whole reply within {timeout_s:g} s")
    if isinstance(error, openai.APIConnectionError):
        if _name_of_cause(error) == "ConnectError":
            return Trouble(kind=Kind.CONNECT, message=_why_no_connection(error))
        return Trouble(kind=Kind.CUT, message="the connection was cut before the reply was whole")
    if isinstance(error, GarbledReplyError):
        return Trouble(kind=Kind.GARBLED, message=endpoint.redact(str(error)))
    if isinstance(error, HostError):
        message = endpoint.redact(str(error))[:_LONGEST_QUOTE]
        return _by_status(error.code or 500, message, code="", headers={}, model=model)
    raise error


def _of_status(error: APIStatusError, endpoint: Endpoint, model: str) -> Trouble:
    message, code, parameter = _words(error.body)
    message = endpoint.redact(message)[:_LONGEST_QUOTE]
    headers = {name.lower(): value for name, value in error.response.headers.items()}
    shown = f"HTTP {error.status_code} ({message})" if message else f"HTTP {error.status_code}"
    if error.status_code == 401:
        shown = "HTTP 401"  # servers quote the wrong key here
    trouble = _by_status(error.status_code, shown, code=code, headers=headers, model=model)
    if trouble.kind not in (Kind.ITEM, Kind.SERVER):
        return trouble
    if (limit := read_image_limit(message)) is not None:
        return Trouble(kind=Kind.IMAGE_LIMIT, message=shown, image_limit=limit)
    if parameter == "response_format" or "response_format" in message:
        # llama-cpp-python says it with status 500; another try changes nothing either way.
        return Trouble(kind=Kind.ITEM, message=shown, remedy=_LOOSE_JSON, rejected=True)
    if trouble.kind is Kind.ITEM:
        named = parameter or _named_parameter(message)
        if named in ("max_tokens", "seed"):
            return Trouble(kind=Kind.PARAMETER, message=shown, parameter=named, rejected=True)
    return trouble


def _by_status(
    status: int, shown: str, *, code: str, headers: Mapping[str, str], model: str
) -> Trouble:
    lowered = f"{shown} {code}".lower()
    if "content_filter" in lowered or (status == 403 and "moderat" in lowered):
        return Trouble(kind=Kind.FILTERED, message=shown)
    if status == 429 and "insufficient_quota" in lowered:
        return Trouble(kind=Kind.FATAL, message=shown, remedy="The account has no credit left.")
    if status in (408, 409, 425, 429) or status >= 500:
        slow = status == 429 or (status == 503 and "retry-after" in headers)
        return Trouble(
            kind=Kind.THROTTLED if slow else Kind.SERVER,
            message=shown,
            retry_after_s=_retry_after_s(headers),
        )
    if remedy := _fatal_remedy(status, model):
        return Trouble(kind=Kind.FATAL, message=shown, remedy=remedy)
    return Trouble(kind=Kind.ITEM, message=shown, rejected=status in (400, 413, 415, 422))


def _fatal_remedy(status: int, model: str) -> str:
    match status:
        case 401:
            return "The key in OPENAI_API_KEY is missing or wrong (it is not shown here)."
        case 402:
            return "The account has no credit left."
        case 403:
            return "The key in OPENAI_API_KEY may not use this model (it is not shown here)."
        case 404 | 405:
            return f"Check the model's name ({model!r}) and --base-url (does it end in /v1?)."
        case _:
            return ""


def _words(body: object) -> tuple[str, str, str | None]:
    """Find message, code and parameter in an error's body, in any of the usual shapes.

    The SDK has taken the body out of a field ``error``; it is text where it was no JSON.
    """
    if isinstance(body, str):
        is_page = body.lstrip().startswith("<")
        return "a web page (HTML)" if is_page else " ".join(body.split()), "", None
    if not isinstance(body, dict):
        return "", "", None
    fields = cast("Mapping[str, object]", body)
    message = fields.get("message") or fields.get("detail") or ""
    if not isinstance(message, str):
        message = json.dumps(message, default=str)
    parameter = fields.get("param")
    return (
        " ".join(message.split()),
        str(fields.get("code") or fields.get("type") or ""),
        parameter if isinstance(parameter, str) else None,
    )


def _named_parameter(message: str) -> str | None:
    """Find the setting a server does not know: its words where it has no field for it."""
    lowered = message.lower()
    unknown = ("unsupported", "not supported", "unrecognized", "extra inputs", "unexpected")
    if not any(word in lowered for word in (*unknown, "not permitted", "unknown")):
        return None
    return next((name for name in ("max_tokens", "seed") if f"'{name}'" in lowered), None)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return _finite(float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        try:
            return _finite(float(value))
        except ValueError:
            wait = parsedate_to_datetime(value) - datetime.now(tz=UTC)
            return max(0.0, wait.total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _finite(seconds: float) -> float | None:
    return max(0.0, seconds) if seconds < float("inf") else None


def _why_no_connection(error: BaseException) -> str:
    """Tell a wrong name and a distrusted certificate from a server that is down."""
    reason: BaseException | None = error
    while reason is not None:
        if isinstance(reason, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted ({reason.verify_message})"
        if isinstance(reason, ssl.SSLError):
            return f"https failed ({reason.strerror})"
        if isinstance(reason, socket.gaierror):
            return "no host of that name is known"
        reason = reason.__cause__ or reason.__context__
    return "nobody listens there"


def _name_of_cause(error: BaseException) -> str:
    return type(error.__cause__).__name__
