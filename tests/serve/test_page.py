"""The page in a real browser: Debian's Chromium, driven by Playwright, against the service over HTTP."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fastocr import OCR, Page
from fastocr.errors import InputError
from fastocr.formats import FORMATS
from fastocr.serve.config import ServeConfig
from fastocr.serve.service import Service
from tests.serve.running import serving

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, to drive a browser")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.models,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium"),
]

PRESET = "fast"
RIGHT = "the-right-one"
LINES = ["Harbourtown, 2 April 2026", "Sheet 42 of the survey", "B-17 to B-23", "checked twice"]
HOSTILE = "<img src=x onerror=\"document.title='taken'\"><b>bold</b> & more"


@pytest.fixture(scope="module")
def ocr() -> Iterator[OCR]:
    with OCR(preset=PRESET) as ocr:
        yield ocr


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        # Chromium's sandbox does not run as root.
        sandbox = hasattr(os, "geteuid") and os.geteuid() != 0
        browser = driver.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=sandbox)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Any, http: Any) -> Iterator[Callable[..., Any]]:
    """Opens the page in a fresh context, with `Browser.new_context`'s options.  At the end nothing has gone elsewhere,
    nothing was against the page's policy, and no error was in the console."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_page(at: int = http.port, *, before: str = "", expected: str = "", **options: Any) -> Any:
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


