"""The header of an ONNX file, read without a runtime; no bytes may bring it down."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastocr.errors import ModelError
from fastocr.models.onnxfile import read_header
from tests.models.onnxmade import onnx_bytes

RECOGNIZER = onnx_bytes((None, 3, 48, None), (None, None, 11), {"character": "a\nb"})


def header_of(data: bytes, folder: Path):
    path = folder / "x.onnx"
    path.write_bytes(data)
    return read_header(path)


def test_shapes_and_metadata(tmp_path: Path) -> None:
    header = header_of(RECOGNIZER, tmp_path)
    assert header.inputs == {"x": (None, 3, 48, None)}
    assert header.outputs == {"y": (None, None, 11)}
    assert header.metadata == {"character": "a\nb"}
    assert header.class_count == 11


def test_minus_one_is_a_dynamic_axis(tmp_path: Path) -> None:
    header = header_of(onnx_bytes((-1, 3, -1, -1), (-1, 2)), tmp_path)
    assert header.inputs == {"x": (None, 3, None, None)}
    assert header.class_count == 2


def test_weights_listed_as_inputs_are_none(tmp_path: Path) -> None:
    assert header_of(onnx_bytes((1, 3, 8, 8), (1, 2), weight="w"), tmp_path).inputs == {"x": (1, 3, 8, 8)}


def test_agrees_with_the_onnx_package(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="needs the package onnx to compare with")
    model = onnx.load_from_string(RECOGNIZER)
    assert [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim] == [0, 3, 48, 0]
    assert model.metadata_props[0].value == "a\nb"


@pytest.mark.parametrize("data", [b"", b"\0", b"hello, world", b"<html></html>", b"\xff" * 64])
def test_what_is_no_model(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"x\.onnx"):
        header_of(data, tmp_path)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.onnx"):
        with pytest.raises(ModelError, match="cannot be read"):
            read_header(path)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(RECOGNIZER) - 1), st.binary(max_size=12))
def test_damaged_anywhere(tmp_path: Path, at: int, junk: bytes) -> None:
    """Cut at any place, with anything behind it: a header or a ModelError, nothing else."""
    try:
        header_of(RECOGNIZER[:at] + junk, tmp_path)
    except ModelError as error:
        assert "x.onnx" in str(error)
