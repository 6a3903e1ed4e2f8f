"""The gRPC door: the operations of HTTP with typed messages (`ocr.proto`), health and reflection services."""

from fastocr.serve.grpc.messages import page_from
from fastocr.serve.grpc.server import GrpcServer, start_grpc

__all__ = ["GrpcServer", "page_from", "start_grpc"]
