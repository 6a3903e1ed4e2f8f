"""The HTTP door: its paths.  `create_app` makes the app, `fastocr.serve.wire.server_config` says how it is served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastocr._version import DISTRIBUTION
from fastocr.errors import DependencyError
from fastocr.serve.config import ServeConfig
from fastocr.serve.door import HEALTH, READY, Door
from fastocr.serve.endpoints import Endpoints, Metrics
from fastocr.serve.files import page_files
from fastocr.serve.guard import Guard
from fastocr.serve.openapi import description
from fastocr.serve.service import Service

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["create_app"]


def create_app(service: Service, config: ServeConfig, metrics: Metrics | None = None) -> ASGIApp:
    """The ASGI app of a service that was started.

    metrics: gives what /metrics answers, and its media type; without it there is no such path.
    Raises DependencyError where the extra is not installed.
    """
    try:
        import python_multipart  # noqa: F401 (needed by the first form, missed now)
        from starlette.routing import Route, Router
    except ImportError as error:
        raise DependencyError(
            f'the service needs the package {error.name}: pip install "{DISTRIBUTION}[server]"'
        ) from error
    files = page_files()
    ends = Endpoints(service, config, description(config, metrics=metrics is not None), files, metrics)
    posts = {"/v2/ocr": ends.ocr, "/v2/ocr/batch": ends.batch, "/v2/ocr/document": ends.document}
    posts["/v2/admin/reload"] = ends.reload
    gets = {"/v2/models": ends.models, HEALTH: ends.health, READY: ends.ready, "/openapi.json": ends.openapi}
    gets |= dict.fromkeys(files, ends.file)
    if metrics is not None:
        gets["/metrics"] = ends.metrics
    routes = [Route(path, end, methods=["POST"]) for path, end in posts.items()]
    routes += [Route(path, end, methods=["GET"]) for path, end in gets.items()]
    open_paths = {HEALTH, READY, *files, *(["/metrics"] if config.open_metrics else [])}
    guard = Guard(config.token, (config.host, *config.allowed_hosts), config.allowed_origins, open_paths)
    operations = {path: path.rpartition("/")[2] for path in (*posts, "/v2/models")}
    router = Router(routes, redirect_slashes=False)
    return Door(router, service, guard, config.body_seconds, operations, frozenset(files))
