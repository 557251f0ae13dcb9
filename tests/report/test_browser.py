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
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from overread.records import Choice, Item, Recipe
from overread.report.data import ReportData
from overread.report.gallery import outcome
from overread.report.html import write_html

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
                f"(() => {{ const b = document.querySelector({selector!r})"
                ".getBoundingClientRect(); return {x: b.x + scrollX, y: b.y + scrollY,"
                " width: b.width, height: b.height} })()"
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


@pytest.fixture
def page(browser: Browser, small_page: Path) -> Browser:
    browser.look(width=1440)
    browser.open(small_page)
    return browser


def found(page: Browser) -> str:
    return page.js("document.querySelector('#found').textContent")


def choose(page: Browser, selector: str, value: str) -> None:
    page.js(
        f"(() => {{ const e = document.querySelector({selector!r}); e.value = {value!r};"
        " e.dispatchEvent(new Event('change')) })()"
    )


def texts_of(item: Item) -> list[str]:
    assert isinstance(item.answer_space, Choice)
    return [option.text or "" for option in item.answer_space.options]


def current_item(page: Browser) -> str:
    return page.js("document.querySelector('#case h3').textContent")


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_and_is_quiet(
    browser: Browser, small_page: Path, width: int, dark: bool
) -> None:
    browser.look(width=width, dark=dark)
    browser.open(small_page)
    assert browser.js("document.documentElement.scrollWidth") <= width
    assert browser.js("document.images.length") > 0
    assert browser.js("Promise.all([...document.images].map((i) => i.decode())).then(() => 1)") == 1
    assert browser.complaints() == []
    elsewhere = [url for url in browser.requests() if not url.startswith("data:image/webp;")]
    assert elsewhere == [small_page.as_uri()]


def test_hostile_texts_stay_text(page: Browser, small_report: ReportData) -> None:
    for place in range(page.js("document.querySelectorAll('.row').length")):
        page.js(f"document.querySelectorAll('.row')[{place}].click()")
    page.js("document.querySelector('#filter-words').value = '<img'")
    page.js("document.querySelector('#filter-words').dispatchEvent(new Event('input'))")
    page.js("new Promise((done) => setTimeout(done, 250))")
    items = small_report.gallery
    run_replies = [[a.response.text or "" for a in e.answers.values() if a.response] for e in items]
    named = [
        "<img" in "".join([e.item.question, e.reference.problem or "", *replies, *texts_of(e.item)])
        for e, replies in zip(items, run_replies, strict=True)
    ]
    assert found(page) == f"{sum(named)} of {len(items)} items"
    assert page.js("document.querySelector('#case').textContent.includes('<img src=')")
    assert page.js("window.pwned === undefined")
    assert page.js("document.querySelectorAll('#case script, #case [onerror]').length") == 0
    assert page.complaints() == []


def test_filters_count_and_narrow(page: Browser, small_report: ReportData) -> None:
    items = small_report.gallery
    run = small_report.runs[2].manifest.run
    assert found(page) == f"{len(items)} items"
    choose(page, "#filter-run", "2")
    page.js("document.querySelector('[data-outcome=none]').click()")
    none = [e for e in items if outcome(e.answers[run]) == "none"]
    assert found(page) == f"{len(none)} of {len(items)} items"
    assert page.js("document.querySelector('[data-outcome=none] .n').textContent") == str(len(none))
    choose(page, "#filter-task", "ct2txt")
    choose(page, "[data-stratum=box]", "box")
    both = [e for e in none if e.item.task == "ct2txt" and e.item.strata["box"] == "box"]
    assert found(page) == f"{len(both)} of {len(items)} items"
    page.js("document.querySelector('#gallery-filters').reset()")
    page.js("new Promise((done) => setTimeout(done, 20))")
    assert found(page) == f"{len(items)} items"


