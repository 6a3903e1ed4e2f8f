"""Sets that were made on this machine: rows that are like others, and where they are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastocr.errors import ModelError
from fastocr.models import Store, registry
from fastocr.models.local import HEAD, file_row, table
from fastocr.models.registry import builtin, load

LIKE = "ppocrv6-small-det"


def made(folder: Path, **changes: object) -> Path:
    """A folder with one detector that is like the small one."""
    folder.mkdir(parents=True)
    (folder / "mine.onnx").write_bytes(b"weights")
    row = {"role": "det", "family": "PP-OCRv6", "file": "mine.onnx", "like": LIKE, **changes}
    text = [HEAD, table("models.mine-det", row), table('files."mine.onnx"', file_row(folder / "mine.onnx"))]
    text.append(table("sets.mine", {"det": "mine-det", "rec": "ppocrv6-small-rec", "about": "made here"}))
    (folder / "registry.toml").write_text("\n".join(text), encoding="utf-8")
    return folder


def test_a_row_has_of_another_what_it_does_not_state(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine", step=32, max_pixels=500_000)
    row, base = load(folder / "registry.toml", builtin(), folder).models["mine-det"], builtin().models[LIKE]
    assert (row.file.name, row.file.size, row.family) == ("mine.onnx", 7, "PP-OCRv6")
    assert {key for key in base.values if row.values[key] != base.values[key]} == {"max_pixels"}


@pytest.mark.parametrize("like", ["nobody", "ppocrv6-small-rec"])
def test_a_row_like_nothing_of_its_role_is_refused(like: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "mine", like=like)
    with pytest.raises(ModelError, match=r"models\.mine-det\.like must be the name of a det model"):
        load(folder / "registry.toml", builtin(), folder)


def test_sets_are_found_in_the_home_folder_but_not_what_is_being_made(tmp_path: Path) -> None:
    store = Store(environ={"FASTOCR_HOME": str(tmp_path)})
    assert "mine" not in registry(store).sets
    made(tmp_path / "sets" / ".making-x")
    assert "mine" not in registry(store).sets
    folder = made(tmp_path / "sets" / "mine")
    known = registry(store)
    assert known.set("mine").about == "made here"
    assert store.find(known.model("mine-det").file) == folder / "mine.onnx"
