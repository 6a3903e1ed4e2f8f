"""What the package says of itself holds: name, version, dependencies, extras (one OpenCV: P33)."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fastocr._version import DISTRIBUTION, __version__

REPOSITORY = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = PYPROJECT["project"]


def name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match
    return match[0].lower().replace("_", "-")


def test_one_constant_holds_the_distributions_name() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    for path in (REPOSITORY / "fastocr").rglob("*.py"):
        if path.name != "_version.py":
            assert DISTRIBUTION not in path.read_text(encoding="utf-8"), f"{path} repeats the distribution's name"


def test_the_installed_version_is_this_one() -> None:
    assert importlib.metadata.version(DISTRIBUTION) == __version__
    assert f"## {__version__}" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_core_is_three_wheels_deep() -> None:
    assert {name(requirement) for requirement in PROJECT["dependencies"]} == {"numpy", "onnxruntime", "opencv-python"}


def test_no_extra_brings_a_second_opencv() -> None:
    extras = PROJECT["optional-dependencies"]
    every = [name(requirement) for group in (PROJECT["dependencies"], *extras.values()) for requirement in group]
    assert {requirement for requirement in every if requirement.startswith("opencv")} == {"opencv-python"}


def test_install_hints_name_extras_that_exist() -> None:
    """`pip install "fastocr-engine[pdf]"` in a message or a page must work."""
    hint = re.compile(re.escape(DISTRIBUTION) + r"\[([\w,-]+)\]|\{DISTRIBUTION\}\[([\w,-]+)\]")
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md"), *(REPOSITORY / "fastocr").rglob("*.py")]
    for path in pages:
        for groups in hint.findall(path.read_text(encoding="utf-8")):
            for extra in "".join(groups).split(","):
                assert extra in PROJECT["optional-dependencies"], f"{path.name} names the extra [{extra}]"


def test_oldest_python_is_the_same_everywhere() -> None:
    assert PROJECT["requires-python"] == ">=3.11"
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py311"
    assert PYPROJECT["tool"]["cibuildwheel"]["build"][0] == "cp311-*"


@pytest.mark.parametrize("command", ["sh scripts/try.sh", "sh scripts/test.sh"])
def test_the_readme_shows_the_commands_that_are_there(command: str) -> None:
    assert command in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert (REPOSITORY / command.split()[1]).is_file()
