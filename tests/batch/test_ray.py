"""The same batch on a cluster of two nodes, of which one is killed on the way; Ray Data."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Self

import pytest

from fastocr import batch
from fastocr.errors import BackendError
from fastocr.ray import connect
from tests.batch import commands, stubs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra ray"),
]


class Script:
    """A process that is talked to line by line, and ends with its input."""

    def __init__(self, module: str, *arguments: str, folder: Path) -> None:
        self._errors = (folder / f"{module}.log").open("w+b")
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"tests.batch.{module}", *arguments],
            cwd=folder,
            env=commands.ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self._process.communicate(timeout=100)
            if exc == (None, None, None):
                assert self._process.returncode == 0, self._told()
        finally:
            self._process.kill()
            self._process.wait()
            self._errors.close()

    def _told(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-4000:]

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        print(line, file=self._process.stdin, flush=True)

    def hear(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().rstrip("\n")
        assert line, self._told()
        return line


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten pages, of which one is damaged."""
    folder: Path = tmp_path_factory.mktemp("ray")
    for number in range(10):
        stubs.page(folder / "scans" / f"{number % 2}" / f"{number}.png", number)
    (folder / "scans" / "0" / "4.png").write_bytes(b"junk")
    return folder


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[tuple[Script, str]]:
    """The cluster and its address."""
    with Script("cluster", str(folder / "held"), folder=folder) as script:
        yield script, script.hear()


@pytest.mark.timeout(180)
def test_a_node_is_killed_on_the_way(
    cluster: tuple[Script, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, address = cluster
    with Script("on_cluster", address, "read_all", "out", folder=folder) as driver:
        assert driver.hear() == "read one"
        assert (folder / "held").exists(), "the second node is at a page, and holds it"
        nodes.say("kill")
        assert nodes.hear() == "killed"
        driver.say("go on")
    results = json.loads((folder / "result.json").read_bytes())
    assert len(results) == 10
    assert [name for name, failure in results if failure] == ["scans/0/4.png"]
    monkeypatch.chdir(folder)
    with stubs.reader() as ocr:
        list(batch.run(ocr, ["scans"], "one run", ["text", "json"]))
        assert stubs.tree(Path("out")) == stubs.tree(Path("one run"))
        kept = [result.kept for result in batch.run(ocr, ["scans"], "out", ["text", "json"])]
        assert kept.count(True) == 9, "what the cluster made is done, also for a run without it"


@pytest.mark.timeout(180)
def test_ray_data(cluster: tuple[Script, str], folder: Path) -> None:
    with Script("on_cluster", cluster[1], "in_ray_data", folder=folder):
        pass
    rows = json.loads((folder / "result.json").read_bytes())
    assert len(rows) == 10
    for row in rows:
        path = Path(row["path"])
        if path.name == "4.png":
            assert (row["text"], row["tsv"]) == ("", "")
            assert "4.png" in row["error"]
        else:
            text = stubs.expected_text(folder / path)
            assert (row["text"], row["error"]) == (f"{text}\n", "")
            assert text in row["tsv"]


@pytest.mark.models
@pytest.mark.timeout(300)
def test_the_command_is_killed_and_resumed(
    cluster: tuple[Script, str], draw: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    commands.draw_pages(draw, Path("drawn"), 10)
    assert commands.start(folder, "drawn", "here", "--jobs", "1").wait(timeout=120) == 3
    journal = Path("there/.fastocr/journal.jsonl")
    for goal in (2, 5):
        process = commands.start(folder, "drawn", "there", "--ray", cluster[1])
        commands.kill_at(process, journal, goal)
    assert commands.start(folder, "drawn", "there", "--ray", cluster[1]).wait(timeout=120) == 3
    assert stubs.tree(Path("there")) == stubs.tree(Path("here"))
    assert len(stubs.tree(Path("there"))) == 2 * 9 + 1


@pytest.mark.timeout(60)
@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nonsense"])
def test_a_cluster_that_is_not_there_is_said_soon(address: str) -> None:
    with pytest.raises(BackendError, match=f"the Ray cluster '{address}' cannot be reached"):
        connect(address)
