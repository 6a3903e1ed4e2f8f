"""`fastocr bench`: the numbers follow from the timings, and both forms say them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fastocr.cli import main
from fastocr.errors import ArgumentError, InputError
from fastocr.profile import SCHEMA, STAGES, profile, render
from fastocr.results import Page
from fastocr.runtime.memory import peak_bytes
from tests.cli import fake_command


class Scripted:
    """Reads each source in the milliseconds that it names, first of all the warm-up's."""

    def __init__(self, **milliseconds: list[float]) -> None:
        self.left = milliseconds

    def read(self, source: str) -> Page:
        spent = self.left[source].pop(0)
        return replace(fake_command.page_of(""), timings={"detect": spent / 2, "total": spent, "glyphs": 1.0})


def test_figures_follow_from_the_timings() -> None:
    reader = Scripted(a=[999, 10, 20, 30], b=[999, 100, 100, 100])
    found = profile(reader, ["a", "b"], 3)
    assert reader.left == {"a": [], "b": []}
    total = found.stages["total"]
    assert (total.p50, total.mean) == (65, 60)
    assert total.p95 == total.p99 == 100
    assert total.jitter == pytest.approx((200 / 3) ** 0.5 / 2), "b took the same each time, so it adds none"
    assert found.stages["detect"].p50 == total.p50 / 2
    assert list(found.stages) == ["detect", "total", "glyphs"]
    assert (found.images, found.passes, found.models) == (2, 3, "fake")
    assert found.pages_per_second > 0


@pytest.mark.parametrize(("sources", "passes"), [([], 1), (["a"], 0), (["a"], 10_001)])
def test_what_cannot_be_measured_is_refused(sources: list[str], passes: int) -> None:
    with pytest.raises(ArgumentError):
        profile(Scripted(a=[1.0]), sources, passes)


def test_the_table_has_a_row_for_each_stage() -> None:
    found = profile(Scripted(a=[1.0, 2.0]), ["a"], 1)
    head, columns, *stages, last = render(found).splitlines()
    assert head == "fake: 1 image, 1 pass, milliseconds a page"
    assert columns.split() == ["stage", "p50", "p95", "p99", "jitter"]
    assert [row.split() for row in stages] == [
        ["detect", "1.00", "1.00", "1.00", "0.00"],
        ["total", "2.00", "2.00", "2.00", "0.00"],
        ["glyphs", "1.00", "1.00", "1.00", "0.00"],
    ]
    assert "pages a second" in last
    assert "unknown" in render(replace(found, peak_mib=None))


def test_peak_memory_grows_with_what_is_held() -> None:
    before = peak_bytes()
    if before is None:
        pytest.skip("this system does not tell")
    held = bytearray(64 * 2**20)
    held[::4096] = bytes([1]) * len(held[::4096])
    after = peak_bytes()
    assert after is not None
    assert 2**20 < before <= after < 2**44
    assert len(held) < after


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(sys.modules, "fastocr.api", fake_command.module())
    monkeypatch.setattr(fake_command.FakeOCR, "made", [])
    path = tmp_path / "a.png"
    path.write_text("TEXT:one")
    return str(path)


def test_json_holds_the_figures_and_the_machine(page: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["bench", page, page, "--passes", "2", "--format", "json", "--models", "tiny", "--threads", "7"]) == 0
    report: dict[str, Any] = json.loads(capfdbinary.readouterr().out)
    assert (report["schema"], report["images"], report["passes"]) == (SCHEMA, 2, 2)
    assert report["stages"]["detect"] == {"p50": 1.25, "p95": 1.25, "p99": 1.25, "mean": 1.25, "jitter": 0.0}
    assert report["machine"]["system"]["threads"] == 7
    (options,) = fake_command.FakeOCR.made
    assert (options["models"], options["threads"]) == ("tiny", 7)


def test_text_names_the_machine(page: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["bench", page]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "fake: 1 image, 5 passes" in out
    assert "processors usable" in out


def test_an_image_that_cannot_be_read_ends_it(page: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["bench", page, "missing.png"]) == InputError.exit_code
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert b"missing.png" in err
    assert main(["bench", page, "--passes", "0"]) == ArgumentError.exit_code


@pytest.mark.models
def test_every_stage_of_a_real_page_is_known() -> None:
    import numpy as np

    from fastocr import OCR

    image = np.full((90, 300, 3), 255, np.uint8)
    image[30:60, 40:200:7] = 0
    with OCR("ppocrv6-tiny", threads=1) as ocr:
        found = profile(ocr, [image], 1)
    assert found.stages.keys() <= STAGES.keys()
