"""Where the annotated sets are missing, one sentence says what is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest
from sets import load_set


@pytest.mark.parametrize("there", ["nothing", "images", "lines.jsonl"])
def test_a_folder_that_is_no_set(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "sroie"
    if there == "images":
        (folder / "images").mkdir(parents=True)
    if there == "lines.jsonl":
        folder.mkdir()
        (folder / "lines.jsonl").touch()
    with pytest.raises(SystemExit, match=r"sroie is no annotated set: .* images/ and lines\.jsonl"):
        load_set(folder)
