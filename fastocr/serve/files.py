"""The page and its files, held in memory: a request names one of them, never a path."""

from __future__ import annotations

import hashlib
import mimetypes
from dataclasses import dataclass
from importlib import resources

__all__ = ["INDEX", "StaticFile", "page_files"]

INDEX = "/"
# `mimetypes` asks the machine, which may not know these.
MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file's bytes, its media type and the tag by which a browser asks whether it changed."""

    data: bytes
    media_type: str
    etag: str


def page_files() -> dict[str, StaticFile]:
    """The files of the page by the path that they are asked by: `/` for index.html, `/page/NAME` for the others.

    Empty where the package holds no page.
    """
    folder = resources.files("fastocr.serve").joinpath("page")
    if not folder.is_dir():
        return {}
    found = {}
    for entry in folder.iterdir():
        if entry.is_file() and not entry.name.endswith((".py", ".pyc")):
            data = entry.read_bytes()
            guessed = mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
            media_type = MEDIA_TYPES.get(entry.name.rpartition(".")[2], guessed)
            path = INDEX if entry.name == "index.html" else f"/page/{entry.name}"
            found[path] = StaticFile(data, media_type, f'"{hashlib.sha256(data).hexdigest()[:16]}"')
    return found
