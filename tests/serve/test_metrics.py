"""Metrics: what an independent parser reads of them, against the requests that were made."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastocr.errors import FastocrError, OverloadedError, UnavailableError
from fastocr.pool import PoolState
from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.memory import Level
from fastocr.serve.service import Service, Status

pytest.importorskip("prometheus_client", reason="needs the extra server")

from prometheus_client.parser import text_string_to_metric_families

from fastocr.serve.metrics import MOST, Metrics
from fastocr.serve.watch import watch

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
# https://prometheus.io/docs/practices/naming/: base units at the end, before the suffix of the kind.
NAME = re.compile(r"fastocr_[a-z]+(_[a-z]+)*")
UNITS_THAT_ARE_NONE = re.compile(r"_(ms|milliseconds|minutes|kb|mb|megabytes|percent)(_|$)")


class StandIn:
    """A service that stands as it is told."""

    def __init__(self) -> None:
        self.watchers: list[Any] = []
        self.ready = True
        self.memory = SimpleNamespace(level=Level(600, 1000, "the machine"), shedding=False)
        self.reloads = SimpleNamespace(failed=2)
        self.now = Status(PoolState(3, 2, 5, 32, 1.0), True, True, 4, 1, 9000, 7)

    def status(self) -> Status:
        return self.now

    def models(self) -> dict[str, Any]:
        return {"engines": [{"name": "usual", "preset": "balanced", "models": "cascade"}]}


def samples(metrics: Metrics) -> Samples:
    body, media_type = metrics.expose()
    assert media_type.startswith("text/plain; version=")
    found: Samples = {}
    for family in text_string_to_metric_families(body.decode("utf-8")):
        assert family.documentation
        for sample in family.samples:
            key = sample.name, frozenset(sample.labels.items())
            assert key not in found, "each series once"
            found[key] = sample.value
    return found


def value(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((name, frozenset(labels.items())))


def total(found: Samples, name: str, **labels: str) -> float:
    """The sum of the series that have these labels."""
    wanted = set(labels.items())
    return sum(count for (each, has), count in found.items() if each == name and wanted <= has)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics(StandIn())  # type: ignore[arg-type]


def ended(protocol: str = "http", operation: str = "ocr", **values: Any) -> Call:
    call = Call(protocol, operation, **values)
    call.ended = call.begun + 0.3
    return call


def test_what_ended_is_counted(metrics: Metrics) -> None:
    read = {"models": "tiny", "preset": "fast", "pages": 2, "bytes_in": 1000}
    metrics.watch(ended(**read, stages={"queue": 4.0, "detect": 30.0}))
    metrics.watch(ended(**read, degraded=True, stages={"queue": 40.0, "detect": 30.0}))
    metrics.watch(ended("grpc", "document", **read))
    metrics.watch(ended(code="overloaded"))
    metrics.watch(ended(code="unreadable_image", bytes_in=5))
    found = samples(metrics)
    of = {"protocol": "http", "operation": "ocr", "model": "tiny"}
    assert value(found, "fastocr_requests_total", **of, code="ok") == 2
    assert total(found, "fastocr_requests_total") == 5
    assert total(found, "fastocr_requests_total", protocol="grpc") == 1
    assert value(found, "fastocr_request_duration_seconds_count", **of) == 2
    assert value(found, "fastocr_request_duration_seconds_sum", **of) == pytest.approx(0.6)
    assert value(found, "fastocr_request_duration_seconds_bucket", **of, le="0.25") == 0
    assert value(found, "fastocr_request_duration_seconds_bucket", **of, le="0.5") == 2
    stage = {"protocol": "http", "model": "tiny", "stage": "queue"}
    assert value(found, "fastocr_stage_duration_seconds_sum", **stage) == pytest.approx(0.044)
    assert value(found, "fastocr_stage_duration_seconds_bucket", **stage, le="0.005") == 1
    assert value(found, "fastocr_rejections_total", protocol="http", code="overloaded") == 1
    assert total(found, "fastocr_rejections_total") == 1, "a bad image is no rejection"
    assert value(found, "fastocr_degradations_total", protocol="http", model="tiny") == 1
    assert value(found, "fastocr_pages_total", protocol="http", model="tiny") == 4
    assert value(found, "fastocr_received_bytes_total", protocol="http") == 2005


def test_the_state_is_that_of_the_moment(metrics: Metrics) -> None:
    found = samples(metrics)
    expected = {
        "ready": 1,
        "slots": 3,
        "leases": 2,
        "queue_depth": 5,
        "queue_limit": 32,
        "requests_under_way": 7,
        "documents_under_way": 1,
        "pending_bytes": 9000,
        "degraded": 1,
        "model_generation": 4,
        "memory_used_bytes": 600,
        "memory_limit_bytes": 1000,
        "memory_shedding": 0,
    }
    assert {name: value(found, f"fastocr_{name}") for name in expected} == expected
    model = {"engine": "usual", "preset": "balanced", "models": "cascade", "generation": "4"}
    assert value(found, "fastocr_model_info", **model) == 1
    assert value(found, "fastocr_reloads_total", result="done") == 3
    assert value(found, "fastocr_reloads_total", result="failed") == 2
    assert total(found, "fastocr_build_info") == 1
    assert total(found, "fastocr_process_resident_memory_bytes") > 1e6


def test_a_service_that_is_starting_has_metrics_too() -> None:
    found = samples(Metrics(Service(ServeConfig())))
    assert value(found, "fastocr_ready") == 0
    assert value(found, "fastocr_slots") is None


def test_names_are_as_prometheus_wants_them(metrics: Metrics) -> None:
    metrics.watch(ended(code="overloaded", degraded=True, stages={"queue": 1.0}))
    body = metrics.expose()[0].decode()
    families = list(text_string_to_metric_families(body))
    assert len(families) > 15
    for family in families:
        assert NAME.fullmatch(family.name), family.name
        assert not UNITS_THAT_ARE_NONE.search(family.name)
        if "duration" in family.name:
            assert family.name.removesuffix("_created").endswith("_seconds")
        if family.type == "counter":
            assert all(sample.name.endswith(("_total", "_created")) for sample in family.samples)
    assert re.search(r"^# TYPE fastocr_request_duration_seconds histogram$", body, re.MULTILINE)


def test_two_services_in_one_process_are_counted_apart(metrics: Metrics) -> None:
    other = Metrics(StandIn())  # type: ignore[arg-type]
    metrics.watch(ended())
    assert total(samples(metrics), "fastocr_requests_total") == 1
    assert total(samples(other), "fastocr_requests_total") == 0


WORDS = st.text(max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
@given(WORDS, WORDS, WORDS, WORDS, st.dictionaries(WORDS, st.floats(0, 1e6)))
def test_labels_are_bounded_whatever_comes(
    metrics: Metrics, protocol: str, operation: str, model: str, code: str, stages: dict[str, float]
) -> None:
    metrics.watch(ended(protocol, operation, models=model, code=code, stages=stages))
    for label, known in metrics._labels._known.items():
        assert len(known) <= MOST, label


def test_a_value_too_many_is_counted_with_the_others(metrics: Metrics) -> None:
    for k in range(3 * MOST):
        metrics.watch(ended(models=f"models {k}", stages={f"stage {k}\n\"'": 1.0}))
    found = samples(metrics)
    models = {dict(labels)["model"] for name, labels in found if name == "fastocr_requests_total"}
    assert len(models) == MOST + 1
    assert total(found, "fastocr_requests_total", model="other") == 2 * MOST
    assert total(found, "fastocr_requests_total") == 3 * MOST
    assert total(found, "fastocr_stage_duration_seconds_count", stage="other") == 2 * MOST


def test_threads_lose_no_count(metrics: Metrics) -> None:
    def many() -> None:
        for _ in range(200):
            metrics.watch(ended(models="tiny", pages=1))

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total(samples(metrics), "fastocr_requests_total") == total(samples(metrics), "fastocr_pages_total") == 800


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    made = Service(ServeConfig(preset="fast", light_preset="off", queue=2, threads=1))
    made.start()
    yield made
    made.close()


@pytest.mark.models
def test_counts_agree_with_the_requests_of_a_service(service: Service, draw: SimpleNamespace) -> None:
    import io

    metrics = watch(service)
    picture = io.BytesIO()
    draw.text_page(["TOTAL 1234.50"], 32).save(picture, "PNG")
    seen: list[Call] = []
    service.watchers.append(seen.append)

    async def ask(data: bytes, refusal: FastocrError | None = None) -> None:
        call = Call("http", "ocr", bytes_in=len(data))
        with service.observed(call):
            if refusal is not None:
                raise refusal
            await service.read(call, data, {})

    for data, refusal in [
        *[(picture.getvalue(), None)] * 3,
        (b"no picture", None),
        (b"", OverloadedError("too much")),
        (b"", UnavailableError("later")),
    ]:
        try:
            asyncio.run(ask(data, refusal))
        except FastocrError as error:
            assert seen[-1].code == error.code
    found = samples(metrics)
    model = seen[0].models
    assert model == "ppocrv6-tiny"
    of = {"protocol": "http", "operation": "ocr"}
    assert value(found, "fastocr_requests_total", **of, model=model, code="ok") == 3
    assert value(found, "fastocr_requests_total", **of, model="none", code="unsupported_format") == 1
    assert total(found, "fastocr_rejections_total") == 2
    assert total(found, "fastocr_pages_total") == 3
    assert total(found, "fastocr_received_bytes_total") == 3 * len(picture.getvalue()) + len(b"no picture")
    spent = sum(call.seconds for call in seen)
    assert total(found, "fastocr_request_duration_seconds_sum") == pytest.approx(spent)
    for stage in ("queue", "load", "detect", "crops", "recognize", "order"):
        each = [call.stages[stage] / 1e3 for call in seen if stage in call.stages]
        assert total(found, "fastocr_stage_duration_seconds_count", stage=stage) == len(each) >= 3
        assert total(found, "fastocr_stage_duration_seconds_sum", stage=stage) == pytest.approx(sum(each))
    assert total(found, "fastocr_leases") == total(found, "fastocr_queue_depth") == 0
    slots = service.status().pool.slots
    assert value(found, "fastocr_slots") == slots
    service.watchers.clear()
