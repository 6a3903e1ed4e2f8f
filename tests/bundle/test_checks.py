"""What a machine is told that does not fit, by facts that are given."""

from __future__ import annotations

import dataclasses
import socket
from pathlib import Path

import cv2
import numpy as np
import pytest

from fastocr.errors import DependencyError
from fastocr.offline import checks, start
from fastocr.offline.checks import BASELINE, Host, Needs

NEEDS = Needs("x86_64", (3, 11), (2, 28), BASELINE["x86_64"])
FIT = Host("Linux", "x86_64", (3, 11), "CPython", False, (2, 36), frozenset({*BASELINE["x86_64"], "avx2", "fma"}))


def told(**facts: object) -> list[tuple[str, str]]:
    return [tuple(problem) for problem in checks.fit(dataclasses.replace(FIT, **facts), NEEDS)]  # type: ignore[arg-type]


def test_a_machine_that_fits_is_told_nothing() -> None:
    assert told() == []
    assert told(features=None) == [], "where the system does not tell, nothing is known to be missing"


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"machine": "aarch64"}, "Linux on aarch64, and the wheels are for Linux on x86_64"),
        ({"system": "Darwin", "machine": "x86_64"}, "this is Darwin"),
        ({"python": (3, 13)}, "for Python 3.11, and this is Python 3.13"),
        ({"implementation": "PyPy"}, "this is a Python (PyPy)"),
        ({"free_threaded": True}, "without the global lock"),
        ({"absent": ("venv",)}, "lacks its module venv: install the package that holds it (on Debian and Ubuntu pyth"),
        ({"glibc": (2, 17)}, "glibc 2.28 or newer, and this system has 2.17"),
        ({"glibc": None}, "no glibc (Alpine and others have musl)"),
        ({"features": FIT.features - {"sse4_2", "popcnt"}}, "the processor lacks popcnt, sse4_2"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_with_what_to_do(facts: dict[str, object], said: str) -> None:
    ((level, text),) = told(**facts)
    assert level == "error"
    assert said in text
    assert any(word in text for word in ("use a", "use another", "install", "make a bundle", "make the bundle"))


def test_a_slow_processor_is_a_warning() -> None:
    ((level, text),) = told(features=FIT.features - {"avx2"})
    assert (level, "avx2" in text) == ("warning", True)


def test_glibc_versions_are_numbers() -> None:
    assert [*checks.fit(dataclasses.replace(FIT, glibc=(2, 5)), NEEDS)], "2.5 is older than 2.28"


def test_this_machine_fits_what_it_has() -> None:
    host = checks.here()
    assert [*checks.fit(host, Needs(host.machine, host.python, host.glibc, ()))] == []


@pytest.mark.skipif(checks.here().machine != "x86_64", reason="names of x86 processors")
def test_the_baseline_is_what_the_wheels_are_compiled_for() -> None:
    """As NumPy and OpenCV tell themselves; ONNX Runtime does not tell."""
    numpy = np.show_config(mode="dicts")["SIMD Extensions"]["baseline"]
    level_2 = {"SSE", "SSE2", "SSE3", "SSSE3", "SSE41", "SSE4_1", "POPCNT", "SSE42", "SSE4_2", "X86_V2", "CX16", "LAHF"}
    assert set(numpy) <= level_2
    (line,) = (line for line in cv2.getBuildInformation().splitlines() if line.strip().startswith("Baseline:"))
    assert set(line.split()[1:]) <= level_2


def test_a_library_that_is_missing_is_named_with_its_package() -> None:
    def load(name: str) -> None:
        if name == "libstdc++.so.6":
            raise OSError("no such file")

    ((level, text),) = checks.libraries(load)
    assert level == "error"
    assert "libstdc++.so.6" in text
    assert "on Debian and Ubuntu libstdc++6" in text
    assert [*checks.libraries()] == []


def test_a_busy_port() -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        number = door.getsockname()[1]
        ((level, text),) = checks.port("127.0.0.1", number)
        assert level == "error"
        assert f"port {number} of 127.0.0.1" in text
        assert "--port" in text
    assert [*checks.port("127.0.0.1", number)] == []


@pytest.mark.parametrize(("host", "number"), [("203.0.113.7", 8080), ("127.0.0.1", 99_999), ("::1%none", 80)])
def test_an_address_that_is_none(host: str, number: int) -> None:
    ((level, text),) = checks.port(host, number)
    assert (level, "cannot be used" in text) == ("error", True)


def test_a_full_disk(tmp_path: Path) -> None:
    ((_, text),) = checks.space(tmp_path, 600_000_000, free=12_000_000)
    assert "12 MB free, and 600 MB are needed" in text
    assert [*checks.space(tmp_path, 600_000_000, free=700_000_000)] == []


def test_a_list_of_checksums_that_leads_outside_is_refused(tmp_path: Path) -> None:
    for name in ("../other", "/etc/passwd"):
        (tmp_path / checks.SUMS).write_text(f"{'0' * 64}  {name}\n")
        ((_, text),) = checks.sums(tmp_path)
        assert "no line of a list of checksums" in text


def test_numbers_that_stand_twice_are_equal() -> None:
    assert DependencyError.exit_code == start.NOT_FIT