def test_a_filter_that_nothing_passes_says_so(page: Browser) -> None:
    page.js("document.querySelector('[data-outcome=pending]').click()")
    assert "No item passes" in page.js("document.querySelector('#case').textContent")
    assert page.js("document.querySelector('#page-on').disabled")


def test_pages_and_keys(page: Browser, small_report: ReportData) -> None:
    ids = [entry.item.id for entry in small_report.gallery]
    assert page.js("document.querySelectorAll('.row').length") == 20
    assert current_item(page) == ids[0]
    page.js("document.querySelector('#page-on').click()")
    assert current_item(page) == ids[20]
    page.js("document.querySelector('#gallery').scrollIntoView({behavior: 'instant'})")
    page.press("j")
    page.press("j")
    page.press("k")
    assert current_item(page) == ids[21]
    page.press("p")
    assert current_item(page) == ids[0]
    page.press("/")
    assert page.js("document.activeElement.id") == "filter-words"
    page.press("j")  # typed into the search box, not a command
    assert page.js("document.querySelector('#filter-words').value") == "j"


def test_an_address_opens_its_item(
    browser: Browser, small_page: Path, small_report: ReportData
) -> None:
    wanted = small_report.gallery[30].item.id
    browser.open(Path("/dev/null"))  # an address with another fragment alone would not load anew
    browser.open(small_page, fragment=f"#item={wanted}")
    assert current_item(browser) == wanted


def test_a_stack_is_looked_through_slice_by_slice(page: Browser) -> None:
    choose(page, "#filter-task", "ct2txt")
    page.js("document.querySelector('[data-outcome=right]').click()")
    name = "document.querySelector('.slice-name').textContent"
    assert page.js(name) == "Slice 5 of 9"
    page.js("document.querySelectorAll('.strip')[8].click()")
    assert page.js(name) == "Slice 9 of 9"
    page.js(
        "(() => { const s = document.querySelector('.stack input'); s.value = 0;"
        " s.dispatchEvent(new Event('input')) })()"
    )
    assert page.js(name) == "Slice 1 of 9"


def test_another_runs_reply_and_receipts_open(page: Browser, small_report: ReportData) -> None:
    page.js("document.querySelectorAll('.choose-run')[1].click()")
    assert "clip:biomedclip" in page.js("document.querySelector('.reply-of h4').textContent")
    run = small_report.runs[1].manifest.run
    response = small_report.gallery[0].answers[run].response
    assert response is not None
    hashes = page.js(
        "[...document.querySelectorAll('.receipts code[title]')].map((code) => code.title)"
    )
    assert hashes == [receipt.sha256 for receipt in response.receipts]


def test_a_run_that_was_shown_something_else_shows_that(
    browser: Browser, small_report: ReportData, renderer: Any, tmp_path: Path
) -> None:
    place = next(n for n, e in enumerate(small_report.gallery) if e.item.task == "ct2txt")
    entry = small_report.gallery[place]
    run = small_report.runs[1].manifest.run
    media = tuple(replace(m, recipe=Recipe(stack="mosaic")) for m in entry.item.media)
    # The renderer of these tests tiles nothing: a mosaic of one file stands for it.
    media = tuple(replace(m, paths=m.paths[:1]) for m in media)
    other = replace(entry.item, media=media, question="In the other form?", condition="box+mosaic")
    changed = replace(entry, others={run: other})
    report = replace(small_report, gallery=(changed,))
    path = write_html(report, tmp_path, renderer)
    browser.look(width=1440)
    browser.open(path)
    question = "document.querySelector('#case .question').textContent"
    strips = "document.querySelectorAll('#case .strip').length"
    note = "document.querySelector('#case .sight').textContent"
    assert (browser.js(question), browser.js(strips)) == (entry.item.question, 9)
    assert browser.js(note).startswith("As shown to chat:medgemma-27b")
    assert "otherwise to clip:biomedclip" in browser.js(note)
    assert "box+mosaic" not in browser.js("document.querySelector('.row-task').textContent")
    browser.js("document.querySelectorAll('.choose-run')[1].click()")
    assert (browser.js(question), browser.js(strips)) == ("In the other form?", 0)
    assert browser.js(note).startswith("As shown to clip:biomedclip")
    assert "box+mosaic" in browser.js("document.querySelector('.row-task').textContent")
    # Of its nine slices only one can be rendered from what it was shown: the page says so.
    warning = "document.querySelector('#case .problem')?.textContent"
    assert "Not the pictures that clip:biomedclip was sent" in browser.js(warning)
    browser.js("document.querySelectorAll('.choose-run')[2].click()")
    assert browser.js(question) == entry.item.question
    assert browser.js(warning) is None
    assert browser.complaints() == []


