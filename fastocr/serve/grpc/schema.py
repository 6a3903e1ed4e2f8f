"""The messages of `ocr.proto`, as classes.

They are made from a descriptor, `ocr.binpb`, which protoc made from the .proto (`tools/make_descriptor.py`).  Generated
Python code would ask for a protobuf of about its own version; a descriptor is itself a message, which every version
reads.  They live in a pool of their own, so a process that also generated code from the .proto can hold both.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources
from types import ModuleType, SimpleNamespace
from typing import Any

from fastocr._version import DISTRIBUTION
from fastocr.errors import DependencyError

__all__ = ["PACKAGE", "SERVICE", "grpcio", "pool", "types"]

PACKAGE = "fastocr.v2"
SERVICE = f"{PACKAGE}.OCR"


def grpcio() -> ModuleType:
    """The package grpc; DependencyError where it, or what belongs to it, cannot be loaded."""
    try:
        for name in ("grpc.aio", "google.protobuf", "grpc_health.v1.health", "grpc_reflection.v1alpha.reflection"):
            import_module(name)
    except Exception as error:  # protobuf has an error of its own for versions that do not go together
        raise DependencyError(f'gRPC cannot be loaded ({error}): run `pip install "{DISTRIBUTION}[server]"`') from error
    return import_module("grpc")


@cache
def pool() -> Any:
    """A DescriptorPool of this service, with those of health and reflection."""
    grpcio()
    from google.protobuf import descriptor_pb2, descriptor_pool
    from grpc_health.v1 import health_pb2
    from grpc_reflection.v1alpha import reflection_pb2

    made = descriptor_pool.DescriptorPool()
    data = resources.files("fastocr.serve").joinpath("protos/fastocr/v2/ocr.binpb").read_bytes()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        made.AddSerializedFile(file.SerializeToString())
    for other in (health_pb2, reflection_pb2):
        made.AddSerializedFile(other.DESCRIPTOR.serialized_pb)
    return made


@cache
def types() -> Any:
    """The message classes by name: ``types().Page`` and the others of `ocr.proto`."""
    from google.protobuf.message_factory import GetMessageClass

    file = pool().FindFileContainingSymbol(SERVICE)
    return SimpleNamespace(**{name: GetMessageClass(entry) for name, entry in file.message_types_by_name.items()})
