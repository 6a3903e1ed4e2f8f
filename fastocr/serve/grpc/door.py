"""What surrounds every call of the gRPC service: its id, token, deadline and limits, and errors as statuses."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from fastocr.errors import (
    DeadlineError,
    FastocrError,
    ForbiddenError,
    ModelError,
    OverloadedError,
    RequestError,
    SlowRequestError,
)
from fastocr.serve.answers import shown
from fastocr.serve.call import Call
from fastocr.serve.grpc import calls
from fastocr.serve.grpc.schema import SERVICE, grpcio, types
from fastocr.serve.grpc.status import cut, status_of, trailers
from fastocr.serve.guard import Guard
from fastocr.serve.service import Service

__all__ = ["Door", "refuse"]

log = logging.getLogger("fastocr.serve")

REQUEST_ID = "x-request-id"
# A deadline by the client's clock may end a call some milliseconds before it is over by ours.
EARLY = 0.05
LATE = "the time that was given is over: give more, or a smaller image"

Run = Callable[[Service, Call, Any], Any]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the service: what it does, what it is called where calls are told of, and its request's message.

    reads: whether it is refused early where all slots are taken.  admin: whether it needs a token that tells an
    administrator.  long: whether it has the most time that a call may ask for, where it asks for none.
    """

    run: Run
    operation: str
    request: str
    reads: bool = True
    admin: bool = False
    long: bool = False


METHODS: Mapping[str, Method] = {
    "Read": Method(calls.read, "ocr", "ReadRequest"),
    "ReadBatch": Method(calls.read_batch, "batch", "ReadBatchRequest"),
    "ReadDocument": Method(calls.read_document, "document", "ReadDocumentRequest", long=True),
    "Reload": Method(calls.reload, "reload", "ReloadRequest", reads=False, admin=True, long=True),
    "Models": Method(calls.models, "models", "ModelsRequest", reads=False),
}


class Door:
    """Takes the calls of one server, in one event loop."""

    def __init__(self, service: Service, guard: Guard) -> None:
        self._service = service
        self._guard = guard
        self._open = 0
        self.idle = asyncio.Event()
        """Set while no call is open."""
        self.idle.set()
        config = service.config
        # gRPC says how large a message is only when it is here: as many come at once as may be in memory.
        self._arriving = asyncio.Semaphore(config.max_pending_bytes // config.max_body_bytes)

    def handler(self) -> Any:
        """The methods for `grpc.aio.Server.add_generic_rpc_handlers`.

        On the wire a call with one message is a stream of one, so that here each may be refused before its message
        is taken, and a client that takes its answers slowly is noticed.
        """
        grpc = grpcio()
        handlers = {
            name: grpc.stream_stream_rpc_method_handler(self._taking(method)) for name, method in METHODS.items()
        }
        return grpc.method_handlers_generic_handler(SERVICE, handlers)

    def _taking(self, method: Method) -> Any:
        async def take(_: Any, context: Any) -> None:
            await self._take(method, context)

        return take

    async def _take(self, method: Method, context: Any) -> None:
        metadata = dict(context.invocation_metadata() or ())
        call = Call("grpc", method.operation, self._deadline(method, context), trace=metadata.get("traceparent"))
        context.set_trailing_metadata(((REQUEST_ID, call.id),))
        self._open += 1
        self.idle.clear()
        try:
            failure = await self._failure(method, call, metadata.get("authorization", ""), context)
            if failure is not None:
                message = str(failure) if is_told(method, failure) else shown(failure)
                await refuse(context, failure, message, (REQUEST_ID, call.id))
        finally:
            self._open -= 1
            if not self._open:
                self.idle.set()

    async def _failure(self, method: Method, call: Call, authorization: str, context: Any) -> FastocrError | None:
        """Answers the call; the error where there is one, without the frames that hold the call's message."""
        try:
            with self._service.observed(call):
                await self._answer(method, call, authorization, context)
        except Exception as error:
            known = error if isinstance(error, FastocrError) else FastocrError("unforeseen")
            if known.http_status == FastocrError.http_status and not is_told(method, known):
                log.exception("request %s failed", call.id)
            known.__cause__ = known.__context__ = None
            return known.with_traceback(None)
        return None

    def _deadline(self, method: Method, context: Any) -> float:
        """When a call's time is over, as `time.monotonic` counts."""
        config, left = self._service.config, context.time_remaining()
        usual = config.max_deadline_ms if method.long else config.deadline_ms
        return time.monotonic() + (usual / 1e3 if left is None else min(left, config.max_deadline_ms / 1e3))

    async def _answer(self, method: Method, call: Call, authorization: str, context: Any) -> None:
        """Takes the request and sends what it is answered; raises FastocrError."""
        self._check(method, authorization)
        try:
            data = await self._received(call, context)
            with self._service.holding(len(data)):
                answering = method.run(self._service, call, parsed(method.request, data))
                del data
                async with aclosing(answering) as answers:
                    async for answer in answers:
                        await self._sent(answer, context)
        except asyncio.CancelledError:
            # gRPC cancels the task when the client has gone, and also when the client's deadline is over.
            if late(call):
                raise DeadlineError(LATE) from None
            raise

    def _check(self, method: Method, authorization: str) -> None:
        """Whether the call is to be taken at all; nothing of its message has been."""
        config = self._service.config
        if config.token is not None:
            self._guard.check_token(authorization)
        elif method.admin:
            raise ForbiddenError("administration needs a token: start the service with one to allow it")
        if self._open > config.max_connections:
            raise OverloadedError(f"{config.max_connections} calls are open: try again later")
        if method.reads:
            self._service.refuse_early()

    async def _received(self, call: Call, context: Any) -> bytes:
        """The request's message; SlowRequestError where it does not come in time, RequestError where none comes."""
        try:
            async with asyncio.timeout(call.left), self._arriving, asyncio.timeout(self._service.config.body_seconds):
                data = await context.read()
        except TimeoutError as error:
            if late(call):
                raise DeadlineError(LATE) from error
            raise SlowRequestError("the request's message did not arrive in time: send it faster") from error
        if not isinstance(data, bytes):
            raise RequestError("the call has no message, or one that is larger than may be")
        return data

    async def _sent(self, answer: Any, context: Any) -> None:
        """Sends one message; SlowRequestError where the client does not take it in time."""
        try:
            async with asyncio.timeout(self._service.config.body_seconds):
                await context.write(answer.SerializeToString())
        except TimeoutError as error:
            raise SlowRequestError("the answer was not taken in time: read the messages as they come") from error


def is_told(method: Method, error: FastocrError) -> bool:
    """Whether the caller is told the whole of a fault: an administrator is, why models cannot be used."""
    return method.admin and isinstance(error, ModelError)


def late(call: Call) -> bool:
    return call.left is not None and call.left < EARLY


def parsed(name: str, data: bytes) -> Any:
    """The request's message; RequestError for bytes that are none."""
    from google.protobuf.message import DecodeError

    try:
        return getattr(types(), name).FromString(data)
    except DecodeError as error:
        raise RequestError(f"these bytes are no {name} of the service's ocr.proto") from error


async def refuse(context: Any, error: FastocrError, message: str, *metadata: tuple[str, str]) -> None:
    """Ends a call with the error's status, and the message as its details."""
    await context.abort(status_of(type(error)), cut(message), (*metadata, *trailers(error)))
