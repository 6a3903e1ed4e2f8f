"""What is to be sent: where, how often, for how long; checked before anything is."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import SplitResult, urlencode, urlsplit

from fastocr.errors import ArgumentError

__all__ = ["OPERATIONS", "Plan"]

# The paths of fastocr's own service, for an address that names none.
OPERATIONS = {"ocr": "/v2/ocr", "document": "/v2/ocr/document"}
MOST_CONNECTIONS = 10_000
# Connections of an open loop, where nothing else is said: most systems allow a process 1024 open files.
OPEN_LOOP_CONNECTIONS = 500


@dataclass(frozen=True)
class Plan:
    """One load test.  Raises ArgumentError for values that make none.

    url: http or https address of a service; where it has a path, that is posted to, else the operation's; its query
    goes along.
    images: the bodies, as the files have them; they take turns.
    rate: requests a second that are due at random (Poisson arrivals, drawn from `seed`), whatever becomes of those
    before: an open loop.  None for a closed loop, where each of `concurrency` clients sends its next request as soon as
    the last was answered.
    concurrency: clients of a closed loop (1); in an open loop the most connections (500), beyond which requests wait,
    and their waiting counts.
    duration: seconds in which requests are due; requests: how many there are at most; without both, 10 seconds.
    warmup: seconds of the same load before, which count for nothing.
    timeout: seconds that a request may take from the moment it is sent; token: sent as a bearer token.
    operation: "ocr" or "document"; output_format: what the answers are asked for (the service's default).
    """

    url: str
    images: Sequence[bytes]
    rate: float | None = None
    concurrency: int | None = None
    duration: float | None = None
    requests: int | None = None
    warmup: float = 0.0
    timeout: float = 60.0
    operation: str = "ocr"
    output_format: str | None = None
    token: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.images:
            raise ArgumentError("there is nothing to send: give at least one image")
        check("rate", self.rate, 1e-3, 1e5)
        check("concurrency", self.concurrency, 1, MOST_CONNECTIONS)
        check("duration", self.duration, 0.1, 1e6)
        check("requests", self.requests, 1, 1e9)
        check("warmup", self.warmup, 0, 1e6)
        check("timeout", self.timeout, 1e-3, 1e6)
        if self.operation not in OPERATIONS:
            raise ArgumentError(f"operation must be one of {', '.join(OPERATIONS)}, not {self.operation!r}")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise ArgumentError("the token must be printable ASCII characters")
        _ = self.address

    @cached_property
    def address(self) -> SplitResult:
        """The parts of the URL."""
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # a port that is no number, a host in brackets that is no address
            usable = False
        if not usable or not self.url.isascii() or not self.url.isprintable() or " " in self.url:
            raise ArgumentError(f"{self.url!r} is no address of a service: write one such as http://127.0.0.1:8080")
        if parts.username is not None or parts.password is not None:
            raise ArgumentError("an address takes no user and password here: give a token")
        return parts

    @property
    def host(self) -> str:
        return self.address.hostname or ""

    @property
    def secure(self) -> bool:
        return self.address.scheme == "https"

    @property
    def port(self) -> int:
        return self.address.port or (443 if self.secure else 80)

    @property
    def loopback(self) -> bool:
        """Whether the service is on this machine by its address; no name is looked up."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")

    @property
    def connections(self) -> int:
        """Requests that are under way at once, at most."""
        return self.concurrency or (1 if self.rate is None else OPEN_LOOP_CONNECTIONS)

    @property
    def seconds(self) -> float:
        """For how long requests are due, after the warm-up."""
        if self.duration is None and self.requests is None:
            return 10.0
        return math.inf if self.duration is None else self.duration

    def head(self, size: int) -> bytes:
        """The head of a request whose body has so many bytes."""
        path = self.address.path
        if path in ("", "/"):
            path = OPERATIONS[self.operation]
        form = urlencode({"output_format": self.output_format}) if self.output_format is not None else ""
        query = "&".join(part for part in (self.address.query, form) if part)
        lines = [
            f"POST {path}{'?' * bool(query)}{query} HTTP/1.1",
            f"Host: {self.address.netloc}",
            "User-Agent: fastocr-loadtest",
            "Content-Type: application/octet-stream",
            f"Content-Length: {size}",
            *([f"Authorization: Bearer {self.token}"] if self.token is not None else []),
        ]
        return "\r\n".join([*lines, "", ""]).encode("ascii")


def check(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise ArgumentError(f"{name} must be a number from {low:g} to {high:g}, not {value:g}")
