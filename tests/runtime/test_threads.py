"""The thread budget: what the process may use, not what the machine has (P29)."""

from __future__ import annotations

import os

import pytest

from fastocr.errors import ArgumentError
from fastocr.runtime.threads import available_cpus, resolve_threads

V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "33 32 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 32 0:31 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
)


def cpus(affinity: int, files: dict[str, str]) -> int:
    return available_cpus(lambda: affinity, files.get)


def v2(group: str, **limits: str) -> dict[str, str]:
    """Files of a process in ``group``; a limit's name is its folder's, with ``__`` for a slash ("" is the root's)."""
    files = {"/proc/self/mountinfo": V2, "/proc/self/cgroup": f"0::{group}\n"}
    for name, limit in limits.items():
        files["/sys/fs/cgroup" + name.replace("__", "/") + "/cpu.max"] = limit
    return files


def test_affinity_counts_and_not_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1}, raising=False)
    assert available_cpus(read=lambda _path: None) == 2


def test_without_affinity_the_machine_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert available_cpus(read=lambda _path: None) == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cpus(read=lambda _path: None) == 1


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("150000 100000", 2),
        ("200000 100000", 2),
        ("200001 100000", 3),
        ("1000 100000", 1),
        ("max 100000", 64),
        ("max", 64),
        ("", 64),
        ("0 100000", 64),
        ("100000 0", 64),
        ("a b", 64),
    ],
)
def test_quota_is_rounded_up(limit: str, expected: int) -> None:
    assert cpus(64, v2("/", **{"": limit})) == expected


def test_affinity_below_the_quota_wins() -> None:
    assert cpus(2, v2("/", **{"": "800000 100000"})) == 2


def test_the_tightest_group_on_the_way_up_binds() -> None:
    limits = {"__a__b__c": "800000 100000", "__a__b": "max 100000", "__a": "300000 100000"}
    assert cpus(64, v2("/a/b/c", **limits)) == 3
    assert cpus(64, v2("/a/b/c", **limits | {"__a__b": "250000 100000"})) == 3
    assert cpus(64, v2("/a/b/c", **limits | {"__a__b__c": "100000 100000"})) == 1
    # A neighbour's limit is none of ours.
    assert cpus(64, v2("/a/b", **limits | {"__a__x": "100000 100000"})) == 3


@pytest.mark.parametrize("group", ["/../../else", "/docker/0123"])
def test_a_group_that_is_not_to_be_seen_leaves_the_mount_point(group: str) -> None:
    assert cpus(64, v2(group, **{"": "400000 100000"})) == 4


def test_a_mounted_subtree_is_the_root_of_what_is_seen() -> None:
    files = v2("/docker/0123/inner", __inner="700000 100000", **{"": "500000 100000"})
    files["/proc/self/mountinfo"] = V2.replace(" / /sys", " /docker/0123 /sys")
    assert cpus(64, files) == 5
    files["/sys/fs/cgroup/inner/cpu.max"] = "200000 100000"
    assert cpus(64, files) == 2


@pytest.mark.parametrize(("quota", "expected"), [("150000\n", 2), ("-1\n", 64), ("", 64)])
def test_first_generation_groups(quota: str, expected: int) -> None:
    folder = "/sys/fs/cgroup/cpu,cpuacct/docker/0123"
    files = {
        "/proc/self/mountinfo": V1,
        "/proc/self/cgroup": "5:memory:/docker/0123\n4:cpu,cpuacct:/docker/0123\n0::/\n",
        f"{folder}/cpu.cfs_quota_us": quota,
        f"{folder}/cpu.cfs_period_us": "100000\n",
    }
    assert cpus(64, files) == expected


@pytest.mark.parametrize("junk", ["", "\n\n", "x", "a:b", ":::::", "0::", " - "])
def test_junk_in_proc_is_no_limit(junk: str) -> None:
    assert cpus(3, {"/proc/self/mountinfo": V2 + junk, "/proc/self/cgroup": junk}) == 3
    assert cpus(3, {"/proc/self/mountinfo": junk, "/proc/self/cgroup": "0::/\n"}) == 3


def test_at_least_one() -> None:
    assert cpus(0, {}) == 1


def test_here() -> None:
    assert 1 <= available_cpus() <= (os.cpu_count() or 1)


def test_option_beats_variable_beats_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_threads(3, {"FASTOCR_THREADS": "5"}) == 3
    assert resolve_threads(None, {"FASTOCR_THREADS": " 5 "}) == 5
    assert resolve_threads(None, {"FASTOCR_THREADS": ""}) == available_cpus()
    assert resolve_threads(None, {}) == available_cpus()
    monkeypatch.setenv("FASTOCR_THREADS", "7")
    assert resolve_threads() == 7


@pytest.mark.parametrize("option", [0, -1, 1025, True, 2.0, "2"])
def test_a_bad_option_names_itself(option: object) -> None:
    with pytest.raises(ArgumentError, match=r"^threads must be"):
        resolve_threads(option, {"FASTOCR_THREADS": "5"})  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["0", "-1", "1025", "two", "1.5", "٣", "9" * 5000])
def test_a_bad_variable_names_itself(text: str) -> None:
    with pytest.raises(ArgumentError, match="FASTOCR_THREADS"):
        resolve_threads(None, {"FASTOCR_THREADS": text})
