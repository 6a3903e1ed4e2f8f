"""The plugin for OCRmyPDF, by OCRmyPDF's own command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from PIL import Image

from fastocr._version import DISTRIBUTION, __version__
from fastocr.compat import ocrmypdf as plugin
from tests.formats import pdfs

pytest.importorskip("ocrmypdf", reason="needs OCRmyPDF: pip install ocrmypdf")
OPTIONS = SimpleNamespace(languages=["eng"], ocr_engine="auto", pdf_renderer="auto")


def test_the_hooks_are_known_to_ocrmypdf() -> None:
    from ocrmypdf._plugin_manager import get_plugin_manager
    from ocrmypdf.pluginspec import OcrEngine

    manager = get_plugin_manager(["fastocr.compat.ocrmypdf"])
    engine = manager.get_ocr_engine(options=OPTIONS)
    assert isinstance(engine, OcrEngine)
    assert str(engine) == engine.creator_tag(OPTIONS) == f"{DISTRIBUTION} {__version__}"
    assert {"eng", "deu", "chi_sim"} <= engine.languages(OPTIONS)
    other = SimpleNamespace(languages=["eng"], ocr_engine="none")
    assert type(manager.get_ocr_engine(options=other)).__name__ == "NullOcrEngine"


def test_the_text_goes_in_as_a_pdf_unless_another_way_is_asked_for() -> None:
    asked = SimpleNamespace(pdf_renderer="auto")
    plugin.check_options(asked)
    assert asked.pdf_renderer == "sandwich"
    asked = SimpleNamespace(pdf_renderer="fpdf2")
    plugin.check_options(asked)
    assert asked.pdf_renderer == "fpdf2"


def scanned(draw: ModuleType, number: int) -> Image.Image:
    lines = [f"Page {number} line {line}: harbour dues are payable." for line in range(12)]
    return draw.text_page(lines, 34, width=1240).convert("L")


@pytest.mark.models
def test_skew_is_what_must_be_turned_back(draw: ModuleType, tmp_path: Path) -> None:
    for angle in (-3, 0, 2):
        path = tmp_path / "tilted.png"
        scanned(draw, 1).rotate(angle, fillcolor=255, resample=Image.Resampling.BICUBIC).save(path)
        assert plugin.Engine.get_deskew(path, OPTIONS) == pytest.approx(-angle, abs=0.3)


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="OCRmyPDF starts only where the program tesseract is")
@pytest.mark.parametrize("renderer", ["auto", "fpdf2"])
def test_a_scanned_pdf_of_two_pages(renderer: str, draw: ModuleType, tmp_path: Path) -> None:
    """The second page lies on its side, and is turned."""
    pages = [scanned(draw, 1), scanned(draw, 2).transpose(Image.Transpose.ROTATE_270)]
    scan, out, text = tmp_path / "scan.pdf", tmp_path / "out.pdf", tmp_path / "out.txt"
    pages[0].save(scan, save_all=True, append_images=pages[1:], resolution=150)
    plugged = [sys.executable, "-m", "ocrmypdf", "--plugin", "fastocr.compat.ocrmypdf"]
    done = subprocess.run(
        [*plugged, "--rotate-pages", "--sidecar", text, "--pdf-renderer", renderer, "--output-type", "pdf", scan, out],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    pdf = out.read_bytes()
    pdfs.check_syntax(pdf)
    for index in range(2):
        wanted = [f"Page {index + 1} line {line}: harbour dues are payable." for line in range(12)]
        assert pdfs.text_of(pdf, index).split() == " ".join(wanted).split()
        assert pdfs.words_of(pdf, index)[0][0] == "Page"
        assert text.read_text(encoding="utf-8").split("\f")[index].split() == " ".join(wanted).split()
    left, _, _, top = pdfs.words_of(pdf)[0][1]
    with pdfs.pdfium.PdfDocument(pdf) as document:
        assert (left, document[0].get_height() - top) == pytest.approx((20 * 0.48, 24 * 0.48), abs=5)
        assert document[0].get_size() == document[1].get_size()
    with pdfs.pikepdf.open(out) as opened:
        assert DISTRIBUTION in str(opened.docinfo["/Creator"])
