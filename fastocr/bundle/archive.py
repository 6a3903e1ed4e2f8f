"""Archives that are byte for byte the same where their files are: fixed times and owners, names in order."""

from __future__ import annotations

import base64
import gzip
import hashlib
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["TIME", "write_tar", "write_wheel"]

# Suffixes of tars that are compressed.
ZIPPED = (".gz", ".tgz")
# Of every file in an archive: 2026-01-01.
TIME = 1_767_225_600
_ZIP_TIME = (2026, 1, 1, 0, 0, 0)


def write_wheel(path: Path, info: str, members: Iterable[tuple[str, bytes]]) -> None:
    """The wheel of these members and of the list of them, in its folder ``info`` (NAME-VERSION.dist-info)."""
    records: list[str] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            _add(archive, name, data)
            value = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={value},{len(data)}\n")
        record = f"{info}/RECORD"
        _add(archive, record, "".join([*records, f"{record},,\n"]).encode())


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    row = zipfile.ZipInfo(name, _ZIP_TIME)
    row.compress_type = zipfile.ZIP_DEFLATED
    row.external_attr = 0o100644 << 16
    archive.writestr(row, data)


def write_tar(path: Path, folder: Path, top: str, step: Callable[[int, int, str], None]) -> None:
    """The folder as a tar whose one folder is ``top``; compressed where ``path`` ends with .gz or .tgz.

    ``step`` is told the files that are done, all files, and the name of the last.  OSError where it cannot be written.
    """
    files = sorted(item for item in folder.rglob("*") if item.is_file())
    # Wheels are compressed already: a higher level would cost time and save next to nothing.
    with path.open("wb") as raw:
        zipped = gzip.GzipFile("", "wb", 1, raw, mtime=0) if path.suffix in ZIPPED else None
        with tarfile.open(fileobj=zipped or raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for done, item in enumerate(files, 1):
                name = item.relative_to(folder).as_posix()
                row = tarfile.TarInfo(f"{top}/{name}")
                row.size, row.mtime = item.stat().st_size, TIME
                row.mode = 0o755 if item.stat().st_mode & 0o100 else 0o644
                with item.open("rb") as file:
                    archive.addfile(row, file)
                step(done, len(files), name)
        if zipped is not None:
            zipped.close()
