"""The fonts that cards are drawn with, and which Debian packages bring them.

None is copied here.  OCR-B is Debian's `fonts-ocr-b`: Norbert Schwarz's outlines, free to use, change and pass on.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

FOLDER = Path("/usr/share/fonts")
FACES = {
    "dejavu-sans": "truetype/dejavu/DejaVuSans.ttf",
    "dejavu-bold": "truetype/dejavu/DejaVuSans-Bold.ttf",
    "dejavu-mono": "truetype/dejavu/DejaVuSansMono.ttf",
    "liberation-sans": "truetype/liberation/LiberationSans-Regular.ttf",
    "liberation-bold": "truetype/liberation/LiberationSans-Bold.ttf",
    "liberation-italic": "truetype/liberation/LiberationSans-BoldItalic.ttf",
    "liberation-narrow": "truetype/liberation/LiberationSansNarrow-Regular.ttf",
    "liberation-mono": "truetype/liberation/LiberationMono-Regular.ttf",
    "liberation-serif": "truetype/liberation/LiberationSerif-Regular.ttf",
    "ocr-a": "truetype/ocr-a/OCRA.ttf",
    "ocr-b": "opentype/ocr-b/OCRB.otf",
    "roboto": "truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
    "roboto-medium": "truetype/roboto/unhinted/RobotoTTF/Roboto-Medium.ttf",
    "roboto-condensed": "truetype/roboto/unhinted/RobotoCondensed-Regular.ttf",
    "open-sans": "truetype/open-sans/OpenSans-Regular.ttf",
    "open-sans-bold": "truetype/open-sans/OpenSans-Semibold.ttf",
    "inconsolata": "truetype/inconsolata/Inconsolata.otf",
    "carlito": "truetype/crosextra/Carlito-Regular.ttf",
    "carlito-bold": "truetype/crosextra/Carlito-Bold.ttf",
    "courier-prime": "opentype/courier-prime/Courier Prime.otf",
    "microhei": "truetype/wqy/wqy-microhei.ttc",
}
PACKAGES = {
    "dejavu": "fonts-dejavu",
    "liberation": "fonts-liberation",
    "ocr-a": "fonts-ocr-a",
    "ocr-b": "fonts-ocr-b",
    "roboto": "fonts-roboto-unhinted",
    "open-sans": "fonts-open-sans",
    "inconsolata": "fonts-inconsolata",
    "carlito": "fonts-crosextra-carlito",
    "courier": "fonts-courier-prime",
    "microhei": "fonts-wqy-microhei",
}


def family(face: str) -> str:
    """The family that a face is of: weights and widths of one design count once."""
    return next(name for name in PACKAGES if face.startswith(name))


def missing() -> list[str]:
    """The packages to install before cards can be drawn; empty where all are there."""
    return sorted({PACKAGES[family(face)] for face, path in FACES.items() if not (FOLDER / path).is_file()})


@lru_cache(maxsize=512)
def font(face: str, pixels: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FOLDER / FACES[face]), pixels, layout_engine=ImageFont.Layout.BASIC)
