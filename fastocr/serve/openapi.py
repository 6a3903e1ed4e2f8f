"""The description of the HTTP door, OpenAPI 3.1, as data: what `asked` takes and `answers` gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastocr._version import __version__
from fastocr.config import PRESETS
from fastocr.errors import table
from fastocr.formats import FORMATS
from fastocr.formats.json import schema
from fastocr.serve import asked
from fastocr.serve.asked import Option
from fastocr.serve.config import ServeConfig
from fastocr.serve.writing import MEDIA_TYPES

__all__ = ["description"]

Json = dict[str, Any]

BASE64 = "Base64, plain or as a data URI; line ends, the URL-safe alphabet and missing padding are taken too."
# Answers that any path may give: what the guard and the connection refuse.
OPEN = (400, 403, 408)
GUARDED = (*OPEN, 401, 503)
TAKING = (*GUARDED, 413, 415, 422, 500, 504)
ABOUT = {
    400: "The request or an option cannot be understood.",
    401: "The token is missing or wrong.",
    403: "Not for this caller: an unknown Host, a foreign Origin, or administration without a token.",
    404: "There is nothing at this path.",
    408: "The request came too slowly.",
    413: "More bytes, pixels, pages or images than the service takes.",
    415: "A kind of body or image that is not taken.",
    422: "The image, or the set of models, cannot be used.",
    500: "The service failed; its log says why.",
    503: "Too much to do, or being started or stopped: Retry-After says when to try again.",
    504: "The time for the request is over.",
}


def description(config: ServeConfig, *, metrics: bool) -> Json:
    """The document, with the service's own bounds; `metrics` is whether there is a path for them."""
    paths = {
        "/v2/ocr": {"post": _reading("ocr", "Read one image", config)},
        "/v2/ocr/batch": {"post": _reading("batch", "Read several images", config)},
        "/v2/ocr/document": {"post": _reading("document", "Read a document page by page", config)},
        "/v2/models": {"get": _plain("models", "What is loaded", _ref("Models"), GUARDED)},
        "/v2/admin/reload": {"post": _reload()},
        "/healthz": {
            "get": _plain("health", "Whether the process answers", _status("ok"), (400, 403, 408), open_=True)
        },
        "/readyz": {
            "get": _plain("ready", "Whether requests are taken", _status("ready"), (400, 403, 408, 503), open_=True)
        },
        "/openapi.json": {"get": _plain("openapi", "This description", {"type": "object"}, GUARDED)},
    }
    if metrics:
        paths["/metrics"] = {"get": _metrics(config)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "fastocr",
            "version": __version__,
            "description": "Text from images and documents. Errors are JSON with a stable code.",
        },
        # Relative to where this document was found, behind whatever prefix.
        "servers": [{"url": "/"}],
        "security": [{"token": []}] if config.token else [],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "headers": _headers(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _reading(name: str, summary: str, config: ServeConfig) -> Json:
    options: Mapping[str, Option] = {"ocr": asked.OCR, "batch": asked.BATCH, "document": asked.DOCUMENT}[name]
    schemas = {option: _bounded(option, kind, config) for option, kind in options.items()}
    parameters = [
        {"name": option, "in": "query", "required": False, "schema": found, "description": options[option].about}
        for option, found in schemas.items()
    ]
    content = {
        "multipart/form-data": {"schema": _multipart(name, schemas, config)},
        "application/json": {"schema": _json(name, schemas, config)},
    }
    if name != "batch":
        for media_type in ("application/octet-stream", "image/*", "application/pdf"):
            content[media_type] = {"schema": {"type": "string", "format": "binary"}}
    return {
        "operationId": name,
        "summary": summary,
        "description": f"At most {config.max_body_bytes} bytes of body, and {config.max_pixels} pixels of an image.",
        "parameters": parameters,
        "requestBody": {"required": True, "content": content},
        "responses": {"200": _read(name), **_errors(TAKING)},
    }


def _bounded(name: str, option: Option, config: ServeConfig) -> Json:
    found = option.schema()
    return found | {"maximum": config.max_deadline_ms} if name == "deadline_ms" else found


def _multipart(name: str, options: Json, config: ServeConfig) -> Json:
    file = {"type": "string", "format": "binary", "description": "The bytes of the image or document."}
    field = "document" if name == "document" else "image"
    value = {"type": "array", "items": file, "minItems": 1, "maxItems": config.max_batch} if name == "batch" else file
    return {
        "type": "object",
        "required": [field],
        "properties": {field: value, **options},
        "additionalProperties": False,
    }


def _json(name: str, options: Json, config: ServeConfig) -> Json:
    text = {"type": "string", "minLength": 1, "description": BASE64}
    field = {"ocr": "image", "batch": "images", "document": "document"}[name]
    value = {"type": "array", "items": text, "minItems": 1, "maxItems": config.max_batch} if name == "batch" else text
    return {
        "type": "object",
        "required": [field],
        "properties": {field: value, **options},
        "additionalProperties": False,
    }


def _read(name: str) -> Json:
    if name == "batch":
        content: Json = {"application/json": {"schema": _ref("Batch")}}
    else:
        content = {MEDIA_TYPES[form].partition(";")[0]: {"schema": {"type": "string"}} for form in FORMATS}
        content["application/json"] = {"schema": _ref("ReadPage") if name == "ocr" else _ref("document")}
    return {"description": "What was read.", "headers": _all_headers(read=True), "content": content}


def _plain(name: str, summary: str, body: Json, errors: tuple[int, ...], *, open_: bool = False) -> Json:
    done = {"description": "Done.", "headers": _all_headers(), "content": {"application/json": {"schema": body}}}
    found = {"operationId": name, "summary": summary, "responses": {"200": done, **_errors(errors)}}
    return found | {"security": []} if open_ else found


def _metrics(config: ServeConfig) -> Json:
    found = _plain("metrics", "What is counted, for Prometheus", {}, GUARDED, open_=config.open_metrics)
    found["responses"]["200"]["content"] = {"text/plain": {"schema": {"type": "string"}}}
    return found


def _reload() -> Json:
    name = {"type": "string", "minLength": 1}
    change = {
        "type": "object",
        "properties": {"preset": {"enum": list(PRESETS)}, "models": name},
        "additionalProperties": False,
        "maxProperties": 1,
        "description": "Another preset, or a model set by its name; empty for the same again.",
    }
    found = _plain("reload", "Load models and switch to them", _ref("Models"), (*GUARDED, 413, 422, 500))
    return found | {"requestBody": {"required": False, "content": {"application/json": {"schema": change}}}}


def _errors(statuses: tuple[int, ...]) -> Json:
    found = {}
    for status in sorted({*statuses, 404, 405} - {404}):
        headers = _all_headers()
        if status == 503:
            headers["Retry-After"] = {"required": True, "schema": {"type": "integer", "minimum": 1}}
        found[str(status)] = {
            "description": ABOUT.get(status, "The path has no such method; Allow names those that it has."),
            "headers": headers,
            "content": {"application/json": {"schema": _ref("Error")}},
        }
    return found


def _all_headers(*, read: bool = False) -> Json:
    names = ["X-Request-Id", *(["X-Fastocr-Preset", "X-Fastocr-Models", "X-Fastocr-Degraded"] if read else [])]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _headers() -> Json:
    text = {"type": "string"}
    return {
        # Not with an answer to what was no HTTP, before there was a request.
        "X-Request-Id": {"description": "By which the service's log knows the request.", "schema": text},
        "X-Fastocr-Preset": {"description": "The preset, or the models, that read.", "schema": text},
        "X-Fastocr-Models": {"description": "What read the (last) page.", "schema": text},
        "X-Fastocr-Degraded": {
            "description": "Whether the light preset read because of the load.",
            "schema": {"enum": ["true", "false"]},
        },
    }


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _status(value: str) -> Json:
    return {"type": "object", "required": ["status"], "properties": {"status": {"const": value}}}


def _schemas() -> Json:
    """Those of the results, as the package ships them, and the service's own."""
    problem = {
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": {"enum": sorted({kind.code for kind in table()})},
            "message": {"type": "string", "description": "One sentence that says what to do."},
            "request_id": {"type": "string"},
        },
    }
    service = {
        "type": "object",
        "required": ["request_id", "preset", "models", "degraded", "queue_ms", "total_ms"],
        "properties": {
            "request_id": {"type": "string"},
            "preset": {"type": "string"},
            "models": {"type": "string"},
            "degraded": {"type": "boolean"},
            "queue_ms": {"type": "number", "minimum": 0},
            "total_ms": {"type": "number", "minimum": 0},
        },
    }
    result = {
        "type": "object",
        "required": ["index", "name"],
        "properties": {
            "index": {"type": "integer", "minimum": 0},
            "name": {"type": "string"},
            "page": _ref("page"),
            "preset": {"type": "string"},
            "degraded": {"type": "boolean"},
            "error": problem,
        },
        "oneOf": [{"required": ["page", "preset", "degraded"]}, {"required": ["error"]}],
    }
    own = {
        "Error": {"type": "object", "required": ["error"], "properties": {"error": problem}},
        "ReadPage": {
            "allOf": [_ref("page"), {"type": "object", "required": ["service"], "properties": {"service": service}}]
        },
        "Batch": {
            "type": "object",
            "required": ["results", "service"],
            "properties": {"results": {"type": "array", "items": result}, "service": service},
        },
        "Models": {
            "type": "object",
            "required": ["generation", "degraded", "engines"],
            "properties": {
                "generation": {"type": "integer", "minimum": 1},
                "degraded": {"type": "boolean"},
                "engines": {"type": "array", "items": {"type": "object"}, "minItems": 1},
            },
        },
    }
    results: Json = _moved(schema()["$defs"])
    return results | own


def _moved(value: Any) -> Any:
    """A schema whose references to its own definitions are to the document's."""
    if isinstance(value, dict):
        return {key: _moved(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_moved(inner) for inner in value]
    if isinstance(value, str) and value.startswith("#/$defs/"):
        return value.replace("#/$defs/", "#/components/schemas/", 1)
    return value
