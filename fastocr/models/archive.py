"""One member out of a zip archive: on this machine, or on a server that sends ranges."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from http.client import PARTIAL_CONTENT, HTTPException, HTTPResponse
from pathlib import Path

from fastocr.errors import DownloadError
from fastocr.models.http import CHUNK, MOST_UNSTATED, Http, NoRangesError, redact

__all__ = ["Slot", "extract", "inflate", "locate"]

TAIL = 1 << 16  # first read: the end record and, in a usual wheel, the whole directory
MAX_DIRECTORY = 16 << 20
LOCAL_HEADER = struct.Struct("<4s22xHH")
OVERHEAD = 1 << 17  # of a slot beside its data: header, name, extra field, descriptor


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a member of ``size`` bytes lies in its archive: bytes start..start+length hold its local header and its
    data."""

    start: int
    length: int
    size: int
    compressed: int
    method: int


def locate(http: Http, url: str, member: str, size: int | None) -> Slot:
    """The slot of ``member`` in the archive at ``url``, from the archive's directory alone.

    NoRangesError where the server has no ranges; DownloadError where there is no such member of ``size`` bytes (None:
    of MOST_UNSTATED at most).
    """
    remote = _RemoteFile(http, url)
    try:
        with zipfile.ZipFile(io.BufferedReader(remote, TAIL)) as archive:
            info = _member(archive, member, size, redact(url))
            starts = [other.header_offset for other in archive.infolist() if other.header_offset > info.header_offset]
            end = min([archive.start_dir, *starts])
    except zipfile.BadZipFile as error:
        raise DownloadError(f"{redact(url)}: not a wheel") from error
    start = info.header_offset
    slot = Slot(start, end - start, info.file_size, info.compress_size, info.compress_type)
    if slot.compressed > slot.size + OVERHEAD or slot.length > slot.compressed + OVERHEAD:
        raise DownloadError(f"{redact(url)}: {member} takes more room than a file of {slot.size} bytes can")
    return slot


def extract(archive: Path, member: str, size: int | None, target: Path) -> None:
    """Write ``member`` of the archive at ``archive`` to ``target``: exactly ``size`` bytes (None: as many as the
    archive states, MOST_UNSTATED at most), else DownloadError."""
    try:
        with zipfile.ZipFile(archive) as opened, target.open("wb") as file:
            info = _member(opened, member, size, archive.name)
            with opened.open(info) as source:
                done = 0
                while data := source.read(min(CHUNK, info.file_size - done)):
                    done += file.write(data)
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        raise DownloadError(f"{archive.name}: {member} cannot be read ({error})") from error
    if done != info.file_size:
        raise DownloadError(f"{archive.name}: {member} ends after {done} of {info.file_size} bytes")


def inflate(part: Path, slot: Slot, target: Path) -> None:
    """Write the member whose slot's bytes are in ``part`` to ``target``: all of it, else DownloadError."""
    size = slot.size
    with part.open("rb") as source, target.open("wb") as file:
        head = source.read(LOCAL_HEADER.size)
        signature, name, extra = LOCAL_HEADER.unpack(head) if len(head) == LOCAL_HEADER.size else (b"", 0, 0)
        if signature != b"PK\x03\x04":
            raise DownloadError("the archive's directory does not match its content")
        source.seek(name + extra, io.SEEK_CUR)
        decoder = zlib.decompressobj(-zlib.MAX_WBITS) if slot.method == zipfile.ZIP_DEFLATED else None
        left, done = slot.compressed, 0
        try:
            while left and done < size and (data := source.read(min(CHUNK, left))):
                left -= len(data)
                done += file.write(decoder.decompress(data, size - done) if decoder else data[: size - done])
        except zlib.error as error:
            raise DownloadError(f"the archive's data is damaged ({error})") from error
    if done != size:
        raise DownloadError(f"the archive's member has {done} bytes, {size} are registered")


def _member(archive: zipfile.ZipFile, member: str, size: int | None, source: str) -> zipfile.ZipInfo:
    try:
        info = archive.getinfo(member)
    except KeyError:
        raise DownloadError(f"{source}: it holds no {member}") from None
    if size is None and info.file_size > MOST_UNSTATED:
        raise DownloadError(f"{source}: {member} has {info.file_size} bytes, over the limit of {MOST_UNSTATED}")
    if size not in (None, info.file_size):
        raise DownloadError(f"{source}: {member} has {info.file_size} bytes, {size} are registered")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DownloadError(f"{source}: {member} is compressed in a way that fastocr does not read")
    return info


class _RemoteFile(io.RawIOBase):
    """A file on a server, read by ranges; its last TAIL bytes come with the first request."""

    def __init__(self, http: Http, url: str) -> None:
        self._http = http
        self._url = url
        self._at = 0
        with http.open(url, {"Range": f"bytes=-{TAIL}"}) as response:
            total = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
            if response.status != PARTIAL_CONTENT or total is None:
                raise NoRangesError(f"{redact(url)}: the server cannot send a part of the file")
            self._tail_start, self._size = int(total[1]), int(total[2])
            self._tail = self._body(response, self._size - self._tail_start, TAIL)

    def _body(self, response: HTTPResponse, length: int, limit: int) -> bytes:
        try:
            body = response.read(min(length, limit))
        except (OSError, HTTPException) as error:
            raise DownloadError(f"{redact(self._url)}: the connection broke") from error
        if len(body) != length:
            raise DownloadError(f"{redact(self._url)}: {len(body)} bytes came where {length} were asked for")
        return body

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        length = min(len(view), self._size - self._at)
        if length <= 0:
            return 0
        start = self._at - self._tail_start
        if start >= 0:
            data = self._tail[start : start + length]
        else:
            headers = {"Range": f"bytes={self._at}-{self._at + length - 1}"}
            with self._http.open(self._url, headers) as response:
                data = self._body(response, length, MAX_DIRECTORY)
        view[: len(data)] = data
        self._at += len(data)
        return len(data)
