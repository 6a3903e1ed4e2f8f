"""Fields that take code of their own to find: a template names it as ``reader = "items"``.

A reader is ``read(scene: Scene, rule: FieldRule, hits: Sequence[Hit]) -> Field``, in a module that is loaded when it is
first used; `hits` are the labels of the whole template as they were found.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["READERS"]

# Name -> "module:function".
READERS: Mapping[str, str] = {
    "block": "fastocr.fields.block:read",
    "items": "fastocr.fields.items:read",
    "merchant": "fastocr.fields.merchant:read",
    "meter": "fastocr.fields.meter:read",
    "mrz": "fastocr.fields.mrz_reader:read",
    "number": "fastocr.fields.number:read",
    "plate": "fastocr.fields.plate:read",
}
