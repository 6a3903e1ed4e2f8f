"""Bodies in every form that clients send, and all that is no image: case P39."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import cv2
import numpy as np
import pytest

from tests.serve.conftest import BODY_LIMIT
from tests.serve.running import BOUNDARY, Answer, Client, form

TEXT = "Palette 7731"


@pytest.fixture(scope="module")
def png(draw: Any) -> bytes:
    """The page of P01, of a size that base64 has to pad."""
    page = np.asarray(draw.text(draw.page(480, 90), (20, 20), TEXT, 40))[:, :, ::-1]
    sizes = [cv2.imencode(".png", page, [cv2.IMWRITE_PNG_COMPRESSION, level])[1].tobytes() for level in range(10)]
    return next(data for data in sizes if len(data) % 3)


@pytest.fixture(scope="module")
def right(http: Client, png: bytes) -> dict[str, Any]:
    """What the bytes themselves give."""
    answer = http.post("/v2/ocr", png, "image/png")
    assert answer.status == 200
    assert answer.json["text"] == TEXT
    return lasting(answer)


def lasting(answer: Answer) -> dict[str, Any]:
    """A page without what differs from run to run."""
    assert answer.status == 200, answer.body
    return {key: value for key, value in answer.json.items() if key not in ("timings", "service")}


def as_json(image: Any, **options: Any) -> bytes:
    return json.dumps({"image": image, **options}).encode()


def wrapped(data: bytes, at: int = 76, end: str = "\r\n") -> str:
    text = base64.b64encode(data).decode()
    return end.join(text[start : start + at] for start in range(0, len(text), at)) + end


def good_bodies(png: bytes) -> dict[str, tuple[bytes, str | None]]:
    plain = base64.b64encode(png).decode()
    safe = base64.urlsafe_b64encode(png).decode()
    assert set(plain) & set("+/")
    assert plain.endswith("=")
    uri = f"data:image/png;base64,{plain}"
    return {
        "plain": (as_json(plain), "application/json"),
        "data URI": (as_json(uri), "application/json"),
        "data URI in capitals, with a parameter": (
            as_json(f"DATA:image/png;name=a.png;BASE64,{plain}"),
            "application/json",
        ),
        "data URI without a media type": (as_json(f"data:;base64,{plain}"), "application/json"),
        "wrapped": (as_json(wrapped(png)), "application/json"),
        "wrapped data URI": (as_json("data:image/png;base64," + wrapped(png)), "application/json"),
        "URL-safe": (as_json(safe), "application/json"),
        "no padding": (as_json(plain.rstrip("=")), "application/json"),
        "URL-safe, no padding": (as_json(safe.rstrip("=")), "application/json; charset=utf-8"),
        "with a byte order mark": (b"\xef\xbb\xbf \r\n" + as_json(plain), "application/json"),
        "JSON as a form": (as_json(plain), "application/x-www-form-urlencoded"),
        "JSON as text": (as_json(plain), "text/plain"),
        "JSON as an image": (as_json(plain), "image/png"),
        "JSON as nothing": (as_json(plain), None),
        "raw": (png, "image/png"),
        "raw as octets": (png, "application/octet-stream"),
        "raw as another kind": (png, "image/jpeg"),
        "raw as a form": (png, "application/x-www-form-urlencoded"),
        "raw as nothing": (png, None),
        "multipart": (form(("image", "a.png", png)), f"multipart/form-data; boundary={BOUNDARY}"),
        "multipart, quoted boundary": (form(("image", "a.png", png)), f'Multipart/Form-Data; boundary="{BOUNDARY}"'),
        "multipart without a file name": (form(("image", None, png)), f"multipart/form-data; boundary={BOUNDARY}"),
    }


@pytest.mark.parametrize("name", good_bodies(b"\x00\xfb\xff\xbf"))
def test_every_good_body_gives_equal_json(http: Client, png: bytes, right: dict[str, Any], name: str) -> None:
    body, content_type = good_bodies(png)[name]
    assert lasting(http.post("/v2/ocr", body, content_type)) == right


PLAIN_TEXT = base64.b64encode(b"this is no image, it is text").decode()
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
BAD: dict[str, tuple[bytes, str | None, int, str]] = {
    "not base64": (as_json("this is not base64!"), "application/json", 400, "bad_request"),
    "base64 cut": (as_json("AAAAA"), "application/json", 400, "bad_request"),
    "letters that are not ASCII": (as_json("Grüße"), "application/json", 400, "bad_request"),
    "base64 of text": (as_json(PLAIN_TEXT), "application/json", 415, "unsupported_format"),
    "base64 of nothing": (as_json("data:image/png;base64,"), "application/json", 400, "bad_request"),
    "a data URI that is not base64": (as_json("data:image/svg+xml,%3Csvg/%3E"), "application/json", 400, "bad_request"),
    "an address": (as_json("http://127.0.0.1/a.png"), "application/json", 400, "bad_request"),
    "a path": (as_json("/etc/hostname.png"), "application/json", 400, "bad_request"),
    "a path that is base64": (as_json("/etc/passwd"), "application/json", 415, "unsupported_format"),
    "no text": (as_json(5), "application/json", 400, "bad_request"),
    "a list": (as_json(["AAAA"]), "application/json", 400, "bad_request"),
    "missing": (b"{}", "application/json", 400, "bad_request"),
    "another key": (b'{"picture": "AAAA"}', "application/json", 400, "bad_argument"),
    "a key twice": (b'{"image": "AAAA", "image": "AAAA"}', "application/json", 400, "bad_request"),
    "cut JSON": (b'{"image": "AAAA', "application/json", 400, "bad_request"),
    "JSON that is no object": (b'"AAAA"', "application/json", 400, "bad_request"),
    "deep JSON": (b'{"image": ' + b"[" * 200_000, "application/json", 400, "bad_request"),
    "a list of lists": (b'{"image": [' + b"[]," * 6_000_000 + b"[]]}", "application/json", 400, "bad_request"),
    "a number too long": (b'{"image": ' + b"9" * 10_000 + b"}", "application/json", 400, "bad_request"),
    "no number": (b'{"min_confidence": NaN, "image": "AAAA"}', "application/json", 400, "bad_request"),
    "not UTF-8": (b'{"image": "\xff\xfe"}', "application/json", 400, "bad_request"),
    "empty": (b"", None, 400, "bad_request"),
    "empty image": (b"", "image/png", 400, "bad_request"),
    "empty JSON": (b"", "application/json", 400, "bad_request"),
    "empty form": (b"", MULTIPART, 400, "bad_request"),
    "a form without an image": (form(("charset", None, b"0123")), MULTIPART, 400, "bad_request"),
    "a form with an empty image": (form(("image", "a.png", b"")), MULTIPART, 400, "bad_request"),
    "a form with two images": (form(("image", "a", b"1"), ("image", "b", b"2")), MULTIPART, 400, "bad_request"),
    "a form with another field": (form(("file", "a.png", b"1")), MULTIPART, 400, "bad_argument"),
    "a form with a part without a name": (
        f"--{BOUNDARY}\r\nContent-Type: image/png\r\n\r\n1\r\n--{BOUNDARY}--\r\n".encode(),
        MULTIPART,
        400,
        "bad_request",
    ),
    "a cut form": (form(("image", "a.png", b"12345"))[:-20], MULTIPART, 400, "bad_request"),
    "no form": (b"nothing of a form", MULTIPART, 400, "bad_request"),
    "a form without a boundary": (form(("image", "a.png", b"1")), "multipart/form-data", 400, "bad_request"),
    "text": (b"this is no image", "image/png", 415, "unsupported_format"),
    "a cut image": (b"\x89PNG\r\n\x1a\n", "image/png", 422, "unreadable_image"),
    "a large body": (b"\0" * (30 * 10**6), "image/png", 413, "too_large"),
    "a large form": (form(("image", "a.png", b"\0" * (30 * 10**6))), MULTIPART, 413, "too_large"),
}


@pytest.mark.parametrize("name", BAD)
def test_every_bad_body_is_told_what_is_wrong(http: Client, png: bytes, name: str) -> None:
    body, content_type, status, code = BAD[name]
    answer = http.post("/v2/ocr", body, content_type)
    assert (answer.status, answer.code) == (status, code), answer.body
    assert http.post("/v2/ocr", png).status == 200


def test_a_get_is_told_that_it_must_post(http: Client) -> None:
    answer = http.get("/v2/ocr")
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


def test_an_encoded_body_is_refused(http: Client, png: bytes) -> None:
    answer = http.post("/v2/ocr", zlib.compress(png), "image/png", Content_Encoding="deflate")
    assert (answer.status, answer.code) == (415, "unsupported_format")


def test_pixels_are_counted_before_they_are_decoded(http: Client) -> None:
    """30000 x 30000 pixels of one bit, well packed: decoded they would be 2.7 GB."""
    rows = zlib.compress(b"\0" * (1 + 30_000 // 8) * 30_000, 1)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 30_000, 30_000, 1, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n"
    for kind, content in chunks:
        png += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    before = peak_memory()
    answer = http.post("/v2/ocr", png, "image/png")
    assert (answer.status, answer.code) == (413, "too_large")
    assert peak_memory() - before < 100 * 2**20


def peak_memory() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_options_come_by_query_form_and_json_alike(http: Client, png: bytes) -> None:
    plain = base64.b64encode(png).decode()
    digits = [
        http.post("/v2/ocr?charset=0123456789&min_confidence=0", png, "image/png"),
        http.post_form(
            "/v2/ocr", ("charset", None, b"0123456789"), ("image", "a", png), ("min_confidence", None, b"0")
        ),
        http.post_json("/v2/ocr", {"image": plain, "charset": "0123456789", "min_confidence": 0}),
        http.post_json("/v2/ocr?charset=0123456789", {"image": plain, "min_confidence": 0.0}),
    ]
    pages = [lasting(answer) for answer in digits]
    assert pages[0]["text"].replace(" ", "").isdigit()
    assert pages == [pages[0]] * 4


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("nonsense=1", "bad_argument"),
        ("min_confidence=2", "bad_argument"),
        ("min_confidence=nan", "bad_argument"),
        ("min_confidence=1e999", "bad_argument"),
        ("min_confidence=", "bad_argument"),
        ("alternatives=1.5", "bad_argument"),
        ("alternatives=99999999999999999999999", "bad_argument"),
        ("rotate_pages=maybe", "bad_argument"),
        ("orientation=up", "bad_argument"),
        ("output_format=exe", "bad_argument"),
        ("charset=", "bad_argument"),
        ("charset=%20", "bad_argument"),
        ("deadline_ms=0", "bad_argument"),
        ("deadline_ms=86400000", "bad_argument"),
        ("pages=1", "bad_argument"),
        ("charset=1&charset=2", "bad_request"),
    ],
)
def test_bad_options_are_refused(http: Client, png: bytes, query: str, code: str) -> None:
    answer = http.post(f"/v2/ocr?{query}", png, "image/png")
    assert (answer.status, answer.code) == (400, code)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_confidence", "0.5"),
        ("min_confidence", True),
        ("min_confidence", None),
        ("min_confidence", 10**400),
        ("alternatives", 1.5),
        ("rotate_pages", "true"),
        ("rotate_pages", 1),
        ("charset", 5),
        ("charset", "\ud800"),
        ("layout", ["auto"]),
        ("deadline_ms", "100"),
    ],
)
def test_json_options_have_their_types(http: Client, png: bytes, name: str, value: Any) -> None:
    answer = http.post("/v2/ocr", as_json(base64.b64encode(png).decode(), **{name: value}), "application/json")
    assert (answer.status, answer.code) == (400, "bad_argument")


def test_the_limit_is_the_last_byte(http: Client) -> None:
    assert http.post("/v2/ocr", b"\0" * BODY_LIMIT, "image/png").status == 415
    assert http.post("/v2/ocr", b"\0" * (BODY_LIMIT + 1), "image/png").status == 413
