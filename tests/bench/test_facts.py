"""Facts and drawn pages: the same everywhere that they can be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import facts
import made_pages
import numpy as np


def test_the_machine_is_described() -> None:
    here = facts.machine()
    assert here.cpu
    assert 1 <= here.cores <= here.cores_of_machine
    assert here.versions["numpy"] == np.__version__
    assert here.versions["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}")


def test_the_headline_says_how_the_script_was_called(monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bench/peers.py", "--data", "a folder"])
    first, *rest = facts.headline().splitlines()
    assert first == "# python bench/peers.py --data 'a folder'"
    assert all(line.startswith("# ") for line in rest)


def test_the_command_prints_json() -> None:
    output = subprocess.run([sys.executable, facts.__file__], check=True, capture_output=True, text=True).stdout
    assert json.loads(output)["cores"] == facts.usable_cores()


def test_drawn_pages_are_the_same_for_the_same_seed_and_differ_in_size(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    ones, others = made_pages.write_random_sizes(first, 4), made_pages.write_random_sizes(second, 4)
    assert [path.read_bytes() for path in ones] == [path.read_bytes() for path in others]
    assert len({path.read_bytes() for path in ones}) == 4
    page = made_pages.draw(301, 203, np.random.default_rng(0))
    assert page.shape == (203, 301, 3)
    assert page.min() < 128
