"""What Tesseract's command line says, in fastocr's terms: languages, page segmentation modes, variables."""

from __future__ import annotations

import functools
import math
import shlex
import threading
from dataclasses import dataclass, field
from typing import Any

from fastocr import images
from fastocr.api import OCR
from fastocr.config import Options
from fastocr.errors import ArgumentError, DependencyError, FastocrError
from fastocr.results import Line, Page, Quad, Sheet, Source
from fastocr.runtime.base import CancelToken

__all__ = ["CODES", "Command", "TSVNotSupported", "TesseractError", "TesseractNotFoundError", "parsed", "read"]

# Tesseract's codes (ISO 639-2/T, with a script where needed) and ours.
CODES = {
    "afr": "af", "ara": "ar", "aze": "az", "bel": "be", "bos": "bs", "bul": "bg", "cat": "ca", "ces": "cs",
    "chi_sim": "zh-Hans", "chi_tra": "zh-Hant", "cym": "cy", "dan": "da", "deu": "de", "ell": "el", "eng": "en",
    "est": "et", "eus": "eu", "fas": "fa", "fil": "fil", "fin": "fi", "fra": "fr", "gle": "ga", "glg": "gl",
    "hin": "hi", "hrv": "hr", "hun": "hu", "ind": "id", "isl": "is", "ita": "it", "jpn": "ja", "kaz": "kk",
    "kir": "ky", "kor": "ko", "lat": "la", "lav": "lv", "lit": "lt", "ltz": "lb", "mar": "mr", "mkd": "mk",
    "mlt": "mt", "mon": "mn", "mri": "mi", "msa": "ms", "nep": "ne", "nld": "nl", "nor": "nb", "oci": "oc",
    "pol": "pl", "por": "pt", "pus": "ps", "que": "qu", "ron": "ro", "rus": "ru", "san": "sa", "slk": "sk",
    "slv": "sl", "snd": "sd", "spa": "es", "sqi": "sq", "srp": "sr-Cyrl", "srp_latn": "sr-Latn", "swa": "sw",
    "swe": "sv", "tam": "ta", "tat": "tt", "tel": "te", "tgk": "tg", "tha": "th", "tur": "tr", "uig": "ug",
    "ukr": "uk", "urd": "ur", "uzb": "uz", "vie": "vi",
}  # fmt: skip

# What Tesseract's configuration file "digits" allows.
_DIGITS = "0123456789-."
_LINES = (7, 8, 9, 10, 13)
_ONE_BLOCK = (4, 6)
_NO_TEXT = (0, 2)
_OPTIONS = ("--oem", "--dpi", "--tessdata-dir", "--user-words", "--user-patterns", "--loglevel")


class TesseractError(FastocrError, RuntimeError):
    """An image that cannot be read, a language that no model reads, or a timeout."""

    code = "tesseract"

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message

    def __str__(self) -> str:
        return str((self.status, self.message))


class TesseractNotFoundError(FastocrError, OSError):
    """Never raised, since no program is needed; programs name it in an except clause."""


class TSVNotSupported(FastocrError, OSError):
    """Never raised; programs name it in an except clause."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a call asks for.

    languages: ours; none for the default models as they are.  line: the image is one line.  keeps_spaces: the text
    keeps the distances between words.  options: of the reading.
    """

    languages: tuple[str, ...] = ()
    line: bool = False
    keeps_spaces: bool = False
    options: Options = field(default_factory=lambda: Options())


