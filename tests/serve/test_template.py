"""`template=` in a request: a template that ships, by name, and never a file of the server's."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fastocr import OCR
from tests.serve.running import Client

SECRET = "nobody-may-read-this"  # noqa: S105


@pytest.fixture(scope="module")
def receipt(draw: ModuleType) -> bytes:
    image = draw.page(620, 300)
    for row, (label, amount) in enumerate((("Subtotal", "12.00"), ("TOTAL EUR", "14.28"))):
        draw.text(image, (40, 40 + 90 * row), label, 32)
        draw.text(image, (420, 40 + 90 * row), amount, 32)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def paths(folder: Path) -> list[str]:
    """What names a good template, a bad one, another file and files that there are none of, in several ways."""
    (folder / "good.toml").write_text("[fields.total]\npattern = '.*'\n", encoding="utf-8")
    (folder / "bad.toml").write_text(f"{SECRET} = [", encoding="utf-8")
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    named = [str(folder / name) for name in ("good.toml", "bad.toml", "secret.txt", "none.toml")]
    shipped = Path(__file__).parents[2] / "fastocr" / "fields" / "templates" / "receipt.toml"
    return [
        *named,
        str(shipped),
        "/etc/passwd",
        "receipt.toml",
        "./receipt",
        "../templates/receipt",
        "file:///etc/passwd",
        "",
    ]


def test_a_form_names_a_template_and_has_its_fields(http: Client, ocr: OCR, receipt: bytes) -> None:
    answer = http.post_form("/v2/ocr", ("image", "r.png", receipt), ("template", None, b"receipt"))
    assert answer.status == 200
    fields = {field["name"]: field for field in answer.json["fields"]}
    assert (fields["total"]["value"], fields["total"]["valid"]) == ("14.28", True)
    page = ocr.read(receipt, template="receipt")
    assert answer.json["fields"] == [field.to_dict() for field in page.fields]


def test_a_document_and_a_batch_have_them_too(http: Client, receipt: bytes) -> None:
    answer = http.post("/v2/ocr/document?template=receipt&output_format=json", receipt, "image/png")
    assert answer.status == 200
    assert b'"14.28"' in answer.body
    image = base64.b64encode(receipt).decode()
    answer = http.post_json("/v2/ocr/batch", {"images": [image], "template": "receipt"})
    assert answer.status == 200
    assert "14.28" in [field["value"] for field in answer.json["results"][0]["page"]["fields"]]


def test_no_path_of_the_servers_is_read_by_a_request(http: Client, receipt: bytes, tmp_path: Path) -> None:
    image = base64.b64encode(receipt).decode()
    for path in paths(tmp_path):
        asked: list[Any] = [
            http.post_form("/v2/ocr", ("image", "r.png", receipt), ("template", None, path.encode())),
            http.post_json("/v2/ocr", {"image": image, "template": path}),
            http.post_json("/v2/ocr/batch", {"images": [image], "template": path}),
            http.post_form("/v2/ocr/document", ("document", "r.png", receipt), ("template", None, path.encode())),
        ]
        messages = set()
        for answer in asked:
            assert 400 <= answer.status < 500, path
            assert answer.code == "bad_argument"
            messages.add(answer.json["error"]["message"])
            assert SECRET not in answer.body.decode()
        # Whether there is such a file, and what is wrong with it, is not told.
        assert all(message.startswith("template must be one of") for message in messages), messages
