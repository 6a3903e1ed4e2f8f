"""The comparison's mechanics, with adapters that answer what their name says."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import peers
import pytest
from interleave import Engine, take_turns
from sets import Page, load_set

ADAPTER = """
    import json, sys
    print("a banner that is no answer")
    print('ready {"engine": "fake"}', flush=True)
    journal = open(sys.argv[2], "a")
    for line in sys.stdin:
        path = line.strip()
        name = path.rsplit("/", 1)[-1]
        journal.write(f"{sys.argv[1]} {name}\\n")
        journal.flush()
        if sys.argv[1] == "dies":
            sys.exit("cannot go on")
        if sys.argv[1] == "fails":
            answer = {"image": path, "error": "ValueError: no"}
        else:
            box = [[0, 0], [100, 0], [100, 20], [0, 20]]
            answer = {"image": path, "ms": 1.0, "lines": [{"poly": box, "text": sys.argv[1], "score": 0.9}]}
        print(json.dumps(answer), flush=True)
"""


@dataclass(frozen=True)
class FakeSpec:
    """A stand-in for `engines.Spec` that runs the script above."""

    name: str
    script: Path
    journal: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def command(self, threads: int) -> list[str]:
        return [sys.executable, str(self.script), self.name, str(self.journal)]

    def surroundings(self) -> None:
        return None


@pytest.fixture
def spec(tmp_path: Path) -> object:
    script = tmp_path / "adapter.py"
    script.write_text(textwrap.dedent(ADAPTER), encoding="utf-8")
    return lambda name: FakeSpec(name, script, tmp_path / "journal")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of four images whose text is "good"; the files themselves are never opened."""
    folder = tmp_path / "made"
    (folder / "images").mkdir(parents=True)
    box = [[0, 0], [100, 0], [100, 20], [0, 20]]
    records = [{"image": f"{name}.png", "lines": [{"poly": box, "text": "good"}]} for name in "dbca"]
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return folder


def names(pages: list[Page]) -> list[str]:
    return [page.name for page in pages]


def test_a_set_is_sorted_halved_and_cut(folder: Path) -> None:
    assert names(load_set(folder)) == ["a.png", "b.png", "c.png", "d.png"]
    assert names(load_set(folder, "even")) == ["a.png", "c.png"]
    assert names(load_set(folder, "odd")) == ["b.png", "d.png"]
    assert names(load_set(folder, "odd", 1)) == ["b.png"]
    assert load_set(folder)[0].path == folder.resolve() / "images" / "a.png"


def test_every_engine_takes_an_image_before_the_next_in_a_drawn_order(spec, folder: Path, tmp_path: Path) -> None:
    pages = load_set(folder, limit=3)
    with Engine(spec("good"), 1) as one, Engine(spec("bad"), 1) as two:
        results = take_turns([one, two], pages, passes=2)
    journal = (tmp_path / "journal").read_text(encoding="utf-8").splitlines()
    rounds = [journal[start : start + 2] for start in range(0, len(journal), 2)]
    images = ["a.png", "b.png", "c.png"] * 2
    assert [sorted(entries) for entries in rounds] == [[f"bad {image}", f"good {image}"] for image in images]
    assert {entries[0].split()[0] for entries in rounds} == {"bad", "good"}
    assert [len(times) for times in results[0].seconds] == [3, 3]
    assert all(seconds > 0 for times in results[0].seconds for seconds in times)


def test_rows_compare_with_the_first_engine(spec, folder: Path) -> None:
    pages = load_set(folder)
    with Engine(spec("good"), 1) as one, Engine(spec("goox"), 1) as two, Engine(spec("fails"), 1) as three:
        assert one.facts == {"engine": "fake"}
        base, other, failing = peers.rows(take_turns([one, two, three], pages, passes=1), pages)
    assert (base.e2e_cer, base.warm_ratio, base.first_ratio, base.errors) == (0.0, 1.0, 1.0, 0)
    assert (other.e2e_cer, other.e2e_cer_difference) == (0.25, (0.25, 0.25))
    assert (failing.e2e_cer, failing.errors, failing.images) == (1.0, 4, 4)
    assert len({len(peers.line(row).split("  ")[0]) for row in (base, other)}) == 1


def test_answers_are_saved_as_the_scorer_reads_them(spec, folder: Path, tmp_path: Path) -> None:
    from score import read_records, regions_of

    pages = load_set(folder)
    with Engine(spec("good"), 1) as engine:
        result = take_turns([engine], pages, passes=1)[0]
    path = tmp_path / "saved" / "made.good.jsonl"
    result.save(path)
    saved = read_records(path)
    assert [regions_of(saved[page.name])[0]["text"] for page in pages] == ["good"] * 4


def test_an_adapter_that_ends_is_named_with_its_last_words(spec, folder: Path) -> None:
    with Engine(spec("dies"), 1) as engine, pytest.raises(SystemExit, match=r"dies ended on .*a\.png:\s+cannot go on"):
        take_turns([engine], load_set(folder), passes=1)
