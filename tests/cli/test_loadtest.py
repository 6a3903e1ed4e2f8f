"""`fastocr loadtest`: what it prints, and its exit codes.  Its numbers are tested in `tests/loadtest`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fastocr.cli import main
from tests.loadtest.stub import Stub, Writer, always, error, plain, serving

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def image(tmp_path: Path) -> str:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"picture")
    return str(path)


def test_a_table_on_stdout_and_progress_on_stderr(image: str, capsys: Captured) -> None:
    with serving(always(plain(x_fastocr_preset="balanced"))) as stub:
        assert main(["loadtest", stub.url, image, image, "--requests", "4"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("closed loop, ")
    assert "4 requests, 4 answers, 0 errors" in out
    assert "preset balanced                4    100.0%" in out
    assert "0 answers, 0 errors, " in err
    assert stub.bodies == [b"picture"] * 4


def test_json(image: str, capsys: Captured) -> None:
    with serving(always(plain())) as stub:
        arguments = ["--requests", "5", "--rate", "500", "--json", "--quiet"]
        assert main(["loadtest", stub.url, image, *arguments]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["loop"], report["requests"], report["latency"]["count"]) == ("open", 5, 5)
    assert err == ""


def test_where_none_is_answered_well_the_code_is_that_of_the_error(image: str, capsys: Captured) -> None:
    with serving(always(error(415, "unsupported_format"))) as stub:
        assert main(["loadtest", stub.url, image, "--requests", "2"]) == 3
        assert "unsupported_format came most" in capsys.readouterr().err
        port = stub.port
    assert main(["loadtest", f"http://127.0.0.1:{port}", image, "--requests", "2"]) == 10
    assert "connect_failed came most" in capsys.readouterr().err


def test_bad_arguments(image: str, capsys: Captured) -> None:
    assert main(["loadtest", "nowhere", image]) == 2
    assert "'nowhere' is no address of a service" in capsys.readouterr().err
    assert main(["loadtest", "http://127.0.0.1:1", "no.png"]) == 3
    assert "cannot read no.png: No such file" in capsys.readouterr().err


def test_another_machine_is_warned_of(image: str, capsys: Captured) -> None:
    assert main(["loadtest", "http://service.invalid", image, "--requests", "1"]) == 10
    assert "service.invalid is another machine" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_reports_what_there_is(image: str) -> None:
    held = threading.Event()

    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        if number < 3:
            writer.write(plain())
        else:
            held.set()
        return True

    with serving(behave) as stub:
        command = [sys.executable, "-m", "fastocr", "loadtest", stub.url, image, "--duration", "500", "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert held.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    report = json.loads(out)
    assert (report["interrupted"], report["latency"]["count"], report["unfinished"]) == (True, 3, 1)
    assert b"Traceback" not in err
