"""PDFs as pages: rendered, with the text that they hold themselves, through PDFium."""

from fastocr.documents.pdf.options import PdfOptions, PdfText
from fastocr.documents.pdf.pages import PdfPages

__all__ = ["PdfOptions", "PdfPages", "PdfText"]
