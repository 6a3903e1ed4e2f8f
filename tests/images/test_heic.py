"""HEIC: read where Pillow's plugin is installed, without registering it, and told what to install where it is not."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from PIL import Image, features

from fastocr.errors import InputError, LimitError, UnsupportedFormatError
from fastocr.images import Limits, load
from tests.images import samples

pillow_heif = pytest.importorskip("pillow_heif", reason="needs the package pillow-heif to make the files")


def heic(picture: Image.Image = samples.RGB) -> bytes:
    buffer = io.BytesIO()
    pillow_heif.from_pillow(picture).save(buffer, quality=100, chroma=444)
    return buffer.getvalue()


def test_a_picture() -> None:
    data = heic()
    known = dict(Image.registered_extensions())  # another package may have registered the plugin
    image = load(data)
    assert (image.width, image.height, image.format) == (samples.WIDTH, samples.HEIGHT, "heic")
    assert np.abs(image.pixels.astype(int) - samples.colours()[..., ::-1]).mean() < 3
    assert Image.registered_extensions() == known, "Pillow is left as it was"


def test_limits_come_first() -> None:
    with pytest.raises(LimitError, match="exceeds the longest side of 50"):
        load(heic(), limits=Limits(max_side=50))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_cut_file_is_an_error(share: float) -> None:
    data = heic()
    with pytest.raises(InputError, match="cannot read"):
        load(data[: int(len(data) * share)])


@pytest.mark.parametrize("missing", ["pillow_heif", "PIL.Image"])
def test_what_is_missing_is_said(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = heic()
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UnsupportedFormatError, match="pip install pillow pillow-heif"):
        load(data)


def test_avif_needs_no_plugin_where_pillow_or_opencv_have_it() -> None:
    if not features.check("avif"):
        pytest.skip("this Pillow cannot write AVIF")
    assert load(samples.encoded(samples.RGB, "AVIF", quality=95)).width == samples.WIDTH
