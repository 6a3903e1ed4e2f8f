"""What comes in: a body as multipart, JSON or the bytes themselves, turned into images and typed options.

Nothing that a request holds is ever taken as a path or an address: an image is bytes.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from fastocr.errors import FastocrError, LimitError, RequestError, UnsupportedFormatError
from fastocr.serve import asked
from fastocr.serve.asked import Option

__all__ = [
    "Form",
    "Upload",
    "change",
    "decoded",
    "from_bytes",
    "from_json",
    "from_query",
    "is_json",
    "is_multipart",
    "parts",
]

LONGEST_FIELD = 64 * 1024
LONGEST_NAME = 200
# Parsing JSON holds the interpreter, so that nothing else is answered meanwhile: 20 MB of text take 20 ms, of brackets
# 3 s.  Commas and brackets are counted, also those within text, where an image has none.
MOST_VALUES = 50_000
# Characters of base64 that are decoded at once, for the same reason; a multiple of four.
SLICE = 2**20
SPACES = b" \t\r\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
URL_SAFE = bytes.maketrans(b"-_", b"+/")


@dataclass(frozen=True, slots=True)
class Upload:
    """One image or document: its name, and its bytes or why there are none."""

    name: str
    data: bytes | FastocrError


@dataclass(slots=True)
class Form:
    """What one operation takes, and what of it a request has given so far.

    fields: names of the field that holds the image, the first of which messages use.
    many: whether it takes several images, as a list of at most `most` in JSON.
    """

    fields: tuple[str, ...]
    options: Mapping[str, Option]
    many: bool = False
    most: int = 1
    uploads: list[Upload] = field(default_factory=list)
    given: dict[str, Any] = field(default_factory=dict)

    def give(self, name: str, value: Any) -> None:
        """An option's value; RequestError where it was given before."""
        if name in self.given:
            raise RequestError(f"{name} is given twice: give it once")
        self.given[name] = value

    def add(self, upload: Upload) -> None:
        """An image; RequestError or LimitError where there are too many."""
        if len(self.uploads) >= self.most:
            if not self.many:
                raise RequestError(f"{self.fields[0]} is given twice: /v2/ocr/batch takes several images")
            raise LimitError(f"there are more than {self.most} images: send fewer in one request")
        self.uploads.append(upload)

    def done(self) -> None:
        """RequestError where there is nothing to read."""
        if not self.uploads:
            raise RequestError(
                f"there is nothing to read: send the bytes as the body, as the field {self.fields[0]!r} of "
                f"multipart/form-data, or as base64 in JSON"
            )


def from_query(form: Form, pairs: list[tuple[str, str]]) -> None:
    """Takes the options of the query; ArgumentError for one that is not known or has a bad value."""
    for name, text in pairs:
        form.give(name, asked.from_text(name, text, form.options))


