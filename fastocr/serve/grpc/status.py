"""Which status of gRPC each error has: one table, by the HTTP status that `fastocr.errors` gives it."""

from __future__ import annotations

from typing import Any

from fastocr.errors import DependencyError, FastocrError, ModelError, ModelNotFoundError, OverloadedError
from fastocr.serve.grpc.schema import grpcio

__all__ = ["CODE", "RETRY", "cut", "status_of", "trailers"]

# Trailing metadata: the stable code, and after how many milliseconds to try again, which clients with a retry policy
# heed by themselves.
CODE = "fastocr-code"
RETRY = "grpc-retry-pushback-ms"

BY_HTTP_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    408: "DEADLINE_EXCEEDED",
    413: "INVALID_ARGUMENT",
    415: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
BY_CODE = {
    # The server is there, and has too much to do; a server that is being stopped is UNAVAILABLE.
    OverloadedError.code: "RESOURCE_EXHAUSTED",
    # It would go on with other models, or with a package more.
    DependencyError.code: "FAILED_PRECONDITION",
    ModelError.code: "FAILED_PRECONDITION",
    ModelNotFoundError.code: "FAILED_PRECONDITION",
}
# A status travels in one header, of which clients take some 8 KB: of characters outside ASCII one takes up to 12 bytes.
LONGEST = 500


def status_of(kind: type[FastocrError]) -> Any:
    """The `grpc.StatusCode` of a kind of error."""
    name = BY_CODE.get(kind.code) or BY_HTTP_STATUS[kind.http_status]
    return grpcio().StatusCode[name]


def cut(message: str) -> str:
    """The message, as much of it as may travel."""
    return message if len(message) <= LONGEST else f"{message[:LONGEST]}..."


def trailers(error: FastocrError) -> tuple[tuple[str, str], ...]:
    """What a failed call's trailing metadata say of the error."""
    code = (CODE, error.code)
    if isinstance(error, OverloadedError):
        return code, (RETRY, str(round(1000 * error.retry_after)))
    return (code,)
