"""The store: broken, lying and silent servers, files that are here already, two processes at once (P32)."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from fastocr.errors import DownloadError, ModelError, ModelNotFoundError
from fastocr.models import Progress, Store
from fastocr.models.http import CHUNK
from fastocr.models.locks import exclusive
from fastocr.models.registry import FileRow
from fastocr.models.store import home
from tests.models.server import Answer


def left(store: Store) -> list[str]:
    """What lies under final names."""
    return sorted(path.name for path in store.folder.iterdir()) if store.folder.exists() else []


def test_fetch_verify_trust(server, store, row, payload) -> None:
    server.routes["/f"] = Answer(payload)
    file = row(server.url("/f"))
    path = store.ensure(file)
    assert path == store.folder / "net.onnx"
    assert path.read_bytes() == payload
    assert store.ensure(file) == path
    assert server.paths() == ["/f"]


def test_a_transfer_that_breaks_leaves_nothing_and_the_next_call_works(server, store, row, payload) -> None:
    short = int(len(payload) * 0.4)
    server.routes["/f"] = lambda earlier: Answer(payload, ranges=False, cut=None if earlier else short)
    file = row(server.url("/f"))
    with pytest.raises(DownloadError, match=f"after {short} of {len(payload)} bytes"):
        store.ensure(file)
    assert left(store) == []
    assert store.ensure(file).read_bytes() == payload


def test_the_next_call_goes_on_where_it_broke(server, store, row, payload) -> None:
    server.routes["/f"] = lambda earlier: Answer(payload, cut=None if earlier else 400_000)
    file = row(server.url("/f"))
    with pytest.raises(DownloadError):
        store.ensure(file)
    assert store.ensure(file).read_bytes() == payload
    assert server.requests == [("/f", ""), ("/f", f"bytes=400000-{len(payload) - 1}")]


def test_a_beginning_of_other_bytes_is_thrown_away(server, store, row, payload) -> None:
    """The first try got the start of something else: the whole is fetched again within the same call."""
    server.routes["/f"] = lambda earlier: Answer(
        payload if earlier else b"x" * len(payload), cut=None if earlier else 9
    )
    file = row(server.url("/f"))
    with pytest.raises(DownloadError):
        store.ensure(file)
    assert store.ensure(file).read_bytes() == payload
    assert [wanted for _, wanted in server.requests] == ["", f"bytes=9-{len(payload) - 1}", ""]


def test_a_server_that_refuses_to_go_on_is_asked_for_the_whole(server, store, row, payload) -> None:
    def route(earlier: int) -> Answer:
        return (Answer(payload, cut=9), Answer(status=416), Answer(payload))[earlier]

    server.routes["/f"] = route
    file = row(server.url("/f"))
    with pytest.raises(DownloadError):
        store.ensure(file)
    assert store.ensure(file).read_bytes() == payload


def test_wrong_bytes_are_refused_with_both_hashes(server, store, row, payload) -> None:
    wrong = bytes([payload[0] ^ 1]) + payload[1:]
    server.routes["/f"] = Answer(wrong)
    file = row(server.url("/f"))
    with pytest.raises(DownloadError) as caught:
        store.ensure(file)
    assert file.sha256 in str(caught.value)
    assert hashlib.sha256(wrong).hexdigest() in str(caught.value)
    assert left(store) == []
    assert not list((store.home / "partial").glob("*.part"))


@pytest.mark.parametrize("change", [-1, 1, 10_000_000])
def test_another_length_is_refused_before_it_is_read(server, store, row, payload, change) -> None:
    body = payload[:change] if change < 0 else payload + b"x" * change
    server.routes["/f"] = Answer(body)
    with pytest.raises(DownloadError, match=f"announces {len(body)} bytes, {len(payload)} are registered"):
        store.ensure(row(server.url("/f")))
    assert left(store) == []


def test_a_server_that_never_answers(server, environ, row) -> None:
    server.routes["/f"] = Answer(silent=True)
    environ["FASTOCR_TIMEOUT"] = "0.2"
    with pytest.raises(DownloadError, match=r"no answer within 0\.2 s"):
        Store(environ=environ).ensure(row(server.url("/f"), server.url("/g")))
    assert server.paths() == ["/f"], "a host that was silent once is not waited for again"


@pytest.mark.parametrize(("status", "tries"), [(404, 1), (500, 1), (503, 2)])
def test_status_of_the_server(server, store, row, status, tries) -> None:
    server.routes["/f"] = Answer(status=status)
    with pytest.raises(DownloadError, match=f"HTTP {status}"):
        store.ensure(row(server.url("/f")))
    assert len(server.requests) == tries


def test_sources_in_turn(server, store, row, payload) -> None:
    server.routes["/bad"] = Answer(b"x" * len(payload))
    server.routes["/good"] = Answer(payload)
    assert store.ensure(row(server.url("/none"), server.url("/bad"), server.url("/good"))).read_bytes() == payload
    assert server.paths() == ["/none", "/bad", "/good"]


def test_progress(server, environ, row, payload) -> None:
    server.routes["/f?token=1"] = Answer(payload, user="me:secret")
    seen: list[Progress] = []
    Store(environ=environ, progress=seen.append).ensure(row(server.url("/f", user="me:secret") + "?token=1"))
    assert [report.done for report in seen] == sorted(report.done for report in seen)
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, len(payload), len(payload))
    assert seen[-1].finished
    assert {report.source for report in seen} == {server.url("/f")}, "no password, no token"


class TestHome:
    @pytest.mark.parametrize(
        ("platform", "environ", "expected"),
        [
            ("linux", {}, "~/.cache/fastocr"),
            ("linux", {"XDG_CACHE_HOME": "/var/c"}, "/var/c/fastocr"),
            ("linux", {"XDG_CACHE_HOME": "relative"}, "~/.cache/fastocr"),
            ("darwin", {"XDG_CACHE_HOME": "/var/c"}, "~/Library/Caches/fastocr"),
            ("win32", {"LOCALAPPDATA": "/local"}, "/local/fastocr"),
            ("linux", {"FASTOCR_HOME": "/data/ocr", "XDG_CACHE_HOME": "/var/c"}, "/data/ocr"),
            ("linux", {"FASTOCR_HOME": "~/ocr"}, "~/ocr"),
        ],
    )
    def test_where_it_is(self, platform, environ, expected, monkeypatch) -> None:
        monkeypatch.setattr("fastocr.models.store.sys.platform", platform)
        assert home(environ) == Path(expected).expanduser()

    def test_no_home_at_all(self, monkeypatch) -> None:
        def none() -> Path:
            raise RuntimeError("no home")

        monkeypatch.setattr(Path, "home", none)
        with pytest.raises(ModelError, match="set FASTOCR_HOME"):
            home({})


class TestOffline:
    def test_files_present_mean_no_request(self, server, environ, row, payload, closed_port, monkeypatch) -> None:
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port}")
        folder = Path(environ["FASTOCR_HOME"], "models")
        folder.mkdir(parents=True)
        (folder / "net.onnx").write_bytes(payload)
        assert Store(environ=environ).ensure(row(server.url("/f"))) == folder / "net.onnx"
        assert server.requests == []

    def test_nothing_there_says_what_to_do(self, server, environ, row) -> None:
        url = server.url("/f")
        with pytest.raises(DownloadError) as caught:
            Store(environ=environ, offline=True).ensure(row(url))
        text = str(caught.value)
        for part in (url, environ["FASTOCR_HOME"], "offline=True forbids", "net.onnx", "1.0 MB", "fastocr-models",
                     "`fastocr models pull --all`", "FASTOCR_MODELS"):  # fmt: skip
            assert part in text
        assert server.requests == []
        environ["FASTOCR_OFFLINE"] = "yes"
        with pytest.raises(DownloadError, match=r"FASTOCR_OFFLINE=yes forbids .*`fastocr models pull my-set`"):
            Store(environ=environ).ensure(row(url), "my-set")

    @pytest.mark.parametrize(("value", "offline"), [("1", True), ("true", True), ("0", False), ("", False)])
    def test_the_switch(self, environ, value, offline) -> None:
        environ["FASTOCR_OFFLINE"] = value
        assert Store(environ=environ).offline is offline
        assert Store(environ=environ, offline=not offline).offline is not offline

    def test_a_closed_port_as_proxy(self, environ, row, closed_port, monkeypatch) -> None:
        monkeypatch.setenv("http_proxy", f"http://user:secret@127.0.0.1:{closed_port}")
        with pytest.raises(DownloadError) as caught:
            Store(environ=environ).ensure(row("http://models.invalid/f"))
        assert "http://models.invalid/f" in str(caught.value)
        assert "secret" not in str(caught.value)


class TestLocal:
    def test_folders_win_over_the_net(self, server, environ, row, payload, tmp_path) -> None:
        extra = tmp_path / "extra"
        extra.mkdir()
        (extra / "net.onnx").write_bytes(payload)
        environ["FASTOCR_MODELS"] = os.pathsep.join([str(tmp_path / "none"), str(extra)])
        assert Store(environ=environ).ensure(row(server.url("/f"))) == extra / "net.onnx"
        assert server.requests == []

    def test_an_archive_is_unpacked(self, environ, row, payload, tmp_path) -> None:
        bundle = tmp_path / "bundle.zip"
        with zipfile.ZipFile(bundle, "w") as archive:
            archive.writestr("any/folder/net.onnx", payload)
        environ["FASTOCR_MODELS"] = str(bundle)
        seen: list[Progress] = []
        store = Store(environ=environ, offline=True, progress=seen.append)
        assert store.ensure(row()).read_bytes() == payload
        assert seen == [], "nothing was fetched"

    def test_a_broken_archive_and_a_wrong_file_are_named(self, environ, row, payload, tmp_path) -> None:
        (tmp_path / "bundle.zip").write_bytes(b"PK nonsense")
        (tmp_path / "net.onnx").write_bytes(payload[:-1] + b"x" if payload[-1:] != b"x" else payload[:-1] + b"y")
        environ["FASTOCR_MODELS"] = os.pathsep.join([str(tmp_path / "bundle.zip"), str(tmp_path)])
        with pytest.raises(DownloadError) as caught:
            Store(environ=environ, offline=True).ensure(row())
        assert str(tmp_path / "bundle.zip") in str(caught.value)
        assert f"{tmp_path / 'net.onnx'} has sha256" in str(caught.value)

    def test_a_damaged_file_of_the_cache_is_replaced(self, server, store, row, payload) -> None:
        server.routes["/f"] = Answer(payload)
        store.folder.mkdir(parents=True)
        (store.folder / "net.onnx").write_bytes(payload[:500_000])
        assert store.ensure(row(server.url("/f"))).read_bytes() == payload

    def test_a_change_after_the_check_is_seen(self, server, store, row, payload) -> None:
        server.routes["/f"] = Answer(payload)
        file = row(server.url("/f"))
        path = store.ensure(file)
        changed = bytes([payload[0] ^ 1]) + payload[1:]
        path.write_bytes(changed)
        os.utime(path, ns=(1, 1))
        assert store.find(file) is None
        assert store.ensure(file).read_bytes() == payload

    @pytest.mark.skipif(os.name == "nt", reason="Windows keeps no time of change that a program cannot set back")
    def test_an_edit_in_place_that_keeps_the_times_is_seen(self, server, store, row, payload) -> None:
        server.routes["/f"] = Answer(payload)
        file = row(server.url("/f"))
        path = store.ensure(file)
        checked = path.stat()
        # A file system's clock may stand still for some milliseconds: edited until it has moved on.
        while path.stat().st_ctime_ns == checked.st_ctime_ns:
            with path.open("rb+") as edited:
                edited.write(bytes([payload[0] ^ 1]))
            os.utime(path, ns=(checked.st_atime_ns, checked.st_mtime_ns))
        now = path.stat()
        assert (now.st_size, now.st_mtime_ns, now.st_ino) == (checked.st_size, checked.st_mtime_ns, checked.st_ino)
        assert store.find(file) is None
        assert store.ensure(file).read_bytes() == payload

    def test_a_stamp_of_an_earlier_form_is_no_stamp(self, store, row, payload) -> None:
        """Of the file's size, time of change and inode alone: the file is read again, and stamped anew."""
        store.folder.mkdir(parents=True)
        path = store.folder / "net.onnx"
        path.write_bytes(payload)
        assert store.find(row()) == path
        (stamp,) = (store.home / "verified").iterdir()
        stat, fresh = path.stat(), stamp.read_text("ascii")
        stamp.write_text(f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ino} {'0' * 64}", "ascii")
        assert store.find(row()) == path
        assert stamp.read_text("ascii") == fresh

    def test_one_check_serves_later_processes(self, store, row, payload, environ, monkeypatch) -> None:
        store.folder.mkdir(parents=True)
        (store.folder / "net.onnx").write_bytes(payload)
        assert store.find(row())
        monkeypatch.setattr("hashlib.file_digest", None)  # another read would fail
        assert Store(environ=environ).find(row())

    def test_a_local_row_needs_its_folder(self, store, row, payload, tmp_path) -> None:
        local = FileRow("net.onnx", row().sha256, len(payload), "", folder=tmp_path)
        with pytest.raises(ModelNotFoundError, match="import the model again"):
            store.ensure(local)
        (tmp_path / "net.onnx").write_bytes(payload)
        assert store.ensure(local) == tmp_path / "net.onnx"

    def test_a_home_that_cannot_be_written(self, server, environ, row, payload, tmp_path) -> None:
        server.routes["/f"] = Answer(payload)
        (tmp_path / "home").write_text("a file, no folder")
        with pytest.raises(DownloadError, match="cannot be written"):
            Store(environ=environ).ensure(row(server.url("/f")))