def is_multipart(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "multipart/form-data"


def is_json(body: bytes, content_type: str) -> bool:
    """Whether a body is meant as JSON: it begins like an object, which no image does, or its Content-Type says so."""
    media_type = content_type.partition(";")[0].strip().lower()
    said = media_type == "application/json" or media_type.endswith("+json")
    return said or body[:64].removeprefix(BYTE_ORDER_MARK).lstrip(SPACES).startswith(b"{")


def from_bytes(form: Form, body: bytes) -> None:
    """Takes a body that is the image itself; RequestError for an empty one, and where several images are to come."""
    if not body:
        raise RequestError("the body is empty: send the image's bytes, a form or JSON")
    if form.many:
        raise RequestError("several images come as multipart/form-data or as JSON with a list of images")
    form.add(Upload(form.fields[0], body))


def change(body: bytes) -> dict[str, str]:
    """What a reload is to change: a flat JSON object of text, or nothing; RequestError for anything else."""
    data = _object(body) if body.strip() else {}
    for name, value in data.items():
        if not isinstance(value, str):
            raise RequestError(f"{name[:100]} must be text, not {_kind(value)}")
    return data


def _object(body: bytes) -> dict[str, Any]:
    if body.count(b",") + body.count(b"[") + body.count(b"{") > MOST_VALUES:
        raise RequestError("the JSON holds too many values: send one flat object")
    try:
        data = json.loads(body.decode("utf-8-sig"), parse_constant=_no_number, object_pairs_hook=_once)
    except RecursionError as error:
        raise RequestError("the JSON is nested too deeply: send one flat object") from error
    except ValueError as error:
        raise RequestError(f"the body is not valid JSON ({error})"[:300]) from error
    if not isinstance(data, dict):
        raise RequestError("the JSON must be one object")
    return data


def from_json(form: Form, body: bytes) -> None:
    """Takes a body of JSON.  Takes time for a large one: not for the event loop.

    Raises RequestError for what is no JSON object or holds no image, and what the options raise.
    """
    data = _object(body)
    holders = ("images",) if form.many else form.fields
    for name, value in data.items():
        if name not in holders:
            form.give(name, asked.from_json(name, value, form.options))
        elif form.many:
            _add_all(form, name, value)
        elif isinstance(value, str):
            form.add(Upload(name, decoded(value)))
        else:
            raise RequestError(f"{name} must be base64 text or a data URI, not {_kind(value)}")
    form.done()


def _add_all(form: Form, name: str, values: Any) -> None:
    if not isinstance(values, list):
        raise RequestError(f"{name} must be a list of images in base64, not {_kind(values)}")
    for number, value in enumerate(values):
        if not isinstance(value, str):
            raise RequestError(f"{name}[{number}] must be base64 text or a data URI, not {_kind(value)}")
        data: bytes | FastocrError
        try:
            data = decoded(value)
        except FastocrError as error:  # one bad image does not end the others
            data = error
        form.add(Upload(f"image-{number}", data))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", str: "text", type(None): "null"}
    return names.get(type(value), "a number")


def decoded(text: str) -> bytes:
    """The bytes of base64 text: plain or as a data URI, with or without line ends and padding, in either alphabet.

    Raises RequestError for anything else.
    """
    if text[:5].lower() == "data:":
        head, comma, text = text.partition(",")
        if not comma or head[-7:].lower() != ";base64":
            raise RequestError("the data URI is not in base64: write data:image/png;base64,...")
    try:
        packed = text.encode("ascii").translate(URL_SAFE, SPACES).rstrip(b"=")
        packed += b"=" * (-len(packed) % 4)
        slices = (packed[start : start + SLICE] for start in range(0, len(packed), SLICE))
        data = b"".join(base64.b64decode(piece, validate=True) for piece in slices)
    except (UnicodeEncodeError, binascii.Error, ValueError) as error:
        raise RequestError("the image is not valid base64: encode its bytes again") from error
    if not data:
        raise RequestError("the image is empty: send the base64 of its bytes")
    return data


async def parts(form: Form, chunks: AsyncIterator[bytes], content_type: str) -> None:
    """Takes a multipart body as it comes in; only the parts are kept.

    Raises RequestError for one that is cut or is no multipart, and what the options raise.
    """
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import MultipartParser, parse_options_header

    _, parameters = parse_options_header(content_type)
    boundary = parameters.get(b"boundary")
    if not boundary:
        raise RequestError("the Content-Type names no boundary: let the client's library write it")
    reader = _Parts(form)
    try:
        parser = MultipartParser(boundary, reader.callbacks())  # type: ignore[arg-type]
        async for chunk in chunks:
            parser.write(chunk)
        parser.finalize()
    except FormParserError as error:
        raise RequestError(f"the multipart body is not well formed ({error})"[:300]) from error
    if not reader.ended:
        raise RequestError("the multipart body is cut: its last boundary is missing")
    form.done()


class _Parts:
    """What the streaming parser tells, gathered part by part."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._header: list[bytes] = []
        self._value: list[bytes] = []
        self._name: str | None = None
        self._file = ""
        self._data: list[bytes] = []
        self._size = 0
        self.ended = False

    def callbacks(self) -> dict[str, Any]:
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._header.append(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.append(data[start:end]),
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_part_data": self._part_data,
            "on_part_end": self._part_end,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        self._name, self._file, self._data, self._size = None, "", [], 0

    def _header_end(self) -> None:
        from python_multipart.multipart import parse_options_header

        header, value = b"".join(self._header).lower(), b"".join(self._value)
        self._header, self._value = [], []
        if header == b"content-disposition":
            _, parameters = parse_options_header(value)
            if b"name" in parameters:
                self._name = _text(parameters[b"name"], "the name of a field")
            # Only the last part of what may be a path on the client's side; it is a name in the answer, no more.
            shown = parameters.get(b"filename", b"").decode("utf-8", "replace")
            self._file = shown.replace("\\", "/").rpartition("/")[2][:LONGEST_NAME]
        elif header == b"content-transfer-encoding" and value.strip().lower() not in (b"binary", b"8bit", b"7bit"):
            raise UnsupportedFormatError("a part with a Content-Transfer-Encoding is not taken: send the bytes as are")

    def _headers_finished(self) -> None:
        if self._name is None:
            raise RequestError('a part has no Content-Disposition with a name: write name="image"')
        if self._name not in self._form.fields:
            asked.known(self._name, self._form.options)

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._name not in self._form.fields and self._size > LONGEST_FIELD:
            raise LimitError(f"the field {self._name!r} is longer than {LONGEST_FIELD} bytes")
        self._data.append(data[start:end])

    def _part_end(self) -> None:
        assert self._name is not None  # noqa: S101 (the parser tells of a part's end after its headers)
        data = b"".join(self._data)
        self._data = []
        if self._name not in self._form.fields:
            text = _text(data, self._name)
            self._form.give(self._name, asked.from_text(self._name, text, self._form.options))
        elif data or self._form.many:
            name = self._file or (f"image-{len(self._form.uploads)}" if self._form.many else self._name)
            empty = RequestError("the image is empty: send its bytes")
            self._form.add(Upload(name, data or empty))
        else:
            raise RequestError(f"the field {self._name!r} is empty: send the bytes of the image in it")

    def _end(self) -> None:
        self.ended = True


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise RequestError(f"{name} is not UTF-8: encode it as such") from error
