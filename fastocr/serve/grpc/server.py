"""The gRPC server, beside the HTTP one in its event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

from fastocr.errors import ArgumentError, UnauthorizedError
from fastocr.serve.config import ServeConfig
from fastocr.serve.grpc.door import Door, refuse
from fastocr.serve.grpc.schema import SERVICE, grpcio, pool
from fastocr.serve.guard import Guard
from fastocr.serve.service import Service

__all__ = ["GrpcServer", "start_grpc"]

# What a message holds beside the bytes of images.
OTHER_FIELDS = 64 * 1024
AHEAD = 65_535
# Calls at once on one connection; a client keeps others back until one has ended.
STREAMS = 100
# Seconds for the last answers to leave.
LAST = 1.0
MINUTE = 60_000  # in milliseconds, as all of gRPC's times


class GrpcServer:
    """A server that serves.  port: where it listens."""

    def __init__(self, server: Any, door: Door, health: Any, port: int) -> None:
        self.port = port
        self._server = server
        self._door = door
        self._health = health

    async def stop(self, grace: float) -> None:
        """Says that it serves no more, takes no new calls, and gives those under way so many seconds."""
        await self._health.enter_graceful_shutdown()
        stopping = asyncio.ensure_future(self._server.stop(grace))
        idle = asyncio.ensure_future(self._door.idle.wait())
        await asyncio.wait((stopping, idle), return_when=asyncio.FIRST_COMPLETED)
        idle.cancel()
        # Who watches the health would stay to the last; what has just been answered has still to be sent.
        await self._server.stop(min(grace, LAST))
        await stopping


async def start_grpc(service: Service, config: ServeConfig) -> GrpcServer:
    """Serves on `config.grpc_port` (0 for any that is free), with health and reflection services.

    Raises DependencyError without grpcio, ArgumentError where the address cannot be had.
    """
    grpc, guard = grpcio(), Guard(config.token, (), (), ())
    from grpc_health.v1 import health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection_pb2_grpc

    server = grpc.aio.server(options=options(config))
    health = health_of(service)
    await health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
    door = Door(service, guard)
    server.add_generic_rpc_handlers((door.handler(),))
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(reflection_of(config, guard), server)
    host = f"[{config.host}]" if ":" in config.host else config.host
    try:
        port = server.add_insecure_port(f"{host}:{config.grpc_port or 0}")
    except RuntimeError as error:
        raise ArgumentError(
            f"gRPC cannot have port {config.grpc_port} of {config.host}: stop the program that uses it, or choose "
            "another with --grpc-port"
        ) from error
    await server.start()
    return GrpcServer(server, door, health, port)


def options(config: ServeConfig) -> list[tuple[str, int]]:
    """Limits of the connections."""
    return [
        # Else two servers may share a port, and each has a part of the calls.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", config.max_body_bytes + OTHER_FIELDS),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_allowed_incoming_connections", config.max_connections),
        ("grpc.max_concurrent_streams", STREAMS),
        # Of a message that is not read yet no more than this is taken in; while it is read, as much as it has.
        ("grpc.http2.lookahead_bytes", AHEAD),
        ("grpc.http2.bdp_probe", 0),
        ("grpc.server_handshake_timeout_ms", round(1e3 * config.header_seconds)),
        # A connection without calls is closed, and a client that is gone without a word is noticed.
        ("grpc.max_connection_idle_ms", 5 * MINUTE),
        ("grpc.keepalive_time_ms", MINUTE),
        ("grpc.keepalive_timeout_ms", MINUTE // 3),
        # Clients come back over a balancer from time to time; what runs may end.
        ("grpc.max_connection_age_ms", 60 * MINUTE),
        ("grpc.max_connection_age_grace_ms", config.max_deadline_ms),
        # A client that pings more often is sent away.
        ("grpc.http2.min_recv_ping_interval_without_data_ms", MINUTE // 6),
        ("grpc.http2.max_ping_strikes", 2),
    ]


def health_of(service: Service) -> Any:
    """The health service: the whole server, which has the name "", and OCR serve for as long as requests are taken."""
    base: Any = import_module("grpc_health.v1.health").aio.HealthServicer

    class Health(base):  # type: ignore[misc]
        async def Check(self, request: Any, context: Any) -> Any:
            if not service.ready:
                await self.enter_graceful_shutdown()
            return await super().Check(request, context)

    return Health()


def reflection_of(config: ServeConfig, guard: Guard) -> Any:
    """The reflection service, which shows the token's bearers what `ocr.proto` says."""
    health, reflection = import_module("grpc_health.v1.health"), import_module("grpc_reflection.v1alpha.reflection")
    base: Any = reflection.aio.ReflectionServicer

    class Reflection(base):  # type: ignore[misc]
        async def ServerReflectionInfo(self, requests: Any, context: Any) -> AsyncIterator[Any]:
            try:
                if config.token is not None:
                    guard.check_token(dict(context.invocation_metadata() or ()).get("authorization", ""))
            except UnauthorizedError as error:
                await refuse(context, error, str(error))
            async for answer in super().ServerReflectionInfo(requests, context):
                yield answer

    return Reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), pool=pool())
