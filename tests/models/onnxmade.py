"""Small ONNX files, written field by field, so that the tests need no package for it."""

from __future__ import annotations

from collections.abc import Mapping

Shape = tuple[int | None, ...]


def onnx_bytes(given: Shape, result: Shape, metadata: Mapping[str, str] | None = None, weight: str = "") -> bytes:
    """A model with input x and output y of these shapes (None: a named axis); its graph computes nothing."""
    graph = _field(2, b"g") + (_field(5, _field(8, weight.encode())) if weight else b"")
    graph += _field(11, _value("x", given)) + (_field(11, _value(weight, (2,))) if weight else b"")
    graph += _field(12, _value("y", result))
    props = (_field(14, _field(1, k.encode()) + _field(2, v.encode())) for k, v in (metadata or {}).items())
    return b"\x08\x08" + _field(7, graph) + _field(8, b"\x10\x0e") + b"".join(props)


def _value(name: str, shape: Shape) -> bytes:
    dims = b"".join(_field(1, _field(2, b"n") if size is None else b"\x08" + _varint(size % 2**64)) for size in shape)
    tensor = b"\x08\x01" + _field(2, dims)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
