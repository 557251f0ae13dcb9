from __future__ import annotations

import json
import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import openai
import pytest

from overread.models.chat.endpoint import find_endpoint
from overread.models.chat.trouble import Kind, Trouble, classify

KEY = "sk-proj-4f9c1d7e8b2a60353c5d"
ENDPOINT = find_endpoint("http://127.0.0.1:8000/v1", {"OPENAI_API_KEY": KEY})


def classified(error: Exception) -> Trouble:
    return classify(error, ENDPOINT, model="m", timeout_s=5.0)


def status(code: int, body: Any, headers: dict[str, str] | None = None) -> Trouble:
    """Let the SDK make its error of a response, as it does in a run."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = httpx2.Request("POST", "http://127.0.0.1:8000/v1/chat/completions")
    response = httpx2.Response(code, content=content, headers=headers or {}, request=request)
    client = openai.OpenAI(api_key=KEY, base_url=ENDPOINT.base_url)
    try:
        return classified(client._make_status_error_from_response(response))
    finally:
        client.close()


@pytest.mark.parametrize(
    ("code", "body", "kind", "remedy"),
    [
        (402, {"error": {"message": "Pay."}}, Kind.FATAL, "no credit left"),
        (403, {"error": {"message": "Region."}}, Kind.FATAL, "may not use this model"),
        (403, {"error": {"message": "requires moderation; flagged"}}, Kind.FILTERED, ""),
        (404, {"message": "The model `m` does not exist."}, Kind.FATAL, "the model's name ('m')"),
        (405, {"detail": "Method Not Allowed"}, Kind.FATAL, "--base-url"),
        (408, {}, Kind.SERVER, ""),
        (400, {"error": "context too long"}, Kind.ITEM, ""),
        (413, b"<html>too large</html>", Kind.ITEM, ""),
        (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, Kind.ITEM, ""),
        (400, {"error": {"code": "content_filter", "message": "no"}}, Kind.FILTERED, ""),
        (500, {"message": "At most 2 image(s) may be provided."}, Kind.IMAGE_LIMIT, ""),
        (429, {"error": {"code": "insufficient_quota"}}, Kind.FATAL, "no credit left"),
        (429, {"error": {"message": "slow down"}}, Kind.THROTTLED, ""),
        (400, {"error": {"message": "bad", "param": "seed"}}, Kind.PARAMETER, ""),
        (400, {"message": "Unrecognized request argument: 'seed'"}, Kind.PARAMETER, ""),
        (400, {"message": "'seed' must be positive"}, Kind.ITEM, ""),
    ],
)
def test_a_status_means_what_is_to_be_done(code: int, body: Any, kind: Kind, remedy: str) -> None:
    trouble = status(code, body)
    assert trouble.kind is kind
    assert remedy in trouble.remedy


def test_words_are_found_in_every_usual_shape_and_cut() -> None:
    assert status(400, {"detail": "no such thing"}).message == "HTTP 400 (no such thing)"
    assert status(400, {"error": "flat"}).message == "HTTP 400 (flat)"
    assert status(400, b"plain words").message == "HTTP 400 (plain words)"
    assert status(502, b"<html>").message == "HTTP 502 (a web page (HTML))"
    assert status(500, b"").message == "HTTP 500"
    assert len(status(500, b"long " * 1000).message) < 400


def test_the_key_is_taken_out_of_a_servers_words() -> None:
    for code in (400, 401, 403, 404, 429, 500):
        trouble = status(code, {"error": {"message": f"key {KEY} and sk-proj-4f9c****3c5d"}})
        assert "4f9c" not in trouble.message
        assert "3c5d" not in trouble.message


def test_a_complaint_about_a_key_is_not_quoted_at_all() -> None:
    # What is left of a key of an unknown kind cannot be told from a word.
    trouble = status(401, {"error": {"message": "Incorrect: 77aaf0...0b12"}})
    assert (trouble.kind, trouble.message) == (Kind.FATAL, "HTTP 401")


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_in_seconds(headers: dict[str, str], wait_s: float | None) -> None:
    assert status(429, {}, headers).retry_after_s == wait_s


def test_retry_after_as_a_date() -> None:
    later = format_datetime(datetime.now(tz=UTC) + timedelta(seconds=30), usegmt=True)
    wait_s = status(429, {}, {"retry-after": later}).retry_after_s
    assert wait_s is not None
    assert 25 < wait_s <= 30


def test_what_is_none_of_a_request_is_raised_again() -> None:
    with pytest.raises(ZeroDivisionError):
        classified(ZeroDivisionError())


@pytest.mark.parametrize(
    ("code", "body"),
    [
        # llama-cpp-python 0.3.36 asked for a json_schema.
        (
            500,
            {
                "error": {
                    "message": "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', "
                    "'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'",
                    "type": "internal_server_error",
                    "param": None,
                    "code": None,
                }
            },
        ),
        (400, {"error": {"message": "Not with this model.", "param": "response_format"}}),
    ],
)
def test_a_form_of_answers_that_a_server_does_not_know_is_not_asked_for_again(
    code: int, body: Any
) -> None:
    trouble = status(code, body)
    assert trouble.kind is Kind.ITEM
    assert trouble.rejected
    assert "leave --structured out" in trouble.remedy


def unreachable(reason: Exception) -> Exception:
    """Wrap what the operating system said as the SDK and its transport do."""
    request = httpx2.Request("POST", "https://127.0.0.1:8000/v1/chat/completions")
    try:
        try:
            raise httpx2.ConnectError(str(reason)) from reason
        except httpx2.ConnectError as error:
            raise openai.APIConnectionError(request=request) from error
    except openai.APIConnectionError as error:
        return error


def distrust() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "self-signed certificate in certificate chain"
    return error


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "nobody listens there"),
        (socket.gaierror(-2, "Name or service not known"), "no host of that name is known"),
        (distrust(), "not trusted (self-signed certificate in certificate chain)"),
        (ssl.SSLError(1, "wrong version number"), "https failed (wrong version number)"),
    ],
)
def test_no_connection_says_why(reason: Exception, says: str) -> None:
    trouble = classified(unreachable(reason))
    assert trouble.kind is Kind.CONNECT
    assert says in trouble.message
