"""What every test may ask for: the annotated images beside the checkout, and a hand that draws pages."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-c", action="store_true", help="run without the C extension, on the Python kernels alone")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of annotated images (sets such as `sroie`), or a skip where it is not."""
    if not SHARED_DATA.is_dir():
        pytest.skip("needs the annotated images in ../shared/data, which are not part of the package")
    return SHARED_DATA


@pytest.fixture(scope="session")
def draw() -> ModuleType:
    """The functions of `tests/drawing.py`, or a skip where the DejaVu fonts are not."""
    from tests import drawing

    if not drawing.FONTS.is_dir():
        pytest.skip(f"needs the DejaVu fonts in {drawing.FONTS}: apt-get install fonts-dejavu")
    return drawing