@pytest.fixture(scope="module")
def letter(draw: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drawn page of four lines."""
    path = tmp_path_factory.mktemp("page") / "letter.png"
    draw.text_page(LINES, 32).save(path)
    return path


def read_by(tab: Any) -> None:
    """Waits until all is read."""
    tab.wait_for_selector("#work:not([hidden])")
    tab.wait_for_selector("#progress", state="hidden")


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


def test_a_dropped_image_shows_its_boxes_and_text(visit: Callable[..., Any], letter: Path, ocr: OCR) -> None:
    tab = visit()
    drop(tab, letter)
    read_by(tab)
    page = ocr.read(letter)
    assert [line.text for line in page.lines] == LINES
    check(tab, page)
    for mode in ("actual", "width"):
        tab.check(f"#zoom [value={mode}]", force=True)
        check(tab, page)
    assert tab.inner_text("#readout") == f"{len(LINES)} lines · {page.width} × {page.height} px"


def test_a_pasted_image_is_read(visit: Callable[..., Any], letter: Path) -> None:
    tab = visit()
    tab.evaluate(
        """async (bytes) => navigator.clipboard.write(
          [new ClipboardItem({"image/png": new Blob([new Uint8Array(bytes)], {type: "image/png"})})])""",
        list(letter.read_bytes()),
    )
    tab.keyboard.press("Control+V")
    read_by(tab)
    assert shown_lines(tab) == LINES


def test_a_photo_that_lies_on_its_side_is_shown_as_it_was_read(
    visit: Callable[..., Any], letter: Path, ocr: OCR, tmp_path: Path
) -> None:
    turned = tmp_path / "turned.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6  # to be shown turned by 90 degrees clockwise
    Image.open(letter).transpose(Image.Transpose.ROTATE_90).save(turned, exif=exif, quality=95)
    tab = visit()
    choose(tab, turned)
    page = ocr.read(turned)
    assert page.width > page.height
    check(tab, page)


def test_pages_of_a_pdf_come_one_by_one(visit: Callable[..., Any], draw: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    path = tmp_path / "two.pdf"
    first, second = (draw.text_page([text], 40, width=700) for text in ("The first page", "The second page"))
    first.save(path, save_all=True, append_images=[second], resolution=100)
    tab = visit()
    tab.evaluate("""() => {
      window.seen = [];
      const shelf = document.querySelector("#shelf");
      const note = () => seen.push([...shelf.children].map((node) => node.className).join());
      new MutationObserver(note).observe(shelf, { childList: true, subtree: true });
    }""")
    choose(tab, path)
    assert tab.evaluate("seen").index("done,reading") < tab.evaluate("seen").index("done,done")
    assert shown_lines(tab) == ["The first page"]
    assert tab.locator("#stage svg text").all_text_contents() == ["The first page"]
    tab.focus("#stage")
    tab.keyboard.press("PageDown")
    assert shown_lines(tab) == ["The second page"]
    tab.check("#view [value=picture]", force=True)
    tab.wait_for_selector("#stage img.half")
    assert tab.evaluate("document.querySelector('#stage img').decode()") is None
    tab.select_option("#format", "picture")
    with tab.expect_download() as download:
        tab.click("#save button")
    assert download.value.suggested_filename == "two-page-2.png"
    tab.select_option("#format", "text")
    with tab.expect_download() as download:
        tab.click("#save button")
    assert Path(download.value.path()).read_bytes() == b"The first page\n\fThe second page\n"


def test_what_is_pointed_at_on_one_side_is_shown_on_the_other(visit: Callable[..., Any], letter: Path) -> None:
    tab = visit()
    choose(tab, letter)
    tab.hover("#lines .line >> nth=1")
    assert tab.locator("#stage .box.over").get_attribute("data-line") == "1"
    assert tab.inner_text("#readout").endswith(LINES[1])
    tab.hover("#stage .box[data-line='2']")
    assert tab.locator("#lines .line.over .words").inner_text() == LINES[2]
    tab.click("#stage .box[data-line='3']")
    assert tab.locator("#lines .line.on .words").inner_text() == LINES[3]
    tab.focus("#lines .line >> nth=0")
    assert tab.locator("#stage .box.on").get_attribute("data-line") == "0"


@pytest.mark.parametrize("secure", [True, False])
def test_text_is_copied(visit: Callable[..., Any], letter: Path, ocr: OCR, secure: bool) -> None:
    tab = visit(before="" if secure else "Object.defineProperty(window, 'isSecureContext', {value: false});")
    choose(tab, letter)
    tab.click("#copy")
    tab.wait_for_function("document.querySelector('#copy').textContent === 'Copied'")
    assert tab.evaluate("navigator.clipboard.readText()") == ocr.read(letter).text
    tab.focus("#lines .line >> nth=2")
    tab.keyboard.press("Control+C")
    assert tab.evaluate("navigator.clipboard.readText()") == LINES[2]


def test_every_format_is_downloaded(visit: Callable[..., Any], letter: Path, ocr: OCR) -> None:
    tab = visit()
    choose(tab, letter)
    offered = tab.eval_on_selector_all("#format option", "(nodes) => nodes.map((node) => node.value)")
    assert sorted(offered) == sorted(FORMATS)
    files = {}
    for name, form in FORMATS.items():
        tab.select_option("#format", name)
        with tab.expect_download() as download:
            tab.click("#save button")
        assert download.value.suggested_filename == f"letter{form.suffix}"
        files[name] = Path(download.value.path()).read_bytes()
        tab.wait_for_selector("#progress", state="hidden")
    page = ocr.read(letter)
    assert files["text"].decode() == page.text + "\n"
    assert [row["text"] for row in csv.DictReader(io.StringIO(files["csv"].decode()))] == LINES
    assert Page.from_dict(json.loads(files["json"])) == page
    assert files["pdf"].startswith(b"%PDF-")
    assert Image.open(io.BytesIO(files["picture"])).size == (2 * page.width, page.height)
    for name in FORMATS.keys() - {"pdf", "picture"}:
        assert "B-17" in files[name].decode(), name


def test_lines_below_a_mark_are_hidden_everywhere(
    visit: Callable[..., Any], draw: ModuleType, ocr: OCR, tmp_path: Path
) -> None:
    path = tmp_path / "faint.png"
    small = draw.text_page(["half seen, hardly known"], 7)
    image = draw.text_page(LINES, 32, width=900)
    image.paste(small.resize((small.width * 4, small.height * 4)), (300, 120))
    image.save(path)
    read = ocr.read(path)
    confidences = sorted(line.confidence for line in read.lines)
    mark = round((confidences[0] + confidences[1]) / 2, 2)
    kept = ocr.read(path, min_confidence=mark)
    assert 0 < len(kept.lines) < len(read.lines)
    tab = visit()
    choose(tab, path)
    tab.click("#options summary")
    tab.fill("#minimum", str(mark))
    assert shown_lines(tab) == [line.text for line in kept.lines]
    assert tab.locator("#stage .box:visible").count() == len(kept.lines)
    with tab.expect_download() as download:
        tab.click("#save button")
    assert Path(download.value.path()).read_text() == kept.text + "\n"
    tab.fill("#charset", "0123456789")
    tab.click("#read-again")
    read_by(tab)
    assert set("".join(shown_lines(tab))) <= set("0123456789 ")


def test_the_keyboard_is_enough(visit: Callable[..., Any]) -> None:
    tab = visit(expected="net::ERR_ABORTED")
    focused = "document.activeElement.id || document.activeElement.textContent"
    order = []
    while not order or order[-1] != "try":
        tab.keyboard.press("Tab")
        order.append(tab.evaluate(focused))
        outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", order
    assert order == ["fastocr", "choose", "try"]
    tab.keyboard.press("Enter")
    read_by(tab)
    assert tab.evaluate(focused) == "stage"
    lines = shown_lines(tab)
    assert "HARBOURTOWN MAP ARCHIVE" in lines
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#stage .box.on").get_attribute("data-line") == "1"
    assert lines[1] in tab.inner_text("#live")
    while tab.evaluate("document.activeElement.getAttribute('role')") != "option":
        tab.keyboard.press("Tab")
    tab.keyboard.press("End")
    assert tab.evaluate("document.activeElement.querySelector('.words').textContent") == lines[-1]
    assert tab.locator("#stage .box.on").get_attribute("data-line") == str(len(lines) - 1)
    tab.keyboard.press("Enter")
    assert tab.is_checked("#zoom [value=actual]")
    tab.keyboard.press("Home")
    assert tab.evaluate("document.activeElement.textContent").startswith(lines[0])
    # Escape stops what runs.
    tab.route("**/v2/ocr", lambda route: None)
    tab.evaluate("document.querySelector('#settings').requestSubmit()")
    tab.wait_for_selector("#progress:not([hidden])")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#progress", state="hidden")
    assert tab.inner_text("#sentence") == "Cancelled."
    tab.unroute("**/v2/ocr")
    tab.click("#again")
    read_by(tab)
    assert shown_lines(tab) == lines


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_scrolling_sideways(visit: Callable[..., Any], letter: Path, scheme: str) -> None:
    tab = visit(viewport={"width": 360, "height": 740}, has_touch=True, color_scheme=scheme)
    widest = "document.documentElement.scrollWidth"
    assert tab.evaluate(widest) == 360
    assert tab.is_visible("#photo")
    assert tab.get_attribute("#camera", "capture") == "environment"
    choose(tab, letter, letter)
    tab.click("#options summary")
    assert tab.evaluate(widest) == 360
    assert shown_lines(tab) == LINES
    paper, ink = tab.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (brightness(paper) > brightness(ink)) == (scheme == "light")


def brightness(colour: str) -> int:
    return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))


def test_the_token_is_asked_for_and_kept_for_the_tab(visit: Callable[..., Any], letter: Path) -> None:
    service = Service(ServeConfig(preset=PRESET, light_preset="off", token=RIGHT))
    service.start()
    with serving(service) as client:
        tab = visit(client.port, expected="status of 401")
        for given in ("wrong-token", RIGHT):
            tab.fill("#ask #token", given)
            tab.keyboard.press("Enter")
        tab.wait_for_selector("#ask", state="hidden")
        choose(tab, letter)
        assert shown_lines(tab) == LINES
        assert tab.evaluate("[{...sessionStorage}, {...localStorage}, document.cookie]") == [
            {"fastocr.token": RIGHT},
            {},
            "",
        ]
        other = visit(client.port, expected="status of 401")
        other.wait_for_selector("#ask[open]")
        other.keyboard.press("Escape")
        other.wait_for_selector("#problem:not([hidden])")
        assert "token" in other.inner_text("#sentence")
    service.close()


def test_text_from_the_service_stays_text(visit: Callable[..., Any], letter: Path, ocr: OCR, tmp_path: Path) -> None:
    answer = ocr.read(letter).to_dict(timings=True)
    answer |= {"warnings": [HOSTILE], "models": HOSTILE, "timings": {HOSTILE: 1.0, "total": 2.0}}
    for line in answer["lines"]:
        line["text"] = HOSTILE
    hostile = tmp_path / "<b onclick=x>.png"
    shutil.copy(letter, hostile)
    tab = visit()
    tab.route("**/v2/ocr", lambda route: route.fulfill(json=answer, headers={"X-Fastocr-Preset": HOSTILE}))
    choose(tab, hostile, hostile)
    tab.check("#view [value=typeset]", force=True)
    tab.click("#times summary")
    assert shown_lines(tab) == [HOSTILE] * len(LINES)
    assert tab.locator("#stage svg text").all_text_contents() == [HOSTILE] * len(LINES)
    assert tab.inner_text("#note") == HOSTILE
    assert HOSTILE in tab.inner_text("#times")
    assert tab.inner_text("#name") == hostile.name
    assert tab.locator("main img, main b").count() == 0
    assert tab.title() == "fastocr"


def refusal(ocr: OCR, path: Path) -> str:
    """The sentence with which reading the file's bytes fails."""
    with pytest.raises(InputError) as caught:
        ocr.read(path.read_bytes())
    return str(caught.value)


def test_errors_are_the_services_sentences(visit: Callable[..., Any], letter: Path, ocr: OCR, tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture at all")
    tab = visit(expected="Failed to load resource")
    choose(tab, broken, letter)
    assert tab.get_attribute("#shelf button >> nth=0", "class") == "failed"
    told = tab.inner_text("#sentence")
    assert told == refusal(ocr, broken)
    busy = {"error": {"code": "overloaded", "message": f"too much to do {HOSTILE}", "request_id": "f00d"}}
    tab.route("**/v2/ocr", lambda route: route.fulfill(status=503, json=busy, headers={"Retry-After": "3"}))
    tab.click("#shelf button >> nth=1")
    tab.click("#options summary")
    tab.click("#read-again")
    read_by(tab)
    assert tab.inner_text("#problem p") == f"too much to do {HOSTILE} Try again in 3 s. Request f00d"
    tab.unroute("**/v2/ocr")
    degraded = ocr.read(letter).to_dict(timings=True)
    head = {"X-Fastocr-Preset": "fast", "X-Fastocr-Degraded": "true"}
    tab.route("**/v2/ocr", lambda route: route.fulfill(json=degraded, headers=head))
    tab.click("#again")
    read_by(tab)
    assert tab.is_hidden("#problem")
    assert "lighter preset, fast" in tab.inner_text("#note")


def test_an_image_that_the_browser_cannot_show_is_set_as_text(
    visit: Callable[..., Any], letter: Path, tmp_path: Path
) -> None:
    path = tmp_path / "letter.ppm"
    Image.open(letter).save(path)
    tab = visit()
    choose(tab, path)
    tab.wait_for_selector("#stage .typeset")
    assert tab.locator("#stage svg text").all_text_contents() == LINES
    tab.check("#view [value=picture]", force=True)
    tab.wait_for_selector("#stage img.half")
