"""The page in a real browser, from a file: it works, it logs no error, and no request leaves.

Chromium is driven over its debugging pipe (two file descriptors), so no driver package is needed.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
_TIMEOUT_S = 30.0

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(_CHROMIUM is None, reason="Chromium is not installed"),
]


class Browser:
    """One headless Chromium with one page."""

    def __init__(self, profile: Path) -> None:
        to_browser, from_us = os.pipe()
        from_browser, to_us = os.pipe()
        # Chromium reads descriptor 3 and writes 4: first move ours out of the way of both.
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_browser, to_us)]

        def place_pipes() -> None:
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        self._process = subprocess.Popen(
            [
                str(_CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
                f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank",
            ],
            preexec_fn=place_pipes, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for descriptor in (to_browser, to_us, *theirs):
            os.close(descriptor)
        self._write, self._read = from_us, from_browser
        os.set_blocking(self._read, False)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._wait(lambda reply: reply.get("id") == self._number)["result"]

    def open(self, path: Path, *, fragment: str = "") -> None:
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri() + fragment)
        self._wait(lambda event: event.get("method") == "Page.loadEventFired")

    def js(self, expression: str) -> Any:
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def look(self, *, width: int, height: int = 900, dark: bool = False) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path: Path, *, selector: str | None = None) -> None:
        clip = {}
        if selector is not None:
            box = self.js(
                f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
                " return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height} })()"
            )
            clip = {"clip": {**box, "scale": 1}, "captureBeyondViewport": True}
        shot = self.send("Page.captureScreenshot", format="png", **clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def press(self, key: str) -> None:
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def complaints(self) -> list[str]:
        """Whatever a console would show in red or yellow."""
        said: list[str] = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                said.append(str(parameters["exceptionDetails"]))
            if event["method"] == "Runtime.consoleAPICalled":
                said.append(str(parameters["args"]))
            if event["method"] == "Log.entryAdded":
                said.append(parameters["entry"]["text"])
        return said

    def requests(self) -> list[str]:
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def _wait(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        end = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < end:
            while b"\0" in self._buffer:
                raw, self._buffer = self._buffer.split(b"\0", 1)
                message = json.loads(raw)
                if "error" in message:
                    raise AssertionError(message["error"])
                if "method" in message:
                    self.events.append(message)
                if fits(message):
                    return message
            try:
                self._buffer += os.read(self._read, 1 << 20)
            except BlockingIOError:
                time.sleep(0.005)
        raise AssertionError(f"Chromium gave no answer in {_TIMEOUT_S} s")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    chromium = Browser(tmp_path_factory.mktemp("chromium"))
    yield chromium
    chromium.close()
