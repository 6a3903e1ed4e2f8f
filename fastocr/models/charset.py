"""Dictionaries of recognizers: parsing, and the check against the model's class count."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from fastocr.errors import ModelError

__all__ = ["BLANK", "SPACE", "classes", "parse_charset"]

BLANK = ""
SPACE = " "


@functools.lru_cache(maxsize=4)  # opening a model asks twice, and 18,000 lines take milliseconds
def parse_charset(data: bytes, source: str) -> tuple[str, ...]:
    """The entries of a dictionary, one a line, in order.

    ``data`` is UTF-8, with or without a byte order mark, with LF or CRLF line ends; ``source`` names it in errors.
    Only LF and CRLF end a line, and nothing is stripped: U+3000 or U+0020 alone on a line is a character.  An empty
    line is no character; where a tool stripped a blank one to nothing, the class count tells (:func:`classes`).
    Raises ModelError for bytes that are not UTF-8 and for an empty dictionary.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"the dictionary {source} is not UTF-8 ({error.reason} at byte {error.start})") from error
    entries = tuple(line for line in text.replace("\r\n", "\n").split("\n") if line)
    if not entries:
        raise ModelError(f"the dictionary {source} is empty")
    return entries


def classes(charset: Sequence[str], class_count: int, source: str) -> tuple[str, ...]:
    """The text of each of the model's classes: blank ("") first, the dictionary, the space last.

    A dictionary that already ends in the space is taken without a second one where the counts ask for it.
    Raises ModelError, naming both counts, where dictionary and model do not fit.
    """
    if len(charset) + 2 == class_count:
        return (BLANK, *charset, SPACE)
    if len(charset) + 1 == class_count and charset[-1] == SPACE:
        return (BLANK, *charset)
    raise ModelError(
        f"the dictionary {source} has {len(charset)} characters, but the model has {class_count} classes, which takes "
        f"{class_count - 2} characters: use the dictionary that came with the model, with no line added or lost"
    )
