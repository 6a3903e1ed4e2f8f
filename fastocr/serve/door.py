"""What surrounds every request: its id, who may ask, what is told of it, and errors as JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastocr.errors import (
    CancelledError,
    FastocrError,
    MethodError,
    NotFoundError,
    OverloadedError,
    RequestError,
    UnavailableError,
)
from fastocr.serve import answers
from fastocr.serve.call import Call
from fastocr.serve.guard import Guard, origin_form
from fastocr.serve.wire import CROWDED, Exchange

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from fastocr.serve.service import Service

__all__ = ["HEALTH", "READY", "Door", "Turn", "turn_of"]

log = logging.getLogger("fastocr.serve")

HEALTH = "/healthz"
READY = "/readyz"
# What a page of the service may load; answers of the API load nothing, wherever they are shown.
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request on its way: its exchange, its call, and what it holds until its end."""

    exchange: Exchange
    call: Call
    held: ExitStack


def turn_of(request: Request) -> Turn:
    """The turn that the door has made of this request."""
    turn: Turn = request.state.turn
    return turn


class Door:
    """The app that stands before the routes.

    operations: the name of what a path does, for those that are told to the service's watchers.
    page: the paths of the page and its files.
    """

    def __init__(
        self,
        app: ASGIApp,
        service: Service,
        guard: Guard,
        body_timeout: float,
        operations: Mapping[str, str],
        page: frozenset[str],
    ) -> None:
        self._app = app
        self._service = service
        self._guard = guard
        self._body_timeout = body_timeout
        self._operations = operations
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from starlette.datastructures import Headers

        scope = origin_form(scope)
        path, headers = scope["path"], Headers(scope=scope)
        call = Call("http", self._operations.get(path, "other"), trace=headers.get("traceparent"))

        def every() -> list[tuple[str, str]]:
            page = path in self._page
            own = [
                ("X-Request-Id", call.id),
                ("Content-Security-Policy", PAGE_POLICY if page else POLICY),
                ("Cache-Control", "no-cache" if page else "no-store"),
            ]
            return [*own, *HEADERS, *self._guard.cors(headers), *answers.head(call)]

        exchange = Exchange(scope, receive, send, self._body_timeout, every)
        try:
            with ExitStack() as held:
                if path.startswith("/v2/"):
                    held.enter_context(self._service.observed(call))
                scope.setdefault("state", {})["turn"] = Turn(exchange, call, held)
                await self._pass(scope, headers, exchange)
        except CancelledError:
            if not exchange.gone:  # its client is there: the service itself has ended what still ran
                stopped = UnavailableError("the service was stopped before this was done: try again later")
                await self._refuse(exchange, stopped, call)
        except FastocrError as error:
            if error.http_status == 500:
                log.exception("request %s failed", call.id)
            await self._refuse(exchange, error, call)
        except Exception:
            log.exception("request %s failed", call.id)
            await self._refuse(exchange, FastocrError("unforeseen"), call)

    async def _pass(self, scope: Scope, headers: Mapping[str, str], exchange: Exchange) -> None:
        """Through the guard to the routes; their errors are of the one table."""
        from starlette.exceptions import HTTPException

        granted = self._guard.preflight(scope["method"], headers)
        if granted is not None:
            await answers.send_whole(exchange.send, 204, "", b"", granted)
            return
        self._guard.check(scope["path"], headers)
        if "transfer-encoding" in headers and "content-length" in headers:
            # Two servers that choose differently see two different requests (RFC 9112, 6.3).
            raise RequestError("a request has either a Content-Length or a Transfer-Encoding: send one of them")
        exchange.last = scope["state"].get(CROWDED, False)
        if exchange.last and scope["path"] not in (HEALTH, READY):
            raise OverloadedError("there are too many connections: try again later, or keep fewer open")
        try:
            await self._app({**scope, "app": self}, exchange.receive, exchange.send)
        except HTTPException as error:
            if error.status_code == 405:
                allowed = (error.headers or {})["Allow"]
                raise MethodError(f"{scope['method'][:20]} is not done here: use {allowed}", allowed) from error
            if error.status_code == 404:
                raise NotFoundError("there is nothing at this path: /openapi.json lists what there is") from error
            raise RequestError(str(error.detail)) from error

    async def _refuse(self, exchange: Exchange, error: FastocrError, call: Call) -> None:
        # Where an answer has begun it cannot become another: the server closes a connection on which it is not whole.
        if not exchange.started:
            await answers.send_error(exchange.send, error, call.id)
