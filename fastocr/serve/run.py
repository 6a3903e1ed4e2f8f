"""The process of the service: how it starts, what its signals do, how it ends."""

from __future__ import annotations

import asyncio
import errno
import functools
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fastocr._version import DISTRIBUTION
from fastocr.errors import ArgumentError, DependencyError, FastocrError
from fastocr.models import print_progress
from fastocr.runtime.memory import keep_large_apart
from fastocr.serve import logs
from fastocr.serve.app import create_app
from fastocr.serve.config import ServeConfig
from fastocr.serve.engines import USUAL
from fastocr.serve.reload import renewed
from fastocr.serve.service import Service
from fastocr.serve.watch import watch
from fastocr.serve.wire import server_config

if TYPE_CHECKING:
    import uvicorn

    from fastocr.serve.grpc import GrpcServer

__all__ = ["listener", "run"]

# Seconds for which answers that are ready may still go out at the end.
LAST = 5
# Signals so many seconds after the first are still the first: one may come to the process and to its group.
SAME = 0.5

logger = logging.getLogger("fastocr.serve")


def run(config: ServeConfig, reread: Callable[[], ServeConfig]) -> int:
    """Serves until the process is told to stop; returns 0.

    reread: gives the settings anew, for SIGHUP.
    The models are loaded, and the self-test image is read, before the port answers.  Raises ArgumentError where the
    address cannot be had, DependencyError where the extra is not installed, and what `Service.start` raises.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise DependencyError(
            f'the service needs the package {error.name}: run `pip install "{DISTRIBUTION}[server]"`'
        ) from error
    logs.set_up(config.log_level, config.log_format)
    keep_large_apart()
    service = Service(config)
    with listener(config.host, config.port) as bound, closing(service), hang_up_ignored():
        service.start(print_progress)
        app = create_app(service, config, watch(service).expose)
        process = Process(service, uvicorn.Server(server_config(app, config)), bound, reread)
        asyncio.run(process.serve())
    return 0


@contextmanager
def hang_up_ignored() -> Iterator[None]:
    """Until the loop handles it: a reload that is asked for while the models are loading must not end the process."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def listener(host: str, port: int) -> socket.socket:
    """A socket that has the address and does not listen yet: who else has it is told before the models are loaded, and
    nobody connects before they are.  ArgumentError where the address cannot be had."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
        try:
            if sys.platform != "win32":  # there it would share the port with another program
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except BaseException:
            bound.close()
            raise
    except OSError as error:
        raise unusable(host, port, error) from error
    return bound


def unusable(host: str, port: int, error: OSError) -> ArgumentError:
    """Why an address cannot be had, and what to do."""
    if error.errno == errno.EADDRINUSE:
        return ArgumentError(
            f"port {port} of {host} is in use by another program: stop that one, or choose another port with --port"
        )
    if error.errno == errno.EACCES:
        return ArgumentError(f"port {port} may not be used by this user: choose one from 1024 on with --port")
    reason = error.strerror or str(error)
    return ArgumentError(f"{host} port {port} cannot be listened on ({reason}): choose others with --host and --port")


class Process:
    """A service that was started, and the doors to it, from the ready line to the last answer."""

    def __init__(
        self, service: Service, server: uvicorn.Server, bound: socket.socket, reread: Callable[[], ServeConfig]
    ) -> None:
        self._service = service
        self._server = server
        self._bound = bound
        self._reread = reread
        self._tasks: set[asyncio.Task[None]] = set()
        self._grpc: GrpcServer | None = None
        self._told: float | None = None  # when it was told to stop

    async def serve(self) -> None:
        """Opens the port and returns once the service was told to stop and has."""
        self._on(signal.SIGTERM, functools.partial(self._stop, signal.SIGTERM))
        self._on(signal.SIGINT, functools.partial(self._stop, signal.SIGINT))
        if hasattr(signal, "SIGHUP"):
            self._on(signal.SIGHUP, lambda: self._begin(self._renew()))
        server, config = self._server, self._service.config
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        if config.grpc_port is not None:
            from fastocr.serve.grpc import start_grpc

            self._grpc = await start_grpc(self._service, config)
        try:
            await server.startup(sockets=[self._bound])
        except OSError as error:  # another program has begun to listen since
            await self._end_grpc(0)
            raise unusable(config.host, config.port, error) from error
        self._announce()
        await server.main_loop()
        await server.shutdown(sockets=[self._bound])

    async def _end_grpc(self, seconds: float) -> None:
        if self._grpc is not None:
            await self._grpc.stop(seconds)

    def _announce(self) -> None:
        host, port = self._bound.getsockname()[:2]
        service = self._service
        slots, threads = service.pool.state.slots, service.pool.ocrs[USUAL].processors
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        facts = f"preset={service.presets()[0]} slots={slots} threads={threads}"
        if self._grpc is not None:
            facts += f" grpc={self._grpc.port}"
        sys.stderr.write(f"fastocr ready {address} {facts}\n")
        sys.stderr.flush()

    def _on(self, number: int, action: Callable[[], None]) -> None:
        """What a signal does, in the event loop."""
        loop = asyncio.get_running_loop()
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(action))
        else:
            loop.add_signal_handler(number, action)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _stop(self, number: int) -> None:
        now = asyncio.get_running_loop().time()
        if self._told is None:
            self._told = now
            self._begin(self._drain())
        elif now - self._told > SAME:
            logger.warning("stopped at once")
            os._exit(128 + number)

    async def _drain(self) -> None:
        """Ends what is under way, while the port still answers that there is no more."""
        seconds = self._service.config.drain_seconds
        calls = self._service.status().calls
        logger.info("stopping: no new requests; %d under way have %g s to end", calls, seconds)
        drained, _ = await asyncio.gather(self._service.drain(seconds), self._end_grpc(seconds))
        if not drained:
            logger.warning("requests were still under way after %g s and were cancelled", seconds)
        self._server.config.timeout_graceful_shutdown = LAST if drained else 1
        self._server.should_exit = True

    async def _renew(self) -> None:
        """Reads the settings again, and takes from them what can change at run time."""
        try:
            wanted = self._reread()
        except FastocrError as error:
            logger.error("nothing was reloaded: %s", error)
            return
        fixed = renewed(self._service.config, wanted)[1]
        if fixed:
            logger.warning("%s cannot change while the service runs: restart it", ", ".join(fixed))
        with suppress(FastocrError):  # it was logged
            await self._service.reloads.run(lambda config: renewed(config, wanted)[0])
