"""Who may ask: the Host that was meant, the Origin that sent it, the token.

A page of a foreign site can make a browser send requests here: under a name of its own that resolves to this machine
(DNS rebinding), or from its own origin.  The Host tells the first, the Origin the second.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastocr.errors import ForbiddenError, UnauthorizedError

if TYPE_CHECKING:
    from starlette.types import Scope

__all__ = ["Guard", "host_name", "origin_form"]

ADMINISTRATION = "/v2/admin/"
ABSOLUTE = re.compile("(?i:https?)://([^/?#]+)")
# Answers that a page of an allowed origin may see beside the body.
EXPOSED = "X-Request-Id, X-Fastocr-Preset, X-Fastocr-Models, X-Fastocr-Degraded, Server-Timing, Retry-After"


class Guard:
    """The rules of one service.

    token: what `Authorization: Bearer` must hold, or None for a service that asks for none.
    hosts: names beside localhost and addresses under which the service may be asked; "*" stands for all.
    origins: origins, such as "https://example.org", whose pages may ask; "*" stands for all.
    open_paths: paths that need no token.
    """

    def __init__(self, token: str | None, hosts: Iterable[str], origins: Iterable[str], open_paths: Iterable[str]):
        self._token = None if token is None else token.encode()
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self._open = frozenset(open_paths)

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """Raises ForbiddenError for a Host or an Origin that is not known, and for administration where there is no
        token to tell an administrator by; UnauthorizedError without the token."""
        self.check_host(headers.get("host", ""))
        self.check_origin(headers.get("origin"), headers.get("host", ""))
        if self._token is None:
            if path.startswith(ADMINISTRATION):
                raise ForbiddenError("administration needs a token: start the service with one to allow it")
        elif path not in self._open:
            self.check_token(headers.get("authorization", ""))

    def check_host(self, host: str) -> None:
        """An address cannot be rebound, so any is taken; a name must be known."""
        name = host_name(host)
        if not name:
            raise ForbiddenError("the request does not say which host it means: send a Host header")
        known = name == "localhost" or name.endswith(".localhost") or name in self._hosts or "*" in self._hosts
        if not known and not _is_address(name):
            raise ForbiddenError(f"the host {name[:100]!r} is not known here: add it to allowed_hosts to allow it")

    def check_origin(self, origin: str | None, host: str) -> None:
        if origin is None or self.allows(origin) or _place(origin) == host.lower():
            return
        raise ForbiddenError(f"pages of {origin[:100]!r} may not ask here: add it to allowed_origins to allow them")

    def check_token(self, authorization: str) -> None:
        scheme, _, given = authorization.partition(" ")
        # Headers are bytes, which the server hands over as Latin-1.
        right = hmac.compare_digest(given.strip(" \t").encode("latin-1", "replace"), self._token or b"")
        if scheme.lower() != "bearer" or not right:
            raise UnauthorizedError("this service asks for a token: send it as Authorization: Bearer TOKEN")

    def allows(self, origin: str) -> bool:
        """Whether a page of another origin may ask."""
        return "*" in self._origins or origin.lower() in self._origins

    def cors(self, headers: Mapping[str, str]) -> list[tuple[str, str]]:
        """What an answer must say so that a page of an allowed origin can read it; nothing for others."""
        origin = headers.get("origin")
        if not self._origins:
            return []
        if origin is None or not self.allows(origin):
            return [("Vary", "Origin")]
        return [
            ("Vary", "Origin"),
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Expose-Headers", EXPOSED),
        ]

    def preflight(self, method: str, headers: Mapping[str, str]) -> list[tuple[str, str]] | None:
        """The answer to a browser that asks before it sends a page's request, else None.  It carries no token."""
        if method != "OPTIONS" or "access-control-request-method" not in headers:
            return None
        self.check_host(headers.get("host", ""))
        if not self.allows(headers.get("origin", "")):
            raise ForbiddenError("pages of other origins may not ask here: add theirs to allowed_origins to allow them")
        return [
            ("Access-Control-Allow-Methods", "GET, POST"),
            ("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Request-Id, Traceparent"),
            ("Access-Control-Max-Age", "600"),
        ]


def origin_form(scope: Scope) -> Scope:
    """The same for a request whose target names the host as well: that is then its Host, whatever its header says (RFC
    9112, 3.2.2)."""
    target = ABSOLUTE.match(scope["path"])
    if target is None:
        return scope
    others = [(name, value) for name, value in scope["headers"] if name != b"host"]
    path = scope["path"][target.end() :] or "/"
    return {**scope, "path": path, "raw_path": path.encode(), "headers": [(b"host", target[1].encode()), *others]}


def host_name(host: str) -> str:
    """The name or address of a Host header, without its port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].removeprefix("[").lower()
    return host.partition(":")[0].lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _place(origin: str) -> str:
    """Host and port of an origin, as a browser writes both in Host; "" for what is no origin."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