def parsed(config: str, lang: str | None, *, reads_text: bool = True) -> Command:
    """The command for pytesseract's ``config`` and ``lang``, which ``reads_text`` or asks how the page lies.  Raises
    ArgumentError for what would give another result than asked for; what merely has no counterpart is passed over."""
    options = Options()
    mode, keeps_spaces = 3, False
    words = iter(shlex.split(config or ""))
    for word in words:
        name, joined, value = word.partition("=")
        if name in ("--psm", "-psm"):
            mode = _mode(value if joined else next(words, ""), reads_text)
        elif name == "-l":
            lang = next(words, "") if lang is None else lang
        elif word == "-c":
            key, _, setting = next(words, "").partition("=")
            if key == "tessedit_char_whitelist" and setting:
                options["charset"] = setting
            elif key == "tessedit_char_blacklist" and setting:
                raise ArgumentError("tessedit_char_blacklist has no counterpart: say what may be read instead")
            elif key == "preserve_interword_spaces":
                keeps_spaces = setting not in ("", "0", "F", "f")
        elif word == "digits":
            options["charset"] = _DIGITS
        elif name in _OPTIONS and not joined:
            next(words, "")
    if "charset" in options and (charset := options["charset"]):
        # In Tesseract spaces are no matter of the list.
        options["charset"] = charset if " " in charset else f"{charset} "
    if mode in _ONE_BLOCK:
        options["layout"] = "rows"
    return Command(_languages(lang), mode in _LINES, keeps_spaces, options)


def _mode(value: str, reads_text: bool) -> int:
    if not value.isdecimal() or int(value) > 13:
        raise ArgumentError(f"--psm must be a number from 0 to 13, not {value!r}")
    if reads_text and int(value) in _NO_TEXT:
        raise ArgumentError(f"--psm {value} reads no text and has no counterpart: take 3 or leave it out")
    return int(value)


def _languages(lang: str | None) -> tuple[str, ...]:
    codes = [code for code in (lang or "").split("+") if code and code != "osd"]
    if unknown := [code for code in codes if code.casefold() not in CODES]:
        raise TesseractError(1, f"no model reads the language {unknown[0]!r}; get_languages() lists those that are")
    return tuple(dict.fromkeys(CODES[code.casefold()] for code in codes))


def read(image: Any, command: Command, timeout: float = 0) -> list[Sheet]:
    """The pages of a path (all of a file), an array (RGB) or a Pillow image.  Raises TesseractError."""
    token = CancelToken()
    timer = threading.Timer(timeout, token.cancel) if timeout else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        return _read(image, command, token)
    except DependencyError:
        raise
    except FastocrError as error:
        message = "Tesseract process timeout" if token.cancelled else str(error)
        raise TesseractError(error.exit_code, message) from error
    finally:
        if timer is not None:
            timer.cancel()


def _read(image: Any, command: Command, token: CancelToken) -> list[Sheet]:
    ocr = _ocr(command.languages)
    given = _as_bgr(image)
    if command.line:
        return [Sheet(_line(ocr, given, command, token), Source(images.label(image)))]
    with ocr.read_document(given, cancel=token, **command.options) as document:
        return [Sheet(page, document.source) for page in document]


@functools.lru_cache(maxsize=4)
def _ocr(languages: tuple[str, ...]) -> OCR:
    return OCR(lang=list(languages) or None)


def _as_bgr(image: Any) -> Any:
    """Arrays come in the order of colours that Pillow has."""
    import numpy as np

    if isinstance(image, np.ndarray) and image.ndim == 3 and image.shape[2] in (3, 4):
        return np.ascontiguousarray(image[:, :, [2, 1, 0, 3][: image.shape[2]]])
    return image


def _line(ocr: OCR, image: Any, command: Command, token: CancelToken) -> Page:
    """The page of an image that is one line."""
    import numpy as np

    from fastocr.layout.words import words

    pixels = images.load(image).pixels
    options = {name: value for name, value in command.options.items() if name != "layout"}
    (reading,) = ocr.recognize([pixels], cancel=token, **options)  # type: ignore[arg-type]
    height, width = pixels.shape[:2]
    right, bottom = float(width - 1), float(height - 1)
    quad: Quad = ((0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom))
    (found,) = words(np.array([quad], np.float32), [(reading.text, reading.confidence, reading.characters)])
    line = Line(reading.text, reading.confidence, quad, reading.characters, words=found)
    kept = (line,) if reading.text and math.isfinite(reading.confidence) else ()
    rows = ((0,),) if kept else ()
    return Page(lines=kept, rows=rows, width=width, height=height, models="", layout_text=reading.text, image=pixels)
