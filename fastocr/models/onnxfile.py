"""The few facts that stand in an ONNX file beside its weights, read without a runtime.

ONNX is protobuf.  Only the fields on the way to the inputs, the outputs and the metadata are decoded; weights and
nodes are skipped by their length, so a file of any size is read in about a millisecond.
"""

from __future__ import annotations

import functools
import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fastocr.errors import ModelError

__all__ = ["OnnxHeader", "Shape", "read_header"]

Shape = tuple[int | None, ...]

# Field numbers of onnx.proto, by message.
_MODEL_GRAPH, _MODEL_METADATA = 7, 14
_GRAPH_INITIALIZER, _GRAPH_INPUT, _GRAPH_OUTPUT = 5, 11, 12
_TENSOR_NAME = 8
_VALUE_NAME, _VALUE_TYPE = 1, 2
_TYPE_TENSOR, _TENSOR_SHAPE, _SHAPE_DIM, _DIM_VALUE = 1, 2, 1, 1
_MOST_DIM = 2**31 - 1  # old exports write -1, as 64 bits, for a dynamic axis
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class OnnxHeader:
    """Shapes of inputs and outputs by name (None: a dynamic axis), and the metadata."""

    inputs: dict[str, Shape] = field(default_factory=dict)
    outputs: dict[str, Shape] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def class_count(self) -> int | None:
        """Size of the first output's last axis, where the file states it."""
        shape = next(iter(self.outputs.values()), ())
        return shape[-1] if shape else None


def read_header(path: Path) -> OnnxHeader:
    """The header of the ONNX file at ``path``; ModelError where it is missing or no ONNX model."""
    try:
        stat = path.stat()
    except OSError as error:
        raise ModelError(f"the model {path} cannot be read: {error.strerror}") from error
    return _read_header(path, (stat.st_size, stat.st_mtime_ns, stat.st_ino))


@functools.lru_cache(maxsize=8)  # opening a model asks several times
def _read_header(path: Path, state: tuple[int, ...]) -> OnnxHeader:
    """The header of the file that is in that state."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            header = _model(data)
    except OSError as error:
        raise ModelError(f"the model {path} cannot be read: {error.strerror}") from error
    except (ValueError, IndexError) as error:  # ValueError: also an empty file, and text that is not UTF-8
        raise ModelError(f"{path} is not an ONNX model, or it is cut short") from error
    if not header.inputs or not header.outputs:
        raise ModelError(f"{path} is not an ONNX model: it declares no input or no output")
    return header


def _model(data: mmap.mmap) -> OnnxHeader:
    header = OnnxHeader()
    initializers: set[str] = set()
    for number, span in _spans(data, slice(0, len(data))):
        if number == _MODEL_GRAPH:
            _graph(data, span, header, initializers)
        elif number == _MODEL_METADATA:
            key, value = (_text(data, span, part) for part in (1, 2))
            header.metadata[key] = value
    for name in initializers & header.inputs.keys():  # old exports list weights among the inputs
        del header.inputs[name]
    return header


def _graph(data: mmap.mmap, span: slice, header: OnnxHeader, initializers: set[str]) -> None:
    for number, part in _spans(data, span):
        if number == _GRAPH_INITIALIZER:
            initializers.add(_text(data, part, _TENSOR_NAME))
        elif number in (_GRAPH_INPUT, _GRAPH_OUTPUT):
            target = header.inputs if number == _GRAPH_INPUT else header.outputs
            target[_text(data, part, _VALUE_NAME)] = _shape(data, part)


def _shape(data: mmap.mmap, value: slice) -> Shape:
    span = value
    for number in (_VALUE_TYPE, _TYPE_TENSOR, _TENSOR_SHAPE):
        inner = _first(data, span, number)
        if not isinstance(inner, slice):
            return ()
        span = inner
    dims = (dim for number, dim in _spans(data, span) if number == _SHAPE_DIM)
    sizes = (_first(data, dim, _DIM_VALUE) for dim in dims)
    return tuple(size if isinstance(size, int) and 0 < size <= _MOST_DIM else None for size in sizes)


def _text(data: mmap.mmap, span: slice, number: int) -> str:
    part = _first(data, span, number)
    return data[part].decode() if isinstance(part, slice) else ""


def _first(data: mmap.mmap, span: slice, number: int) -> slice | int | None:
    return next((value for found, value in _fields(data, span.start, span.stop) if found == number), None)


def _spans(data: mmap.mmap, span: slice) -> Iterator[tuple[int, slice]]:
    return ((number, value) for number, value in _fields(data, span.start, span.stop) if isinstance(value, slice))


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, slice | int]]:
    """Number and value of each field in data[at:end]: a span for bytes, the number itself for a varint."""
    while at < end:
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _BYTES:
            length, at = _varint(data, at)
            if at + length > end:
                raise ValueError("a field runs past its end")
            yield number, slice(at, at + length)
            at += length
        elif kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("not protobuf")


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("not protobuf")
