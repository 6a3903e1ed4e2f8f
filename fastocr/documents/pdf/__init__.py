"""PDFs as pages: rendered, with the text that they hold themselves, through PDFium.

`PdfPages` stands in `fastocr.documents.pdf.pages`, which is loaded where there is a PDF.
"""

from fastocr.documents.pdf.options import CAN_ISOLATE, PdfOptions, PdfText

__all__ = ["CAN_ISOLATE", "PdfOptions", "PdfText"]
