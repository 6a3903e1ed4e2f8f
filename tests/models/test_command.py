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
    code, out, err = run("path", "nothing")
    assert (code, out, err.count("\n")) == (4, "", 1)


@pytest.mark.parametrize("offline", ["", "1"])
@pytest.mark.parametrize("name", ["ppocrv6-tiny", "line-orientation"])
def test_path_of_what_is_not_here(run, name: str, offline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTOCR_OFFLINE", offline)
    code, out, err = run("path", name)
    assert (code, out, err.count("\n")) == (4, "", 1)
    assert f"`fastocr models pull {name}`" in err
    assert "OFFLINE" not in err, "it never fetches, whatever the variable says"


def spoil(path: Path) -> None:
    """One bit of the file's last byte."""
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


def test_path_names_a_damaged_copy(run, home: Path) -> None:
    spoil(home / "mine" / "mine.onnx")
    code, _, err = run("path", "mine")
    assert code == 4
    assert "has sha256" in err
    assert "import the model again" in err


def test_pull(run, home: Path) -> None:
    assert run("pull", "mine", "--quiet") == (0, f"{home / 'mine' / 'mine.onnx'}\n", "")
    code, out, err = run("pull")
    assert (code, out) == (5, "")
    assert "ppocrv6-tiny-det.onnx" in err
    code, out, err = run("pull", "mine", "ppocrv6-tiny")
    assert (code, out) == (5, "")
    assert "`fastocr models pull ppocrv6-tiny`" in err


def test_verify(run, home: Path) -> None:
    path = home / "mine" / "mine.onnx"
    assert run("verify") == (0, f"ok  {path}\n", "")
    spoil(path)
    code, out, err = run("verify")
    assert (code, out) == (4, "")
    assert "has sha256" in err
    assert builtin().files["ppocrv6-charset.txt"].sha256 not in err
    path.unlink()
    code, _, err = run("verify")
    assert code == 0
    assert "no model file" in err


def test_verify_of_what_is_named_and_absent(run, home: Path) -> None:
    code, out, err = run("verify", "mine", "ppocrv6-tiny")
    assert (code, out) == (4, f"ok  {home / 'mine' / 'mine.onnx'}\n")
    rows = builtin().rows("ppocrv6-tiny")
    names = {file.name for row in rows for file in row.files()}
    told = err.splitlines()
    assert {line.split()[1] for line in told} == names
    assert all("`fastocr models pull ppocrv6-tiny`" in line for line in told)
    (home / "mine" / "mine.onnx").unlink()
    code, out, err = run("verify", "mine")
    assert (code, out) == (4, "")
    assert "import the model again" in err


def export(folder: Path) -> Path:
    folder.mkdir()
    for name in ("inference.json", "inference.pdiparams", "inference.yml"):
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("folder", ["none", "home"])
def test_import_of_what_is_none(run, home: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    (home / "home").mkdir(exist_ok=True)
    code, out, err = run("import", str(export(home / "good")), str(home / folder), "--out", str(home / "out"))
    assert (code, out) == (4, "")
    assert str(home / folder) in err
    assert not (home / "out").exists()


def test_import_without_the_extra(run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    code, out, err = run("import", str(export(home / "good")), "--out", str(home / "out"))
    assert (code, out) == (6, "")
    assert 'pip install "fastocr-engine[import]"' in err
    assert 'pip install ".[import]"' in err


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("path",), ("import", "x")])
def test_wrong_usage(run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments)[0] == 2


@pytest.mark.parametrize("action", ["", "list", "pull", "verify", "path", "import"])
def test_help_has_examples(run, action: str) -> None:
    code, out, _ = run(*action.split(), "--help")
    assert code == 0
    assert f"\n  fastocr models {action}" in out.partition("examples:")[2]


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
