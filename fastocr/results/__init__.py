"""What a reading gives: characters, words, lines and pages, as frozen plain data."""

from fastocr.results.field import Attempt, Code, Field
from fastocr.results.line import Alternatives, Character, Direction, Line, Quad, Word
from fastocr.results.page import OWN_TEXT, SCHEMA, Page
from fastocr.results.source import Sheet, Source

__all__ = [
    "OWN_TEXT",
    "SCHEMA",
    "Alternatives",
    "Attempt",
    "Character",
    "Code",
    "Direction",
    "Field",
    "Line",
    "Page",
    "Quad",
    "Sheet",
    "Source",
    "Word",
]
