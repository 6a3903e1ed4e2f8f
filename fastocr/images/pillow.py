"""Pillow's pictures as BGR pixels.

Pillow is never needed: a caller who passes one of its objects has loaded it, and files that OpenCV cannot decode go
to it only where it is installed.
"""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any

import numpy as np

from fastocr.errors import FastocrError, InputError, LimitError, UnsupportedFormatError
from fastocr.images import pixels
from fastocr.images.headers import probe
from fastocr.images.image import Header, Limits, Pixels

__all__ = ["convert", "decode", "finds_damage", "frames", "is_picture", "opened"]

#: What Pillow is asked to open: nothing that runs a program (EPS) or has no signature (TGA).
NAMES = {"png": "PNG", "gif": "GIF", "webp": "WEBP", "avif": "AVIF", "jp2": "JPEG2000", "tiff": "TIFF"}
WITH_ALPHA = frozenset(("LA", "La", "PA", "RGBA", "RGBa"))
PLAIN = frozenset(("1", "L", "P", "RGB", "RGBX", "CMYK", "YCbCr", "LAB", "HSV"))
ORIENTATION = 0x0112
#: Compressions of TIFF whose decoders tell of damage; those of faxes go on with the next row.
TELLING = frozenset(("tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits", "zstd", "lzma"))
#: Pixels of which Pillow does not yet warn.
MOST_PIXELS = 80_000_000


def is_picture(source: object) -> bool:
    """Whether this is a Pillow image; Pillow is not imported to find out."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(source, module.Image)


def frames(picture: Any, limits: Limits) -> int:
    """Frames of the file behind a picture.  Never asks ``n_frames`` of a lazy class: that would move the picture."""
    if picture.format in ("PNG", "WEBP", "AVIF"):
        return max(1, int(vars(picture).get("n_frames", 1)))
    file = getattr(picture, "fp", None)
    if picture.format not in ("TIFF", "GIF") or file is None:
        return 1
    try:
        place = file.tell()
        file.seek(0)
        try:
            return probe(file.read(limits.max_bytes + 1)).frames
        finally:
            file.seek(place)
    except (OSError, ValueError, InputError):
        return 1


def convert(picture: Any) -> Pixels:
    """A Pillow picture of any mode as upright BGR on white; the caller's object keeps its pixels and tags.

    Raises UnsupportedFormatError for a mode whose range is not known, InputError where Pillow cannot load the file.
    """
    try:
        bgr = _bgr(picture)
        turn = picture.getexif().get(ORIENTATION, 1)
    except FastocrError:
        raise
    except Exception as error:  # Pillow's plugins raise what they like; none of it may escape untyped.
        raise InputError(f"Pillow cannot load it ({error})") from error
    return pixels.upright(bgr, turn if isinstance(turn, int) and 1 <= turn <= 8 else 1)


def decode(data: bytes, header: Header) -> Pixels | None:
    """A file of a format that Pillow may know better; None where Pillow is not installed."""
    picture = opened(data, header)
    if picture is None:
        return None
    with picture:
        shown, stated = sorted(picture.size), sorted((header.width, header.height))
        cropped = header.format == "heic" and shown[0] <= stated[0] and shown[1] <= stated[1]  # its clean aperture
        if shown != stated and not cropped:
            raise InputError(f"Pillow reads a size of {picture.size}, not that in the header")
        return convert(picture)


def finds_damage(data: bytes, header: Header) -> bool:
    """Whether Pillow cannot decode all of a compressed TIFF.  OpenCV leaves that out and says nothing.
    False where Pillow has no opinion: it is not installed, or does not know this variant.  Its libtiff prints a line
    about the damage."""
    if header.width * header.height > MOST_PIXELS:
        return False
    try:
        picture = opened(data, header)
    except InputError:
        return False
    if picture is None:
        return False
    with picture:
        if picture.info.get("compression") not in TELLING:
            return False
        try:
            picture.load()
        except OSError:  # as its decoders say it
            return True
        except Exception:  # What else Pillow's plugins raise is no verdict.
            return False
    return False


def opened(data: bytes, header: Header) -> Any | None:
    """The Pillow image of a file, at its first frame; None where Pillow, or for HEIC its plugin, is not installed."""
    try:
        module = importlib.import_module("PIL.Image")
        # The plugin's class is used as it is: registering it would change Pillow for the whole process.
        plugin = importlib.import_module("pillow_heif").HeifImageFile if header.format == "heic" else None
    except ImportError:
        return None
    try:
        if plugin is not None:
            return plugin(io.BytesIO(data))
        return module.open(io.BytesIO(data), formats=[NAMES[header.format]])
    except module.DecompressionBombError as error:
        raise LimitError(f"Pillow refuses its size ({error})") from error
    except Exception as error:  # Not a file that Pillow knows, or a plugin that is not there.
        what = header.foreign or f"this {header.format.upper()}"
        kind = UnsupportedFormatError if header.foreign else InputError
        raise kind(f"neither OpenCV nor Pillow can decode {what}: it is damaged, or needs a plugin") from error


def _bgr(picture: Any) -> Pixels:
    mode = picture.mode
    if mode.startswith("I;16"):
        return _sixteen(picture, np.asarray(picture))
    if mode == "I":
        return _sixteen(picture, _checked(np.asarray(picture)))
    if mode == "F":
        return pixels.to_bgr(pixels.to_bytes(np.asarray(picture)))
    if mode in WITH_ALPHA or _has_transparency(picture):
        # La and RGBa only convert to their straight twins.
        straight = picture.convert({"La": "LA", "RGBa": "RGBA"}.get(mode, "RGBA")).convert("RGBA")
        samples = np.asarray(straight)
        return pixels.to_bgr(pixels.composite(samples[..., [2, 1, 0, 3]], "straight"))
    if mode in PLAIN:
        return pixels.to_bgr(np.asarray(picture.convert("RGB"))[..., ::-1])
    raise UnsupportedFormatError(f"a Pillow picture of mode {mode} is not supported: convert it to RGB first")


def _has_transparency(picture: Any) -> bool:
    """Whether a mode without an alpha channel has a transparent colour, or a palette with alpha."""
    if "transparency" in picture.info and picture.mode in ("1", "L", "P", "RGB"):
        return True
    return picture.mode == "P" and getattr(picture.palette, "mode", "").endswith("A")


def _sixteen(picture: Any, samples: Any) -> Pixels:
    """Grey of 16 bits, white at the level that a PNG named as transparent."""
    grey = pixels.to_bytes(samples)
    level = picture.info.get("transparency")
    if isinstance(level, int):
        grey = np.where(samples == level, np.uint8(255), grey)
    return pixels.to_bgr(grey)


def _checked(samples: Any) -> Any:
    """Mode I (int32) holds 16-bit grey where Pillow has no narrower mode for a file; nothing else has a known range."""
    lowest, highest = int(samples.min()), int(samples.max())
    if lowest < 0 or highest > 65535:
        raise UnsupportedFormatError(
            f"its samples (Pillow mode I, int32) reach from {lowest} to {highest}, outside 0 to 65535: "
            "convert them to uint8"
        )
    return samples.astype(np.uint16)
