"""Metrics in the form of Prometheus, in a registry of the service's own.

What is counted is told by the calls that end (`Metrics.watch` is a watcher of the service); how the service stands is
asked for when somebody scrapes.  No label holds what a client has sent, and none takes more than `MOST` values.
"""

from __future__ import annotations

import platform
import threading
from collections.abc import Iterator
from typing import Any

from fastocr._version import DISTRIBUTION, __version__
from fastocr.errors import DependencyError, FastocrError
from fastocr.kernels import implementation
from fastocr.serve.call import Call
from fastocr.serve.codes import is_refusal
from fastocr.serve.service import Service

__all__ = ["Metrics"]

# Values that a label takes; all beyond them are one.
MOST = 64
OTHERS = "other"
NONE = "none"
# Upper bounds in seconds, of whole requests and of their stages.
REQUESTS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
STAGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Metrics:
    """The metrics of one service.  Raises DependencyError where prometheus-client is not installed."""

    def __init__(self, service: Service) -> None:
        client = load()
        self._client = client
        self._registry = registry = client.CollectorRegistry()
        self._labels = Labels()

        def counter(name: str, about: str, *labels: str) -> Any:
            return client.Counter(f"fastocr_{name}", about, labels, registry=registry)

        def histogram(name: str, about: str, bounds: tuple[float, ...], *labels: str) -> Any:
            return client.Histogram(f"fastocr_{name}", about, labels, registry=registry, buckets=bounds)

        self._requests = counter("requests", "Requests that ended.", "protocol", "operation", "model", "code")
        self._rejections = counter(
            "rejections", "Requests turned away for want of place, time or leave.", "protocol", "code"
        )
        self._degradations = counter(
            "degradations", "Requests that the light preset read because of the load.", "protocol", "model"
        )
        self._pages = counter("pages", "Images and pages that were read.", "protocol", "model")
        self._bytes = counter("received_bytes", "Bytes of the images and documents of requests.", "protocol")
        self._durations = histogram(
            "request_duration_seconds",
            "Time from a request's begin to its end.",
            REQUESTS,
            *("protocol", "operation", "model"),
        )
        self._stages = histogram(
            "stage_duration_seconds",
            "Time of a request in one stage, over all its pages; queue is the wait for a slot.",
            STAGES,
            *("protocol", "model", "stage"),
        )
        build = client.Info("fastocr_build", "What serves.", registry=registry)
        build.info({"version": __version__, "python": platform.python_version(), "kernels": implementation()})
        client.ProcessCollector(namespace="fastocr", registry=registry)
        registry.register(State(service))

    def watch(self, call: Call) -> None:
        """A watcher: counts a request that has ended."""
        known = self._labels
        protocol = known("protocol", call.protocol)
        operation = known("operation", call.operation)
        model = known("model", call.models or NONE)
        code = known("code", call.code)
        self._requests.labels(protocol, operation, model, code).inc()
        self._durations.labels(protocol, operation, model).observe(call.seconds)
        for stage, milliseconds in call.stages.items():
            self._stages.labels(protocol, model, known("stage", stage)).observe(milliseconds / 1e3)
        self._pages.labels(protocol, model).inc(call.pages)
        self._bytes.labels(protocol).inc(call.bytes_in)
        if is_refusal(call.code):
            self._rejections.labels(protocol, code).inc()
        if call.degraded:
            self._degradations.labels(protocol, model).inc()

    def expose(self) -> tuple[bytes, str]:
        """(the metrics, their media type)."""
        return self._client.generate_latest(self._registry), self._client.CONTENT_TYPE_LATEST


def load() -> Any:
    """The package `prometheus_client`; raises DependencyError where it is not installed."""
    try:
        import prometheus_client
    except ImportError as error:
        raise DependencyError(
            f'prometheus-client cannot be loaded ({error}): run `pip install "{DISTRIBUTION}[server]"`'
        ) from error
    return prometheus_client


class Labels:
    """The values that each label has had so far."""

    def __init__(self) -> None:
        self._known: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def __call__(self, label: str, value: str) -> str:
        """The value, or "other" where the label has had too many."""
        with self._lock:
            known = self._known.setdefault(label, set())
            if value in known or len(known) < MOST:
                known.add(value)
                return value
        return OTHERS


class State:
    """How the service stands, asked for at each scrape."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily

        def gauge(name: str, about: str, value: float) -> Any:
            return GaugeMetricFamily(f"fastocr_{name}", about, value)

        yield gauge("ready", "Whether requests are taken: 1 or 0.", self._service.ready)
        memory = self._service.memory
        yield gauge("memory_shedding", "Whether requests are refused for want of memory: 1 or 0.", memory.shedding)
        if memory.level is not None:
            yield gauge("memory_used_bytes", "Memory in use, as its limit counts it.", memory.level.used)
            yield gauge("memory_limit_bytes", "Memory that the process may have.", memory.level.limit)
        try:
            status, models = self._service.status(), self._service.models()
        except FastocrError:  # it is starting
            return
        pool = status.pool
        yield gauge("slots", "Readings that may be under way at once.", pool.slots)
        yield gauge("leases", "Slots in use.", pool.leased)
        yield gauge("queue_depth", "Requests that wait for a slot.", pool.waiting)
        yield gauge("queue_limit", "Requests that may wait; those beyond are refused.", pool.queue)
        yield gauge("requests_under_way", "Requests that have begun and not ended.", status.calls)
        yield gauge("documents_under_way", "Documents that are being read.", status.documents)
        yield gauge("pending_bytes", "Bytes of requests that are held in memory.", status.pending_bytes)
        yield gauge("degraded", "Whether new requests go to the light preset: 1 or 0.", status.degraded)
        yield gauge(
            "model_generation", "How often models were loaded: 1 at first, one more by each reload.", status.generation
        )
        reloads = CounterMetricFamily("fastocr_reloads", "Reloads, by how they ended.", labels=["result"])
        reloads.add_metric(["done"], status.generation - 1)
        reloads.add_metric(["failed"], self._service.reloads.failed)
        yield reloads
        info = InfoMetricFamily(
            "fastocr_model", "What reads: the usual engine, and the light one.", labels=["engine", "preset", "models"]
        )
        for engine in models["engines"]:
            info.add_metric(
                [engine["name"], engine["preset"], engine["models"]], {"generation": str(status.generation)}
            )
        yield info
