"""The page in a real browser: by pointer, keyboard and on a phone; tokens, errors, and texts that want to be more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fastocr import OCR
from fastocr.errors import InputError
from fastocr.serve.config import ServeConfig
from fastocr.serve.service import Service
from tests.serve.browsing import LINES, Visit, choose, read_by, shown_lines
from tests.serve.running import serving

pytestmark = [pytest.mark.slow, pytest.mark.models]

RIGHT = "the-right-one"
HOSTILE = "<img src=x onerror=\"document.title='taken'\"><b>bold</b> & more"


def test_what_is_pointed_at_on_one_side_is_shown_on_the_other(visit: Visit, letter: Path) -> None:
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


@pytest.mark.parametrize("before", ["", "Clipboard.prototype.writeText = undefined;"], ids=["own", "without"])
def test_text_is_copied(visit: Visit, letter: Path, ocr: OCR, before: str) -> None:
    """Also where the page has no clipboard of its own, as on any address but this machine's without TLS."""
    tab = visit(before=before)
    choose(tab, letter)
    tab.click("#copy")
    tab.wait_for_function("document.querySelector('#copy').textContent === 'Copied'")
    assert tab.evaluate("navigator.clipboard.readText()") == ocr.read(letter).text
    tab.focus("#lines .line >> nth=2")
    tab.keyboard.press("Control+C")
    assert tab.evaluate("navigator.clipboard.readText()") == LINES[2]


def test_the_keyboard_is_enough(visit: Visit) -> None:
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
    tab.focus("#copy")
    while tab.evaluate("document.activeElement.type") != "submit":
        tab.keyboard.press("Tab")
    with tab.expect_download() as download:
        tab.keyboard.press("Enter")
    assert Path(download.value.path()).read_text().splitlines()[0] == lines[0]
    read_by(tab)
    assert tab.evaluate("document.activeElement.textContent") == "Download"
    # Escape stops what runs.
    tab.route("**/v2/ocr", lambda route: None)
    tab.evaluate("document.querySelector('#settings').requestSubmit()")
    tab.wait_for_selector("#progress:not([hidden])")
    tab.keyboard.press("Escape")
    read_by(tab)
    assert tab.inner_text("#sentence") == "Cancelled."
    tab.unroute("**/v2/ocr")
    tab.click("#again")
    read_by(tab)
    assert shown_lines(tab) == lines


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_scrolling_sideways(visit: Visit, letter: Path, scheme: str) -> None:
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


def test_the_token_is_asked_for_and_kept_for_the_tab(visit: Visit, letter: Path) -> None:
    service = Service(ServeConfig(preset="fast", light_preset="off", token=RIGHT))
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


def test_text_from_the_service_stays_text(visit: Visit, letter: Path, ocr: OCR, tmp_path: Path) -> None:
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


def test_errors_are_the_services_sentences(visit: Visit, letter: Path, ocr: OCR, tmp_path: Path) -> None:
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


def test_what_breaks_off_leaves_what_has_come(visit: Visit, letter: Path, ocr: OCR, tmp_path: Path) -> None:
    tab = visit(expected="Failed to load resource")
    tab.route("**/v2/ocr", lambda route: route.abort())
    choose(tab, letter)
    assert tab.inner_text("#sentence").startswith("The service broke off the connection")
    tab.click("#dismiss")
    assert tab.is_hidden("#problem")
    first = ocr.read(letter).to_dict(timings=True) | {"page_count": 3}
    failed = {"error": {"code": "deadline_exceeded", "message": "the time was up", "request_id": "beef"}}
    lines = f"{json.dumps(first)}\n{json.dumps(failed)}\n"
    tab.route("**/v2/ocr/document", lambda route: route.fulfill(body=lines, content_type="application/x-ndjson"))
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(b"%PDF-1.4")
    choose(tab, paper)
    assert shown_lines(tab) == LINES
    states = tab.eval_on_selector_all("#shelf button", "(nodes) => nodes.map((node) => node.className)")
    assert states == ["failed", "done", "failed"]
    tab.click("#shelf button >> nth=2")
    assert tab.inner_text("#problem p") == "the time was up Request beef"
