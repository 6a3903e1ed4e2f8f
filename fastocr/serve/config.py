"""Every setting of the service, with its default, what it means, and its bounds.

A setting is also a flag (``--max-body-bytes``), a variable (``FASTOCR_SERVE_MAX_BODY_BYTES``) and a key of the
configuration file (``max_body_bytes``): `fastocr.serve.settings` reads them.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastocr.config import Options, Settings, preset
from fastocr.errors import ArgumentError

__all__ = ["KINDS", "OFF", "ServeConfig", "types_of"]

MIB = 2**20
# The light preset where there is none.
OFF = "off"


def option(
    default: Any, about: str, low: float | None = None, high: float | None = None, choices: tuple[str, ...] = ()
) -> Any:
    """A field with what its users have to know: ``about``, and the bounds of a number or the known words."""
    metadata = {"about": about, "range": None if low is None else (low, high), "choices": choices}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Settings of one service.  ArgumentError, naming the setting, for a value that cannot be used."""

    host: str = option("127.0.0.1", "address to listen on; 0.0.0.0 for all")
    port: int = option(8080, "port of HTTP; 0 for any that is free", 0, 65535)
    grpc_port: int | None = option(None, "port of gRPC; without it there is none", 0, 65535)
    token: str | None = option(None, "bearer token that every request must carry, and that administration needs")
    open_metrics: bool = option(False, "whether /metrics is answered without the token")
    allowed_hosts: tuple[str, ...] = option((), "names by which clients may call the service, beside its address")
    allowed_origins: tuple[str, ...] = option((), "origins of other pages that may call the service from a browser")

    preset: str | None = option(None, "preset of the engines (balanced)")
    models: str | None = option(None, "model set instead of a preset")
    det: str | None = option(None, "another detector, by name or path")
    rec: str | None = option(None, "another recognizer, by name or path")
    dictionary: str | None = option(None, "characters of a recognizer given by path")
    lang: tuple[str, ...] = option((), "languages of the text")
    light_preset: str = option("fast", 'preset of requests under high load; "off" for none')
    options: Mapping[str, Any] = option({}, "read options that hold where a request names none")
    backend: str = option("onnxruntime", "what runs the networks")
    offline: bool = option(False, "whether missing models are an error instead of being fetched")

    threads: int | None = option(None, "processors to use (all that the process may use)", 1, 1024)
    slots: int | None = option(None, "readings at once (one more than processors)", 1, 1024)
    queue: int = option(32, "requests that may wait for a slot; beyond it they are refused", 0, 100_000)
    degrade_at: int | None = option(
        None, "waiting requests from which on the light preset reads (half the slots)", 1, 100_000
    )
    restore_at: int | None = option(
        None, "waiting requests from which down the usual preset reads again (a quarter of the slots)", 0, 100_000
    )
    documents: int | None = option(None, "documents that are read at once (as many as slots)", 1, 1024)

    deadline_ms: int = option(30_000, "time for a request that names none", 1, 86_400_000)
    max_deadline_ms: int = option(300_000, "the most time that a request may ask for", 1, 86_400_000)
    max_body_bytes: int = option(20 * MIB, "bytes of a request's body at most", 1, 2**40)
    max_pending_bytes: int = option(256 * MIB, "bytes of all requests in memory at most", 1, 2**40)
    max_pixels: int = option(50_000_000, "pixels of an image at most", 1, 2**40)
    max_pages: int = option(500, "pages of a document at most", 1, 1_000_000)
    max_page_seconds: int = option(20, "time to open a PDF, and to render each of its pages", 1, 3600)
    max_page_memory: int = option(1024 * MIB, "bytes that the process which opens a PDF may take", MIB, 2**40)
    max_batch: int = option(32, "images of a batch at most", 1, 10_000)
    max_connections: int = option(256, "connections at once at most", 1, 100_000)
    header_seconds: float = option(10.0, "time for a request's head, and between requests of a connection", 0.1, 3600)
    body_seconds: float = option(30.0, "time for a request's body, and for a client to take an answer", 0.1, 3600)
    drain_seconds: float = option(30.0, "time for requests under way when the service is stopped", 0, 3600)
    memory_limit: int | None = option(
        None, "bytes beyond which load is shed; by default nine tenths of what the process may have", 1, 2**50
    )

    log_level: str = option("info", "what is logged", choices=("debug", "info", "warning", "error"))
    log_format: str = option(
        "auto", "form of the log; auto: text on a terminal, else JSON", choices=("auto", "text", "json")
    )

    def __post_init__(self) -> None:
        for setting in dataclasses.fields(self):
            problem = wrong(setting, getattr(self, setting.name))
            if problem:
                raise ArgumentError(f"{setting.name} must be {problem}, not {getattr(self, setting.name)!r}")
        if self.token is not None and not re.fullmatch("[!-~]+", self.token):
            raise ArgumentError("token must be at least one character, and printable ASCII without spaces")
        if self.preset is not None:
            preset(self.preset)
        if self.light_preset != OFF:
            preset(self.light_preset)
        if self.deadline_ms > self.max_deadline_ms:
            raise ArgumentError(f"deadline_ms must not be above max_deadline_ms, {self.max_deadline_ms}")
        if self.max_body_bytes > self.max_pending_bytes:
            raise ArgumentError(f"max_body_bytes must not be above max_pending_bytes, {self.max_pending_bytes}")
        Settings().replace(Options(**self.options))  # type: ignore[typeddict-item]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a setting takes, in words and as a test."""

    name: str
    fits: Callable[[Any], bool]


KINDS: Mapping[Any, Kind] = {
    bool: Kind("true or false", lambda value: isinstance(value, bool)),
    int: Kind("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    float: Kind(
        "a number",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    ),
    str: Kind("a text", lambda value: isinstance(value, str)),
    tuple: Kind(
        "a list of texts", lambda value: isinstance(value, tuple) and all(isinstance(each, str) for each in value)
    ),
    Mapping: Kind("names with values", lambda value: isinstance(value, Mapping)),
}


@functools.cache
def types_of() -> Mapping[str, tuple[Any, bool]]:
    """The type of each setting's value, a key of `KINDS`, and whether it may be None instead."""
    found = {}
    for name, stated in typing.get_type_hints(ServeConfig).items():
        parts = typing.get_args(stated) if typing.get_origin(stated) is types.UnionType else (stated,)
        (kind,) = (part for part in parts if part is not types.NoneType)
        found[name] = (typing.get_origin(kind) or kind, types.NoneType in parts)
    return found


def wrong(setting: dataclasses.Field[Any], value: Any) -> str:
    """What a setting must be, where the value is not; else nothing."""
    kind, optional = types_of()[setting.name]
    if value is None and optional:
        return ""
    if not KINDS[kind].fits(value):
        return KINDS[kind].name
    if (bounds := setting.metadata["range"]) is not None and not bounds[0] <= value <= bounds[1]:
        return f"{KINDS[kind].name} from {bounds[0]} to {bounds[1]}"
    if (choices := setting.metadata["choices"]) and value not in choices:
        return f"one of {', '.join(choices)}"
    return ""
