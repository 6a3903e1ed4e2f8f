"""Markdown: a paragraph of the page is a paragraph, a row is a line of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from fastocr.formats.base import WriteOptions
from fastocr.formats.unicode import xml_text
from fastocr.results import Page, Sheet

__all__ = ["escaped", "write"]

# What means something anywhere, in CommonMark or in GitHub's tables and strikes; "_" counts only at the edge of a word,
# "&" only before what may be a character reference.
_INLINE = re.compile(r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
# ... and at the start of a line: headings, quotes, lists, rules and the underlines of headings.
_START = re.compile(r"[#>+=-]|(\d{1,9})(?=[.)](?:\s|$))")


def write(sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
    """The paragraphs in UTF-8, a blank line between them and a rule (``---``) between pages; none for an empty page.

    Characters with a meaning in Markdown are escaped, so that a parser of CommonMark gives the page's text back; the
    text is made fit as for XML.  Nothing is made a heading, list or table: the page does not say what is one.
    """
    for number, sheet in enumerate(sheets):
        text = "\n\n".join(_paragraphs(sheet.page))
        out.write(b"\n---\n\n" * (number > 0) + (f"{text}\n".encode() if text else b""))


def _paragraphs(page: Page) -> Iterator[str]:
    for paragraph in page.paragraphs:
        rows = (" ".join(filter(None, (page.lines[index].text for index in page.rows[row]))) for row in paragraph)
        if text := "\n".join(filter(None, map(escaped, rows))):
            yield text


def escaped(text: str) -> str:
    """One row's text as Markdown; line ends inside it stay line ends, blank lines and blanks at the edges go."""
    parts = (part.strip() for part in xml_text(text).split("\n"))
    return "\n".join(_START.sub(_lead, _INLINE.sub(r"\\\g<0>", part), count=1) for part in parts if part)


def _lead(found: re.Match[str]) -> str:
    if found.start():
        return found[0]
    return f"{found[1]}\\" if found[1] else f"\\{found[0]}"
