"""How many threads the process may use: one number, from which every pool is cut."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping

from fastocr.errors import ArgumentError
from fastocr.runtime.cgroups import V2, Reader, groups, text_of

__all__ = ["MAX_THREADS", "VARIABLE", "available_cpus", "resolve_threads"]

VARIABLE = "FASTOCR_THREADS"
MAX_THREADS = 1024


def resolve_threads(option: int | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """The thread budget: ``option``, else the variable FASTOCR_THREADS where it is set and not empty, else all CPUs
    that the process may use.  ArgumentError, naming its source, for a value that is not a whole number from 1 to 1024.
    """
    if option is not None:
        if isinstance(option, bool) or not isinstance(option, int) or not 1 <= option <= MAX_THREADS:
            raise ArgumentError(f"threads must be a whole number from 1 to {MAX_THREADS}, not {option!r}")
        return option
    text = environ.get(VARIABLE, "").strip()
    if not text:
        return min(available_cpus(), MAX_THREADS)
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= MAX_THREADS):
        raise ArgumentError(f"the variable {VARIABLE} must be a whole number from 1 to {MAX_THREADS}, not {text!r}")
    return int(text)


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_cpus(affinity: Callable[[], int] = _affinity, read: Reader = text_of) -> int:
    """CPUs that this process may use, at least 1: the smaller of its affinity and its control groups' quotas, rounded
    up.  A group's limit binds all groups below it, so the tightest on the way to the root counts.  ``read`` gives a
    file's text, or None where it cannot be read.
    """
    quotas = [math.ceil(quota) for quota in _quotas(read)]
    return max(1, min([affinity(), *quotas]))


def _quotas(read: Reader) -> Iterator[float]:
    """Quotas in CPUs, of both generations of control groups, of this process's group and all above it."""
    for kind, folder in groups("cpu", read):
        quota = _quota_v2(folder, read) if kind == V2 else _quota_v1(folder, read)
        if quota is not None:
            yield quota


def _quota_v2(folder: str, read: Reader) -> float | None:
    """``cpu.max`` holds "quota period" or "max period", in microseconds."""
    columns = (read(f"{folder}/cpu.max") or "").split()
    return _share(*columns) if len(columns) == 2 else None


def _quota_v1(folder: str, read: Reader) -> float | None:
    """A quota of -1 is none."""
    return _share(read(f"{folder}/cpu.cfs_quota_us") or "", read(f"{folder}/cpu.cfs_period_us") or "")


def _share(quota: str, period: str) -> float | None:
    try:
        used, whole = int(quota), int(period)
    except ValueError:
        return None
    return used / whole if used > 0 and whole > 0 else None
