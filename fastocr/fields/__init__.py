"""What else a page holds: codes, and the fields that a template asks for."""

from fastocr.fields.filled import filled
from fastocr.fields.meter import plausible
from fastocr.fields.template import load, names

__all__ = ["filled", "load", "names", "plausible"]
