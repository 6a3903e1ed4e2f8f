"""What the methods of the gRPC service do: a request's message in, the answers' messages out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastocr.errors import FastocrError, LimitError, RequestError
from fastocr.serve.answers import shown
from fastocr.serve.batch import Outcome, read_all
from fastocr.serve.call import Call
from fastocr.serve.grpc.messages import options_from, page_to, setting
from fastocr.serve.grpc.schema import types
from fastocr.serve.service import DocumentRequest, Service

__all__ = ["models", "read", "read_batch", "read_document", "reload"]

NOTHING = "there is nothing to read: send the bytes of the file as {name}"


async def read(service: Service, call: Call, request: Any) -> AsyncIterator[Any]:
    options, data = options_from(request.options), given(request.image, "image")
    del request  # each access to its bytes is a copy of them: one is enough
    call.bytes_in = len(data)
    page = await service.read(call, data, options)
    # Off the event loop: of a page full of text, thousands of small messages are made.
    yield types().ReadResponse(page=await asyncio.to_thread(page_to, page), service=served(call))


async def read_document(service: Service, call: Call, request: Any) -> AsyncIterator[Any]:
    options, data = options_from(request.options), given(request.document, "document")
    asked = DocumentRequest(
        pages=request.pages if request.HasField("pages") else None,
        password=request.password if request.HasField("password") else None,
        pdf_text=setting(request, "pdf_text") or "auto",  # type: ignore[arg-type]
        dpi=request.dpi if request.HasField("dpi") else None,
    )
    del request
    call.bytes_in = len(data)
    async with aclosing(service.pages(call, data, options, asked)) as pages:
        async for page in pages:
            yield types().ReadDocumentResponse(page=await asyncio.to_thread(page_to, page), service=served(call))


async def read_batch(service: Service, call: Call, request: Any) -> AsyncIterator[Any]:
    options = options_from(request.options)
    images = [entry.image for entry in request.images]
    call.bytes_in = sum(map(len, images))
    if not images:
        raise RequestError(NOTHING.format(name="images"))
    if len(images) > service.config.max_batch:
        raise LimitError(f"there are {len(images)} images: send at most {service.config.max_batch} in one request")
    names = [entry.name for entry in request.images]
    del request
    outcomes = await read_all(service, call, images, options)
    yield await asyncio.to_thread(batch_to, call, names, outcomes)


async def models(service: Service, call: Call, request: Any) -> AsyncIterator[Any]:
    yield known(service)


async def reload(service: Service, call: Call, request: Any) -> AsyncIterator[Any]:
    await service.reload({name: getattr(request, name) for name in ("preset", "models") if request.HasField(name)})
    yield types().ReloadResponse(models=known(service))


def batch_to(call: Call, names: list[str], outcomes: list[Outcome]) -> Any:
    """A `ReadBatchResponse` message."""
    kinds = types()
    answer = kinds.ReadBatchResponse(service=served(call))
    for index, (name, outcome) in enumerate(zip(names, outcomes, strict=True)):
        result = answer.results.add(index=index, name=name, preset=outcome.preset, degraded=outcome.degraded)
        if isinstance(outcome.result, FastocrError):
            result.error.code, result.error.message = outcome.result.code, shown(outcome.result)
        else:
            result.page.CopyFrom(page_to(outcome.result))
    return answer


def given(data: bytes, name: str) -> bytes:
    """The bytes; RequestError where there are none."""
    if not data:
        raise RequestError(NOTHING.format(name=name))
    return data


def served(call: Call) -> Any:
    """How a request was served so far, as a `ServiceInfo` message."""
    return types().ServiceInfo(
        request_id=call.id,
        preset=call.preset,
        models=call.models,
        degraded=call.degraded,
        queue_ms=call.stages.get("queue", 0.0),
        total_ms=1e3 * call.seconds,
    )


def known(service: Service) -> Any:
    """What the service reads with, as a `ModelsResponse` message."""
    kinds, facts = types(), service.models()
    engines = [
        kinds.Engine(**{**engine, "files": [kinds.ModelFile(**file) for file in engine["files"]]})
        for engine in facts["engines"]
    ]
    return kinds.ModelsResponse(generation=facts["generation"], degraded=facts["degraded"], engines=engines)
