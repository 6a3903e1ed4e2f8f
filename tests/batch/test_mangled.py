"""Sixty mangled files among good ones: each an error line, none a crash, the rest done."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.batch import commands, mangled


@pytest.mark.models
@pytest.mark.slow
def test_each_is_an_error_line_and_the_rest_is_done(draw: ModuleType, tmp_path: Path) -> None:
    scans = tmp_path / "scans"
    scans.mkdir()
    files = mangled.files()
    assert len(files) >= 60
    for name, data in files.items():
        (scans / name).write_bytes(data)
    good = {"first.png": "First 11", "middle.jpg": "Middle 22", "zz last.png": "Last 33"}
    for name, text in good.items():
        draw.text(draw.page(240, 60), (14, 12), text, 28).save(scans / name)
    (scans / "is a png.jpg").write_bytes((scans / "first.png").read_bytes())
    command = [sys.executable, "-m", "fastocr", "batch", "scans", "--out", "out", "--models", "ppocrv6-tiny"]
    done = subprocess.run(
        [*command, "--jobs", "2", "--quiet"],
        cwd=tmp_path,
        env=commands.ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 3
    told = done.stderr.splitlines()
    for name in files:
        lines = [line for line in told if f"scans/{name}: " in line]
        assert len(lines) == 1, (name, lines)
    assert len(told) == len(files), "nothing else is said"
    report = [json.loads(line) for line in (tmp_path / "out/report.jsonl").read_text(encoding="ascii").splitlines()]
    failed = {Path(line["input"]).name: line["code"] for line in report if line["state"] == "failed"}
    assert sorted(failed) == sorted(files)
    assert set(failed.values()) == {"unreadable_image", "unsupported_format", "too_large"}, "no crash, no fault of ours"
    made = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").glob("*.txt")}
    assert made == {
        "first.txt": "First 11\n",
        "is a png.txt": "First 11\n",
        "middle.txt": "Middle 22\n",
        "zz last.txt": "Last 33\n",
    }
