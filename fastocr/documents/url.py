"""Fetching a document from an http or https address that somebody else may have chosen.

Nothing is fetched from a machine that is not on the public internet: not from this one, nor from its neighbours, nor
from what a cloud keeps at link-local addresses.  A host's name is looked up here, each address is checked, and the
connection is made to that very address, so that a name which means another machine a moment later (DNS rebinding) gains
nothing; the same goes for each redirect.  Proxies, cookies and stored passwords are not used.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import threading
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from fastocr._version import DISTRIBUTION, __version__
from fastocr.errors import InputError
from fastocr.images import Limits
from fastocr.models.http import CHUNK, redact, tls
from fastocr.models.settings import Settings

__all__ = ["fetch", "is_public", "redact"]

#: Seconds that fetching a document may take, redirects and all.
TIME = 60.0
REDIRECTS = 5
MOVED = (301, 302, 303, 307, 308)
PORTS = {"http": 80, "https": 443}
HOST = re.compile(r"[^\s\x00-\x1f\x7f]+")
HEADERS = {"User-Agent": f"{DISTRIBUTION}/{__version__}", "Accept-Encoding": "identity", "Connection": "close"}
#: Addresses of version 6 that stand for one of version 4: its last 32 bits.
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


def fetch(url: str, limits: Limits, seconds: float = TIME) -> bytes:
    """The content at an http or https address.

    Raises InputError where it cannot be had within ``seconds`` or lies at an address that is not public, LimitError
    where it is larger than ``limits`` allow.
    """
    deadline = Deadline(seconds)
    for _ in range(REDIRECTS + 1):
        parts = checked(url)
        with deadline.watching(Connection(parts, deadline)) as asked:
            location, body = answer(asked, parts, limits)
        deadline.left()  # a connection that was cut looks like one that has ended
        if location is None:
            return body
        url = urllib.parse.urljoin(url, location)
    raise InputError(f"it is redirected more than {REDIRECTS} times")


def checked(url: str) -> urllib.parse.SplitResult:
    """The parts of an address, of a kind that is fetched."""
    try:
        parts = urllib.parse.urlsplit(url)
        known = parts.scheme in PORTS and HOST.fullmatch(parts.hostname or "") is not None and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise InputError(f"{redact(url)} is no http or https address, and no other is fetched")
    if parts.username is not None or parts.password is not None:
        raise InputError("its address holds a user or a password: fetch it yourself and pass the bytes")
    return parts


class Deadline:
    """A moment by which all must be done: a connection that is in use then is cut, however slowly it answers."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds to the end; raises InputError where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def error(self) -> InputError:
        return InputError(f"it did not come within {self._seconds:g} s")

    @contextmanager
    def watching(self, asked: Connection) -> Iterator[Connection]:
        """The connection, which is closed in the end; what goes wrong with it is an InputError."""
        timer = threading.Timer(self.left(), _cut, (asked,))
        timer.daemon = True
        timer.start()
        try:
            yield asked
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() >= self._end:
                raise self.error() from error
            raise InputError(f"it cannot be fetched ({_reason(error)})") from error
        finally:
            timer.cancel()
            asked.close()


def _cut(asked: Connection) -> None:
    with suppress(OSError):  # it was closed meanwhile
        if asked.wire is not None:
            asked.wire.shutdown(socket.SHUT_RDWR)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


class Connection(http.client.HTTPConnection):
    """A connection to a public address of a host, and to no other."""

    def __init__(self, parts: urllib.parse.SplitResult, deadline: Deadline) -> None:
        self.default_port = PORTS[parts.scheme]
        super().__init__(str(parts.hostname), parts.port or self.default_port)
        self._deadline = deadline
        self._tls = tls(Settings()) if parts.scheme == "https" else None
        self.wire: socket.socket | None = None
        """The socket, also once a response has taken it over."""

    def connect(self) -> None:
        self.wire = self.sock = connected(self.host, self.port, self._deadline)
        if self._tls is not None:
            secure = self._tls.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.wire = self.sock = secure  # before the handshake, which may have to be cut
            secure.do_handshake()


def connected(host: str, port: int, deadline: Deadline) -> socket.socket:
    """A socket to the first public address of a host that answers.  Raises InputError where there is none."""
    failure: OSError | None = None
    refused = ""
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = str(place[0])
        if not is_public(address):
            refused = address
            continue
        made = socket.socket(family, kind, protocol)
        try:
            made.settimeout(deadline.left())
            made.connect(place)
        except OSError as error:
            made.close()
            failure = error
        else:
            return made
    if failure is not None:
        raise failure
    raise InputError(f"its host has the address {refused}, which is not public, and nothing is fetched from there")


def is_public(address: str) -> bool:
    """Whether an address is of the public internet; one that stands for another is what the other is."""
    try:
        ip: Ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_global(ip) and all(map(_is_global, _within(ip)))


def _is_global(ip: Ip) -> bool:
    if isinstance(ip, ipaddress.IPv6Address) and ip.is_site_local:
        return False
    return ip in TRANSLATED or (ip.is_global and not ip.is_multicast and not ip.is_reserved)


def _within(ip: Ip) -> Iterator[Ip]:
    """Addresses of version 4 that an address of version 6 leads to."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            yield ip.ipv4_mapped
        if ip.sixtofour is not None:
            yield ip.sixtofour
        if ip.teredo is not None:
            yield from ip.teredo
        if ip in TRANSLATED:
            yield ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)


def answer(asked: Connection, parts: urllib.parse.SplitResult, limits: Limits) -> tuple[str | None, bytes]:
    """(where it has gone, its content), one of them empty."""
    asked.request("GET", target(parts), headers=HEADERS)
    with asked.getresponse() as response:
        location = response.headers.get("Location")
        if response.status in MOVED and location:
            return location, b""
        if response.status != http.client.OK:
            raise InputError(f"the server answers HTTP {response.status} {response.reason}")
        announced = response.length  # None where it is not stated
        limits.check_bytes(announced or 0)
        content = bytearray()
        while piece := response.read(CHUNK):
            content += piece
            limits.check_bytes(len(content))
        if announced is not None and len(content) < announced:
            raise InputError(f"the connection closed after {len(content)} of {announced} bytes")
    return None, bytes(content)


def target(parts: urllib.parse.SplitResult) -> str:
    """What is asked of the host: path and query, with no character that would end the line."""
    path = urllib.parse.quote(parts.path or "/", safe="%/:=&~+!$,;'@()*[]")
    query = urllib.parse.quote(parts.query, safe="%/:=&?~+!$,;'@()*[]")
    return f"{path}?{query}" if query else path
