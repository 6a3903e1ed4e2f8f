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
from fastocr.models import Store, open_model
from fastocr.models.model import ROLES

__all__ = ["Parcel"]

# Where the files of parcels are kept, under the folder of all that fastocr keeps.
FOLDER = "parcels"


# What an engine opens by the name of the role, when it is first needed.
BY_NAME = [role for role in ROLES if role not in ("det", "rec")]


@dataclass(frozen=True, slots=True)
class Parcel:
    """A plan with the bytes of the files that it names, by their SHA-256, and of those that an engine opens by name, by
    their names in the store; it can be pickled."""

    plan: Plan
    limits: Limits
    files: Mapping[str, bytes]
    stored: Mapping[str, bytes]

    @classmethod
    def of(cls, ocr: OCR) -> Parcel:
        """Raises ModelError where one of the files cannot be read any more."""
        files: dict[str, bytes] = {}

        def pack(path: Path) -> Path:
            data = path.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            files[digest] = data
            return path.parent / digest / path.name

        stored = {}
        try:
            plan = with_models(ocr.plan, pack)
            for name in BY_NAME:
                with suppress(ModelError):  # this machine does not have it either
                    path = open_model(name, offline=True).path
                    stored[path.name] = path.read_bytes()
        except OSError as error:
            raise ModelError(f"{error.filename} cannot be read any more ({error.strerror})") from error
        return cls(plan, ocr.limits, files, stored)

    def open(self, threads: int) -> OCR:
        """The OCR, with that many threads.  A file that lies where it lay before the travel, on a shared disk, is used
        as it is; any other is put under FASTOCR_HOME.  Raises ModelError where that cannot be written."""
        store = Store()

        def unpack(path: Path) -> Path:
            digest = path.parent.name
            own = store.home / FOLDER / digest / path.name
            for known in (path.parent.parent / path.name, own):
                with suppress(OSError):
                    if store.digest(known) == digest:
                        return known
            put(own, self.files[digest])
            return own

        for name, data in self.stored.items():
            if not (store.folder / name).exists():
                put(store.folder / name, data)
        return OCR.from_plan(dataclasses.replace(with_models(self.plan, unpack), threads=threads), self.limits)


def put(path: Path, data: bytes) -> None:
    """Writes the file whole or not at all; others may do so at the same time."""
    half = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(data)
        half.replace(path)
    except OSError as error:
        raise ModelError(f"{path} cannot be written ({error.strerror}): set FASTOCR_HOME") from error


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
