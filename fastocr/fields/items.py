"""What was bought: the rows of a receipt or an invoice that end in an amount, above its totals."""

from __future__ import annotations

from fastocr.fields.scene import Scene
from fastocr.fields.template import FieldRule
from fastocr.results import Field

__all__ = ["read"]


def read(scene: Scene, rule: FieldRule) -> Field:
    return Field(name=rule.name)
