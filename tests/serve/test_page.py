"""The page in a real browser, against the service over HTTP: what comes in, what is shown of it, what is taken away."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

from fastocr import OCR, Page
from fastocr.formats import FORMATS
from tests.serve.browsing import LINES, Visit, check, choose, drop, read_by, shown_lines

pytestmark = [pytest.mark.slow, pytest.mark.models]


def test_a_dropped_image_shows_its_boxes_and_text(visit: Visit, letter: Path, ocr: OCR) -> None:
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


def test_a_pasted_image_is_read(visit: Visit, letter: Path) -> None:
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
    visit: Visit, letter: Path, ocr: OCR, tmp_path: Path
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


def test_an_image_that_the_browser_cannot_show_is_set_as_text(visit: Visit, letter: Path, tmp_path: Path) -> None:
    path = tmp_path / "letter.ppm"
    Image.open(letter).save(path)
    tab = visit()
    choose(tab, path)
    tab.wait_for_selector("#stage .typeset")
    assert tab.locator("#stage svg text").all_text_contents() == LINES
    tab.check("#view [value=picture]", force=True)
    tab.wait_for_selector("#stage img.half")


def test_pages_of_a_pdf_come_one_by_one(visit: Visit, draw: ModuleType, tmp_path: Path) -> None:
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


def test_an_encrypted_pdf_asks_for_its_password(visit: Visit, draw: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    pikepdf = pytest.importorskip("pikepdf")
    plain, locked = tmp_path / "plain.pdf", tmp_path / "locked.pdf"
    draw.text_page(["Behind a lock"], 40, width=700).save(plain, resolution=100)
    with pikepdf.open(plain) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(user="open", owner="sesame"))
    tab = visit(expected="Failed to load resource")
    choose(tab, locked)
    assert "password" in tab.inner_text("#sentence")
    assert tab.evaluate("document.activeElement.id") == "password"
    tab.keyboard.type("open")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#lines .line")
    assert shown_lines(tab) == ["Behind a lock"]
    assert tab.is_hidden("#problem")


def test_a_page_without_text_says_so(visit: Visit, draw: ModuleType, tmp_path: Path) -> None:
    draw.page(300, 200).save(tmp_path / "blank.png")
    tab = visit()
    choose(tab, tmp_path / "blank.png")
    assert tab.inner_text("#lines") == "There is no text on this page."
    assert tab.inner_text("#readout") == "0 lines · 300 × 200 px"


def test_every_format_is_downloaded(visit: Visit, letter: Path, ocr: OCR) -> None:
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
        read_by(tab)
    page = ocr.read(letter)
    assert files["text"].decode() == page.text + "\n"
    assert [row["text"] for row in csv.DictReader(io.StringIO(files["csv"].decode()))] == LINES
    assert Page.from_dict(json.loads(files["json"])) == page
    assert files["pdf"].startswith(b"%PDF-")
    assert Image.open(io.BytesIO(files["picture"])).size == (2 * page.width, page.height)
    for name in FORMATS.keys() - {"pdf", "picture"}:
        assert "B-17" in files[name].decode(), name


def test_lines_below_a_mark_are_hidden_everywhere(visit: Visit, draw: ModuleType, ocr: OCR, tmp_path: Path) -> None:
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
