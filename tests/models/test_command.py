"""`fastocr models`: exit codes, clean stdout, and what each action prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fastocr.cli import main
from fastocr.models.registry import builtin
from tests.models.onnxmade import onnx_bytes
from tests.models.test_registry import local


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FASTOCR_OFFLINE", "1")
    monkeypatch.setenv("FASTOCR_MODELS", str(local(tmp_path / "mine")))
    return tmp_path


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]):
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["models", *arguments])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def test_list(run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    for name in (*builtin().sets, *builtin().models):
        assert any(line.split()[:1] == [name] for line in out.splitlines())
    assert next(line for line in out.splitlines() if line.startswith("mine ")).split()[:4] == [
        "mine",
        "det",
        "0.0",
        "yes",
    ]


def test_path(run, home: Path) -> None:
    assert run("path", "mine") == (0, f"{home / 'mine' / 'mine.onnx'}\n", "")
    code, out, err = run("path", "ppocrv6-small")
    assert (code, out) == (5, "")
    assert "FASTOCR_MODELS" in err
    code, out, err = run("path", "nothing")
    assert (code, out, err.count("\n")) == (4, "", 1)


def test_pull(run, home: Path) -> None:
    assert run("pull", "mine", "--quiet") == (0, f"{home / 'mine' / 'mine.onnx'}\n", "")
    code, out, err = run("pull")
    assert (code, out) == (5, "")
    assert "ppocrv6-small-det.onnx" in err


def test_verify(run, home: Path) -> None:
    path = home / "mine" / "mine.onnx"
    assert run("verify") == (0, f"ok  {path}\n", "")
    path.write_bytes(b"abd")
    code, out, err = run("verify")
    assert (code, out) == (4, "")
    assert "has sha256" in err
    assert builtin().files["ppocrv6-charset.txt"].sha256 not in err
    path.unlink()
    code, _, err = run("verify", "mine")
    assert code == 0
    assert "no model file" in err


def test_import_of_what_is_none(run, home: Path) -> None:
    pytest.importorskip("yaml", reason="needs PyYAML, of the extra fastocr-engine[import]")
    code, out, err = run("import", str(home), "--out", str(home / "out"))
    assert (code, out) == (4, "")
    assert "inference.yml" in err


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("path",), ("import", "x")])
def test_wrong_usage(run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments)[0] == 2


def test_help_has_examples(run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert "fastocr models pull" in out


def test_where_all_files_are_here_no_network_code_is_loaded(home: Path) -> None:
    """Opening a set that is here loads neither urllib.request nor ssl, and asks nobody."""
    (home / "d.onnx").write_bytes(onnx_bytes((None, 3, None, None), (None, 1, None, None)))
    (home / "r.onnx").write_bytes(onnx_bytes((None, 3, 48, None), (None, None, 4), {"character": "a\nb"}))
    script = (
        "import sys; from fastocr import models; models.open_set(det=sys.argv[1], rec=sys.argv[2]);"
        "print({'ssl', 'urllib.request', 'http.client', 'onnxruntime', 'cv2', 'numpy'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", script, str(home / "d.onnx"), str(home / "r.onnx")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "set()\n"
