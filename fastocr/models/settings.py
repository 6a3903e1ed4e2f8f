"""Where packages come from on this machine: the settings of pip and uv, read without either of them."""

from __future__ import annotations

import configparser
import os
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastocr.errors import ArgumentError, DownloadError

__all__ = ["DEFAULT_INDEX", "Settings", "read_settings"]

TIMEOUT = 30.0  # seconds, for connecting and for each read
TIMEOUT_VARIABLE = "FASTOCR_TIMEOUT"
DEFAULT_INDEX = "https://pypi.org/simple"

Options = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Settings:
    """Package indexes in order, places with loose wheels, and how to reach them.  URLs may carry credentials."""

    indexes: tuple[str, ...] = (DEFAULT_INDEX,)
    find_links: tuple[str, ...] = ()
    proxy: str | None = None
    cert: str | None = None
    client_cert: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    timeout: float = TIMEOUT


def read_settings(environ: Mapping[str, str] = os.environ, files: Iterable[Path] | None = None) -> Settings:
    """The settings in force.  The environment wins over files; main indexes come before extra ones.

    ``files`` replaces pip's configuration files, in pip's order: a later one wins.  DownloadError where a file
    cannot be parsed.
    """
    pip = _pip_files(_pip_paths(environ) if files is None else files)
    pip |= {key: value.split() for key, value in _pip_environ(environ)}
    uv = _uv_files(_uv_paths(environ) if files is None else ())
    uv |= {key: value.split() for key, value in _uv_environ(environ)}
    main = [*pip.get("index-url", ()), *uv.get("default-index", ()), *uv.get("index-url", ())]
    extra = [*pip.get("extra-index-url", ()), *uv.get("index", ()), *uv.get("extra-index-url", ())]
    links = [*pip.get("find-links", ()), *uv.get("find-links", ())]
    indexes = () if _true(pip.get("no-index", ())) else _unique([*(main or [DEFAULT_INDEX]), *extra])
    bundles = [*pip.get("cert", ()), environ.get("REQUESTS_CA_BUNDLE", ""), environ.get("CURL_CA_BUNDLE", "")]
    return Settings(
        indexes=indexes,
        find_links=_unique(links),
        proxy=_first(pip.get("proxy", ())),
        cert=_first(bundles),
        client_cert=_first(pip.get("client-cert", ())),
        trusted_hosts=tuple(pip.get("trusted-host", ())),
        timeout=_seconds(environ.get(TIMEOUT_VARIABLE)),
    )


def _seconds(text: str | None) -> float:
    try:
        seconds = float(text) if text else TIMEOUT
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < 1e6:
        raise ArgumentError(f"{TIMEOUT_VARIABLE} is {text!r}: give a number of seconds")
    return seconds


def _first(values: Iterable[str]) -> str | None:
    return next((value for value in values if value), None)


def _true(values: Iterable[str]) -> bool:
    return (_first(values) or "").lower() in ("1", "true", "yes", "on", "y", "t")


def _unique(urls: Iterable[str]) -> tuple[str, ...]:
    """Without repeats and without uv's ``name=`` before a URL."""
    plain = (url.split("=", 1)[1] if "=" in url.split("://", 1)[0] else url for url in urls)
    return tuple(dict.fromkeys(plain))


def _pip_environ(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, value in environ.items():
        if key.startswith("PIP_") and value:
            yield key[4:].lower().replace("_", "-"), value


def _uv_environ(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in ("default-index", "index-url", "index", "extra-index-url", "find-links"):
        key = "UV_" + name.upper().replace("-", "_")
        if environ.get(key):
            # find-links and extra-index-url take commas too
            yield name, environ[key].replace(",", " ") if name == "find-links" else environ[key]


def _pip_paths(environ: Mapping[str, str]) -> list[Path]:
    named = environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return []
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()
    if sys.platform == "win32":
        data, roaming = environ.get("PROGRAMDATA"), environ.get("APPDATA")
        paths = [Path(data) / "pip/pip.ini"] if data else []
        paths += [home / "pip/pip.ini", *([Path(roaming) / "pip/pip.ini"] if roaming else [])]
        paths.append(Path(sys.prefix) / "pip.ini")
    else:
        mac = sys.platform == "darwin"
        shared = "/Library/Application Support" if mac else environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
        user = home / "Library/Application Support/pip"
        if not mac or not user.is_dir():
            user = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip"
        paths = [Path(folder) / "pip/pip.conf" for folder in shared.split(os.pathsep) if folder]
        paths += [Path("/etc/pip.conf"), home / ".pip/pip.conf", user / "pip.conf", Path(sys.prefix) / "pip.conf"]
    return [*paths, Path(named)] if named else paths


def _pip_files(paths: Iterable[Path]) -> Options:
    """Options of the sections global, then install, of each file; a later file wins."""
    options: Options = {}
    for path in paths:
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(path.read_text(encoding="utf-8-sig"), str(path))
        except OSError:  # most of them do not exist
            continue
        except (configparser.Error, ValueError) as error:
            raise DownloadError(f"pip's settings in {path} cannot be parsed") from error
        for section in ("global", "install"):
            if parser.has_section(section):
                for key, value in parser.items(section):
                    options[key.lower().replace("_", "-")] = value.split()
    return options


def _uv_paths(environ: Mapping[str, str]) -> list[Path]:
    if environ.get("UV_CONFIG_FILE"):
        return [Path(environ["UV_CONFIG_FILE"])]
    if environ.get("UV_NO_CONFIG"):
        return []
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()
    if sys.platform == "win32":
        folders = [environ.get("PROGRAMDATA"), environ.get("APPDATA")]
    else:
        folders = ["/etc", environ.get("XDG_CONFIG_HOME") or str(home / ".config")]
    return [Path(folder) / "uv/uv.toml" for folder in folders if folder]


def _uv_files(paths: Iterable[Path]) -> Options:
    options: Options = {}
    for path in paths:
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError:
            continue
        except ValueError as error:
            raise DownloadError(f"uv's settings in {path} cannot be parsed") from error
        options |= _uv_options(data | data.get("pip", {}))
    return options


def _uv_options(data: Mapping[str, Any]) -> Options:
    options: Options = {}
    for key in ("index-url", "extra-index-url", "find-links"):
        value = data.get(key, [])
        options[key] = [value] if isinstance(value, str) else list(value)
    for index in data.get("index", []):
        options.setdefault("default-index" if index.get("default") else "index", []).append(index["url"])
    return {key: value for key, value in options.items() if value}
