"""Machine facts in every saved benchmark, and the benchmarks' own tables below pytest's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the scripts here import one another by their plain names

import facts

TABLES = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TABLES] = []


def pytest_benchmark_update_machine_info(config: pytest.Config, machine_info: dict[str, Any]) -> None:
    machine_info["fastocr"] = asdict(facts.machine())


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    tables = config.stash[TABLES]
    if tables:
        terminalreporter.write_line("")
        for line in (facts.headline(), *tables):
            terminalreporter.write_line(line)


@pytest.fixture
def show(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Adds text to what is printed after pytest's own summary."""
    return request.config.stash[TABLES].append
