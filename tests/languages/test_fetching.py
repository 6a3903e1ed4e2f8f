"""Packs that are fetched from their publisher's address when a language asks for them; the command's side of it."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from fastocr import OCR
from fastocr.cli import main
from fastocr.errors import DownloadError
from fastocr.models import opening
from fastocr.models.registry import ModelRow, Registry, builtin
from tests.languages.standins import Rows, drawn, network, page, registry
from tests.models.server import Answer, Server

RUSSIAN = "ppocrv5-eslav-rec"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Server() as running:
        yield running


@pytest.fixture
def published(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The Russian pack is a stand-in on the server; the set "mine" reads Latin."""
    data = network("cyrillic")
    server.routes["/eslav.onnx"] = Answer(data)
    known = builtin()

    def moved(row: ModelRow) -> ModelRow:
        """The row of a pack with its address on the server, and for the Russian one the stand-in's hash."""
        if row.file.wheels:
            return row
        sha256 = hashlib.sha256(data).hexdigest() if row.name == RUSSIAN else row.file.sha256
        urls = (server.url("/eslav.onnx" if row.name == RUSSIAN else "/none"),)
        return dataclasses.replace(row, file=dataclasses.replace(row.file, sha256=sha256, urls=urls))

    rows = {name: moved(row) for name, row in known.models.items()}
    files = {file.name: file for row in rows.values() for file in row.files()}
    there = Registry(known.sets, rows, files, known.defaults)
    monkeypatch.setattr(opening, "builtin", lambda: there)
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
    mine = tmp_path / "mine"
    mine.mkdir()
    monkeypatch.setenv("FASTOCR_MODELS", str(registry(mine, {"latin": ["xa"]})))
    return server


def test_a_language_fetches_its_pack_once(published: Server) -> None:
    image = page([drawn("бгджзи"), drawn("012")])
    for _ in range(2):
        with OCR("mine", detector=Rows(), lang="ru") as engine:
            found = engine.read(image)
        assert [line.text for line in found.lines] == ["бгджзи", "012"]
        assert found.models == f"custom+{RUSSIAN}"
    assert published.paths() == ["/eslav.onnx"]


def test_beside_what_the_set_covers(published: Server) -> None:
    with OCR("mine", detector=Rows(), lang=["xa", "ru"]) as engine:
        found = engine.read(page([drawn("abcabc"), drawn("бгджзи")]))
    assert [line.text for line in found.lines] == ["abcabc", "бгджзи"]
    assert found.models == f"custom+latin+{RUSSIAN}"


def test_a_pack_of_other_bytes_is_refused(published: Server) -> None:
    published.routes["/eslav.onnx"] = Answer(network("arabic"))
    with pytest.raises(DownloadError, match="what came has sha256"):
        OCR("mine", detector=Rows(), lang="ru")


def test_nothing_is_fetched_for_what_nobody_asked(published: Server) -> None:
    for lang in (None, [], "xa", ["xa", "XA"]):
        OCR("mine", detector=Rows(), lang=lang).close()
    assert published.paths() == []


def test_the_command_pulls_and_lists_packs(
    published: Server, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    assert main(["models", "list"]) == 0
    rows = {line.split()[0]: line.split() for line in capfdbinary.readouterr().out.decode().splitlines() if line}
    assert rows[RUSSIAN] == [RUSSIAN, "rec", "?", "no", "ru", "uk", "be", "en"]
    assert rows["ppocrv5-arabic-rec"][-1] == "arabic", "what it covers whole stands behind its languages"
    assert main(["models", "pull", RUSSIAN, "--quiet"]) == 0
    out, err = capfdbinary.readouterr()
    assert (Path(out.decode().strip()), err) == (tmp_path / "home" / "models" / f"{RUSSIAN}.onnx", b"")
    assert main(["models", "verify", RUSSIAN]) == 0
    capfdbinary.readouterr()
    assert main(["models", "list"]) == 0
    rows = {line.split()[0]: line.split() for line in capfdbinary.readouterr().out.decode().splitlines() if line}
    assert rows[RUSSIAN][3] == "yes"


def test_what_one_publisher_does_not_give_keeps_nothing_back(published: Server, tmp_path: Path) -> None:
    assert main(["models", "pull", "ppocrv5-arabic-rec", RUSSIAN, "--quiet"]) == DownloadError.exit_code
    assert (tmp_path / "home" / "models" / f"{RUSSIAN}.onnx").is_file()
    assert published.paths() == ["/none", "/eslav.onnx"]


def test_the_command_refuses_a_language_that_nobody_reads(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["read", "--lang", "en,rus", "nothing.png"]) == 2
    out, err = capfdbinary.readouterr()
    assert (out, err.count(b"\n")) == (b"", 1)
    assert b"no recognizer reads the language 'rus': did you mean 'ru'" in err


@pytest.mark.models
def test_the_command_reads_languages_and_warns(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, draw: ModuleType
) -> None:
    path = tmp_path / "page.png"
    image = draw.text(draw.page(700, 120), (40, 40), "Привет мир, как дела", 40)
    image.save(path)
    assert main(["read", "--lang", "en, ja", "--format", "json", str(path)]) == 0
    out, err = capfdbinary.readouterr()
    assert b'"ppocrv6-tiny-det+ppocrv6-small-rec"' in out
    assert b"could not be read: they may be unclear, or in a script that ppocrv6-tiny-det+ppocrv6-small-rec" in err
