"""Fonts for pictures: of those that the system has, one that knows the letters.  Needs Pillow."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

__all__ = ["font_for"]

# In the order in which they are tried: what systems have for European scripts, for Chinese, Japanese and Korean, and
# for others.  Pillow looks for a name where the system keeps its fonts.
_NAMES = (
    *("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "arial.ttf", "Arial.ttf"),
    *("NotoSansCJK-Regular.ttc", "NotoSansCJKsc-Regular.otf", "NotoSansSC-Regular.ttf", "wqy-microhei.ttc"),
    *("msyh.ttc", "malgun.ttf", "PingFang.ttc", "Hiragino Sans GB.ttc", "Arial Unicode.ttf"),
    *("NotoSansArabic-Regular.ttf", "NotoSansHebrew-Regular.ttf", "NotoSansThai-Regular.ttf", "LeelawUI.ttf"),
    *("NotoSansDevanagari-Regular.ttf", "NotoSansTamil-Regular.ttf", "NotoSansTelugu-Regular.ttf", "Nirmala.ttc"),
)
# No font has a glyph for it, so it shows the one for what a font lacks.
_NO_CHARACTER = "\U0010ffff"
_PROBE_SIZE = 16


def font_for(text: str, size: int) -> FreeTypeFont:
    """The first font that has all the characters, else the one that has most of them, ``size`` pixels high."""
    wanted = [character for character in dict.fromkeys(text) if not character.isspace()]
    name = max(_installed(), key=lambda name: sum(_has(name, character) for character in wanted))
    return _loaded(name, size)


@functools.cache
def _installed() -> tuple[str, ...]:
    return (*(name for name in _NAMES if _is_there(name)), "")


def _is_there(name: str) -> bool:
    try:
        _loaded(name, _PROBE_SIZE)
    except OSError:
        return False
    return True


@functools.lru_cache(maxsize=256)
def _loaded(name: str, size: int) -> FreeTypeFont:
    from PIL import ImageFont

    if name:
        return ImageFont.truetype(name, size)
    return ImageFont.load_default(size)  # Pillow's own, for Latin letters


@functools.lru_cache(maxsize=1 << 15)
def _has(name: str, character: str) -> bool:
    return _picture(name, character) != _picture(name, _NO_CHARACTER)


@functools.lru_cache(maxsize=1 << 10)
def _picture(name: str, character: str) -> tuple[bytes, tuple[int, int]]:
    mask = _loaded(name, _PROBE_SIZE).getmask(character)
    return bytes(mask), mask.size
