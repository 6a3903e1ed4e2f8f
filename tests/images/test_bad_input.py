"""What cannot be read fails in one typed way that names the source and the reason, and nothing is printed (P06)."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fastocr._opencv import cv2
from fastocr.errors import InputError, UnsupportedFormatError
from fastocr.images import load
from tests.images import samples
from tests.images.test_formats import made

#: Prints what libtiff and libwebp say, whatever the log level.
OLD_OPENCV = tuple(map(int, cv2.__version__.split(".")[:2])) < (4, 12)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", r"the given bytes: it is empty \(0 bytes\)"),
        (b"notanimage" * 10, "the given bytes: its first bytes .* of no known format"),
        (None, "None: pass a path, bytes"),
        (42, "the given int: pass a path, bytes"),
        ([np.zeros((4, 4), np.uint8)] * 2, "the given list: it holds several inputs: pass them one by one"),
        ((b"a", b"b"), "the given tuple: it holds several inputs"),
        ("", "'': the path is empty"),
        ("no/such/page.png", "no/such/page.png: there is no such file"),
        ("page\0.png", r"page\\0.png: the path is not valid"),
        ("x" * 5000, r"x{200}\.\.\.: the file cannot be read"),
        ("https://example.org/page.png", "a URL is not fetched"),
        ("FILE:///etc/page.png", "a URL is not fetched"),
        ("data:image/png;base64,iVBORw0KGgo=", "a URL is not fetched"),
        (io.BytesIO(), "the given BytesIO: it is empty"),
        (io.StringIO("text"), "it is open in text mode"),
    ],
)
def test_message_names_source_and_reason(source: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(source)


class NoPath:
    """A path of some other library that fails as a path."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __fspath__(self) -> str:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize("answer", [5, None, RuntimeError("gone")])
def test_a_path_object_without_a_path(answer: object) -> None:
    with pytest.raises(InputError, match=r"^cannot read the given NoPath: it does not give its path \("):
        load(NoPath(answer))
    with pytest.raises(InputError, match=r"^cannot read page 3: it does not give its path \("):
        load(NoPath(answer), name="page 3")


def test_a_memoryview_that_was_released_or_is_not_in_order() -> None:
    data = samples.encoded(samples.RGB, "PNG")
    view = memoryview(data)
    assert load(view).format == load(memoryview(data[::-1])[::-1]).format == "png"
    view.release()
    with pytest.raises(InputError, match="the given bytes: its memory cannot be read"):
        load(view)


def test_own_name_for_a_source() -> None:
    with pytest.raises(InputError, match=r"^cannot read page 3 of scan\.pdf: it is empty"):
        load(b"", name="page 3 of scan.pdf")


@pytest.mark.parametrize("kind", [str, Path])
def test_empty_file_and_directory(kind: Callable[[Path], object], tmp_path: Path) -> None:
    samples.cover_page(tmp_path / "empty.png", b"")
    with pytest.raises(InputError, match=r"empty.png: it is empty"):
        load(kind(tmp_path / "empty.png"))
    with pytest.raises(InputError, match="it is a directory"):
        load(kind(tmp_path))
    with pytest.raises(InputError, match="it is a directory"):
        load(Path())


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = samples.cover_page(tmp_path / "secret.png", samples.encoded(samples.RGB, "PNG"))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    with pytest.raises(InputError, match=r"secret\.png: the file cannot be read"):
        load(path)


def test_paths_of_any_letters(tmp_path: Path) -> None:
    data = samples.encoded(samples.RGB, "PNG")
    for name in ("Größe 図面 صفحة.png", 'with space\'s "quote".png', "no-extension", "wrong.jpg"):
        image = load(str(samples.cover_page(tmp_path / name, data)))
        assert np.array_equal(image.pixels, samples.on_white(samples.RGB))
        assert image.name.endswith(name)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes any bytes as a file name")
def test_a_path_that_is_not_text(tmp_path: Path) -> None:
    path = samples.cover_page(Path(os.fsdecode(os.fsencode(tmp_path) + b"/page-\xff.png")), b"nothing")
    with pytest.raises(UnsupportedFormatError) as caught:
        load(path)
    str(caught.value).encode("utf-8")


def test_a_file_object_is_read_from_where_it_stands(tmp_path: Path) -> None:
    data = samples.encoded(samples.RGB, "PNG")
    file = io.BytesIO(b"prefix" + data)
    file.seek(6)
    assert load(file).format == "png"
    with pytest.raises(InputError, match="read to its end before: seek"):
        load(file)
    with samples.cover_page(tmp_path / "page.png", data).open("rb") as opened:
        assert load(opened).name == str(tmp_path / "page.png")
    with pytest.raises(InputError, match=r"page.png: reading from it failed \(ValueError"):
        load(opened)