CHILD = """
import json, os, sys
from fastocr.models import Store
from fastocr.models.registry import FileRow
name, sha, size, url = json.loads(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
store = Store(environ=dict(os.environ), progress=lambda report: print(report.done, flush=True))
print(store.ensure(FileRow(name, sha, size, "", urls=(url,))))
"""


def child(file: FileRow, environ: dict[str, str]) -> subprocess.Popen[str]:
    """A process that is ready to fetch the file and waits for a line."""
    work = json.dumps([file.name, file.sha256, file.size, file.urls[0]])
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", CHILD, work]
    process = subprocess.Popen(command, env=os.environ | environ, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def test_two_processes_at_once_download_once(server, environ, row, payload) -> None:
    server.routes["/f"] = Answer(payload)
    file = row(server.url("/f"))
    processes = [child(file, environ) for _ in range(2)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=30)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert server.paths() == ["/f"]
    assert [lines[-1] for lines in said] == [str(Path(environ["FASTOCR_HOME"], "models", "net.onnx"))] * 2
    assert Path(said[0][-1]).read_bytes() == payload


def test_a_process_that_is_killed_holds_nobody_up(server, environ, row, payload) -> None:
    """Its lock goes with it, and what it had fetched is not fetched again."""
    server.routes["/f"] = lambda earlier: Answer(payload) if earlier else Answer(payload, cut=600_000, stall=True)
    file = row(server.url("/f"))
    process = child(file, environ)
    process.stdin.write("\n")
    process.stdin.flush()
    while int(process.stdout.readline()) < CHUNK:
        pass
    process.kill()
    process.communicate()
    assert Store(environ=environ).ensure(file).read_bytes() == payload
    start = int(server.requests[1][1].removeprefix("bytes=").split("-")[0])
    assert start >= CHUNK


def test_threads_at_once_download_once(server, environ, row, payload) -> None:
    server.routes["/f"] = Answer(payload)
    file = row(server.url("/f"))
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(Store(environ=environ).ensure(file))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert server.paths() == ["/f"]


def test_a_lock_whose_holder_died_does_not_hold(server, store, row, payload) -> None:
    server.routes["/f"] = Answer(payload)
    partial = store.home / "partial"
    partial.mkdir(parents=True)
    (partial / "net.onnx.lock").write_text("12345")
    assert store.ensure(row(server.url("/f"))).read_bytes() == payload


def test_a_lock_that_is_held_too_long(tmp_path) -> None:
    with (
        exclusive(tmp_path / "l") as held,
        pytest.raises(DownloadError, match="held"),
        exclusive(tmp_path / "l", wait=0.0),
    ):
        pass
    assert held


def test_a_file_system_without_locks(server, store, row, payload, monkeypatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fastocr.models.locks._try", refuse)
    server.routes["/f"] = Answer(payload)
    assert store.ensure(row(server.url("/f"))).read_bytes() == payload
    assert [path.name for path in (store.home / "partial").iterdir()] == ["net.onnx.lock"]
