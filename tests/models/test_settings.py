"""pip's and uv's settings, read without pip and uv."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fastocr.errors import ArgumentError, DownloadError
from fastocr.models.settings import DEFAULT_INDEX, Settings, read_settings

NO_FILES: tuple[Path, ...] = ()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_nothing_set() -> None:
    assert read_settings({}, NO_FILES) == Settings(indexes=(DEFAULT_INDEX,))


def test_environment() -> None:
    found = read_settings(
        {
            "PIP_INDEX_URL": "https://a/simple",
            "PIP_EXTRA_INDEX_URL": "https://b/simple https://a/simple",
            "PIP_FIND_LINKS": "/wheels",
            "PIP_CERT": "/c.pem",
            "PIP_PROXY": "http://p:1",
            "PIP_TRUSTED_HOST": "a",
            "UV_DEFAULT_INDEX": "https://u/simple",
            "UV_INDEX": "corp=https://v/simple https://w/simple?x=1",
            "UV_FIND_LINKS": "/more,/yet",
            "REQUESTS_CA_BUNDLE": "/other.pem",
            "FASTOCR_TIMEOUT": "7.5",
        },
        NO_FILES,
    )
    assert found == Settings(
        indexes=(
            "https://a/simple", "https://u/simple", "https://b/simple", "https://v/simple", "https://w/simple?x=1",
        ),
        find_links=("/wheels", "/more", "/yet"),
        proxy="http://p:1",
        cert="/c.pem",
        trusted_hosts=("a",),
        timeout=7.5,
    )  # fmt: skip


def test_files_in_pips_order_and_below_the_environment(tmp_path: Path) -> None:
    first = write(tmp_path / "1", "[global]\nindex_url = https://one\nextra-index-url =\n  https://x\n  https://y\n")
    second = write(
        tmp_path / "2", "[global]\nindex-url = https://two\n[install]\nno-index = false\n[list]\nproxy = p\n"
    )
    files = (tmp_path / "none", first, second)
    assert read_settings({}, files).indexes == ("https://two", "https://x", "https://y")
    assert read_settings({"PIP_INDEX_URL": "https://env"}, files).indexes[0] == "https://env"


def test_no_index_leaves_the_loose_wheels() -> None:
    found = read_settings({"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels"}, NO_FILES)
    assert (found.indexes, found.find_links) == ((), ("/wheels",))


@pytest.mark.skipif(sys.platform != "linux", reason="the places differ by platform; these are Linux's")
def test_the_standard_places(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path / "xdg"), "PIP_EXTRA_INDEX_URL": "https://e"}
    write(tmp_path / "xdg/pip/pip.conf", "[global]\nindex-url = https://shared\n")
    assert read_settings(environ).indexes[0] == "https://shared"
    write(tmp_path / ".config/pip/pip.conf", "[global]\nindex-url = https://user\n")
    assert read_settings(environ).indexes[0] == "https://user"
    named = write(tmp_path / "named.conf", "[global]\nindex-url = https://named\n")
    assert read_settings(environ | {"PIP_CONFIG_FILE": str(named)}).indexes[0] == "https://named"
    assert read_settings(environ | {"PIP_CONFIG_FILE": os.devnull}).indexes[0] == DEFAULT_INDEX


def test_uv_toml(tmp_path: Path) -> None:
    text = '[[index]]\nname = "x"\nurl = "https://extra"\n[[index]]\nurl = "https://main"\ndefault = true\n'
    write(tmp_path / "uv.toml", text + '[pip]\nfind-links = ["/w"]\n')
    environ = {"PIP_CONFIG_FILE": os.devnull, "UV_CONFIG_FILE": str(tmp_path / "uv.toml")}
    found = read_settings(environ)
    assert found.indexes == ("https://main", "https://extra")
    assert found.find_links == ("/w",)


def test_what_cannot_be_parsed_is_named(tmp_path: Path) -> None:
    broken = write(tmp_path / "pip.conf", "no section\n")
    with pytest.raises(DownloadError, match=r"pip\.conf cannot be parsed"):
        read_settings({}, (broken,))
    write(tmp_path / "uv.toml", "[[[")
    with pytest.raises(DownloadError, match=r"uv\.toml cannot be parsed"):
        read_settings({"PIP_CONFIG_FILE": os.devnull, "UV_CONFIG_FILE": str(tmp_path / "uv.toml")})


@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan", "inf"])
def test_a_timeout_that_is_none(value: str) -> None:
    with pytest.raises(ArgumentError, match="FASTOCR_TIMEOUT"):
        read_settings({"FASTOCR_TIMEOUT": value}, NO_FILES)


def test_pip_agrees(tmp_path: Path) -> None:
    """pip itself, asked for what it makes of the same file and environment."""
    pytest.importorskip("pip", reason="needs pip to compare with")
    named = write(tmp_path / "pip.conf", "[global]\nindex-url = https://file/simple\nproxy = http://p:1\n")
    environ = {"PIP_CONFIG_FILE": str(named), "PIP_EXTRA_INDEX_URL": "https://env/simple", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "pip", "config", "list"]
    said = subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout
    values = dict(line.split("=", 1) for line in said.splitlines())
    found = read_settings(environ)
    assert values["global.index-url"].strip("'") == found.indexes[0]
    assert values["global.proxy"].strip("'") == found.proxy
    assert values[":env:.extra-index-url"].strip("'") in found.indexes
