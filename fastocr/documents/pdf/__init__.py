"""PDFs as pages: rendered, with the text that they hold themselves, through PDFium.

`PdfPages` stands in `fastocr.documents.pdf.pages`, which is loaded where there is a PDF.
"""

from fastocr.documents.pdf.options import PdfOptions, PdfText

__all__ = ["PdfOptions", "PdfText"]
