"""What stands beside the lines of a page: the fields of a template, codes, and what was tried to read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fastocr.errors import ArgumentError
from fastocr.results.checks import finite, get, number, string
from fastocr.results.line import Placed, Quad, as_quad

__all__ = ["Attempt", "Code", "Field"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Placed):
    """One field that a template asks for.

    value: in its normal form ("2026-11-30", "1469.06"); "" where none was found.  raw: the text as it was read.
    confidence: in [0, 1], of what was read.  quad: where it stands, in pixels of the page; None where none was found.
    valid: whether its rule holds; None where the template states none.  reason: why it does not hold, or why there is
    no value.  corrections: what was changed in the text because the rule proves it, such as "O to 0 at 5".
    """

    name: str
    value: str = ""
    raw: str = ""
    confidence: float = 0.0
    quad: Quad | None = None  # type: ignore[assignment]
    valid: bool | None = None
    reason: str = ""
    corrections: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.quad is not None:
            object.__setattr__(self, "quad", as_quad(self.quad))
        object.__setattr__(self, "corrections", tuple(self.corrections))

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "name": self.name,
            "value": self.value,
            "raw": self.raw,
            "confidence": finite(self.confidence),
            "bounding_box": None if self.quad is None else [list(point) for point in self.quad],
            "valid": self.valid,
            "reason": self.reason,
            "corrections": list(self.corrections),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Field:
        """Reads ``to_dict``'s form; ArgumentError for anything else."""
        valid = None if get_or_none(data, "valid") is None else data["valid"]
        if valid is not None and not isinstance(valid, bool):
            raise ArgumentError(f"a field's 'valid' must be true, false or null, not {valid!r}")
        return cls(
            name=get(data, "name", str, "field"),
            value=get(data, "value", str, "field"),
            raw=get(data, "raw", str, "field"),
            confidence=number(get(data, "confidence", float, "field"), "confidence", 0.0, 1.0),
            quad=None if get_or_none(data, "bounding_box") is None else get(data, "bounding_box", list, "field"),
            valid=valid,
            reason=get(data, "reason", str, "field"),
            corrections=tuple(string(each, "corrections") for each in get(data, "corrections", list, "field")),
        )


@dataclass(frozen=True, slots=True)
class Code(Placed):
    """A QR code or bar code: its content, its kind as the detector names it ("QR_CODE", "EAN_13"), where it stands."""

    text: str
    kind: str
    quad: Quad

    def __post_init__(self) -> None:
        object.__setattr__(self, "quad", as_quad(self.quad))

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"text": self.text, "kind": self.kind, "bounding_box": [list(point) for point in self.quad]}

    @classmethod
    def from_dict(cls, data: Any) -> Code:
        """Reads ``to_dict``'s form; ArgumentError for anything else."""
        quad = get(data, "bounding_box", list, "code")
        return cls(get(data, "text", str, "code"), get(data, "kind", str, "code"), as_quad(quad))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One more reading of a hard page: what was done to the image before, how many lines it made better, how long it
    took.  ``milliseconds`` does not count when pages are compared, and is not in the JSON form: it differs from run to
    run."""

    name: str
    better: int
    milliseconds: float = field(default=0.0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"name": self.name, "better": self.better}

    @classmethod
    def from_dict(cls, data: Any) -> Attempt:
        """Reads ``to_dict``'s form; ArgumentError for anything else."""
        return cls(get(data, "name", str, "attempt"), get(data, "better", int, "attempt"))


def get_or_none(data: Any, key: str) -> Any:
    """The value, which may be null but must be there."""
    if not isinstance(data, dict) or key not in data:
        raise ArgumentError(f"a field must be an object with the key {key!r}")
    return data[key]
