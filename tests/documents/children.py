"""The processes of this one that have a PDF open."""

from __future__ import annotations

from contextlib import suppress

import psutil

__all__ = ["children"]


def children() -> list[psutil.Process]:
    """Those of the nursery, whatever other processes a run of tests has."""
    found: list[psutil.Process] = []
    for process in psutil.Process().children():
        with suppress(psutil.Error):
            if any("import nurse" in word for word in process.cmdline()):
                found += process.children()
    return found
