"""What is one input, and what are its pages: images, files of many frames, PDFs, folders of them."""

from fastocr.documents.document import Document
from fastocr.documents.inputs import in_folder, inputs
from fastocr.documents.leaf import Leaf, Pages
from fastocr.documents.pdf import CAN_ISOLATE, PdfOptions, PdfText
from fastocr.documents.ranges import page_numbers
from fastocr.documents.reading import read_leaf, read_page
from fastocr.documents.sources import first_leaf, open_pages

__all__ = [
    "CAN_ISOLATE",
    "Document",
    "Leaf",
    "Pages",
    "PdfOptions",
    "PdfText",
    "first_leaf",
    "in_folder",
    "inputs",
    "open_pages",
    "page_numbers",
    "read_leaf",
    "read_page",
]
