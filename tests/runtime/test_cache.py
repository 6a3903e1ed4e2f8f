"""The folder of made graphs: what is not exactly what was put there counts as absent."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fastocr.runtime.cache import IN_ALL, OF_A_MODEL, GraphCache

MODEL = "a" * 64
CONTENT = bytes(range(256)) * 40


@pytest.fixture
def cache(tmp_path: Path) -> GraphCache:
    return GraphCache(tmp_path / "deep" / "graphs")


def entry(cache: GraphCache) -> Path:
    (path,) = cache.folder.iterdir()
    return path


def test_what_was_put_comes_back(cache: GraphCache) -> None:
    assert cache.get(MODEL, "recipe") is None
    cache.put(MODEL, "recipe", CONTENT)
    assert cache.get(MODEL, "recipe") == CONTENT
    assert cache.get(MODEL, "another recipe") is None
    assert cache.get("b" * 64, "recipe") is None


@pytest.mark.parametrize("at", [0, 15, 20, 80, 81, 5000, -1])
def test_a_changed_byte_is_noticed(cache: GraphCache, at: int) -> None:
    cache.put(MODEL, "recipe", CONTENT)
    damaged = bytearray(entry(cache).read_bytes())
    damaged[at] ^= 1
    entry(cache).write_bytes(damaged)
    assert cache.get(MODEL, "recipe") is None
    cache.put(MODEL, "recipe", CONTENT)
    assert cache.get(MODEL, "recipe") == CONTENT


@pytest.mark.parametrize("length", [0, 10, 16, 81, 5000])
def test_half_a_file_is_noticed(cache: GraphCache, length: int) -> None:
    cache.put(MODEL, "recipe", CONTENT)
    entry(cache).write_bytes(entry(cache).read_bytes()[:length])
    assert cache.get(MODEL, "recipe") is None


def test_a_sound_entry_under_another_name_is_foreign(cache: GraphCache) -> None:
    cache.put(MODEL, "this machine", CONTENT)
    there = entry(cache)
    cache.put(MODEL, "that machine", b"other")
    there.with_name(next(path.name for path in cache.folder.iterdir() if path != there)).write_bytes(there.read_bytes())
    assert cache.get(MODEL, "that machine") is None


def test_a_folder_that_cannot_be_one_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = GraphCache(tmp_path / "file" / "graphs")
    cache.put(MODEL, "recipe", CONTENT)
    assert cache.get(MODEL, "recipe") is None


def test_a_full_disk_is_no_failure_and_leaves_nothing(cache: GraphCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    cache.put(MODEL, "recipe", CONTENT)
    assert list(cache.folder.iterdir()) == []


def test_old_entries_go(cache: GraphCache) -> None:
    for k in range(OF_A_MODEL + 2):
        cache.put(MODEL, f"recipe {k}", CONTENT)
        newest = max(cache.folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, ns=(k, k))
    cache.put(MODEL, "recipe last", CONTENT)
    assert len(list(cache.folder.iterdir())) == OF_A_MODEL
    assert cache.get(MODEL, "recipe last") == CONTENT
    for k in range(IN_ALL + 3):
        cache.put(f"{k:064}", "recipe", CONTENT)
    assert len(list(cache.folder.iterdir())) == IN_ALL


def test_many_may_write_the_same_entry(cache: GraphCache) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: cache.put(MODEL, "recipe", CONTENT), range(40)))
        assert all(found == CONTENT for found in pool.map(lambda _: cache.get(MODEL, "recipe"), range(8)))
    assert len(list(cache.folder.iterdir())) == 1
