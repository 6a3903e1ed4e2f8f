"""What the codes with which requests end mean to those who run the service."""

from __future__ import annotations

from fastocr.errors import FastocrError, table
from fastocr.serve.call import OK

__all__ = ["is_fault", "is_refusal"]

#: HTTP statuses of requests that were turned away for want of place, of time or of leave.
REFUSALS = (401, 403, 408, 503, 504)

_STATUS = {kind.code: kind.http_status for kind in table()}


def is_fault(code: str) -> bool:
    """Whether the service itself is at fault: neither the request nor the load is."""
    return code != OK and _STATUS.get(code, FastocrError.http_status) == FastocrError.http_status


def is_refusal(code: str) -> bool:
    """Whether the request was turned away, or given up, without anything being wrong with its content."""
    return _STATUS.get(code) in REFUSALS
