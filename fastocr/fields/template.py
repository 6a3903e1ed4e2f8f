"""Templates: which fields to find, as data in TOML."""

from __future__ import annotations

import functools
from importlib import resources

__all__ = ["names"]


@functools.cache
def names() -> tuple[str, ...]:
    """The templates that ship, by name."""
    folder = resources.files("fastocr.fields").joinpath("templates")
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))