def test_runs_can_be_taken_out_of_the_plot_and_colours_turned(page: Browser) -> None:
    rows = "[...document.querySelectorAll('#settings [data-row=\"run-1\"]')]"
    assert page.js(f"{rows}.length") == 16
    page.js("document.querySelector('[data-shows=\"run-1\"]').click()")
    assert page.js(f"{rows}.every((row) => row.offsetHeight === 0)")
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.js(paper)
    page.js("document.querySelector('#theme').click()")
    assert page.js(paper) != before


@pytest.mark.slow
def test_nineteen_hundred_items_stay_quick(
    browser: Browser, report_maker: Callable[..., ReportData], renderer: Any, tmp_path: Path
) -> None:
    report = report_maker(size=0.02, n_runs=2)
    many = tuple(
        replace(entry, item=replace(entry.item, id=f"{entry.item.id}/{copy}"))
        for copy in range(1900 // len(report.gallery) + 1)
        for entry in report.gallery
    )[:1900]
    path = write_html(replace(report, gallery=many), tmp_path, renderer)
    browser.look(width=1440)
    browser.open(path)
    assert found(browser) == "1900 items"
    took_ms = browser.js(
        "(() => { const start = performance.now();"
        " document.querySelector('[data-outcome=disagree]').click();"
        " document.querySelector('#page-on').click(); return performance.now() - start })()"
    )
    assert took_ms < 1000
    assert browser.js("document.querySelectorAll('.row').length") <= 20
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [1440, 390])
def test_a_page_of_open_answers_fits_and_is_quiet(
    browser: Browser, open_page: Path, width: int
) -> None:
    browser.look(width=width, dark=width < 600)
    browser.open(open_page)
    assert browser.js("document.documentElement.scrollWidth") <= width
    assert browser.js("document.images.length") == 1
    assert browser.js("Promise.all([...document.images].map((i) => i.decode())).then(() => 1)") == 1
    caption = browser.js("document.querySelector('.preview figcaption').textContent")
    assert caption.startswith("Preview: ")
    assert "was sent an array " in caption
    assert "axes SPL" in caption
    assert "changed since" not in browser.js("document.querySelector('#case').textContent")
    assert browser.complaints() == []
    elsewhere = [url for url in browser.requests() if not url.startswith("data:image/webp;")]
    assert elsewhere == [open_page.as_uri()]


def test_words_of_judges_stay_words(
    browser: Browser, open_page: Path, open_report: ReportData, hostile_texts: tuple[str, ...]
) -> None:
    browser.look(width=1440)
    browser.open(open_page)
    for place in range(browser.js("document.querySelectorAll('.row').length")):
        browser.js(f"document.querySelectorAll('.row')[{place}].click()")
    assert browser.js("document.querySelectorAll('#case .votes li').length") == 6
    assert hostile_texts[1] in browser.js("document.querySelector('.votes .why').textContent")
    assert browser.js("window.pwned === undefined")
    assert browser.js("document.querySelectorAll('#case script, #case [onerror]').length") == 0
    assert browser.complaints() == []


