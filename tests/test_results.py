"""Pages as plain data: their text, their JSON form, what they refuse."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.errors import ArgumentError
from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.results import SCHEMA, Attempt, Character, Code, Field, Line, Page, Sheet, Source, Word

QUAD = ((10.0, 20.0), (50.0, 20.0), (50.0, 30.0), (10.0, 30.0))


def line(text: str = "word", quad: Any = QUAD, **more: Any) -> Line:
    characters = tuple(Character(c, 0.9, (k / len(text), (k + 1) / len(text))) for k, c in enumerate(text))
    return Line(text, more.pop("confidence", 0.9), quad, characters, **more)


def page(*rows: list[str], **more: Any) -> Page:
    numbers = iter(range(1000))
    return Page(
        lines=tuple(line(text) for row in rows for text in row),
        rows=tuple(tuple(next(numbers) for _ in row) for row in rows),
        **{"width": 80, "height": 60, "models": "set"} | more,
    )


EMPTY = page()
FULL = page(["Total:", "8,415.20"], ["Paid"], page_count=3, warnings=("2 pages were left out",))


def test_text_joins_rows_by_line_feeds_and_lines_by_spaces() -> None:
    assert FULL.text == "Total: 8,415.20\nPaid"
    assert page(["a", "", "b"], [""], ["c"]).text == "a b\nc"


def test_an_empty_page_is_a_page() -> None:
    assert EMPTY.text == ""
    assert EMPTY.lines == () == EMPTY.rows
    assert Page.from_dict(json.loads(json.dumps(EMPTY.to_dict()))) == EMPTY
    assert set(EMPTY.to_dict()) == set(FULL.to_dict())


def test_everything_is_frozen() -> None:
    for thing, name in ((FULL, "lines"), (FULL.lines[0], "text"), (FULL.lines[0].characters[0], "span")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, None)
    with pytest.raises(TypeError):
        FULL.timings["total"] = 1.0  # type: ignore[index]


def test_a_quad_may_come_as_an_array_and_is_kept_as_floats() -> None:
    made = line(quad=np.array(QUAD, np.float32))
    assert made == line()
    assert made.bounding_box == QUAD
    assert all(type(number) is float for point in made.quad for number in point)


def test_rect_is_the_upright_rectangle_around_the_quad() -> None:
    assert line().rect == (10.0, 20.0, 40.0, 10.0)
    assert line(quad=((10, 0), (20, 10), (10, 20), (0, 10))).rect == (0.0, 0.0, 20.0, 20.0)


@pytest.mark.parametrize(
    "quad",
    [None, (), QUAD[:3], (*QUAD, (1, 2)), ((1, 2, 3),) * 4, ((1, "x"),) * 4, ((1, math.nan),) * 4, ((1, 1e999),) * 4],
)
def test_a_quad_that_is_none_is_refused(quad: Any) -> None:
    with pytest.raises(ArgumentError, match="four"):
        line(quad=quad)


@pytest.mark.parametrize("rows", [((0,),), ((1,), (0,)), ((0, 1), ()), ((0, 1, 2),), ((0, 0),), ()])
def test_rows_must_hold_every_line_in_order(rows: Any) -> None:
    with pytest.raises(ArgumentError, match="in order"):
        Page(lines=(line(), line()), rows=rows, width=80, height=60, models="set")


def test_timings_and_image_do_not_count_when_pages_are_compared() -> None:
    timed = dataclasses.replace(FULL, timings={"detect": 1.5}, image=np.zeros((60, 80, 3), np.uint8))
    assert timed == FULL
    assert hash(timed) == hash(FULL)
    assert timed.to_dict() == FULL.to_dict()
    assert timed.to_dict(timings=True)["timings"] == {"detect": 1.5}
    assert "image" not in repr(timed)


def test_pickle_and_copy_keep_all_but_the_image() -> None:
    timed = dataclasses.replace(FULL, timings={"detect": 1.5}, image=np.zeros((60, 80, 3), np.uint8))
    for twin in (pickle.loads(pickle.dumps(timed)), copy.copy(timed), copy.deepcopy(timed)):
        assert twin == timed
        assert dict(twin.timings) == {"detect": 1.5}
        assert twin.image is None
    assert len(pickle.dumps(timed)) < 2000


def test_crop_comes_from_the_page_or_from_the_image_given() -> None:
    image = np.arange(60 * 80 * 3, dtype=np.uint32).astype(np.uint8).reshape(60, 80, 3)
    kept = dataclasses.replace(FULL, image=image)
    crop = kept.crop(kept.lines[0])
    assert np.array_equal(crop, image[20:31, 10:51])
    assert not np.shares_memory(crop, image)
    assert np.array_equal(FULL.crop(FULL.lines[0], image), crop)


def test_crop_without_an_image_or_with_another_says_so() -> None:
    with pytest.raises(ArgumentError, match="keeps no image"):
        FULL.crop(FULL.lines[0])
    with pytest.raises(ArgumentError, match="shape"):
        FULL.crop(FULL.lines[0], np.zeros((80, 60, 3), np.uint8))


def test_the_json_form_is_what_it_says() -> None:
    made = page(["ab"])
    made = dataclasses.replace(made, lines=(dataclasses.replace(made.lines[0], words=(Word("ab", 0.9, QUAD),)),))
    data = made.to_dict()
    assert data["schema"] == SCHEMA == "fastocr.page/1"
    assert data["text"] == "ab"
    assert data["rows"] == data["paragraphs"] == data["blocks"] == [[0]]
    assert (data["orientation"], data["number"], data["page_count"], data["dpi"]) == (0, 1, 1, None)
    assert data["lines"] == [
        {
            "text": "ab",
            "confidence": 0.9,
            "detection_score": 1.0,
            "direction": "ltr",
            "bounding_box": [[10.0, 20.0], [50.0, 20.0], [50.0, 30.0], [10.0, 30.0]],
            "rect": {"x": 10.0, "y": 20.0, "width": 40.0, "height": 10.0},
            "words": [{"text": "ab", "confidence": 0.9, "bounding_box": [list(point) for point in QUAD]}],
            "characters": [
                {"text": "a", "probability": 0.9, "span": [0.0, 0.5]},
                {"text": "b", "probability": 0.9, "span": [0.5, 1.0]},
            ],
        }
    ]


numbers = st.floats(0, 1)
coordinates = st.floats(-1e6, 1e6)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
characters = st.builds(
    Character,
    words,
    numbers,
    st.tuples(numbers, numbers),
    st.lists(st.tuples(words, numbers), max_size=2).map(tuple),
)
quads = st.tuples(*[st.tuples(coordinates, coordinates)] * 4)
lines = st.builds(
    Line,
    words,
    numbers,
    quads,
    st.lists(characters, max_size=3).map(tuple),
    numbers,
    st.lists(st.builds(Word, words, numbers, quads), max_size=3).map(tuple),
    st.sampled_from(["ltr", "rtl", "ttb"]),
)

codes = st.builds(Code, words, words, quads)
fields = st.builds(
    Field,
    name=words,
    value=words,
    raw=words,
    confidence=numbers,
    quad=st.none() | quads,
    valid=st.none() | st.booleans(),
    reason=words,
    corrections=st.lists(words, max_size=2),
)
attempts = st.builds(Attempt, words, st.integers(0, 99), st.floats(0, 1e6))


@st.composite
def partitions(draw: st.DrawFn, count: int) -> tuple[tuple[int, ...], ...]:
    parts: list[list[int]] = []
    for index in range(count):
        if parts and draw(st.booleans()):
            parts[-1].append(index)
        else:
            parts.append([index])
    return tuple(map(tuple, parts))


@st.composite
def pages(draw: st.DrawFn) -> Page:
    made = draw(st.lists(lines, max_size=4))
    rows = draw(partitions(len(made)))
    paragraphs = draw(partitions(len(rows)))
    return Page(
        lines=tuple(made),
        rows=rows,
        paragraphs=paragraphs,
        blocks=draw(partitions(len(paragraphs))),
        layout_text=draw(words),
        orientation=draw(st.sampled_from([0, 90, 180, 270])),
        number=draw(st.integers(1, 9)),
        dpi=draw(st.none() | st.floats(1, 9999)),
        width=draw(st.integers(1, 99999)),
        height=draw(st.integers(1, 99999)),
        models=draw(words),
        page_count=draw(st.integers(1, 9)),
        warnings=tuple(draw(st.lists(words, max_size=2))),
        codes=tuple(draw(st.lists(codes, max_size=2))),
        fields=tuple(draw(st.lists(fields, max_size=2))),
        attempts=tuple(draw(st.lists(attempts, max_size=2))),
        timings=draw(st.dictionaries(words, st.floats(0, 1e9), max_size=2)),
    )


@settings(deadline=None, derandomize=True)
@given(pages())
def test_json_and_back_gives_an_equal_page(made: Page) -> None:
    text = json.dumps(made.to_dict(timings=True), allow_nan=False)
    back = Page.from_dict(json.loads(text))
    assert back == made
    assert back.timings == made.timings
    assert json.dumps(back.to_dict(timings=True), allow_nan=False) == text


@settings(deadline=None, derandomize=True)
@given(pages())
def test_writers_give_equal_bytes_for_equal_pages(made: Page) -> None:
    other = Page.from_dict(made.to_dict())
    for name in (name for name, form in FORMATS.items() if not form.binary):  # those need pixels
        assert written(name, made) == written(name, other)


DAMAGE: list[tuple[str, Any]] = [
    ("schema", "fastocr.page/2"),
    ("schema", 1),
    ("width", -1),
    ("width", 1.5),
    ("width", True),
    ("page_count", 0),
    ("models", None),
    ("warnings", [1]),
    ("rows", [[0], [1], ["2"]]),
    ("rows", [[0], [1], [True]]),
    ("rows", [[0]]),
    ("rows", {}),
    ("lines", [1, 2, 3]),
    ("lines", {}),
    ("codes", {}),
    ("codes", [{"text": "a", "kind": "QR_CODE"}]),
    ("fields", [{"name": "a"}]),
    ("fields", [Field(name="a").to_dict() | {"valid": 1}]),
    ("fields", [Field(name="a").to_dict() | {"confidence": 2}]),
    ("attempts", [{"name": "a", "better": "1"}]),
    ("timings", []),
    ("timings", {"detect": "fast"}),
    ("timings", {"detect": math.inf}),
]


@pytest.mark.parametrize(("key", "value"), DAMAGE)
def test_a_damaged_page_is_refused(key: str, value: Any) -> None:
    with pytest.raises(ArgumentError):
        Page.from_dict(FULL.to_dict() | {key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("text", None),
        ("confidence", "0.9"),
        ("confidence", 1.1),
        ("confidence", math.nan),
        ("confidence", True),
        ("detection_score", -0.1),
        ("bounding_box", [[0, 0]]),
        ("bounding_box", [[0, math.inf]] * 4),
        ("characters", [{"text": "a", "probability": 2, "span": [0, 1]}]),
        ("characters", [{"text": "a", "probability": 1, "span": [0]}]),
        ("characters", [{"text": "a", "probability": 1, "span": [0, None]}]),
        ("characters", [{"text": "a", "span": [0, 1]}]),
    ],
)
def test_a_damaged_line_is_refused(key: str, value: Any) -> None:
    data = page(["ab"]).to_dict()
    data["lines"][0][key] = value
    with pytest.raises(ArgumentError):
        Page.from_dict(data)


@pytest.mark.parametrize("key", sorted(set(FULL.to_dict()) - {"text"}))
def test_a_page_without_a_key_is_refused_by_its_name(key: str) -> None:
    data = FULL.to_dict()
    del data[key]
    with pytest.raises(ArgumentError, match=f"'{key}'"):
        Page.from_dict(data)


@pytest.mark.parametrize("data", [None, [], "x", 1])
def test_what_is_no_object_is_refused(data: Any) -> None:
    with pytest.raises(ArgumentError, match="must be an object"):
        Page.from_dict(data)


def test_keys_of_later_versions_are_ignored() -> None:
    assert Page.from_dict(FULL.to_dict() | {"source": "a.png", "regions": []}) == FULL


def written(name: str, made: Page, source: str = "a", **options: Any) -> bytes:
    return rendered(FORMATS[name], [Sheet(made, Source(source))], WriteOptions(**options))


HOSTILE = ['a < b & "c"', "tab\tnew\nline", "nul\x00 esc\x1b", "\ud800", "\ufffe", "e\u0301", "\u2028\x85", "\udc80x"]


def test_writers_take_hostile_text_and_scores_that_are_no_numbers() -> None:
    odd = [Line(text, math.nan, QUAD, (Character(text, math.inf, (-math.inf, 1.0)),), -math.inf) for text in HOSTILE]
    made = page()
    made = dataclasses.replace(made, lines=tuple(odd), rows=tuple((k,) for k in range(len(odd))))
    data = written("jsonl", made, 'a&b<"\udcff\n.png')
    assert data.count(b"\n") == 1
    assert data.endswith(b"\n")
    assert len(data.decode().splitlines()) == 1

    def refuse(token: str) -> None:
        raise AssertionError(token)

    read = json.loads(data.decode("utf-8"), parse_constant=refuse)
    repaired = [text.replace("\ud800", "\ufffd").replace("\udc80", "\ufffd") for text in HOSTILE]
    assert [entry["text"] for entry in read["lines"]] == repaired
    assert {entry["confidence"] for entry in read["lines"]} == {0.0}
    assert read["source"] == 'a&b<"\ufffd\n.png'
    assert Page.from_dict(read).text == "\n".join(repaired)
    assert written("text", made).decode() == "\n".join(repaired) + "\n"


def test_writers_of_an_empty_page() -> None:
    assert written("text", EMPTY) == b""
    assert rendered(FORMATS["text"], [Sheet(EMPTY, Source("a")), Sheet(FULL, Source("a"))], WriteOptions())[:1] == b"\f"
    assert Page.from_dict(json.loads(written("jsonl", EMPTY))) == EMPTY


def test_json_has_timings_only_when_asked() -> None:
    timed = dataclasses.replace(FULL, timings={"detect": 1.5})
    assert "timings" not in json.loads(written("jsonl", timed))
    assert json.loads(written("jsonl", timed, timings=True))["timings"] == {"detect": 1.5}


def test_rows_paragraphs_and_blocks_nest() -> None:
    plain = page(["a", "b"], ["c"], ["d"])
    assert (plain.paragraphs, plain.blocks) == (((0, 1, 2),), ((0,),))
    parted = dataclasses.replace(plain, paragraphs=((0,), (1, 2)), blocks=((0,), (1,)))
    assert Page.from_dict(parted.to_dict()) == parted
    assert parted.text == "a b\nc\nd"
    for wrong in ({"paragraphs": ((0,), (2, 1))}, {"blocks": ((1,),)}, {"paragraphs": ((0, 1, 2), ())}):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            dataclasses.replace(plain, **wrong)
    with pytest.raises(ArgumentError, match="orientation"):
        dataclasses.replace(plain, orientation=45)


def test_repr_leaves_the_characters_out() -> None:
    shown = repr(FULL)
    assert "8,415.20" in shown
    assert "Character" not in shown
    assert line("a") != dataclasses.replace(line("a"), characters=()), "they count when lines are compared"
