"""Other engines for a service that goes on serving: loaded and tested beside the old ones, then switched at once."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fastocr.errors import ArgumentError, FastocrError, OverloadedError, UnavailableError
from fastocr.models import registry
from fastocr.serve import engines
from fastocr.serve.config import ServeConfig

if TYPE_CHECKING:
    from fastocr.serve.service import Service

__all__ = ["AT_RUN_TIME", "Reloads", "chosen", "renewed"]

# What an administrator may choose by name in a request.
BY_REQUEST = ("preset", "models")
# What settings that are read again may change; all else belongs to what is open or divided already.
AT_RUN_TIME = ("preset", "models", "det", "rec", "dictionary", "lang", "light_preset", "options", "backend", "offline")
# Seconds for which a reload waits for the requests that still use the engines before the last.
PATIENCE = 60.0

logger = logging.getLogger("fastocr.serve")


def chosen(config: ServeConfig, change: Mapping[str, str]) -> ServeConfig:
    """The settings with other models: ``preset`` or ``models``, by a name that is known, or neither for the same again.

    A path is no name: nothing of the machine's is opened because a request says so.  Raises ArgumentError for anything
    else, ModelNotFoundError for a set that is not known.
    """
    unknown = [name for name in change if name not in BY_REQUEST]
    if unknown:
        raise ArgumentError(f"a reload takes {' or '.join(BY_REQUEST)}, not {unknown[0][:100]!r}")
    if len(change) > 1:
        raise ArgumentError("a preset names its models: give either preset or models")
    if not change:
        return config
    if "models" in change:
        registry().set(change["models"])
    other: dict[str, Any] = dict.fromkeys(("preset", "models", "det", "rec", "dictionary"))
    return dataclasses.replace(config, **(other | dict(change)))


def renewed(config: ServeConfig, wanted: ServeConfig) -> tuple[ServeConfig, list[str]]:
    """The settings with those of the wanted that can change at run time, and the names of the others that differ."""
    differ = [f.name for f in dataclasses.fields(config) if getattr(config, f.name) != getattr(wanted, f.name)]
    now = {name: getattr(wanted, name) for name in AT_RUN_TIME}
    return dataclasses.replace(config, **now), [name for name in differ if name not in AT_RUN_TIME]


class Reloads:
    """The reloads of one service, one after another."""

    def __init__(self, service: Service) -> None:
        self.failed = 0
        """How many there were after which the old engines went on serving."""
        self._service = service
        self._lock = asyncio.Lock()
        self._freed: threading.Event | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, choose: Callable[[ServeConfig], ServeConfig]) -> None:
        """Switches to the engines of the settings that `choose` makes of those in force.

        Where it raises, the old engines go on serving: what `choose` raises, what loading and testing them raises,
        OverloadedError while requests under way still use the engines before these.  A caller that is cancelled leaves
        the reload to end by itself.
        """
        task = asyncio.ensure_future(self._run(choose))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.shield(task)

    async def _run(self, choose: Callable[[ServeConfig], ServeConfig]) -> None:
        try:
            async with self._lock:
                begun = time.monotonic()
                await self._until_freed()
                await self._switch(choose(self._service.config))
        except FastocrError as error:
            self.failed += 1
            logger.error("the models that were loaded go on serving, others could not be had: %s", error)
            raise
        service = self._service
        names = ", ".join(service.presets())
        logger.warning(
            "reloaded in %.1f s: generation %d reads with %s", time.monotonic() - begun, service.generation, names
        )

    async def _until_freed(self) -> None:
        """No more than two generations are in memory at once."""
        until = time.monotonic() + PATIENCE
        while self._freed is not None and not self._freed.is_set():
            if time.monotonic() > until:
                raise OverloadedError("requests under way still use the models before these: reload later", PATIENCE)
            await asyncio.sleep(0.02)

    async def _switch(self, config: ServeConfig) -> None:
        service = self._service
        usual = service.pool.ocrs[engines.USUAL]
        loaded = await asyncio.to_thread(engines.load, config, beside=usual)
        if service.draining:
            for ocr in loaded.ocrs.values():
                ocr.close()
            raise UnavailableError("the service is being stopped: nothing was reloaded")
        self._freed = service.adopt(config, loaded)
