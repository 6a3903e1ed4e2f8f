"""The table of settings in docs/service.md is that of the code."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from fastocr.cli import main
from fastocr.serve.config import ServeConfig
from fastocr.serve.settings import kind_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "service.md"
HEAD = ["| key | takes | default | what |", "|---|---|---|---|"]


def shown(value: object) -> str:
    return "" if value in (None, (), dataclasses.MISSING) else f"`{str(value).lower()}`"


def rows() -> list[str]:
    found = []
    for setting in dataclasses.fields(ServeConfig):
        takes = kind_text(setting.name)
        if choices := setting.metadata["choices"]:
            takes = ", ".join(f"`{choice}`" for choice in choices)
        found.append(f"| `{setting.name}` | {takes} | {shown(setting.default)} | {setting.metadata['about']} |")
    return found


def test_the_page_has_every_setting_as_the_code_states_it() -> None:
    table = "\n".join([*HEAD, *rows()])
    assert table in PAGE.read_text(encoding="utf-8"), f"docs/service.md should have this table:\n{table}"


def test_the_help_has_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--help"]) == 0
    text = capsys.readouterr().out
    for setting in dataclasses.fields(ServeConfig):
        assert f"--{setting.name.replace('_', '-')}" in text
