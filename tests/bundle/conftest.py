"""Bundles of the small world: made once, and copied by who changes them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fastocr.bundle import Order, Reader, Target, make
from fastocr.models import Store
from tests.bundle import world

# Bundles are made for Linux, and run there.
collect_ignore_glob = [] if sys.platform.startswith("linux") else ["test_*.py"]

Make = Callable[..., Path]


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with index/ and own/ (models)."""
    folder = tmp_path_factory.mktemp("world")
    world.index(folder / "index")
    world.models(folder / "own")
    return folder


@pytest.fixture(scope="session")
def make_bundle(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a bundle for this machine; keywords replace the target, the extras and the wheel."""

    def made(
        out: Path, *, target: Target | None = None, extras: tuple[str, ...] = ("server",), own: Path | None = None
    ) -> Path:
        own = own or world.engine(tmp_path_factory.mktemp("engine"))
        order = Order(target or Target.of(), ["mine"], Reader(models="mine", light="off").config(), extras, own)
        home = tmp_path_factory.mktemp("home")
        with (
            pytest.MonkeyPatch.context() as patch,
            Store(
                environ={"FASTOCR_HOME": str(home), "FASTOCR_MODELS": str(place / "own"), "FASTOCR_OFFLINE": "1"}
            ) as store,
        ):
            patch.setenv("PIP_NO_INDEX", "1")
            patch.setenv("PIP_FIND_LINKS", str(place / "index"))
            patch.setenv("PIP_CONFIG_FILE", os.devnull)
            make(out, order, store)
        return out

    return made


@pytest.fixture(scope="session")
def _made(make_bundle: Make, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("made") / "bundle")


@pytest.fixture(scope="session")
def _started(_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(shutil.copytree(_made, tmp_path_factory.mktemp("started") / "bundle"))
    assert "installing 6 packages" in world.start(folder).stderr
    return folder


@pytest.fixture
def installed(_started: Path, tmp_path: Path) -> Path:
    """A bundle that was started once, and then copied elsewhere, which a test may change."""
    return Path(shutil.copytree(_started, tmp_path / "a place with blanks", symlinks=True))


@pytest.fixture
def bundle(_made: Path, tmp_path: Path) -> Path:
    """A bundle that a test may change."""
    return Path(shutil.copytree(_made, tmp_path / "bundle"))
