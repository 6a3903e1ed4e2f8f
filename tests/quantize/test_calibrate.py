"""What networks are calibrated on: pages, arrays, and what is wrong with either."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fastocr.errors import InputError
from fastocr.quantize.calibrate import Samples, from_arrays, from_pages, pages
from fastocr.quantize.measure import loaded, split


def test_samples_are_drawn_evenly_and_again_the_same() -> None:
    tensors = [np.full((1, 3, 1, 1), k, np.float32) for k in range(1000)]
    first, second = Samples(100), Samples(100)
    first.add(tensors)
    second.add(tensors)
    kept = [int(tensor[0, 0, 0, 0]) for tensor in first.kept]
    assert kept == [int(tensor[0, 0, 0, 0]) for tensor in second.kept]
    assert len({*kept}) == 100
    assert 400 < np.mean(kept) < 600, "late ones are as likely as early ones"


def test_an_empty_or_missing_folder_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no images: calibrate on pages"):
        pages(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        pages(tmp_path / "none")


def test_arrays_by_role(tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    lines = np.arange(2 * 3 * 48 * 64, dtype=np.float32).reshape(2, 3, 48, 64)
    np.savez(path, rec_0=lines, det_0=np.zeros((1, 3, 64, 64), np.float32))
    found = from_arrays(path)
    assert [tensor.shape for tensor in found["det"]] == [(1, 3, 64, 64)]
    np.testing.assert_array_equal(np.concatenate(found["rec"]), lines)


@pytest.mark.parametrize(
    ("arrays", "wrong"),
    [
        ({}, "holds no arrays"),
        ({"pages": np.zeros((1, 3, 4, 4))}, "holds pages of"),
        ({"det_0": np.zeros((3, 4, 4))}, r"holds det_0 of \(3, 4, 4\)"),
        ({"det_0": np.full((1, 3, 4, 4), np.nan)}, "NaN or infinity in det_0"),
    ],
)
def test_arrays_of_another_form_are_refused(arrays: dict[str, np.ndarray], wrong: str, tmp_path: Path) -> None:  # type: ignore[type-arg]
    path = tmp_path / "inputs.npz"
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=wrong):
        from_arrays(path)


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04 cut"])
def test_what_is_no_npz_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as an NPZ file"):
        from_arrays(path)


def test_every_other_page_is_held_out() -> None:
    seen, held = split([Path("b/2.png"), Path("a/3.png"), Path("a/1.png"), Path("a/0.png"), Path("b/4.png")])
    assert [path.name for path in seen] == ["0.png", "2.png", "4.png"]
    assert [path.name for path in held] == ["1.png", "3.png"]


def test_truth_is_found_by_the_images_names(tmp_path: Path) -> None:
    truth = tmp_path / "lines.jsonl"
    truth.write_text('{"image": "images/a.png", "lines": [{"poly": [[0, 0]], "text": "A"}], "level": "text"}\n')
    found = loaded([Path("x/a.png"), Path("x/b.png")], truth)
    assert [(page.path.name, page.level, page.truth) for page in found] == [
        ("a.png", "text", [{"poly": [[0, 0]], "text": "A"}])
    ]
    with pytest.raises(InputError, match="names none of the images"):
        loaded([Path("c.png")], truth)
    truth.write_text("[]\n")
    with pytest.raises(InputError, match="no file of truth"):
        loaded([Path("a.png")], truth)
    with pytest.raises(InputError, match="cannot be read"):
        loaded([Path("a.png")], tmp_path / "none.jsonl")


@pytest.mark.models
def test_pages_give_what_the_networks_are_fed(draw: ModuleType, tmp_path: Path) -> None:
    image = tmp_path / "page.png"
    draw.text_page(["Calibrate on pages", "and on nothing else"], 30, width=640).save(image)
    found, again = (from_pages({"models": "ppocrv6-tiny", "threads": number}, [image]) for number in (2, 1))
    detector, recognizer = sorted(found)
    (page,) = found[detector]
    assert page.shape[0:2] == (1, 3)
    assert page.shape[3] == 640
    lines = found[recognizer]
    assert len(lines) >= 2
    assert {tensor.shape[2] for tensor in lines} == {48}
    assert all((one == other).all() for one, other in zip(lines, again[recognizer], strict=True))


@pytest.mark.models
def test_an_unreadable_file_and_blank_pages_are_named(draw: ModuleType, tmp_path: Path) -> None:
    junk = tmp_path / "junk.png"
    junk.write_bytes(b"no image")
    with pytest.raises(InputError, match=r"junk\.png.*take it out of the folder"):
        from_pages({"models": "ppocrv6-tiny", "threads": 1}, [junk])
    blank = tmp_path / "blank.png"
    draw.page(400, 300).save(blank)
    with pytest.raises(InputError, match="no text was found"):
        from_pages({"models": "ppocrv6-tiny", "threads": 1}, [blank])
