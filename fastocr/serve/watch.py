"""Who watches a service: traces, logs, metrics."""

from __future__ import annotations

from fastocr.serve.logs import log_call
from fastocr.serve.metrics import Metrics
from fastocr.serve.service import Service
from fastocr.serve.trace import Tracer

__all__ = ["watch"]


def watch(service: Service) -> Metrics:
    """Has the service's requests traced, logged and counted; gives the metrics, for whoever answers `/metrics`.  Raises
    DependencyError without the extra `server`."""
    metrics = Metrics(service)
    service.watchers += [Tracer(), log_call, metrics.watch]  # in this order: a log line names the trace
    return metrics
