"""Requests that no client would send: none is a fault of the service, and nothing is left of them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fastocr.serve.config import ServeConfig

pytest.importorskip("grpc_health", reason="needs the extra `server`")
pytest.importorskip("grpc_reflection", reason="needs the extra `server`")

from fastocr.serve.grpc.schema import grpcio, types
from tests.serve.grpc_serving import Served, png, until

IMAGE = png("Ab 12")
DOUBLE, BOOL, STRING, UINT32 = 1, 8, 9, 13
VALUES: dict[int, list[Any]] = {
    DOUBLE: [0.0, 0.5, 1.0, -1.0, 1e308, float("nan"), float("inf"), 7.5],
    BOOL: [False, True],
    STRING: ["", "abc", "0123456789", "é\0", " ", "x" * 5000],
    UINT32: [0, 1, 3, 1024, 500_000, 2**32 - 1],
}
REQUESTS = 300


class Fuzz:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def options(self) -> Any:
        made, fields = types().Options(), list(types().Options.DESCRIPTOR.fields)
        for field in self.random.sample(fields, self.random.choice([0, 0, 1, 1, 2, len(fields)])):
            values = [0, 1, 2, 3, 9, -1] if field.enum_type else VALUES[field.type]
            setattr(made, field.name, self.random.choice(values))
        return made

    def file(self) -> bytes:
        kind, data = self.random.randrange(4), bytearray(IMAGE)
        if kind == 0:
            return self.random.randbytes(self.random.randrange(2000))
        if kind == 1:
            return bytes(data[: self.random.randrange(len(data))])
        return bytes(data) if kind == 2 else self.damaged(bytes(data))

    def damaged(self, data: bytes) -> bytes:
        spoilt = bytearray(data or b"x")
        for _ in range(self.random.randint(1, 8)):
            spoilt[self.random.randrange(len(spoilt))] = self.random.randrange(256)
        return bytes(spoilt)

    def request(self) -> tuple[str, bytes]:
        """A method, and a message that it may take or not."""
        kinds, pick = types(), self.random.choice
        method = pick(["Read", "ReadBatch", "ReadDocument", "Models", "Reload"])
        message = getattr(kinds, f"{method}Request")()
        if method == "Read":
            message.image = self.file()
        elif method == "ReadBatch":
            message.images.extend(kinds.BatchImage(image=self.file(), name="é\0x") for _ in range(pick([0, 1, 3, 40])))
        elif method == "ReadDocument":
            message.document, message.pdf_text = self.file(), pick([0, 1, 2, 3, 9])
            message.pages, message.password = pick(["1", "1-", "", "x", "-1", "1,1,1", "\0", "1-" + "9" * 30]), "p\0"
            message.dpi = pick(VALUES[DOUBLE])
        elif method == "Reload":
            message.preset, message.models = pick([("x", ""), ("", "/etc/passwd"), ("fast", "../x")])
        if method.startswith("Read"):
            message.options.CopyFrom(self.options())
        data = message.SerializeToString()
        return method, data if self.random.random() < 0.8 else self.damaged(data)


def test_no_request_is_a_fault_of_the_service(tmp_path: Path) -> None:
    grpc, fuzz, seen = grpcio(), Fuzz(12), Counter[str]()
    served = Served(tmp_path, ServeConfig(preset="fast", light_preset="off", grpc_port=0))
    try:
        with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
            for _ in range(REQUESTS):
                method, data = fuzz.request()
                call = channel.unary_stream(f"/fastocr.v2.OCR/{method}")(data, timeout=60)
                try:
                    list(call)
                except grpc.RpcError:
                    code = dict(call.trailing_metadata()).get("fastocr-code")
                    assert code, f"{call.code()} {call.details()} {data!r}"
                    assert call.code().name in ("INVALID_ARGUMENT", "PERMISSION_DENIED"), f"{code} {data!r}"
                seen[call.code().name] += 1
        until(served.is_idle)
        assert min(seen["OK"], seen["INVALID_ARGUMENT"]) > REQUESTS // 10
        assert len(served.told) == REQUESTS
    finally:
        served.close()
