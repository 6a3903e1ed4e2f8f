"""The gRPC door, as a client sees it that was generated from the shipped .proto and runs in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError, UnavailableError, table
from fastocr.serve.config import ServeConfig

pytest.importorskip("grpc_health", reason="needs the extra `server`")
pytest.importorskip("grpc_reflection", reason="needs the extra `server`")
pytest.importorskip("grpc_tools", reason="needs grpcio-tools")

from fastocr.serve.grpc import start_grpc
from fastocr.serve.grpc.status import cut, status_of, trailers
from tests.serve.grpc_serving import Served, generate, page_of, png, tiff, until

DOCUMENTED = Path(__file__).resolve().parents[2] / "docs" / "service.md"
TOKEN = "a-secret-of-the-tests"  # noqa: S105


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(tmp_path_factory.mktemp("generated"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "one.png").write_bytes(png("Total 42,50"))
    (folder / "other.png").write_bytes(png("Sum 17"))
    (folder / "two.tiff").write_bytes(tiff("page one", "page two"))
    (folder / "many.tiff").write_bytes(tiff(*["page"] * 60))
    (folder / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    (folder / "text.txt").write_bytes(b"no image at all")
    (folder / "large.png").write_bytes(png("large") + bytes(1 << 20))
    (folder / "empty.png").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def served(generated: Path) -> Iterator[Served]:
    made = Served(
        generated,
        ServeConfig(
            preset="fast", token=TOKEN, grpc_port=0, max_body_bytes=500_000, max_batch=3, body_seconds=2, queue=8
        ),
    )
    yield made
    made.close()


@pytest.fixture(scope="module")
def ocr() -> Iterator[OCR]:
    with OCR(preset="fast") as made:
        yield made


def test_an_image_is_what_ocr_reads(served: Served, ocr: OCR, files: Path) -> None:
    answer = served.ask("read", files / "one.png")
    page = page_of(answer["page"])
    assert page == ocr.read(files / "one.png")
    assert page.text == "Total 42,50"
    assert {"detect", "recognize"} <= page.timings.keys()
    service = answer["service"]
    assert (service["preset"], service["models"], service["degraded"]) == ("fast", page.models, False)
    assert 0 <= service["queue_ms"] <= service["total_ms"]
    call = served.told[-1]
    assert (call.id, call.protocol, call.operation, call.code) == (service["request_id"], "grpc", "ocr", "ok")
    assert (call.trace or "").startswith("00-4bf92f3577b34da6a3ce929d0e0e4736-")
    assert (call.bytes_in, call.pages) == ((files / "one.png").stat().st_size, 1)
    assert served.is_idle()


def test_options_are_those_of_the_library(served: Served, ocr: OCR, files: Path) -> None:
    page = page_of(served.ask("digits", files / "one.png")["page"])
    assert page == ocr.read(files / "one.png", charset="0123456789", orientation="off")
    assert page.text.replace(" ", "").isdigit()


def test_a_template_is_named_and_never_a_file_of_the_servers(
    served: Served, ocr: OCR, files: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.toml").write_text("[fields.total]", encoding="utf-8")
    (tmp_path / "bad.toml").write_text("nobody-may-read-this = [", encoding="utf-8")
    page = page_of(served.ask("templated", files / "one.png", "receipt")["page"])
    assert page == ocr.read(files / "one.png", template="receipt")
    assert "42.50" in [field.value for field in page.fields]
    for name in (tmp_path / "own.toml", tmp_path / "bad.toml", tmp_path / "none.toml", "/etc/passwd"):
        answer = served.ask("templated", files / "one.png", name)
        assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("INVALID_ARGUMENT", "bad_argument")
        assert answer["details"].startswith(f"there is no template {str(name)!r}")
        assert "nobody" not in answer["details"]


def test_a_document_comes_page_by_page(served: Served, ocr: OCR, files: Path) -> None:
    pages = [page_of(told) for told in served.ask("document", files / "two.tiff")["pages"]]
    with ocr.read_document(files / "two.tiff") as document:
        assert pages == list(document)
    assert [(page.number, page.page_count, page.text) for page in pages] == [(1, 2, "page one"), (2, 2, "page two")]
    (last,) = served.ask("document", files / "two.tiff", "2")["pages"]
    assert page_of(last).text == "page two"


def test_one_bad_image_of_a_batch_leaves_the_others(served: Served, ocr: OCR, files: Path) -> None:
    answer = served.ask("batch", files / "one.png", files / "text.txt", files / "other.png")
    first, bad, last = answer["results"]
    assert page_of(first["page"]) == ocr.read(files / "one.png")
    assert bad == {"index": 1, "name": "text.txt", "error": "unsupported_format"}
    assert (last["index"], last["name"], page_of(last["page"]).text) == (2, "other.png", "Sum 17")
    assert answer["service"]["preset"] == "fast"


@pytest.mark.parametrize(
    ("command", "status", "code"),
    [
        (("read", "text.txt"), "INVALID_ARGUMENT", "unsupported_format"),
        (("read", "bad.png"), "INVALID_ARGUMENT", "unreadable_image"),
        (("read", "empty.png"), "INVALID_ARGUMENT", "bad_request"),
        (("bad_option", "one.png"), "INVALID_ARGUMENT", "bad_argument"),
        (("document", "text.txt"), "INVALID_ARGUMENT", "unsupported_format"),
        (("document", "two.tiff", "9"), "INVALID_ARGUMENT", "bad_argument"),
        (("batch", *["one.png"] * 4), "INVALID_ARGUMENT", "too_large"),
        (("batch",), "INVALID_ARGUMENT", "bad_request"),
        (("garbage",), "INVALID_ARGUMENT", "bad_request"),
        (("read", "large.png"), "RESOURCE_EXHAUSTED", None),
        (("unknown",), "UNIMPLEMENTED", None),
    ],
)
def test_errors_have_a_status_and_the_stable_code(
    served: Served, files: Path, command: tuple[str, ...], status: str, code: str | None
) -> None:
    name, *arguments = command
    answer = served.ask(name, *[files / each if "." in each else each for each in arguments])
    assert answer["status"] == status
    assert answer["details"]
    assert answer["trailers"].get("fastocr-code") == code
    if code is not None:
        assert answer["trailers"]["x-request-id"] == served.told[-1].id
        assert served.told[-1].code == code
    until(served.is_idle)


def test_without_the_token_only_health_is_told(served: Served, files: Path) -> None:
    asked = [("", "read", "one.png"), ("another", "document", "two.tiff"), ("another", "models"), ("", "reflection")]
    for token, name, *arguments in asked:
        answer = served.ask(name, *[files / each for each in arguments], token=token)
        assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("UNAUTHENTICATED", "unauthorized"), name
    assert served.ask("health", token="") == "SERVING"
    assert served.told[-1].code == "unauthorized"


def test_health_and_reflection(served: Served) -> None:
    assert served.ask("health", "fastocr.v2.OCR") == "SERVING"
    seen = served.ask("reflection")
    wanted = ["fastocr.v2.OCR", "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"]
    assert seen["services"] == wanted
    assert seen["described"]


def test_models_are_named(served: Served) -> None:
    answer = served.ask("models")
    (engine,) = answer["engines"]
    assert (answer["generation"], engine["preset"], engine["models"]) == (1, "fast", "ppocrv6-tiny")
    assert [file["role"] for file in engine["files"]] == ["det", "rec"]
    assert all(len(file["sha256"]) == 64 for file in engine["files"])


def test_a_fault_of_the_service_is_told_to_its_log_alone(
    served: Served, files: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("what the inside is like")

    monkeypatch.setattr(served.service, "read", fail)
    for command in (("read", files / "one.png"), ("batch", files / "one.png", files / "other.png")):
        answer = served.ask(*command)
        assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("INTERNAL", "internal")
        assert "inside" not in answer["details"]
        assert "what the inside is like" in caplog.text
        caplog.clear()


def test_a_reload_is_seen_by_the_next_call(served: Served, files: Path) -> None:
    bad = served.ask("reload", "none such")
    assert (bad["status"], bad["trailers"]["fastocr-code"]) == ("INVALID_ARGUMENT", "bad_argument")
    unknown = served.ask("reload_models", "none such")
    assert (unknown["status"], unknown["trailers"]["fastocr-code"]) == ("FAILED_PRECONDITION", "model_not_found")
    assert "none such" in unknown["details"]
    before = served.ask("models")["generation"]
    answer = served.ask("reload", "fast")["models"]
    assert answer["generation"] == before + 1
    assert served.ask("models") == answer
    assert page_of(served.ask("read", files / "one.png")["page"]).text == "Total 42,50"


def test_a_deadline_ends_the_reading_and_frees_its_slot(served: Served, files: Path) -> None:
    answer = served.ask("document", files / "many.tiff", "1-", 0.5)
    assert answer["status"] == "DEADLINE_EXCEEDED"
    until(served.is_idle)
    call = served.told[-1]
    assert (call.operation, call.code) == ("document", "deadline_exceeded")
    assert len(answer["pages"]) <= call.pages < 60
    assert served.ask("read", files / "one.png", 0.0001)["status"] == "DEADLINE_EXCEEDED"
    assert served.ask("read", files / "one.png")["page"]


def test_a_cancelled_stream_frees_its_slot(served: Served, files: Path) -> None:
    with served.client("cancel", files / "many.tiff") as client:
        assert client.stdout is not None
        first = json.loads(client.stdout.readline())
        assert page_of(first["page"]).page_count == 60
        until(served.is_idle)  # the client is still there
        assert client.poll() is None
    call = served.told[-1]
    assert (call.operation, call.code) == ("document", "cancelled")
    assert call.pages < 60


def test_a_message_that_never_comes_is_given_up(served: Served) -> None:
    answer = served.ask("half")
    assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("DEADLINE_EXCEEDED", "request_timeout")
    assert served.is_idle()


def test_what_is_too_much_is_refused_with_a_time_to_come_back(served: Served, files: Path) -> None:
    status = served.service.status().pool
    answers = served.ask("many", files / "one.png", 60, 60)
    refused = [answer for answer in answers if "status" in answer]
    assert len(answers) - len(refused) >= status.slots + status.queue
    for answer in refused:
        assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("RESOURCE_EXHAUSTED", "overloaded")
        assert int(answer["trailers"]["grpc-retry-pushback-ms"]) > 0
    assert len({answer["page"] for answer in answers if "page" in answer}) >= 1
    until(served.is_idle)


def test_a_port_that_is_taken_is_an_error(served: Served) -> None:
    config = ServeConfig(preset="fast", grpc_port=served.server.port)
    with pytest.raises(ArgumentError, match="--grpc-port"):
        served.run(start_grpc(served.service, config))


@pytest.fixture(scope="module")
def hurried(generated: Path) -> Iterator[Served]:
    """A service without a token that gives a request a millisecond, where its client does not say more."""
    made = Served(generated, ServeConfig(preset="fast", grpc_port=0, deadline_ms=1))
    yield made
    made.close()


def test_a_call_without_a_deadline_has_that_of_the_service(hurried: Served, files: Path) -> None:
    answer = hurried.ask("read", files / "one.png", "none")
    assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("DEADLINE_EXCEEDED", "deadline_exceeded")
    assert len(hurried.ask("document", files / "two.tiff", "1-", "none")["pages"]) == 2


def test_without_a_token_nobody_is_an_administrator(hurried: Served) -> None:
    answer = hurried.ask("reload", "fast")
    assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("PERMISSION_DENIED", "forbidden")


def test_every_error_has_a_status() -> None:
    seen = {kind.code: status_of(kind).name for kind in table()}
    assert seen["overloaded"] == "RESOURCE_EXHAUSTED"
    assert seen["unavailable"] == "UNAVAILABLE"
    assert seen["deadline_exceeded"] == "DEADLINE_EXCEEDED"
    assert seen["too_large"] == seen["unreadable_image"] == "INVALID_ARGUMENT"
    assert seen["unauthorized"] == "UNAUTHENTICATED"
    assert seen["forbidden"] == "PERMISSION_DENIED"
    assert seen["cancelled"] == "CANCELLED"
    assert seen["internal"] == seen["backend_failed"] == "INTERNAL"
    rows = [line for line in DOCUMENTED.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    for code in seen.keys() - {"closed", "write_failed", "not_found", "method_not_allowed"}:
        assert [row for row in rows if f"`{code}`" in row and seen[code] in row], f"{code} is not documented"
    assert trailers(UnavailableError("gone", 2.5))[1] == ("grpc-retry-pushback-ms", "2500")


def test_messages_are_cut_to_what_a_header_holds() -> None:
    assert cut("come later") == "come later"
    assert len(cut("é" * 10_000)) < 600


def test_when_it_is_stopped_calls_end_and_watchers_are_told(hurried: Served, files: Path) -> None:
    with hurried.client("watch") as watch, hurried.client("document", files / "many.tiff") as document:
        assert watch.stdout is not None
        assert document.stdout is not None
        assert json.loads(watch.stdout.readline()) == "SERVING"
        until(lambda: hurried.service.status().documents == 1)
        drained = hurried.begin(hurried.service.drain(60))
        until(lambda: not hurried.service.ready)
        assert hurried.ask("health") == "NOT_SERVING"
        answer = hurried.ask("read", files / "one.png")
        assert (answer["status"], answer["trailers"]["fastocr-code"]) == ("UNAVAILABLE", "unavailable")
        stopped = hurried.begin(hurried.server.stop(60))
        assert json.loads(watch.stdout.readline()) == "NOT_SERVING"
        assert len(json.loads(document.stdout.read())["pages"]) == 60
        assert drained.result(60)
        stopped.result(30)  # whoever watches is not waited for
        assert json.loads(watch.stdout.readline()) in ("CANCELLED", "UNAVAILABLE")
