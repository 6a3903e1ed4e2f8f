"""An OCR that travels to a machine which does not have its files."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastocr.api import OCR
from fastocr.build import Plan
from fastocr.errors import ModelError
from fastocr.images import Limits
from fastocr.models import Store

__all__ = ["Parcel"]

# Where the files of parcels are kept, under the folder of all that fastocr keeps.
FOLDER = "parcels"


@dataclass(frozen=True, slots=True)
class Parcel:
    """A plan with the bytes of the files that it names, by their SHA-256; it can be pickled."""

    plan: Plan
    limits: Limits
    files: Mapping[str, bytes]

    @classmethod
    def of(cls, ocr: OCR) -> Parcel:
        """Raises ModelError where one of the files cannot be read any more."""
        files: dict[str, bytes] = {}

        def pack(path: Path) -> Path:
            data = path.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            files[digest] = data
            return path.parent / digest / path.name

        try:
            return cls(with_models(ocr.plan, pack), ocr.limits, files)
        except OSError as error:
            raise ModelError(f"{error.filename} cannot be read any more ({error.strerror})") from error

    def open(self, threads: int) -> OCR:
        """The OCR, with that many threads.  A file that lies where it lay before the travel, on a shared disk, is used
        as it is; any other is put under FASTOCR_HOME.  Raises ModelError where that cannot be written."""
        store = Store()

        def unpack(path: Path) -> Path:
            digest = path.parent.name
            there = path.parent.parent / path.name
            own = store.home / FOLDER / digest / path.name
            for known in (there, own):
                with suppress(OSError):
                    if store.digest(known) == digest:
                        return known
            try:
                own.parent.mkdir(parents=True, exist_ok=True)
                half = own.with_name(f"{own.name}.{os.urandom(8).hex()}")
                half.write_bytes(self.files[digest])
                half.replace(own)
            except OSError as error:
                raise ModelError(f"{own} cannot be written ({error.strerror}): set FASTOCR_HOME") from error
            return own

        return OCR.from_plan(dataclasses.replace(with_models(self.plan, unpack), threads=threads), self.limits)


def with_models(plan: Plan, change: Callable[[Path], Path]) -> Plan:
    """The plan with its models' files elsewhere."""
    return dataclasses.replace(plan, models=each_path(plan.models, change))


def each_path(value: Any, change: Callable[[Path], Path]) -> Any:
    """The value with its paths changed, wherever they stand in dataclasses, tuples, lists and mappings."""
    if isinstance(value, Path):
        return change(value)
    if isinstance(value, tuple | list):
        return type(value)(each_path(item, change) for item in value)
    if isinstance(value, Mapping):
        return {key: each_path(item, change) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        changed = {name: each_path(item, change) for name, item in fields.items()}
        return dataclasses.replace(value, **changed)
    return value
