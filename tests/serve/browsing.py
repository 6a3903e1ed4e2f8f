"""The page in a browser: opening it, giving it files, and what stands on it then."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastocr import Page

Visit = Callable[..., Any]
# What is drawn on the page that `letter` gives.
LINES = ["Harbourtown, 2 April 2026", "Sheet 42 of the survey", "B-17 to B-23", "checked twice"]


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium, or a skip where there is none, nor Playwright to drive it."""
    driving = pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with driving.sync_playwright() as driver:
        # Chromium's sandbox does not run as root.
        sandbox = hasattr(os, "geteuid") and os.geteuid() != 0
        browser = driver.chromium.launch(executable_path=program, chromium_sandbox=sandbox)
        yield browser
        browser.close()


@contextmanager
def visits(browser: Any, port: int) -> Iterator[Visit]:
    """Opens the page in a fresh context, with `Browser.new_context`'s options.  At the end nothing has gone elsewhere,
    nothing was against the page's policy, and no error was in the console."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_page(at: int = port, *, before: str = "", expected: str = "", **options: Any) -> Any:
        """before: a script that runs ahead of the page's.  expected: part of console errors that belong to the test."""
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"], **options)
        contexts.append(context)
        context.set_default_timeout(60_000)
        origin = f"http://127.0.0.1:{at}/"
        tab = context.new_page()

        def said(message: Any) -> None:
            if message.type in ("error", "warning") and not (expected and expected in message.text):
                wrong.append(message.text)

        def asked(request: Any) -> None:
            if not request.url.startswith((origin, f"blob:{origin}", "data:")):
                wrong.append(f"a request to {request.url}")

        tab.on("console", said)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("request", asked)
        tab.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        tab.expose_function("against", lambda what: wrong.append(f"against the policy: {what}"))
        tab.add_init_script(
            "document.addEventListener('securitypolicyviolation', (event) => against(event.violatedDirective));"
            + before
        )
        answer = tab.goto(origin)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def read_by(tab: Any) -> None:
    """Waits until all is read."""
    tab.wait_for_selector("#work[aria-busy=false]")


def choose(tab: Any, *paths: Path) -> None:
    tab.set_input_files("#file", [str(path) for path in paths])
    read_by(tab)


def drop(tab: Any, *paths: Path) -> None:
    """The files let fall on the page by the browser itself, as from a file manager."""
    session = tab.context.new_cdp_session(tab)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def shown_lines(tab: Any) -> list[str]:
    found: list[str] = tab.locator("#lines .line:visible .words").all_inner_texts()
    return found


def shown_quads(tab: Any) -> np.ndarray:
    """The corners of the boxes on the screen, in pixels of the picture under them: (n, 4, 2)."""
    found = tab.evaluate("""() => {
      const image = document.querySelector("#stage img");
      const place = image.getBoundingClientRect();
      return [...document.querySelectorAll("#stage .box")]
        .sort((one, other) => one.dataset.line - other.dataset.line)
        .map((box) => [...box.querySelector("polygon").points].map((point) => {
          const at = point.matrixTransform(box.getScreenCTM());
          return [(at.x - place.x) / place.width * image.naturalWidth - 0.5,
                  (at.y - place.y) / place.height * image.naturalHeight - 0.5];
        }));
    }""")
    return np.array(found)


def check(tab: Any, page: Page) -> None:
    """The page shows the lines of `page`, at their places on the picture."""
    assert shown_lines(tab) == [line.text for line in page.lines]
    np.testing.assert_allclose(shown_quads(tab), [line.quad for line in page.lines], atol=0.5)
