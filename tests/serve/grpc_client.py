"""A client of the gRPC door that knows nothing of fastocr: it runs in a process of its own, on code that grpc_tools
generated from the shipped .proto, and says as JSON what it saw.

    python grpc_client.py GENERATED PORT TOKEN COMMAND [ARGUMENT ...]
"""

from __future__ import annotations

import base64
import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])

import grpc
import ocr_pb2
import ocr_pb2_grpc
from google.protobuf.json_format import MessageToDict
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

# Small windows: what is not taken is soon felt at the other end.
WINDOWS = [("grpc.http2.lookahead_bytes", 65535), ("grpc.http2.bdp_probe", 0)]
CHANNEL = grpc.insecure_channel(f"127.0.0.1:{sys.argv[2]}", WINDOWS)
STUB = ocr_pb2_grpc.OCRStub(CHANNEL)
TRACE = ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
METADATA = (("authorization", f"Bearer {sys.argv[3]}"), TRACE) if sys.argv[3] else (TRACE,)


def told(error: grpc.RpcError) -> dict[str, Any]:
    return {"status": error.code().name, "details": error.details(), "trailers": dict(error.trailing_metadata() or ())}


def tried(call: Any, *arguments: Any, **options: Any) -> Any:
    """The answer, or what the error says."""
    try:
        return call(*arguments, metadata=METADATA, **options)
    except grpc.RpcError as error:
        return told(error)


def seconds(deadline: str) -> float | None:
    return None if deadline == "none" else float(deadline)


def page(message: Any) -> str:
    return base64.b64encode(message.SerializeToString()).decode()


def served(info: Any) -> dict[str, Any]:
    return {field.name: getattr(info, field.name) for field in info.DESCRIPTOR.fields}


def read(file: str, deadline: str = "60", **options: Any) -> Any:
    request = ocr_pb2.ReadRequest(image=Path(file).read_bytes(), options=options)
    answer = tried(STUB.Read, request, timeout=seconds(deadline))
    return answer if isinstance(answer, dict) else {"page": page(answer.page), "service": served(answer.service)}


def digits(file: str) -> Any:
    return read(file, charset="0123456789", orientation=ocr_pb2.ORIENTATION_OFF)


def bad_option(file: str) -> Any:
    return read(file, alternatives=1000)


def templated(file: str, template: str) -> Any:
    return read(file, template=template)


def batch(*files: str) -> Any:
    images = [ocr_pb2.BatchImage(image=Path(file).read_bytes(), name=Path(file).name) for file in files]
    answer = tried(STUB.ReadBatch, ocr_pb2.ReadBatchRequest(images=images), timeout=60)
    if isinstance(answer, dict):
        return answer
    results = []
    for result in answer.results:
        kind = result.WhichOneof("outcome")
        outcome = page(result.page) if kind == "page" else result.error.code
        results.append({"index": result.index, "name": result.name, kind: outcome})
    return {"results": results, "service": served(answer.service)}


def document(file: str, pages: str = "1-", deadline: str = "120") -> Any:
    return streamed(ocr_pb2.ReadDocumentRequest(document=Path(file).read_bytes(), pages=pages), deadline)


def paper(file: str, password: str) -> Any:
    """A PDF that is read at 150 dpi, whatever text it holds."""
    data, text = Path(file).read_bytes(), ocr_pb2.PDF_TEXT_IGNORE
    return streamed(ocr_pb2.ReadDocumentRequest(document=data, password=password, pdf_text=text, dpi=150), "120")


def streamed(request: Any, deadline: str) -> Any:
    came: list[str] = []
    try:
        came.extend(
            page(answer.page) for answer in STUB.ReadDocument(request, metadata=METADATA, timeout=seconds(deadline))
        )
    except grpc.RpcError as error:
        return {"pages": came, **told(error)}
    return {"pages": came}


