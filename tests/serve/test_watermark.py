"""The memory watermark: where the limit stands, and when load is shed, by injected readings."""

from __future__ import annotations

import logging
import os

import pytest

from fastocr.errors import OverloadedError
from fastocr.serve.config import ServeConfig
from fastocr.serve.memory import Level, Watermark, level, resident
from fastocr.serve.service import Service

PAGE = os.sysconf("SC_PAGE_SIZE")
V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = "34 32 0:31 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
MACHINE = {
    "/proc/meminfo": "MemTotal:       8000000 kB\nMemFree: 1 kB\n",
    "/proc/self/statm": "900 500 300 1 0 400 0\n",
}
GROUP = "/sys/fs/cgroup/pod/app"


def v2(**files: str) -> dict[str, str]:
    """A process in /pod/app; keys are files of that group, with a dot for each "__"."""
    found = MACHINE | {"/proc/self/mountinfo": V2, "/proc/self/cgroup": "0::/pod/app\n"}
    return found | {f"{GROUP}/{name.replace('__', '.')}": text for name, text in files.items()}


def test_without_groups_the_machine_counts() -> None:
    assert level(MACHINE.get) == Level(500 * PAGE, 8_000_000 * 1024, "this machine")


def test_a_group_of_the_second_generation() -> None:
    files = v2(
        memory__max="4000000000\n", memory__current="3000000000\n", memory__stat="anon 5\ninactive_file 1000000000\n"
    )
    assert level(files.get) == Level(2_000_000_000, 4_000_000_000, "this control group")


def test_the_tightest_group_on_the_way_up_counts_with_what_it_uses() -> None:
    files = v2(memory__max="4000000000\n", memory__current="1000000000\n")
    files["/sys/fs/cgroup/pod/memory.max"] = "3000000000\n"
    files["/sys/fs/cgroup/pod/memory.current"] = "2900000000\n"
    assert level(files.get) == Level(2_900_000_000, 3_000_000_000, "this control group")


def test_a_group_of_the_first_generation() -> None:
    files = MACHINE | {
        "/proc/self/mountinfo": V1,
        "/proc/self/cgroup": "5:cpu:/elsewhere\n4:memory:/docker/0123\n0::/\n",
        "/sys/fs/cgroup/memory/docker/0123/memory.limit_in_bytes": "1000000000\n",
        "/sys/fs/cgroup/memory/docker/0123/memory.usage_in_bytes": "900000000\n",
        "/sys/fs/cgroup/memory/docker/0123/memory.stat": "inactive_file 1\ntotal_inactive_file 300000000\n",
    }
    assert level(files.get) == Level(600_000_000, 1_000_000_000, "this control group")


@pytest.mark.parametrize("limit", ["max\n", "9223372036854771712\n", "", "junk", "-1\n", "0\n"])
def test_no_limit_leaves_the_machine(limit: str) -> None:
    assert level(v2(memory__max=limit, memory__current="5\n").get) == level(MACHINE.get)


def test_where_it_cannot_be_told_there_is_no_level() -> None:
    assert level({}.get) is None
    assert level({"/proc/meminfo": "MemTotal: 5 kB\n"}.get) is None
    assert level({"/proc/meminfo": "MemTotal:\n", "/proc/self/statm": "x\n"}.get) is None


def test_here() -> None:
    found = level()
    if found is None:
        pytest.skip("this system does not tell its memory")
    assert 0 < (resident() or 0) <= found.used <= found.limit


class Machine:
    """Readings and a clock in the test's hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.used = 0
        self.readings = 0

    def read(self) -> Level | None:
        self.readings += 1
        return Level(self.used, 1000, "this control group")

    def set(self, used: int) -> None:
        self.used = used
        self.now += 1

    def watermark(self, mark: float = 0.9, holders: dict[str, int | str] | None = None) -> Watermark:
        return Watermark(mark, lambda: holders or {}, self.read, lambda: self.now)


def admitted(watermark: Watermark) -> bool:
    try:
        watermark.admit()
    except OverloadedError as error:
        assert error.retry_after > 0
        assert "memory" in str(error)
        return False
    return True


def test_load_is_shed_above_the_mark_and_taken_again_well_below() -> None:
    machine = Machine()
    watermark = machine.watermark()
    seen = []
    for used in (100, 899, 900, 890, 851, 849, 870, 899, 950):
        machine.set(used)
        seen.append(admitted(watermark))
    assert seen == [True, True, False, False, False, True, True, True, False]
    assert watermark.shedding


def test_what_holds_the_memory_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    watermark = machine.watermark(holders={"request bodies": 120_000_000, "leases": "4 of 4"})
    machine.set(950)
    with caplog.at_level(logging.WARNING):
        assert not any(admitted(watermark) for _ in range(5))
    (record,) = caplog.records
    assert "request bodies 120 MB, leases 4 of 4" in record.getMessage()
    assert "95 %" in record.getMessage()


def test_what_can_be_given_back_is_no_reason_to_refuse() -> None:
    """The reading after the allocator's free memory went back counts."""
    readings = iter([Level(950, 1000, "this machine"), Level(500, 1000, "this machine")])
    watermark = Watermark(0.9, dict, lambda: next(readings), lambda: 0.0)
    assert admitted(watermark)


def test_a_flood_of_requests_reads_once() -> None:
    machine = Machine()
    watermark = machine.watermark()
    assert all(admitted(watermark) for _ in range(1000))
    assert machine.readings == 1
    machine.now += 0.3
    assert admitted(watermark)
    assert machine.readings == 2


def test_a_system_that_does_not_tell_refuses_nothing() -> None:
    silent = Watermark(0.9, dict, lambda: None)
    assert admitted(silent)
    assert silent.level is None


def test_a_limit_of_its_own_counts_what_is_resident_here() -> None:
    if resident() is None:
        pytest.skip("this system does not tell its memory")
    assert not admitted(Watermark.of(1, dict))
    assert admitted(Watermark.of(2**50, dict))


def test_a_service_that_is_short_of_memory_refuses_before_a_body_is_read(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("onnxruntime")
    if resident() is None:
        pytest.skip("this system does not tell its memory")
    service = Service(ServeConfig(preset="fast", memory_limit=1))
    try:
        service.start()
        with pytest.raises(OverloadedError, match="short of memory"):
            service.refuse_early()
        assert service.ready
    finally:
        service.close()
    (record,) = (record for record in caplog.records if record.name == "fastocr.serve")
    assert "leases 0 of" in record.getMessage()
    assert "resident" in record.getMessage()
