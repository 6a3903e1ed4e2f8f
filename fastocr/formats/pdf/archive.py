"""PDF/A-2b, for archives: made so by pikepdf, and written only once pikepdf's validator has passed it."""

from __future__ import annotations

import shutil
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO

from fastocr._version import DISTRIBUTION, __version__
from fastocr.errors import DependencyError, OutputError

if TYPE_CHECKING:
    from pikepdf import Pdf

__all__ = ["PRODUCER", "save_archive"]

PRODUCER = f"{DISTRIBUTION} {__version__}"

_FLAVOUR = "2b"
_TOLD = 3  # findings that a message names


def save_archive(pdf: Pdf, out: BinaryIO, name: str) -> None:
    """Writes the PDF as PDF/A-2b: with an sRGB output intent and XMP metadata, without what archives forbid.

    name: of the source, for messages.  Raises OutputError where the PDF holds what cannot be mended so, as a font that
    is not embedded, and DependencyError without the extra `pdf`.
    """
    pdfa = _pdfa()
    for page in pdf.pages:
        if "/Trans" in page:
            del page["/Trans"]  # how a presentation turns to the page: the validator passes none
    pdfa.prepare(pdf, _FLAVOUR)
    # pikepdf notes itself and the time, by which equal input would not give equal bytes.
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
        del metadata["xmp:MetadataDate"]
        metadata["pdf:Producer"] = PRODUCER
    pdf.docinfo["/Producer"] = PRODUCER
    with tempfile.TemporaryFile() as file:
        pdf.save(file, **pdfa.resolve_save_kwargs(_FLAVOUR, deterministic_id=True))
        file.seek(0)
        report = pdfa.validate_written(file, _FLAVOUR)
        if not report.passed:
            raise OutputError(f"{name or 'the given input'} cannot be made PDF/A: {_reasons(report)}")
        file.seek(0)
        shutil.copyfileobj(file, out)


def _pdfa() -> Any:
    try:
        from pikepdf import pdfa
    except ImportError as error:
        raise DependencyError(
            f'PDF/A cannot be written ({error}): run `pip install "{DISTRIBUTION}[pdf]"`, or write a PDF without it'
        ) from error
    return pdfa


def _reasons(report: Any) -> str:
    """What the validator found against it, and then what it does not know and so does not pass."""
    found = sorted(report.findings, key=lambda finding: finding.kind != "violation")
    said = list(dict.fromkeys(finding.message for finding in found))
    more = f"; and {len(said) - _TOLD} more" if len(said) > _TOLD else ""
    return "; ".join(said[:_TOLD]) + more
