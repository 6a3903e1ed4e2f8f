"""The command as programs use it: what is on stdout, what on stderr, which exit code (P40).

No models are needed here.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fastocr import __version__
from fastocr.cli import main
from fastocr.errors import table
from fastocr.results import Page
from tests.cli import fake_command

SCRIPT = Path(fake_command.__file__)
REPOSITORY = SCRIPT.parents[2]
EURO = "€ 45 naïve"
ASCII_ONLY = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

Write = Callable[[str, str | bytes], str]
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX pipes and file names")


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastocr.api", fake_command.module())
    monkeypatch.setattr(fake_command.FakeOCR, "made", [])
    monkeypatch.delenv("FASTOCR_DEBUG", raising=False)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Makes an input in the working folder: a string as a page that can be read, bytes as they are."""
    monkeypatch.chdir(tmp_path)

    def make(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else f"TEXT:{content}".encode())
        return name

    return make


def command(*args: str | bytes, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, with the fake reader."""
    paths = {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *args],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, **paths, **environment},
    )


@pytest.mark.parametrize("name", ["", "read", "doctor"])
def test_help_has_examples(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main([*name.split(), "--help"]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert f"\n  fastocr {name}" in out.partition("examples:")[2]
    assert ("exit codes:" in out) == (name != "doctor")


def test_help_says_what_every_exit_code_means(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["--help"]) == 0
    listed = capfdbinary.readouterr().out.decode().partition("exit codes:")[2]
    codes = {int(code) for code in re.findall(r"\b(\d+) {1,2}[a-z]", listed)}
    # The command neither closes a reader in use (1) nor cancels a call (8).
    assert codes == {0, 70, 130, 141} | {kind.exit_code for kind in table()} - {1, 8}


def test_one_input_as_text(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["read", write("a.png", f"{EURO}\nsecond row")]) == 0
    assert capfdbinary.readouterr() == (f"{EURO}\nsecond row\n".encode(), b"")


def test_a_blank_page_prints_nothing(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """P30."""
    assert main(["read", write("a.png", "")]) == 0
    assert capfdbinary.readouterr() == (b"", b"")


def test_several_inputs_stand_under_headers(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [write("a.png", "one"), write("b.png", ""), write("c.png", "three")]
    assert main(["read", *names]) == 0
    assert capfdbinary.readouterr().out == b"==> a.png <==\none\n\n==> b.png <==\n\n==> c.png <==\nthree\n"


def test_jsonl_is_one_page_a_line(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [write("a.png", f"{EURO}\nrow"), write("b.png", "")]
    assert main(["read", "--format", "jsonl", *names]) == 0
    out = capfdbinary.readouterr().out
    first, second = (json.loads(line) for line in out.splitlines())
    assert [first["source"], second["source"]] == names
    assert first["text"] == f"{EURO}\nrow"
    assert Page.from_dict(first) == fake_command.page_of(f"{EURO}\nrow")
    assert Page.from_dict(second).lines == ()
    assert "timings" not in first


def test_equal_input_gives_equal_bytes(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = write("a.png", EURO)
    outputs = set()
    for _ in range(3):
        assert main(["read", "--format", "jsonl", name]) == 0
        outputs.add(capfdbinary.readouterr().out)
    assert len(outputs) == 1


def test_a_batch_goes_on_past_what_fails(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [write("good.png", "one"), "missing.png", write("junk.png", b"junk"), write("last.png", "two")]
    assert main(["read", "--format", "jsonl", *names]) == 3
    out, err = capfdbinary.readouterr()
    assert [json.loads(line)["source"] for line in out.splitlines()] == ["good.png", "last.png"]
    assert [line.split()[1] for line in err.decode().splitlines()] == ["missing.png", "junk.png"]
    assert b"Traceback" not in err


def test_headers_count_the_inputs_that_were_read(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["read", "missing.png", write("a.png", "one")]) == 3
    assert capfdbinary.readouterr().out == b"==> a.png <==\none\n"


def test_the_first_failure_gives_the_code(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    bug, junk, good = write("bug.png", b"BUG"), write("junk.png", b"junk"), write("good.png", "fine")
    assert main(["read", bug, junk, good]) == 70
    assert main(["read", junk, bug, good]) == 3
    out, err = capfdbinary.readouterr()
    assert out.count(b"fine") == 2
    assert b"fastocr: internal error in bug.png: RuntimeError: unforeseen (set FASTOCR_DEBUG=1" in err
    assert b"Traceback" not in err


def test_debug_shows_the_traceback_on_stderr(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTOCR_DEBUG", "1")
    assert main(["read", write("bug.png", b"BUG"), write("junk.png", b"junk")]) == 70
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert err.count(b"Traceback (most recent call last)") == 2


def test_options_reach_the_reader_and_defaults_are_its_own(write: Write) -> None:
    name = write("a.png", "one")
    assert main(["read", name, "--quiet"]) == 0
    assert main(["read", name]) == 0
    options = "--models tiny --det d.onnx --rec r.onnx --dictionary c.txt --charset 012 --threads 2 --min-confidence 1"
    options += " --alternatives 3"
    assert main(["read", name, "--quiet", "--orientation", "lines", "--backend", "auto", *options.split()]) == 0
    plain, loud, full = fake_command.FakeOCR.made
    assert plain == {}
    assert list(loud) == ["progress"]
    assert full == {
        "models": "tiny",
        "det": "d.onnx",
        "rec": "r.onnx",
        "dictionary": "c.txt",
        "charset": "012",
        "threads": 2,
        "backend": "auto",
        "min_confidence": 1.0,
        "orientation": "lines",
        "alternatives": 3,
    }


@pytest.mark.parametrize(
    "line",
    [
        "",
        "read",
        "nothing",
        "read a.png --format xml",
        "read a.png --threads two",
        "read a.png --form json",
        "read a.png --min-confidence high",
        "read - -",
    ],
)
def test_wrong_usage_is_2(line: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(line.split()) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert b"fastocr" in err
    assert b"Traceback" not in err


def test_version_and_help(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["--version"]) == 0
    assert capfdbinary.readouterr().out.decode() == f"fastocr {__version__}\n"
    assert main(["--help"]) == 0
    assert b"exit codes" in capfdbinary.readouterr().out
    assert main(["read", "--help"]) == 0
    assert capfdbinary.readouterr().out.isascii()


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from fastocr.cli import main; main(['--help']); main(['read', '--help']);"
        "sys.exit(bool({'numpy', 'cv2', 'onnxruntime', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_warnings_and_timings_go_to_stderr(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = write("fax.tif", "FAX")
    assert main(["read", "--timings", name]) == 0
    out, err = capfdbinary.readouterr()
    assert out == b"FAX\n"
    assert err.decode().splitlines() == [
        "fastocr: fax.tif: only page 1 of 3 was read",
        "fastocr: fax.tif: detect 1.2 ms",
    ]
    assert main(["read", "--quiet", name]) == 0
    assert capfdbinary.readouterr().err == b""
    assert main(["read", "--quiet", "--timings", "--format", "jsonl", name]) == 0
    out, err = capfdbinary.readouterr()
    assert json.loads(out)["timings"] == {"detect": 1.25}
    assert err == b""


def test_interruption_is_130(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["read", write("a.png", "one"), write("b.png", b"INTERRUPT"), write("c.png", "three")]) == 130
    out, err = capfdbinary.readouterr()
    assert b"one" in out
    assert b"three" not in out
    assert b"Traceback" not in err


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_every_locale_prints_utf8(write: Write, form: str) -> None:
    name = write("a.png", EURO)
    plain = command("read", "--format", form, name)
    done = command("read", "--format", form, name, **ASCII_ONLY)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == plain.stdout
    assert EURO.encode() in done.stdout
    # What is complained of may be outside of the locale too.
    done = command("read", "é.png", **ASCII_ONLY)
    assert done.returncode == 3
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_a_batch_gives_a_file_the_bytes_that_it_gives_a_pipe(write: Write, form: str) -> None:
    names = [write("good.png", EURO), "missing.png", write("junk.png", b"junk"), write("last.png", "two")]
    line = [sys.executable, str(SCRIPT), "read", "--format", form, *names]
    piped = command(*line[2:], **ASCII_ONLY)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **ASCII_ONLY}
    with Path("stdout").open("wb") as stdout:
        done = subprocess.run(line, stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=60, env=environment)
    assert (done.returncode, done.stderr) == (3, piped.stderr)
    assert Path("stdout").read_bytes() == piped.stdout
    out = piped.stdout.decode()
    if form == "jsonl":
        assert [json.loads(result)["text"] for result in out.splitlines()] == [EURO, "two"]
    else:
        assert out == f"==> good.png <==\n{EURO}\n\n==> last.png <==\ntwo\n"
    assert [complaint.split()[1] for complaint in piped.stderr.decode().splitlines()] == ["missing.png", "junk.png"]


def test_stdin(write: Write) -> None:
    done = command("read", "--format", "jsonl", "-", stdin=f"TEXT:{EURO}".encode())
    assert done.returncode == 0
    assert json.loads(done.stdout)["source"] == "-"
    assert json.loads(done.stdout)["text"] == EURO
    done = command("read", "-", write("a.png", "two"), stdin=b"TEXT:one")
    assert done.stdout == b"==> - <==\none\n\n==> a.png <==\ntwo\n"
    assert command("read", "-", stdin=b"junk").returncode == 3


@posix
def test_odd_names(write: Write, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [write("two words.png", "1"), write("line\nfeed.png", "2"), write("-dash.png", "3"), write("é€.png", "4")]
    assert main(["read", "--format", "jsonl", "--", *names]) == 0
    read = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [entry["source"] for entry in read] == names
    assert [entry["text"] for entry in read] == ["1", "2", "3", "4"]
    assert main(["read", names[0], names[1]]) == 0
    assert capfdbinary.readouterr().out == b"==> two words.png <==\n1\n\n==> line\\nfeed.png <==\n2\n"


@posix
def test_a_name_that_breaks_the_line_is_complained_of_in_one(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["read", write("line\nfeed\x1b[31m.png", b"junk")]) == 3
    err = capfdbinary.readouterr().err
    assert err == b"fastocr: line\\nfeed\\x1b[31m.png is no image that fastocr knows\n"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="needs a file system that takes any byte in a name")
@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_names_that_are_no_utf8(write: Write, tmp_path: Path, form: str) -> None:
    write("plain.png", "plain")
    odd = os.fsencode(tmp_path) + b"/\xff\xfe.png"
    with open(odd, "wb") as file:  # noqa: PTH123 - a name in bytes
        file.write(b"TEXT:odd")
    done = command("read", "--format", form, odd, os.fsencode(tmp_path) + b"/plain.png")
    assert (done.returncode, done.stderr) == (0, b"")
    out = done.stdout.decode("utf-8")
    assert "odd" in out
    if form == "jsonl":
        assert json.loads(out.splitlines()[0])["source"].endswith("/\ufffd\ufffd.png")
    done = command("read", odd + b"x")
    assert done.returncode == 3
    assert b"\\udcff\\udcfe.pngx" in done.stderr
    assert command("read", "--out", str(tmp_path / "out"), odd).returncode == 0
    assert [os.fsencode(path.name) for path in (tmp_path / "out").iterdir()] == [b"\xff\xfe.txt"]


@posix
def test_stdout_closed_early_is_quiet(write: Write) -> None:
    name = write("a.png", "word " * 40000)
    line = f"{sys.executable} {SCRIPT} read {name} {name} {name}; echo $? > code"
    done = subprocess.run(
        ["/bin/sh", "-c", f"({line}) | head -c 1"],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.stdout == b"="
    assert done.stderr == b""
    assert Path("code").read_text(encoding="utf-8") == "141\n"


@posix
@pytest.mark.parametrize("redirection", [">&-", "> /dev/full"])
def test_stdout_that_takes_nothing_is_an_error_in_one_line(write: Write, redirection: str) -> None:
    if redirection.endswith("full") and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    write("a.png", "one")
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} {SCRIPT} read a.png {redirection}"],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.returncode == 9
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"fastocr: standard output")


@posix
def test_a_real_interrupt_leaves_no_traceback(write: Write) -> None:
    name = write("a.png", "one")
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), "read", name, "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        # A job in the background of a shell inherits that interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout is not None
        # Once the first result has come, the command waits for stdin.
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=60)
    assert (first, process.returncode, err) == (b"==> a.png <==\n", 130, b"")
