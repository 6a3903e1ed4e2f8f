"""Where pages come from, for writers that need more than their results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fastocr.results.page import Page

__all__ = ["Sheet", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """What was read: its name as messages and files have it, and its bytes or the path to them, where there is one.

    An image or a PDF, as it was given; None for an array and for what was read from a stream that was not kept.
    """

    name: str
    data: Path | bytes | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page and where it comes from: what a writer takes."""

    page: Page
    source: Source
