"""Text that any reader of UTF-8 takes: the one place where every writer has its text made fit."""

from __future__ import annotations

__all__ = ["well_formed"]


def well_formed(text: str) -> str:
    """The text with each half of a split surrogate pair, which UTF-8 cannot hold, as U+FFFD; whole pairs are joined.

    Halves come from file names that are not UTF-8, and from dictionaries or callers that are broken.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
