"""The picture: read by Pillow, frames and ink where the lines are, in any script."""

from __future__ import annotations

import dataclasses
import importlib.util
import io
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fastocr.errors import ArgumentError, InputError
from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.formats.picture import MOST_PIXELS
from fastocr.results import Page, Sheet, Source
from tests.formats.samples import BLANK, FULL, hostile, line

Pillow = pytest.importorskip("PIL.Image", reason="needs Pillow, which is in the extra `test`")

GREY = np.full((400, 480, 3), 200, np.uint8)
SEEN = dataclasses.replace(FULL, image=GREY)


def picture(page: Page, source: Source | None = None) -> NDArray[np.uint8]:
    """RGB, as Pillow has it."""
    data = rendered(FORMATS["picture"], [Sheet(page, source or Source(""))], WriteOptions())
    with Pillow.open(io.BytesIO(data)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"))


def page_of(text: str, **more: object) -> Page:
    entry = dataclasses.replace(line(text, 20, 20, 200, 40), words=(), **more)  # type: ignore[arg-type]
    return Page(
        lines=(entry,), rows=((0,),), width=240, height=80, models="", image=np.full((80, 240, 3), 255, np.uint8)
    )


def ink(text: str, **more: object) -> NDArray[np.bool_]:
    """Where the text's ink is, inside of the frame."""
    found: NDArray[np.bool_] = picture(page_of(text, **more))[23:58, 240 + 23 : 240 + 217].min(axis=2) < 100
    return found


def test_the_page_stands_left_and_its_lines_are_framed() -> None:
    found = picture(SEEN)
    assert found.shape == (400, 960, 3)
    left, right = found[:, :480], found[:, 480:]
    assert (left[100:180] == 200).all(), "where no line is, the page is as it was"
    assert (right[100:180] == 255).all()
    for entry in FULL.lines:
        x, y, width, height = entry.rect
        frame = np.zeros((400, 480), bool)
        frame[int(y) : int(y + height) + 2, int(x) : int(x + width) + 2] = True
        assert (left[frame] != 200).any()
        assert (right[frame].min(axis=1) < 90).any()


def test_no_two_neighbours_have_one_colour() -> None:
    left = picture(SEEN)[:, :480]
    first, second = left[20, 10], left[22, 200]
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("text", ["Total", "港口费用", "Привет", "€ 45 naïve", "한국어", "日本語"])
def test_each_script_has_its_glyphs(text: str) -> None:
    """The ink differs from that of as many characters that no font has."""
    from fastocr.formats.fonts import font_for

    missing = ink("\U0010fffd" * len(text))
    if bytes(font_for(text, 20).getmask(text[0])) == bytes(font_for(text, 20).getmask("\U0010fffd")):
        pytest.skip(f"no font here has {text[0]}")
    assert ink(text).any()
    assert (ink(text) != missing).any()


def test_ink_stands_where_the_line_begins_and_runs_its_way() -> None:
    assert ink("i").nonzero()[1].max() < 40
    assert ink("ש", direction="rtl").nonzero()[1].min() > 150
    turned = ((20.0, 60.0), (20.0, 20.0), (40.0, 20.0), (40.0, 60.0))
    columns = picture(page_of("mmm", quad=turned))[22:58, 240 + 22 : 240 + 38].min(axis=2) < 100
    assert columns.any(axis=1).sum() > columns.any(axis=0).sum(), "text that is read upwards is higher than wide"


def test_long_text_is_narrowed_to_its_box() -> None:
    found = ink("a line that is much longer than the box that it was found in, by far")
    assert found.any()
    assert (picture(page_of("w" * 300))[:, 240 + 224 :] == 255).all()


def test_a_large_page_is_shrunk() -> None:
    page = dataclasses.replace(BLANK, width=4000, height=3000, image=np.full((3000, 4000, 3), 255, np.uint8))
    height, width, _ = picture(page).shape
    assert height * width / 2 == pytest.approx(MOST_PIXELS, rel=0.01)
    assert width / 2 / height == pytest.approx(4 / 3, rel=0.01)


def test_a_blank_page_and_hostile_text_make_a_picture() -> None:
    found = picture(dataclasses.replace(BLANK, image=np.full((300, 400, 3), 255, np.uint8)))
    assert (found == 255).all()
    assert picture(dataclasses.replace(hostile(), image=GREY)).shape == (400, 960, 3)


def test_boxes_beyond_the_page_do_no_harm() -> None:
    far = [line("far", x, y, w, h) for x, y, w, h in ((-500, -500, 9, 9), (1e9, 0, 5, 5), (-1e6, 50, 2e6, 20))]
    page = Page(lines=tuple(far), rows=((0, 1, 2),), width=480, height=400, models="", image=GREY)
    assert picture(page).shape == (400, 960, 3)


def test_pixels_come_from_the_source_where_the_page_keeps_none(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    Pillow.fromarray(GREY).save(path)
    expected = picture(SEEN)
    assert np.array_equal(picture(FULL, Source("page.png", path)), expected)
    assert np.array_equal(picture(FULL, Source("page.png", path.read_bytes())), expected)


def test_without_pixels_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="keeps no image"):
        picture(FULL)
    with pytest.raises(ArgumentError, match="shape"):
        picture(dataclasses.replace(FULL, image=GREY[:10]))
    with pytest.raises(InputError, match="no such file"):
        picture(FULL, Source("gone.png", tmp_path / "gone.png"))


def test_without_pillow_boxes_and_numbers_are_drawn_and_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    with_text = picture(SEEN)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "PIL" else found(name, *rest))
    without = picture(SEEN)
    assert np.array_equal(without[:, :480], with_text[:, :480])
    assert (without[0:30, 480:780].min(axis=2) < 100).any()
    assert not np.array_equal(without, with_text)


def test_a_text_of_any_length_in_a_box_of_any_size_takes_little_memory() -> None:
    """Letters as high as the page, ten thousand of them, would be gigabytes."""
    tracemalloc.start()
    picture(page_of("W" * 10_000, quad=((-900.0, -900.0), (900.0, -900.0), (900.0, 900.0), (-900.0, 900.0))))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100 * 2**20
