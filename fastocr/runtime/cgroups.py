"""Control groups: where the limits of this process stand, in both generations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

__all__ = ["V1", "V2", "Reader", "groups", "text_of"]

V1, V2 = "cgroup", "cgroup2"

# Gives a file's text, or None where it cannot be read.
Reader = Callable[[str], str | None]


def text_of(path: str) -> str | None:
    """The text of a small file such as those of /proc; None where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except (OSError, ValueError):
        return None


def groups(controller: str, read: Reader = text_of) -> Iterator[tuple[str, str]]:
    """(generation, folder) of this process's group and of all above it that can be seen, for a controller such as
    "cpu" or "memory".  A group's limit binds all groups below it."""
    mounts = _mounts(read("/proc/self/mountinfo") or "", controller)
    for line in (read("/proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        kind = V2 if number == "0" and not controllers else V1
        if kind not in mounts or (kind == V1 and controller not in controllers.split(",")):
            continue
        mount, root = mounts[kind]
        for folder in _upwards(mount, root, path):
            yield kind, folder


def _mounts(mountinfo: str, controller: str) -> dict[str, tuple[str, str]]:
    """Where the hierarchies that hold the limits are mounted: kind to (mount point, the group that is seen there)."""
    found: dict[str, tuple[str, str]] = {}
    for line in mountinfo.splitlines():
        place, _, source = line.partition(" - ")
        columns, (kind, *others) = place.split(), source.split() or [""]
        if len(columns) < 5 or not others:
            continue
        if kind == V2 or (kind == V1 and controller in others[-1].split(",")):
            found.setdefault(kind, (columns[4], columns[3]))
    return found


def _upwards(mount: str, root: str, path: str) -> Iterator[str]:
    """Folders of the group ``path`` and all above it that the mount shows, down to the mount point itself."""
    group, top = PurePosixPath(path), PurePosixPath(root)
    # A group outside of what is mounted (another namespace's) leaves the mount point alone.
    inside = group.relative_to(top) if group.is_relative_to(top) and ".." not in group.parts else PurePosixPath()
    for folder in (inside, *inside.parents):
        yield str(PurePosixPath(mount) / folder)
