"""Folders of models with a registry of their own, as they are written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

__all__ = ["HEAD", "file_row", "quoted", "table"]

HEAD = "schema = 1\n"


def file_row(path: Path) -> dict[str, object]:
    """What a registry says of a file."""
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def table(name: str, row: Mapping[str, object]) -> str:
    """A row of a registry as TOML."""
    return "\n".join([f"[{name}]", *(f"{key} = {_value(value)}" for key, value in row.items()), ""])


def quoted(text: str) -> str:
    """A text as TOML has it, also within the name of a row."""
    return json.dumps(text, ensure_ascii=False)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return quoted(value) if isinstance(value, str) else repr(value)
