"""JSON and JSON Lines: strict JSON, valid by the schema that is shipped, and the page as it was."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from fastocr.formats.json import schema
from fastocr.results import SCHEMA, Character, Page
from tests.formats.samples import BLANK, FULL, HOSTILE, NAME, hostile, written


def strict(data: bytes) -> Any:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    return json.loads(data.decode("utf-8"), parse_constant=refuse)


def validate(value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema, which is in the extra `test`")
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.Draft202012Validator(schema()).validate(value)


READ = dataclasses.replace(
    FULL,
    lines=(dataclasses.replace(FULL.lines[0], characters=(Character("H", 0.5, (0.0, 0.1)),)), *FULL.lines[1:]),
    timings={"detect": 1.5},
    warnings=("a warning",),
)


@pytest.mark.parametrize("page", [READ, BLANK, hostile()], ids=["full", "blank", "hostile"])
def test_json_is_one_document_with_its_pages(page: Page) -> None:
    pages = [dataclasses.replace(page, number=number, page_count=7) for number in (2, 3)]
    data = written("json", pages)
    read = strict(data)
    validate(read)
    assert next(iter(read)) == "schema"
    assert {key: read[key] for key in read if key != "pages"} == {
        "schema": "fastocr.document/1",
        "source": NAME,
        "page_count": 7,
    }
    assert [entry["number"] for entry in read["pages"]] == [2, 3]
    assert (data.count(b"\n"), data[-1:]) == (1, b"\n")


@pytest.mark.parametrize("page", [READ, BLANK, hostile()], ids=["full", "blank", "hostile"])
def test_jsonl_is_one_page_a_line(page: Page) -> None:
    lines = written("jsonl", [page, page]).decode().splitlines()
    assert len(lines) == 2
    for text in lines:
        read = strict(text.encode())
        validate(read)
        assert list(read)[:2] == ["schema", "source"]
        assert (read["schema"], read["source"]) == (SCHEMA, NAME)


def test_pages_come_back_equal() -> None:
    assert Page.from_dict(strict(written("jsonl", READ))) == READ
    assert [Page.from_dict(page) for page in strict(written("json", [READ, BLANK]))["pages"]] == [READ, BLANK]


def test_timings_come_when_asked_for() -> None:
    assert b"timings" not in written("json", READ) + written("jsonl", READ)
    (page,) = strict(written("json", READ, timings=True))["pages"]
    assert page["timings"] == strict(written("jsonl", READ, timings=True))["timings"] == {"detect": 1.5}
    validate(page)


def test_hostile_text_is_kept_but_for_halves_of_surrogates() -> None:
    (page,) = strict(written("json", hostile()))["pages"]
    assert [line["text"] for line in page["lines"]] == [text.replace("\ud800", "\ufffd") for text in HOSTILE]
    assert {line["confidence"] for line in page["lines"]} == {0.0}


@pytest.mark.parametrize(
    "change",
    [{"schema": "fastocr.page/2"}, {"width": "480"}, {"lines": [{}]}, {"orientation": 45}, {"rows": [[]]}],
    ids=str,
)
def test_the_schema_refuses_what_is_none(change: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema, which is in the extra `test`")
    with pytest.raises(jsonschema.ValidationError):
        validate(FULL.to_dict() | change)


def test_the_schema_allows_keys_of_later_versions() -> None:
    data = FULL.to_dict() | {"regions": []}
    data["lines"][0]["style"] = "bold"
    validate(data)


def test_the_schema_describes_every_key_that_is_written() -> None:
    """So that a key that is added to the page is added to the schema."""
    definitions = schema()["$defs"]
    data = READ.to_dict(timings=True)
    (line, word, character) = data["lines"][0], data["lines"][0]["words"][0], data["lines"][0]["characters"][0]
    for name, value in (("page", data), ("line", line), ("word", word), ("character", character)):
        assert value.keys() <= definitions[name]["properties"].keys(), name
    assert strict(written("json", READ)).keys() == definitions["document"]["properties"].keys()
