"""A page and a document whose text is known, in a folder that a server may read."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

RECEIPT = ["TOTAL 1234.50", "THANK YOU"]
LETTER = "Held by the document itself"


@pytest.fixture
def folder(tmp_path: Path, draw: ModuleType) -> Path:
    """`receipt.png`; `letter.pdf`, whose first page holds its text and whose second is a picture of the receipt; and
    `broken.png`, which is no picture."""
    from tests.documents import pdfs

    root = tmp_path / "root"
    root.mkdir()
    picture = draw.text_page(RECEIPT, 32)
    picture.save(root / "receipt.png")
    whole = (30, 30, 30 + picture.width / 2, 30 + picture.height / 2)
    (root / "letter.pdf").write_bytes(
        pdfs.drawn((595, 300), pdfs.saying(LETTER, size=20), pdfs.showing(picture, whole))
    )
    (root / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    return root
