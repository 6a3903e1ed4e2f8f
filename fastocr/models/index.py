"""Finding a wheel on the configured package indexes (PEP 503 and PEP 691, over http or as files)."""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from fastocr.errors import DownloadError
from fastocr.models.http import Http, redact
from fastocr.models.settings import Settings

__all__ = ["Link", "PackageIndex"]

MAX_PAGE = 64 << 20
ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


@dataclass(frozen=True, slots=True)
class Link:
    """A file on an index: its name, where it is (a URL, or a path on this machine), and the index it was found on."""

    filename: str
    location: str | Path
    index: str


class PackageIndex:
    """Looks projects up on all indexes; each project's page is read once."""

    def __init__(self, settings: Settings, http: Http) -> None:
        self._settings = settings
        self._http = http
        self._pages: dict[str, tuple[list[Link], list[str]]] = {}

    def find(self, project: str, version: str) -> list[Link]:
        """Links to wheels of exactly this version, the first index first; DownloadError where no index has one."""
        links, faults = self._project(_normal(project))
        wheels = [link for link in links if _is_wheel_of(link.filename, project, version)]
        if wheels:
            return sorted(wheels, key=lambda link: not link.filename.endswith("-none-any.whl"))
        if not self._settings.indexes and not self._settings.find_links:
            raise DownloadError("no package index is configured")
        raise DownloadError("; ".join(faults) or f"no index has {project} {version}")

    def _project(self, name: str) -> tuple[list[Link], list[str]]:
        if name not in self._pages:
            links: list[Link] = []
            faults: list[str] = []
            pages = [f"{index.rstrip('/')}/{name}/" for index in self._settings.indexes]
            for page in [*self._settings.find_links, *pages]:
                try:
                    links += self._page(page)
                except DownloadError as error:
                    faults.append(str(error))
            self._pages[name] = links, faults
        return self._pages[name]

    def _page(self, page: str) -> list[Link]:
        local = _local_path(page)
        if local is not None:
            return _folder(local, page)
        body, headers, url = self._http.read(page, {"Accept": ACCEPT}, MAX_PAGE)
        label = _label(page)
        try:
            if "json" in headers.get_content_type():
                hrefs = [entry["url"] for entry in json.loads(body)["files"]]
            else:
                hrefs = _hrefs(body.decode(headers.get_content_charset() or "utf-8", "replace"))
        except (ValueError, KeyError, TypeError, LookupError) as error:
            raise DownloadError(f"{redact(page)}: the answer is no package index page") from error
        return [_link(urllib.parse.urljoin(url, href), label) for href in hrefs]


def _label(page: str) -> str:
    return urllib.parse.urlsplit(redact(page)).netloc or redact(page)


def _link(url: str, label: str) -> Link:
    path = urllib.parse.unquote(urllib.parse.urlsplit(url).path)
    local = _local_path(url)
    return Link(path.rsplit("/", 1)[-1], url if local is None else local, label)


def _local_path(place: str) -> Path | None:
    """The path where ``place`` is a file URL or a path, None where it is another URL."""
    if place.startswith("file:"):
        return Path(urllib.request.url2pathname(urllib.parse.urlsplit(place).path))
    return None if "://" in place else Path(place).expanduser()


def _folder(path: Path, page: str) -> list[Link]:
    """Links of an index page kept as a file, or the wheels that lie in a folder."""
    html = path / "index.html" if path.is_dir() else path
    try:
        if html.is_file():
            base = html.resolve().as_uri()
            return [_link(urllib.parse.urljoin(base, href), str(path)) for href in _hrefs(html.read_text("utf-8"))]
        return [Link(wheel.name, wheel, str(path)) for wheel in sorted(path.glob("*.whl"))]
    except (OSError, ValueError) as error:
        raise DownloadError(f"{redact(page)}: the folder cannot be read") from error


class _Hrefs(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.found.append(href)


def _hrefs(text: str) -> list[str]:
    parser = _Hrefs()
    parser.feed(text)
    return parser.found


def _normal(project: str) -> str:
    return re.sub(r"[-_.]+", "-", project).lower()


def _is_wheel_of(filename: str, project: str, version: str) -> bool:
    parts = filename.split("-")
    if not filename.endswith(".whl") or len(parts) < 5:
        return False
    return _normal(parts[0]) == _normal(project) and parts[1] == version
