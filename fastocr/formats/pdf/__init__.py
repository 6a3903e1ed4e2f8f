"""The searchable PDF: a writer as the others, and what it is made of."""

from fastocr.formats.pdf.writer import write, write_text_only

__all__ = ["write", "write_text_only"]
