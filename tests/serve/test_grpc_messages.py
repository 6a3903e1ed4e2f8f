"""Pages as messages of `ocr.proto`: nothing is lost on the way, and the shipped descriptor is the .proto's."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.config import Effort, Layout, Options, Orientation, Settings
from fastocr.documents import PdfText
from fastocr.errors import ArgumentError
from fastocr.results import Attempt, Character, Code, Field, Line, Page, Word

pytest.importorskip("grpc_health", reason="needs the extra `server`")
pytest.importorskip("grpc_reflection", reason="needs the extra `server`")

from fastocr.serve.grpc.messages import options_from, page_from, page_to, setting
from fastocr.serve.grpc.schema import types

PROTOS = Path(__file__).resolve().parents[2] / "fastocr" / "serve" / "protos"

fractions = st.floats(0, 1)
numbers = st.floats(allow_nan=False, allow_infinity=False)
quads = st.tuples(*[st.tuples(numbers, numbers)] * 4)
characters = st.builds(
    Character,
    st.text(max_size=2),
    fractions,
    st.tuples(fractions, fractions),
    st.lists(st.tuples(st.text(max_size=2), fractions), max_size=2).map(tuple),
)
words = st.builds(Word, st.text(max_size=5), fractions, quads)
lines = st.builds(
    Line,
    text=st.text(max_size=20),
    confidence=fractions,
    quad=quads,
    characters=st.lists(characters, max_size=3).map(tuple),
    detection_score=fractions,
    words=st.lists(words, max_size=3).map(tuple),
    direction=st.sampled_from(["ltr", "rtl", "ttb"]),
)


fields = st.builds(
    Field,
    name=st.text(max_size=5),
    value=st.text(max_size=5),
    raw=st.text(max_size=5),
    confidence=fractions,
    quad=st.none() | quads,
    valid=st.none() | st.booleans(),
    reason=st.text(max_size=5),
    corrections=st.lists(st.text(max_size=5), max_size=2),
)


@st.composite
def partitions(draw: st.DrawFn, members: int) -> tuple[tuple[int, ...], ...]:
    """0, 1, 2, ... in groups."""
    ends = sorted({*draw(st.sets(st.integers(1, members), max_size=3)), members}) if members else []
    return tuple(tuple(range(start, end)) for start, end in zip([0, *ends], ends, strict=False))


@st.composite
def pages(draw: st.DrawFn) -> Page:
    some = draw(st.lists(lines, max_size=4))
    rows = draw(partitions(len(some)))
    paragraphs = draw(partitions(len(rows)))
    return Page(
        lines=tuple(some),
        rows=rows,
        paragraphs=paragraphs,
        blocks=draw(partitions(len(paragraphs))),
        layout_text=draw(st.text(max_size=20)),
        width=draw(st.integers(0, 100_000)),
        height=draw(st.integers(0, 100_000)),
        models=draw(st.text(max_size=10)),
        orientation=draw(st.sampled_from([0, 90, 180, 270])),
        number=draw(st.integers(1, 10_000)),
        page_count=draw(st.integers(1, 10_000)),
        dpi=draw(st.none() | st.floats(0, 10_000)),
        warnings=tuple(draw(st.lists(st.text(max_size=10), max_size=2))),
        codes=tuple(draw(st.lists(st.builds(Code, st.text(max_size=5), st.text(max_size=5), quads), max_size=2))),
        fields=tuple(draw(st.lists(fields, max_size=2))),
        attempts=tuple(draw(st.lists(st.builds(Attempt, st.text(max_size=5), st.integers(0, 99)), max_size=2))),
        timings=draw(st.dictionaries(st.text(max_size=10), st.floats(0, 1e9), max_size=3)),
    )


def over_the_wire(page: Page) -> Page:
    return page_from(types().Page.FromString(page_to(page).SerializeToString()))


@given(pages())
@settings(deadline=None)
def test_a_page_comes_back_equal(page: Page) -> None:
    back = over_the_wire(page)
    assert back == page
    assert back.to_dict(timings=True) == page.to_dict(timings=True)
    assert page_to(page).text == page.text


def test_what_no_message_can_hold_is_written_as_json_and_files_have_it() -> None:
    quad = ((0, 0), (1, 0), (1, 1), (0, 1))
    line = Line("a\ud800b", math.nan, quad, (Character("\udfff", math.inf, (0, 1)),), -math.inf, (), "rtl")
    page = Page(lines=(line,), rows=((0,),), width=1, height=1, models="set")
    back = over_the_wire(page).lines[0]
    assert (back.text, back.confidence, back.detection_score) == ("a\ufffdb", 0.0, 0.0)
    assert back.characters == (Character("\ufffd", 0.0, (0, 1)),)


def test_messages_have_every_option_by_its_name_and_type() -> None:
    fields = types().Options.DESCRIPTOR.fields_by_name
    assert set(fields.keys()) == Options.__annotations__.keys()
    of_kind = {"double": float, "uint32": int, "bool": bool, "string": str}
    for name, kind in get_type_hints(Options).items():
        if name in ("orientation", "layout", "effort"):
            continue
        wanted = next(entry for entry in (*get_args(kind), kind) if entry is not type(None))
        assert of_kind[kind_of(fields[name])] is wanted, name


def kind_of(field: Any) -> str:
    return {1: "double", 13: "uint32", 8: "bool", 9: "string"}[field.type]


@pytest.mark.parametrize(
    ("message", "name", "literal"),
    [
        ("Options", "orientation", Orientation),
        ("Options", "layout", Layout),
        ("Options", "effort", Effort),
        ("ReadDocumentRequest", "pdf_text", PdfText),
    ],
)
def test_enums_have_every_value_of_the_library(message: str, name: str, literal: Any) -> None:
    kind = getattr(types(), message)
    numbers = [value.number for value in kind.DESCRIPTOR.fields_by_name[name].enum_type.values]
    assert {setting(kind(**{name: number}), name) for number in numbers} == {None, *get_args(literal)}


def test_only_what_is_set_becomes_an_option() -> None:
    message = types().Options
    assert options_from(message()) == {}
    options = options_from(message(orientation=2, layout=2, alternatives=0, rotate_pages=False, charset="0"))
    assert options == {
        "orientation": "lines",
        "layout": "rows",
        "alternatives": 0,
        "rotate_pages": False,
        "charset": "0",
    }
    Settings().replace(options)


def test_a_value_from_another_version_is_an_error_that_names_it() -> None:
    with pytest.raises(ArgumentError, match="layout has the value 9"):
        options_from(types().Options(layout=9))


def test_the_descriptor_is_what_protoc_makes_of_the_proto(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools", reason="needs grpcio-tools")
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    made = tmp_path / "made.binpb"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"--descriptor_set_out={made}"]
    subprocess.run([*command, "fastocr/v2/ocr.proto"], check=True, timeout=60)
    shipped = (PROTOS / "fastocr" / "v2" / "ocr.binpb").read_bytes()
    assert FileDescriptorSet.FromString(shipped) == FileDescriptorSet.FromString(made.read_bytes()), (
        "run python tools/make_descriptor.py"
    )
