"""`fastocr serve` as a process: what it does before it is ready, at its signals, and how it ends."""

from __future__ import annotations

import json
import logging
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from fastocr.cli import main
from fastocr.errors import ArgumentError, ModelError
from fastocr.serve import engines
from fastocr.serve.config import ServeConfig
from fastocr.serve.service import Service
from tests.serve.process import LONG, Served

for module in ("starlette", "uvicorn", "python_multipart", "prometheus_client", "yaml"):
    pytest.importorskip(module, reason="needs the extra: pip install 'fastocr-engine[server]'")

FAST = ("--port", "0", "--preset", "fast", "--light-preset", "off")
TOKEN = "a-token"  # noqa: S105
signals = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def picture(*texts: str) -> bytes:
    image = np.full((20 + 70 * len(texts), 700, 3), 255, np.uint8)
    for row, text in enumerate(texts):
        cv2.putText(image, text, (15, 60 + 70 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    return cv2.imencode(".png", image)[1].tobytes()


@pytest.fixture(autouse=True)
def logs_as_they_were() -> Iterator[None]:
    """The command takes the logs of its process over, and here that is the tests'."""
    root = logging.getLogger()
    handlers, level = [*root.handlers], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_nobody_connects_before_the_models_have_read_the_test_image(
    free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def self_test(ocr: object) -> None:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", free_port), timeout=LONG)
        tried.append(ocr)
        if hasattr(signal, "SIGHUP"):  # asked for too early, and no reason to end
            signal.raise_signal(signal.SIGHUP)
        raise ModelError("the self-test image was not read")

    from fastocr.serve.run import run

    monkeypatch.setattr(engines, "self_test", self_test)
    config = ServeConfig(port=free_port, preset="fast", light_preset="off")
    with pytest.raises(ModelError, match="self-test"):
        run(config, lambda: config)
    assert len(tried) == 1


def test_a_busy_port_is_told_in_one_sentence_before_any_model_is_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Service, "start", lambda *_: pytest.fail("models were loaded"))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"fastocr: port {port} of 127.0.0.1 is in use by another program: stop that one, or choose another port with "
        "--port"
    ]


def test_an_address_that_is_not_this_machine_s() -> None:
    from fastocr.serve.run import listener

    with pytest.raises(ArgumentError, match="cannot be listened on"):
        listener("192.0.2.1", 8080)
    with pytest.raises(ArgumentError, match="cannot be listened on"):
        listener("no-such-name.invalid", 8080)


@pytest.mark.parametrize(
    ("flags", "code", "message"),
    [
        (["--models", "nonsense"], 4, "there is no model set 'nonsense'"),
        (["--preset", "best"], 2, "--preset: preset must be one of fast, balanced, accurate, not 'best'"),
        (["--queue", "many"], 2, "--queue: queue must be a whole number, not 'many'"),
        (["--rec", "/nowhere/rec.onnx"], 4, "/nowhere/rec.onnx"),
    ],
)
def test_a_wrong_setting_ends_the_process_with_the_reason(
    flags: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--port", "0", *flags]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_a_missing_model_without_a_network_ends_the_process_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path))
    assert main(["serve", "--port", "0", "--offline", "--models", "ppocrv5-mobile"]) in (4, 5)
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not in" in line
    assert "offline" in line


def test_a_file_with_a_wrong_line_ends_the_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "serve.yaml").write_text("port: 0\n\nqueue: many\n", encoding="utf-8")
    assert main(["serve", "--config", str(tmp_path / "serve.yaml")]) == 2
    assert "serve.yaml line 3: queue must be a whole number, not 'many'" in capsys.readouterr().err


@signals
def test_it_starts_without_a_network_and_answers_all_that_it_had_when_it_was_stopped() -> None:
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    image = picture(*(f"line {number}" for number in range(10, 40)))
    with (
        Served(*FAST, "--offline", "--slots", "2", "--queue", "50", **nowhere) as served,
        ThreadPoolExecutor(9) as many,
    ):
        served.ready()
        assert "preset=fast slots=2 threads=1" in served.ready_line
        accepted = [many.submit(served.read, image) for _ in range(8)]
        served.until_gauge("requests_under_way", len(accepted))
        served.send(signal.SIGTERM)
        served.until("stopping: no new requests; 8 under way")
        refused = 0
        while served.process.poll() is None:
            try:
                status, headers, answer = served.read(image)
            except ConnectionError:  # nothing listens any more
                break
            assert (status, answer["error"]["code"]) == (503, "unavailable")
            assert int(headers["retry-after"]) >= 1
            refused += 1
        assert refused
        assert served.end() == 0
        for each in accepted:
            status, headers, answer = each.result()
            assert status == 200
            assert answer["text"].split("\n") == [f"line {number}" for number in range(10, 40)]


@signals
def test_while_it_drains_it_is_not_ready_and_a_second_signal_ends_at_once() -> None:
    with Served(*FAST, "--body-seconds", "60") as served:
        served.ready()
        # A request whose body never comes keeps it from ending.
        with socket.create_connection(("127.0.0.1", served.port), timeout=LONG) as slow:
            slow.sendall(
                b"POST /v2/ocr HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: 1000\r\n\r\nx"
            )
            served.until_gauge("requests_under_way", 1)
            assert served.ask("GET", "/readyz")[0] == 200
            served.send(signal.SIGINT)
            served.until("stopping")
            status, headers, body = served.ask("GET", "/readyz")
            assert (status, json.loads(body)["error"]["code"]) == (503, "unavailable")
            assert served.ask("GET", "/healthz")[0] == 200
            status, headers, answer = served.read(picture("late"))
            assert (status, answer["error"]["code"]) == (503, "unavailable")
            assert int(headers["retry-after"]) >= 1
            time.sleep(0.6)  # signals of one moment are one
            served.send(signal.SIGINT)
            assert served.end() == 128 + signal.SIGINT


@signals
@pytest.mark.slow
def test_what_is_under_way_for_too_long_is_cancelled() -> None:
    with Served(*FAST, "--drain-seconds", "0.2") as served:
        served.ready()
        with socket.create_connection(("127.0.0.1", served.port), timeout=LONG) as slow:
            slow.sendall(b"POST /v2/ocr HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")
            served.until_gauge("requests_under_way", 1)
            served.send(signal.SIGTERM)
            assert served.end() == 0
    assert "were cancelled" in "".join(served.lines)


@signals
def test_a_hang_up_reads_the_settings_again(tmp_path: Path) -> None:
    file = tmp_path / "serve.yaml"
    file.write_text("preset: fast\nlight_preset: off\nport: 0\nqueue: 10\n", encoding="utf-8")
    with Served("--config", str(file)) as served:
        served.ready()
        assert served.read(picture("first"))[2]["service"]["preset"] == "fast"
        file.write_text("preset: balanced\nlight_preset: off\nport: 1\nqueue: 20\n", encoding="utf-8")
        served.send(signal.SIGHUP)
        assert "port, queue cannot change while the service runs" in served.until("cannot change")
        served.until("reloaded")
        answer = served.read(picture("second"))[2]
        assert (answer["text"], answer["service"]["preset"]) == ("second", "balanced")
        # Settings and models that cannot be used leave the old ones serving, and say why.
        for text, reason in (
            ("preset: balanced\nqueue: many\n", "serve.yaml line 2: queue must be a whole number"),
            ("models: nonsense\n", "there is no model set 'nonsense'"),
        ):
            file.write_text(text, encoding="utf-8")
            served.send(signal.SIGHUP)
            served.until(reason)
            assert served.read(picture("third"))[2]["service"]["preset"] == "balanced"
        served.send(signal.SIGTERM)
        assert served.end() == 0


@signals
def test_both_doors_open_together_and_close_together() -> None:
    grpc = pytest.importorskip("grpc", reason="needs the extra: pip install 'fastocr-engine[server]'")
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    with Served(*FAST, "--grpc-port", "0") as served:
        found = re.search(r"grpc=(\d+)", served.ready().ready_line)
        assert found is not None
        with grpc.insecure_channel(f"127.0.0.1:{found[1]}") as channel:
            health = health_pb2_grpc.HealthStub(channel)
            asked = health_pb2.HealthCheckRequest()
            assert health.Check(asked, timeout=LONG).status == health_pb2.HealthCheckResponse.SERVING
            served.send(signal.SIGTERM)
            assert served.end() == 0
            with pytest.raises(grpc.RpcError):
                health.Check(asked, timeout=LONG)


def test_a_busy_port_of_grpc_ends_the_process_before_http_answers(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("grpc", reason="needs the extra: pip install 'fastocr-engine[server]'")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", *FAST, "--grpc-port", str(port)]) == 2
    assert f"gRPC cannot have port {port}" in capsys.readouterr().err


def test_the_models_change_by_a_request_with_the_token() -> None:
    with Served(*FAST, FASTOCR_SERVE_TOKEN=TOKEN) as served:
        served.ready()
        known = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        assert served.ask("POST", "/v2/admin/reload", b"{}")[0] == 401
        status, _, body = served.ask("POST", "/v2/admin/reload", b'{"preset": "balanced"}', known)
        assert status == 200, body
        assert json.loads(body)["engines"][0]["preset"] == "balanced"
        status, _, body = served.ask("POST", "/v2/admin/reload", b'{"models": "nonsense"}', known)
        assert (status, json.loads(body)["error"]["code"]) == (422, "model_not_found")
        status, headers, _ = served.ask("POST", "/v2/ocr", picture("go on"), known | {"Content-Type": "image/png"})
        assert (status, headers["x-fastocr-preset"]) == (200, "balanced")
