"""QR codes on a page, with their content and place."""

from __future__ import annotations

import cv2
import numpy as np

from fastocr.fields.codes import codes


def test_qr_codes_are_read_where_they_stand() -> None:
    page = np.full((500, 900, 3), 255, np.uint8)
    texts = ("https://example.org/ticket/42", "Grüße 100 €")
    for text, left in zip(texts, (60, 520), strict=True):
        code = cv2.QRCodeEncoder.create().encode(text)
        large = cv2.resize(code, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
        page[100 : 100 + len(large), left : left + len(large)] = large[..., None]
    found = codes(page)
    assert {code.text for code in found} == set(texts)
    for code in found:
        x, y, width, height = code.rect
        assert code.kind == "QR_CODE"
        assert abs(x - (60 if code.text == texts[0] else 520)) < 20
        assert 90 < y < 130
        assert min(width, height) > 100


def test_a_page_without_codes_has_none() -> None:
    assert codes(np.full((200, 300, 3), 255, np.uint8)) == ()
    assert codes(np.zeros((1, 1, 3), np.uint8)) == ()
