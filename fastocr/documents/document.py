"""A document: the pages of one input, read one by one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Self

from fastocr.documents.leaf import Pages
from fastocr.errors import ArgumentError, ClosedError
from fastocr.many import ReadResult
from fastocr.results import Page, Source
from fastocr.runtime.base import CancelToken

__all__ = ["Document"]


class Document:
    """The chosen pages of one input.  Iterating reads them, in their order; each iteration reads them anew.

    A few pages are read ahead, and none is kept once the next is asked for, so that memory does not grow with the
    number of pages.  Use it as a context manager or close it: an open document keeps its file.
    """

    def __init__(
        self,
        pages: Pages,
        numbers: Sequence[int],
        one: Callable[[int, CancelToken | None], Page],
        each: Callable[[], Generator[ReadResult]],
    ) -> None:
        self._pages = pages
        self._one = one
        self._results = each
        self._closed = False
        self.numbers = tuple(numbers)
        """The chosen pages, counted from 1."""

    @property
    def name(self) -> str:
        """What messages call the input, such as its path."""
        return self._pages.source.name

    @property
    def source(self) -> Source:
        """The input for writers that need its pages."""
        return self._pages.source

    @property
    def page_count(self) -> int:
        """The pages of the input, chosen or not."""
        return self._pages.count

    def __len__(self) -> int:
        return len(self.numbers)

    def page(self, number: int, cancel: CancelToken | None = None) -> Page:
        """Reads one page of the input, counted from 1, chosen or not.  ArgumentError where there is no such page;
        otherwise as iterating does."""
        if self._closed:
            raise ClosedError("this document was closed; open it again")
        if not 1 <= number <= self.page_count:
            raise ArgumentError(f"{self.name} has pages 1 to {self.page_count}, but no page {number!r}")
        return self._one(number, cancel)

    def __iter__(self) -> Iterator[Page]:
        """Reads page by page.  A page that cannot be rendered or decoded comes without lines and with a warning, but
        InputError is raised where it is the only one; CancelledError once the document's token is cancelled."""
        if self._closed:
            raise ClosedError("this document was closed; open it again")
        return self._each()

    def _each(self) -> Generator[Page]:
        with closing(self._results()) as results:
            for result in results:
                if result.error is not None:
                    raise result.error
                if result.page is not None:
                    yield result.page

    @property
    def text(self) -> str:
        """The text of the chosen pages, a form feed between them.  Reads them all."""
        return "\f".join(page.text for page in self)

    def close(self) -> None:
        """Lets the input go; pages that were read stay as they are."""
        self._closed = True
        self._pages.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Document({self.name!r}, {len(self)} of {self.page_count} pages)"
