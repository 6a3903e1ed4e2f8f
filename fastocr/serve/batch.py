"""Several images of one request: each is read, or has its error."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from fastocr.config import Options
from fastocr.errors import CancelledError, FastocrError
from fastocr.results import Page
from fastocr.serve.call import Call
from fastocr.serve.service import Service

__all__ = ["Outcome", "read_all"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one image: a page, what read it and whether that was the light preset; or an error."""

    result: Page | FastocrError
    preset: str = ""
    degraded: bool = False


async def read_all(
    service: Service, call: Call, images: Sequence[bytes | FastocrError], options: Options
) -> list[Outcome]:
    """The outcomes in the order of the images; an error in the place of an image is its outcome.

    As many are read at once as there are slots; a batch that was let in is read to its end, however many others come.
    Raises what the service raised where it refused every image.
    """
    outcomes: dict[int, Outcome] = {}
    waiting = iter(enumerate(images))

    async def read() -> None:
        for index, image in waiting:
            one = dataclasses.replace(call, stages={}, pages=0)
            try:
                if isinstance(image, FastocrError):
                    raise image
                page = await service.read(one, image, options, admitted=True)
                outcomes[index] = Outcome(page, one.preset, one.degraded)
                call.preset, call.models, call.degraded = one.preset, one.models, one.degraded
            except CancelledError:
                raise
            except FastocrError as error:
                outcomes[index] = Outcome(error)
            call.spent(one.stages)
            call.pages += one.pages

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(len(images), service.pool.state.slots)):
                group.create_task(read())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    refusals = [each.result for each in outcomes.values() if not isinstance(each.result, Page) and refused(each.result)]
    if refusals and len(refusals) == len(images):
        raise refusals[0]
    return [outcomes[index] for index in range(len(images))]


def refused(error: FastocrError) -> bool:
    """Whether the service, not the image, was the reason."""
    return error.http_status >= 500