def cancel(file: str) -> Any:
    """Takes one page, then cancels; the channel stays open."""
    stream = STUB.ReadDocument(ocr_pb2.ReadDocumentRequest(document=Path(file).read_bytes()), metadata=METADATA)
    first = next(stream)
    stream.cancel()
    print(json.dumps({"page": page(first.page)}), flush=True)
    sys.stdin.read()


def half() -> Any:
    """A call whose message never comes."""
    over = threading.Event()

    def nothing() -> Iterator[bytes]:
        over.wait(60)
        yield from ()

    try:
        for _ in CHANNEL.stream_stream("/fastocr.v2.OCR/Read")(nothing(), metadata=METADATA):
            pass
    except grpc.RpcError as error:
        return told(error)
    finally:
        over.set()


def flood(count: str, size: str) -> Any:
    """Many large messages at once, as fast as they are taken."""
    request = ocr_pb2.ReadRequest(image=bytes(int(size))).SerializeToString()
    call = CHANNEL.unary_unary("/fastocr.v2.OCR/Read")
    futures = [call.future(request, metadata=METADATA, timeout=120) for _ in range(int(count))]
    return sorted({future.code().name for future in futures})


def garbage() -> Any:
    return tried(CHANNEL.unary_unary("/fastocr.v2.OCR/Read"), b"\xff\xff\xff no message")


def unknown() -> Any:
    return tried(CHANNEL.unary_unary("/fastocr.v2.OCR/Nothing"), b"")


def models() -> Any:
    answer = tried(STUB.Models, ocr_pb2.ModelsRequest())
    return answer if isinstance(answer, dict) else MessageToDict(answer)


def reload(preset: str = "") -> Any:
    answer = tried(STUB.Reload, ocr_pb2.ReloadRequest(preset=preset or None), timeout=120)
    return answer if isinstance(answer, dict) else MessageToDict(answer)


def reload_models(models: str) -> Any:
    return tried(STUB.Reload, ocr_pb2.ReloadRequest(models=models), timeout=120)


def health(service: str = "") -> Any:
    answer = health_pb2_grpc.HealthStub(CHANNEL).Check(health_pb2.HealthCheckRequest(service=service), timeout=10)
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


def watch() -> None:
    """Each state of the server, a line each, until it is gone."""
    name = health_pb2.HealthCheckResponse.ServingStatus.Name
    try:
        for answer in health_pb2_grpc.HealthStub(CHANNEL).Watch(health_pb2.HealthCheckRequest()):
            print(json.dumps(name(answer.status)), flush=True)
    except grpc.RpcError as error:
        print(json.dumps(error.code().name), flush=True)


def reflection() -> Any:
    stub = reflection_pb2_grpc.ServerReflectionStub(CHANNEL)
    requests = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="fastocr.v2.OCR"),
    ]
    try:
        answers = list(stub.ServerReflectionInfo(iter(requests), metadata=METADATA, timeout=10))
    except grpc.RpcError as error:
        return told(error)
    same = answers[1].file_descriptor_response.file_descriptor_proto[0]
    return {
        "services": [service.name for service in answers[0].list_services_response.service],
        "methods": list(ocr_pb2.DESCRIPTOR.services_by_name["OCR"].methods_by_name),
        "described": b"ReadDocument" in same,
    }


def many(file: str, count: str, deadline: str) -> Any:
    """The same image many times at once."""
    request = ocr_pb2.ReadRequest(image=Path(file).read_bytes())
    futures = [STUB.Read.future(request, metadata=METADATA, timeout=float(deadline)) for _ in range(int(count))]
    answers = []
    for future in futures:
        start = time.monotonic()
        try:
            answers.append({"page": page(future.result().page)})
        except grpc.RpcError as error:
            answers.append({**told(error), "after": time.monotonic() - start})
    return answers


if __name__ == "__main__":
    answer = globals()[sys.argv[4]](*sys.argv[5:])
    if answer is not None:
        print(json.dumps(answer))
