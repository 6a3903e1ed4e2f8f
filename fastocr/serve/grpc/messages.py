"""Between the messages of `ocr.proto` and the library's own data.

A page goes over and comes back equal; numbers that are not finite go as 0.0, as they do in JSON.
"""

from __future__ import annotations

from typing import Any

from fastocr.config import Options
from fastocr.errors import ArgumentError
from fastocr.fields import names
from fastocr.formats.unicode import well_formed
from fastocr.results import Attempt, Character, Code, Field, Line, Page, Quad, Word
from fastocr.results.checks import finite
from fastocr.serve.grpc.schema import types

__all__ = ["options_from", "page_from", "page_to", "setting"]

DIRECTIONS = ("ltr", "rtl", "ttb")
CORNERS = ("top_left", "top_right", "bottom_right", "bottom_left")


def page_to(page: Page) -> Any:
    """The page as a `Page` message."""
    kinds = types()
    message = kinds.Page(
        text=well_formed(page.text),
        layout_text=well_formed(page.layout_text),
        lines=[_line_to(kinds, line) for line in page.lines],
        width=page.width,
        height=page.height,
        orientation=page.orientation,
        number=page.number,
        page_count=page.page_count,
        models=well_formed(page.models),
        warnings=[well_formed(warning) for warning in page.warnings],
        timings={stage: finite(spent) for stage, spent in page.timings.items()},
        codes=[
            kinds.Code(
                text=well_formed(code.text), kind=well_formed(code.kind), bounding_box=_quad_to(kinds, code.quad)
            )
            for code in page.codes
        ],
        fields=[_field_to(kinds, field) for field in page.fields],
        attempts=[
            kinds.Attempt(
                name=well_formed(attempt.name), better=attempt.better, milliseconds=finite(attempt.milliseconds)
            )
            for attempt in page.attempts
        ],
    )
    for name in ("rows", "paragraphs", "blocks"):
        getattr(message, name).extend(kinds.Group(indices=part) for part in getattr(page, name))
    if page.dpi is not None:
        message.dpi = finite(page.dpi)
    return message


def _field_to(kinds: Any, field: Field) -> Any:
    return kinds.Field(
        name=well_formed(field.name),
        value=well_formed(field.value),
        raw=well_formed(field.raw),
        confidence=finite(field.confidence),
        bounding_box=None if field.quad is None else _quad_to(kinds, field.quad),
        valid=field.valid,
        reason=well_formed(field.reason),
        corrections=[well_formed(each) for each in field.corrections],
    )


def _line_to(kinds: Any, line: Line) -> Any:
    return kinds.Line(
        text=well_formed(line.text),
        confidence=finite(line.confidence),
        bounding_box=_quad_to(kinds, line.quad),
        detection_score=finite(line.detection_score),
        direction=DIRECTIONS.index(line.direction) + 1,
        words=[
            kinds.Word(
                text=well_formed(word.text),
                confidence=finite(word.confidence),
                bounding_box=_quad_to(kinds, word.quad),
            )
            for word in line.words
        ],
        characters=[_character_to(kinds, character) for character in line.characters],
    )


def _quad_to(kinds: Any, quad: Quad) -> Any:
    return kinds.Quad(**{name: kinds.Point(x=x, y=y) for name, (x, y) in zip(CORNERS, quad, strict=True)})


def _character_to(kinds: Any, character: Character) -> Any:
    return kinds.Character(
        text=well_formed(character.text),
        probability=finite(character.probability),
        start=finite(character.span[0]),
        end=finite(character.span[1]),
        alternatives=[
            kinds.Alternative(text=well_formed(text), probability=finite(probability))
            for text, probability in character.alternatives
        ],
    )


def page_from(message: Any) -> Page:
    """The page of a `Page` message, also of one of code that was generated from `ocr.proto`.  ArgumentError for a
    message that is no page."""
    return Page(
        lines=tuple(map(_line_from, message.lines)),
        rows=_groups(message.rows),
        paragraphs=_groups(message.paragraphs),
        blocks=_groups(message.blocks),
        layout_text=message.layout_text,
        width=message.width,
        height=message.height,
        models=message.models,
        orientation=message.orientation,
        number=message.number,
        page_count=message.page_count,
        dpi=message.dpi if message.HasField("dpi") else None,
        warnings=tuple(message.warnings),
        timings=dict(message.timings),
        codes=tuple(Code(code.text, code.kind, _quad_from(code.bounding_box)) for code in message.codes),
        fields=tuple(map(_field_from, message.fields)),
        attempts=tuple(Attempt(each.name, each.better, each.milliseconds) for each in message.attempts),
    )


def _field_from(message: Any) -> Field:
    return Field(
        name=message.name,
        value=message.value,
        raw=message.raw,
        confidence=message.confidence,
        quad=_quad_from(message.bounding_box) if message.HasField("bounding_box") else None,
        valid=message.valid if message.HasField("valid") else None,
        reason=message.reason,
        corrections=tuple(message.corrections),
    )


def _groups(messages: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(message.indices) for message in messages)


def _line_from(message: Any) -> Line:
    return Line(
        text=message.text,
        confidence=message.confidence,
        quad=_quad_from(message.bounding_box),
        characters=tuple(map(_character_from, message.characters)),
        detection_score=message.detection_score,
        words=tuple(Word(word.text, word.confidence, _quad_from(word.bounding_box)) for word in message.words),
        direction=DIRECTIONS[max(message.direction, 1) - 1],  # type: ignore[arg-type]
    )


def _quad_from(message: Any) -> Quad:
    a, b, c, d = (getattr(message, name) for name in CORNERS)
    return (a.x, a.y), (b.x, b.y), (c.x, c.y), (d.x, d.y)


def _character_from(message: Any) -> Character:
    return Character(
        message.text,
        message.probability,
        (message.start, message.end),
        tuple((other.text, other.probability) for other in message.alternatives),
    )


def options_from(message: Any) -> Options:
    """What an `Options` message sets.  ArgumentError for a value of an enum that this version does not know."""
    options: dict[str, Any] = {}
    for field, value in message.ListFields():
        options[field.name] = value if field.enum_type is None else setting(message, field.name)
    if "template" in options and options["template"] not in names():
        raise ArgumentError(f"there is no template {options['template']!r}: take one of {', '.join(names())}")
    return options  # type: ignore[return-value]


def setting(message: Any, name: str) -> str | None:
    """The value of an enum's field as the library has it: "lines" for ORIENTATION_LINES, None where it is unset."""
    field = message.DESCRIPTOR.fields_by_name[name]
    number = getattr(message, name)
    known = field.enum_type.values_by_number
    if number not in known:
        raise ArgumentError(f"{name} has the value {number}, which this version of fastocr does not know")
    value: str = known[number].name.removeprefix(f"{name.upper()}_").lower()
    return None if value == "unspecified" else value
