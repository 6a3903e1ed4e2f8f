"""The memory watermark: load is shed before the kernel kills, and what holds the memory is told."""

from __future__ import annotations

import ctypes
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from fastocr.errors import OverloadedError
from fastocr.runtime.cgroups import V2, Reader, groups, text_of
from fastocr.runtime.memory import give_back

__all__ = ["Level", "Watermark", "level", "resident"]

# Seconds for which a reading is taken to hold, so that a flood of requests does not read /proc for each.
PAUSE = 0.25
# The share of what the process may have at which load is shed, and how far below memory must fall before new requests
# are taken again.
MARK = 0.9
HYSTERESIS = 0.05
# Seconds after which a refused caller may come back.
RETRY_AFTER = 2.0

logger = logging.getLogger("fastocr.serve")


@dataclass(frozen=True, slots=True)
class Level:
    """Bytes in use, of how many; ``of`` names whose limit that is."""

    used: int
    limit: int
    of: str

    @property
    def share(self) -> float:
        return self.used / self.limit


def level(read: Reader = text_of) -> Level | None:
    """How near this process is to being killed for memory; None where that cannot be told.

    Of the limits of its control groups and the machine's memory the tightest counts.  Under a group's limit the group
    counts, without the files that the kernel may forget at will; under the machine's, what this process has resident.
    """
    machine = _machine(read)
    tightest: tuple[int, str, str] | None = None
    for kind, folder in groups("memory", read):
        limit = _number(read(f"{folder}/{'memory.max' if kind == V2 else 'memory.limit_in_bytes'}"))
        # A limit above the machine's memory is none.  At least a page: a limit of 0 would be divided by.
        if limit and (machine is None or limit < machine) and (tightest is None or limit < tightest[0]):
            tightest = limit, kind, folder
    own = resident(read)
    if tightest is not None:
        limit, kind, folder = tightest
        used = _group_used(kind, folder, read)
        if used is not None or own is not None:
            return Level(max(used or 0, own or 0), limit, "this control group")
    if machine is None or own is None:
        return None
    return Level(own, machine, "this machine")


def resident(read: Reader = text_of) -> int | None:
    """Bytes that this process has in memory; None where the system does not tell."""
    columns = (read("/proc/self/statm") or "").split()
    pages = _number(columns[1]) if len(columns) > 1 else None
    return None if pages is None else pages * os.sysconf("SC_PAGE_SIZE")


class Watermark:
    """Refuses new work while memory is above a mark, and until it has fallen well below.

    mark: share of the limit, 0 to 1.
    holders: what the service knows of that holds memory, by name: numbers of bytes as int, anything else as text.
    read, clock: where readings and seconds come from; where a reading is None nothing is refused.

    Readings are taken when a request asks, at most every quarter of a second, from any thread.
    """

    @classmethod
    def of(cls, limit: int | None, holders: Callable[[], Mapping[str, int | str]]) -> Watermark:
        """At so many bytes resident in this process; by default at nine tenths of what it may have."""
        if limit is None:
            return cls(MARK, holders)

        def read() -> Level | None:
            own = resident()
            return None if own is None else Level(own, limit, "memory_limit")

        return cls(1.0, holders, read)

    def __init__(
        self,
        mark: float,
        holders: Callable[[], Mapping[str, int | str]] = dict,
        read: Callable[[], Level | None] = level,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._mark = mark
        self._holders = holders
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._due = -float("inf")
        self._last: Level | None = None
        self._shedding = False

    @property
    def shedding(self) -> bool:
        """Whether new work is refused, by a reading that is fresh."""
        return self._look()[1]

    @property
    def level(self) -> Level | None:
        """The latest reading; None where memory cannot be told."""
        return self._look()[0]

    def admit(self) -> None:
        """Raises OverloadedError while memory is short."""
        found, shedding = self._look()
        if shedding and found is not None:
            raise OverloadedError(f"the service is short of memory ({_percent(found)}): try again later", RETRY_AFTER)

    def _look(self) -> tuple[Level | None, bool]:
        with self._lock:
            now = self._clock()
            if now >= self._due:
                self._due = now + PAUSE
                self._update()
            return self._last, self._shedding

    def _update(self) -> None:
        found = self._read()
        bound = self._mark - HYSTERESIS if self._shedding else self._mark
        if found is not None and found.share >= bound:
            give_back()  # what is merely kept for later is no reason to refuse
            found = self._read()
        self._last = found
        if found is None:
            self._shedding = False
        elif not self._shedding and found.share >= self._mark:
            self._shedding = True
            held = ", ".join(f"{name} {value}" for name, value in self._held())
            bound = self._mark - HYSTERESIS
            logger.warning(
                "memory is short: %s; new requests are refused until it is below %.0f %%; it is held by: %s",
                *(_percent(found), 100 * bound, held),
            )
        elif self._shedding and found.share < bound:
            self._shedding = False
            logger.warning("memory has fallen to %s: new requests are taken again", _percent(found))

    def _held(self) -> Iterator[tuple[str, str]]:
        for name, value in self._holders().items():
            yield name, _megabytes(value) if isinstance(value, int) else value
        if (own := resident()) is not None:
            yield "resident", _megabytes(own)
        if (heap := _heap()) is not None:
            yield "malloc", f"{_megabytes(heap[0])} used and {_megabytes(heap[1])} free"


def _percent(found: Level) -> str:
    return f"{100 * found.share:.0f} % of the {_megabytes(found.limit)} of {found.of}"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.0f} MB"


def _machine(read: Reader) -> int | None:
    for line in (read("/proc/meminfo") or "").splitlines():
        name, _, rest = line.partition(":")
        if name == "MemTotal":
            kilobytes = _number(rest.split()[0] if rest.split() else "")
            return None if kilobytes is None else kilobytes * 1024
    return None


def _group_used(kind: str, folder: str, read: Reader) -> int | None:
    """What counts towards a group's limit and cannot be given up at will."""
    second = kind == V2
    used = _number(read(f"{folder}/{'memory.current' if second else 'memory.usage_in_bytes'}"))
    if used is None:
        return None
    stat = dict(line.split(maxsplit=1) for line in (read(f"{folder}/memory.stat") or "").splitlines() if " " in line)
    files = _number(stat.get("inactive_file" if second else "total_inactive_file"))
    return max(0, used - (files or 0))


def _number(text: str | None) -> int | None:
    """A whole number of a file in /proc or /sys; None for "max" and all else."""
    stripped = (text or "").strip()
    return int(stripped) if stripped.isascii() and stripped.isdigit() else None


MALLINFO = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class _Mallinfo(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in MALLINFO)


@cache
def _mallinfo() -> Callable[[], _Mallinfo] | None:
    try:
        function = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError, TypeError):  # another system, another C library, an old one
        return None
    function.restype = _Mallinfo
    return function


def _heap() -> tuple[int, int] | None:
    """Bytes that glibc's allocator has handed out, and those that it keeps free; None elsewhere."""
    function = _mallinfo()
    if function is None:
        return None
    found = function()
    return found.uordblks + found.hblkhd, found.fordblks
