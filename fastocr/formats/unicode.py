"""Text that its readers take: the one place where every writer has its text made fit."""

from __future__ import annotations

import re

__all__ = ["well_formed", "xml_text"]

# All that XML 1.0 has no place for, not even as a reference (its production "Char").
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_END = re.compile("\r\n?")


def well_formed(text: str) -> str:
    """The text with each half of a split surrogate pair, which UTF-8 cannot hold, as U+FFFD; whole pairs are joined.

    Halves come from file names that are not UTF-8, and from dictionaries or callers that are broken.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def xml_text(text: str) -> str:
    """The text as a parser of XML 1.0 gives it back: control characters but tab and line feed, U+FFFE, U+FFFF and
    surrogates are U+FFFD, and a carriage return, alone or before a line feed, is a line feed."""
    return _NOT_XML.sub("\ufffd", _LINE_END.sub("\n", well_formed(text)))
