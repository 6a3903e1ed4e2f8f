"""Which files a client may have read: links and dots lead nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fastocr.errors import ArgumentError, ForbiddenError, InputError
from fastocr.mcp.roots import Roots


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("root/below/a.png", "other/b.png", "rooted/secret.png", "secret.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    links = {
        "in": "below/a.png",
        "out": "../secret.png",
        "folder": "../rooted",
        "gone": "../nothing",
        "first": "second",
        "second": "first",
    }
    for name, target in links.items():
        (tmp_path / "root" / name).symlink_to(target)
    return tmp_path


@pytest.mark.parametrize("name", ["below/a.png", "./below/../below/a.png", "in", "{home}/root/below/a.png"])
def test_a_file_below_a_root_is_given_without_links(home: Path, name: str) -> None:
    roots = Roots([home / "root"])
    assert roots.file(name.format(home=home)) == (home / "root/below/a.png").resolve()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.png",
        "below/../../secret.png",
        "{home}/secret.png",
        "{home}/rooted/secret.png",  # a name that begins like the root's
        "out",
        "folder/secret.png",
        "gone",
        "/etc/passwd",
        "/nowhere/at/all",  # whether it is there is not told
        "..",
    ],
)
def test_nothing_outside_is_given(home: Path, name: str) -> None:
    with pytest.raises(ForbiddenError, match="lies outside the folders that may be read") as caught:
        Roots([home / "root"]).file(name.format(home=home))
    assert str((home / "root").resolve()) in str(caught.value)


@pytest.mark.parametrize(
    "name", ["http://localhost/a.png", "file:///etc/passwd", "FTP://x/y", "data:image/png;base64,AA"]
)
def test_urls_are_refused(home: Path, name: str) -> None:
    with pytest.raises(InputError, match="a URL is not fetched"):
        Roots([home / "root"]).file(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nothing.png", "there is no such file"),
        ("below/a.png/more", "there is no such file"),
        ("below", "it is a directory"),
        ("", "it is a directory"),
        ("a\0b", "the path is not valid"),
        ("x" * 5000, "File name too long"),
        ("first", "the path is not valid|there is no such file|symbolic links"),
    ],
)
def test_what_is_no_file_is_named_with_the_reason(home: Path, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Roots([home / "root"]).file(name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(home: Path) -> None:
    os.mkfifo(home / "root" / "pipe")
    with pytest.raises(InputError, match="it is no regular file"):
        Roots([home / "root"]).file("pipe")


def test_several_roots_are_searched_in_their_order(home: Path) -> None:
    roots = Roots([home / "root", home / "other", home / "root" / "."])
    assert len(roots.folders) == 2
    assert roots.file("b.png") == (home / "other/b.png").resolve()
    assert roots.file("../other/b.png") == (home / "other/b.png").resolve()


@pytest.mark.parametrize("name", ["nothing", "secret.png", "a\0b"])
def test_a_root_must_be_a_folder(home: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match="--root"):
        Roots([home / name])
