"""What is printed while files come."""

from __future__ import annotations

import io
import sys

import pytest

from fastocr.models import Progress
from fastocr.models.progress import _Printer, size_text

REPORTS = [Progress("net.onnx", done, 2_000_000, "a wheel") for done in (0, 500_000, 500_100, 2_000_000)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    printer = _Printer()
    for report in REPORTS:
        printer(report)
    return stream.getvalue()


def test_a_line_a_file_where_no_terminal_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(io.StringIO(), monkeypatch) == "fetching net.onnx (2.0 MB) from a wheel\n"


@pytest.mark.parametrize(
    ("size", "shown"),
    [(74_947, "74.9 kB"), (400, "0.4 kB"), (999_999, "1000.0 kB"), (1_000_000, "1.0 MB"), (21_300_000, "21.3 MB")],
)
def test_small_files_are_told_in_kilobytes(size: int, shown: str) -> None:
    assert size_text(size) == shown


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(Terminal(), monkeypatch).split("\r")
    assert [part.split("%")[0].strip("#. ") for part in shown[1:]] == ["0", "25", "100"]
    assert shown[-1].endswith("\n")
    assert not any("\n" in part for part in shown[:-1])


@pytest.mark.parametrize("stream", [None, "closed"])
def test_a_stream_that_is_gone(stream: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = io.StringIO()
    gone.close()
    monkeypatch.setattr(sys, "stderr", None if stream is None else gone)
    for report in REPORTS:
        _Printer()(report)


@pytest.mark.parametrize(("done", "total", "finished"), [(0, 0, False), (5, 0, False), (4, 5, False), (5, 5, True)])
def test_finished(done: int, total: int, finished: bool) -> None:
    assert Progress("f", done, total, "s").finished is finished