def test_short_reads_and_broken_streams() -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 7, 7))

    class Broken:
        def read(self, size: int) -> bytes:
            raise ConnectionResetError("peer is gone")

    class Odd:
        def read(self, size: int) -> object:
            return None

    assert load(Slow(samples.encoded(samples.RGB, "PNG"))).format == "png"
    with pytest.raises(InputError, match="ConnectionResetError: peer is gone"):
        load(Broken())
    with pytest.raises(InputError, match="returned NoneType, not bytes"):
        load(Odd())


@pytest.mark.parametrize("name", samples.FILES)
@pytest.mark.filterwarnings("ignore")
def test_a_cut_file_is_refused_or_flagged(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    data, _ = made(name)
    whole = load(data)
    for size in sorted({len(data) * share // 20 for share in range(20)} | {len(data) - 1, len(data) - 2}):
        try:
            image = load(data[:size])
        except InputError as error:
            assert str(error).startswith("cannot read the given bytes: ")
        else:
            flagged = any("truncated" in warning for warning in image.warnings)
            assert flagged or np.array_equal(image.pixels, whole.pixels)  # The cut may lie behind the picture.
            assert image.pixels.shape == whole.pixels.shape
    if not (name.startswith(("tiff", "webp of several")) and OLD_OPENCV):
        assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_half_a_file_says_that_it_is_truncated(kind: str) -> None:
    data = samples.encoded(samples.RGB, kind)
    with pytest.raises(InputError, match=f"the {kind} is truncated"):
        load(data[: len(data) // 2])


def test_a_damaged_png_is_refused() -> None:
    data = bytearray(samples.encoded(samples.RGB, "PNG"))
    data[len(data) // 2] ^= 1
    with pytest.raises(InputError, match="the checksum of a IDAT chunk"):
        load(bytes(data))


def test_trailing_bytes_do_no_harm() -> None:
    for kind in ("PNG", "JPEG", "BMP", "GIF"):
        picture = samples.PALETTE if kind == "GIF" else samples.RGB
        data = samples.encoded(picture, kind)
        image = load(data + bytes(1000))
        assert image.warnings == ()
        assert np.array_equal(image.pixels, load(data).pixels)


def test_chunks_that_make_libpng_complain_are_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    profile = b"sRGB\0\0" + b"not a deflated profile"
    extra = [(b"iCCP", profile), (b"gAMA", b"\0\0\0\1"), (b"tEXt", b"\0"), (b"eXIf", b"II"), (b"sBIT", b"\x63")]
    stored = samples.colours().astype(int)
    assert np.array_equal(load(samples.png(stored, 2, 8, extra)).pixels, samples.on_white(samples.RGB))
    assert capfd.readouterr() == ("", "")


def png_of(*rows: bytes) -> bytes:
    """A grey PNG of 1000 x 1000 whose rows are packed one after another."""
    packer = zlib.compressobj(9)
    packed = b"".join(map(packer.compress, rows)) + packer.flush()
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 1000, 1000, 8, 0, 0, 0, 0)), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def test_a_png_that_unpacks_to_far_more_than_its_picture_is_refused() -> None:
    """A megabyte of such rows takes a decoder a second."""
    noise = np.random.default_rng(1).integers(0, 256, 9 * 2**20, np.uint8).tobytes()
    rows = bytes(1001 * 1000)
    with pytest.raises(InputError, match="the PNG has far more rows than its picture"):
        load(png_of(rows, noise, bytes(2**24)))
    assert load(png_of(rows, noise)).width == 1000


def test_a_jpeg_of_many_scans_is_refused() -> None:
    """Each, of a few bytes, takes a pass over the picture: 20000 of them took minutes."""
    data = samples.encoded(Image.new("L", (100, 100), 255), "JPEG", progressive=True, quality=50)
    last = data[data.rindex(b"\xff\xda") : -2]
    assert load(data).width == 100
    with pytest.raises(InputError, match="the JPEG has more than 64 scans"):
        load(data[:-2] + last * 60 + data[-2:])


def test_the_callers_log_level_is_left_alone() -> None:
    code = """
import sys, cv2
get = cv2.getLogLevel if hasattr(cv2, "getLogLevel") else cv2.utils.logging.getLogLevel
before = get()
from fastocr._opencv import cv2
from fastocr.errors import InputError
import fastocr.images as images
assert get() == before
try:
    images.load(b"II*\\0" + bytes(100))
except InputError:
    pass
sys.exit(get() != before)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