def test_open_answers_are_filtered_by_label_and_jury(
    browser: Browser, open_page: Path, open_report: ReportData
) -> None:
    browser.look(width=1440)
    browser.open(open_page)
    items, run = open_report.gallery, open_report.runs[0].manifest.run
    label = "Laterality & Bilateral Symmetry"
    choose(browser, "[data-stratum=category]", label)
    labelled = [e for e in items if label in e.item.strata["category"].split("; ")]
    assert any("; " in e.item.strata["category"] for e in labelled)
    assert found(browser) == f"{len(labelled)} of {len(items)} items"
    choose(browser, "[data-stratum=category]", "")
    choose(browser, "#filter-run", "0")
    choose(browser, "#filter-jury", "right")
    said = [e for e in items if run in e.answers and e.answers[run].jury["honest"].value == 1]
    assert 0 < len(said) < len(items)
    assert found(browser) == f"{len(said)} of {len(items)} items"
    choose(browser, "#filter-jury", "rule")
    against = [
        e
        for e in items
        if run in e.answers
        and e.answers[run].honest is not None
        and e.answers[run].honest.value is not None
        and e.answers[run].honest.value != e.answers[run].jury["honest"].value
    ]
    assert len(against) > 0
    assert found(browser) == f"{len(against)} of {len(items)} items"
    choose(browser, "#filter-jury", "")
    browser.js("document.querySelector('[data-outcome=open]').click()")
    outside = [e for e in items if run in e.answers and e.answers[run].honest is None]
    assert found(browser) == f"{len(outside)} of {len(items)} items"
    assert browser.js("document.querySelector('[data-outcome=readings]')") is None


@pytest.mark.parametrize("width", [1440, 390])
def test_a_page_of_descriptions_fits_and_is_quiet(
    browser: Browser, caption_page: Path, width: int
) -> None:
    browser.look(width=width, dark=width < 600)
    browser.open(caption_page)
    assert browser.js("document.documentElement.scrollWidth") <= width
    assert browser.js("document.querySelectorAll('.histogram rect').length") > 0
    assert browser.complaints() == []


def test_descriptions_are_filtered_and_sorted_by_score_and_error(
    browser: Browser, caption_page: Path, caption_report: ReportData
) -> None:
    browser.look(width=1440)
    browser.open(caption_page)
    items, run = caption_report.gallery, caption_report.runs[0].manifest.run
    score = {
        e.item.id: e.answers[run].graded.value
        for e in items
        if e.answers[run].graded is not None and e.answers[run].graded.value is not None
    }
    choose(browser, "#filter-run", "0")
    browser.js("document.querySelector('[data-outcome=middle]').click()")
    middle = [i for i, value in score.items() if 1 / 3 <= value < 2 / 3]
    assert found(browser) == f"{len(middle)} of {len(items)} items"
    browser.js("document.querySelector('[data-outcome=all]').click()")
    choose(browser, "#filter-error", "side_error")
    wrong = [
        e for e in items
        if (row := e.answers[run].errors.get("side_error")) is not None and row.value == 1
    ]  # fmt: skip
    assert 0 < len(wrong) < len(items)
    assert found(browser) == f"{len(wrong)} of {len(items)} items"
    assert "wrong side" in browser.js("document.querySelector('#case .given .made').textContent")
    choose(browser, "#filter-error", "none")
    clean = [i for i in score if not any(
        row.value == 1 for e in items if e.item.id == i for row in e.answers[run].errors.values()
    )]  # fmt: skip
    assert found(browser) == f"{len(clean)} of {len(items)} items"
    choose(browser, "#filter-error", "")
    for order, best in (("up", min), ("down", max)):
        choose(browser, "#order", order)
        assert score[current_item(browser)] == best(score.values())
        mark = browser.js("document.querySelector('.row .sign.scored').textContent")
        assert abs(float(mark) - 100 * best(score.values())) <= 0.51
    facts = browser.js("document.querySelector('#case .facts-of').textContent")
    assert " right " in facts
    browser.js("document.querySelector('#gallery-filters [type=reset]').click()")
    assert found(browser) == f"{len(items)} items"
    assert browser.complaints() == []
