"""Every error that fastocr raises on purpose, in one table.

Each kind carries a stable ``code`` (for JSON and HTTP), the command's ``exit_code`` and the service's
``http_status``.  The message is one clear sentence that says what to do.  Standard library only: the kernels
import this module.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "ArgumentError",
    "BackendError",
    "CancelledError",
    "ClosedError",
    "DeadlineError",
    "DependencyError",
    "DownloadError",
    "FastocrError",
    "ForbiddenError",
    "GateError",
    "InputError",
    "LimitError",
    "MethodError",
    "ModelError",
    "ModelNotFoundError",
    "NotFoundError",
    "OutputError",
    "OverloadedError",
    "PasswordError",
    "RequestError",
    "ShapeError",
    "SlowRequestError",
    "UnauthorizedError",
    "UnavailableError",
    "UnsupportedFormatError",
    "table",
]


class FastocrError(Exception):
    """Base of every error that fastocr raises on purpose."""

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500


class ArgumentError(FastocrError, ValueError):
    """An option or argument has a value that cannot be used."""

    code = "bad_argument"
    exit_code = 2
    http_status = 400


class InputError(FastocrError):
    """The image cannot be read; the message names the source and the reason."""

    code = "unreadable_image"
    exit_code = 3
    http_status = 422


class UnsupportedFormatError(InputError):
    """The bytes, dtype or pixel layout are of a kind that fastocr does not take."""

    code = "unsupported_format"
    http_status = 415


class PasswordError(InputError):
    """The document is encrypted, and the password is missing or wrong."""

    code = "wrong_password"


class LimitError(InputError):
    """The input exceeds a limit; it was refused before memory was spent on it."""

    code = "too_large"
    http_status = 413


class ModelError(FastocrError):
    """A model file, its charset or its registry row is not usable."""

    code = "bad_model"
    exit_code = 4


class ModelNotFoundError(ModelError):
    """No model or model set of this name, or its file is not there."""

    code = "model_not_found"


class DownloadError(ModelError):
    """A model file could not be fetched or did not verify."""

    code = "download_failed"
    exit_code = 5
    http_status = 503


class ShapeError(ModelError):
    """A tensor lies outside the bounds that the model declares."""

    code = "shape_out_of_bounds"
    http_status = 413


class DependencyError(FastocrError, ImportError):
    """A package or system library is missing; the message says what to install."""

    code = "missing_dependency"
    exit_code = 6


class BackendError(FastocrError):
    """The inference runtime failed."""

    code = "backend_failed"
    exit_code = 7


class CancelledError(FastocrError):
    """The run was cancelled by the caller."""

    code = "cancelled"
    exit_code = 8
    http_status = 499


class ClosedError(FastocrError):
    """The object was closed before this call."""

    code = "closed"


class OutputError(FastocrError):
    """A result could not be written."""

    code = "write_failed"
    exit_code = 9


class OverloadedError(FastocrError):
    """More is asked than can be done in time; ``retry_after`` says in how many seconds it is worth another try."""

    code = "overloaded"
    exit_code = 10
    http_status = 503

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnavailableError(OverloadedError):
    """The service is not ready yet, or is being stopped."""

    code = "unavailable"


class DeadlineError(FastocrError):
    """The time that the caller gave is over; what ran for it was terminated."""

    code = "deadline_exceeded"
    exit_code = 11
    http_status = 504


class GateError(FastocrError):
    """A model set that was made did not prove as good as it has to be, and is not kept; ``report`` is what was measured
    (`fastocr.quantize.report`)."""

    code = "gate_failed"
    exit_code = 13

    def __init__(self, message: str, report: object = None) -> None:
        super().__init__(message)
        self.report = report


class RequestError(FastocrError):
    """A request to the service that it cannot understand."""

    code = "bad_request"
    exit_code = 12
    http_status = 400


class UnauthorizedError(RequestError):
    """The service wants a token, and the request has none or a wrong one."""

    code = "unauthorized"
    http_status = 401


class ForbiddenError(RequestError):
    """The service does not do this for this caller."""

    code = "forbidden"
    http_status = 403


class NotFoundError(RequestError):
    """The service has nothing at this path."""

    code = "not_found"
    http_status = 404


class MethodError(RequestError):
    """The service has this path, but not for this method; ``allowed`` names those that it has, as an Allow header."""

    code = "method_not_allowed"
    http_status = 405

    def __init__(self, message: str, allowed: str = "") -> None:
        super().__init__(message)
        self.allowed = allowed


class SlowRequestError(RequestError):
    """A request did not arrive in time."""

    code = "request_timeout"
    http_status = 408


def table() -> list[type[FastocrError]]:
    """All kinds, the base first, in the order in which this module defines them."""
    kinds = (value for value in globals().values() if isinstance(value, type))
    return [kind for kind in kinds if issubclass(kind, FastocrError)]
