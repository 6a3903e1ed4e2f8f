"""The registry: which models there are, where their files come from, and how each wants to be fed."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastocr.errors import ModelError, ModelNotFoundError
from fastocr.models.model import Model, Role, Thresholds
from fastocr.models.rows import FILE, MODEL, MODELS, NORMALISATION, SET, TABLE, check

__all__ = ["REGISTRY_NAME", "FileRow", "ModelRow", "Registry", "SetRow", "WheelSource", "builtin", "load", "merge"]

REGISTRY_NAME = "registry.toml"
SCHEMA = 1

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,127}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A file inside a wheel: distribution, exact version, path of the member."""

    project: str
    version: str
    path: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file, known by its SHA-256.  ``size`` is None where its bytes were never counted: then the hash alone tells.
    ``folder`` is set where the row belongs to a local registry."""

    name: str
    sha256: str
    size: int | None
    licence: str
    wheels: tuple[WheelSource, ...] = ()
    urls: tuple[str, ...] = ()
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model: its file, its dictionary file where it has one, and the numbers of its registry row."""

    name: str
    role: Role
    family: str
    file: FileRow
    charset: FileRow | None
    values: Mapping[str, Any] = field(hash=False, repr=False)

    def files(self) -> tuple[FileRow, ...]:
        return (self.file,) if self.charset is None else (self.file, self.charset)

    def reads(self) -> tuple[str, ...]:
        """The languages of a recognizer and the scripts that it covers whole."""
        return (*self.values.get("languages", ()), *self.values.get("scripts", ()))

    def covers(self, language: str) -> bool:
        """Whether it reads this language, or all of this script; upper and lower case are one."""
        return language.casefold() in map(str.casefold, self.reads())

    def model(self, path: Path, charset: Path | None, **changes: Any) -> Model:
        """The model, its verified files being at ``path`` and ``charset``."""
        values = {**self.values, **changes}
        return Model(
            name=self.name, role=self.role, family=self.family, path=path, charset=charset,
            sha256=self.file.sha256, size=self.file.size, licence=self.file.licence, **values,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SetRow:
    """A set: the names of its detector and its recognizer, of a second recognizer for the lines that the first is not
    sure of where it has one, and a line on what it is for."""

    name: str
    det: str
    rec: str
    reread: str = ""
    about: str = ""

    def parts(self) -> tuple[str, ...]:
        """The names of its models."""
        return tuple(name for name in (self.det, self.rec, self.reread) if name)


@dataclass(frozen=True, slots=True)
class Registry:
    """Sets, models and files by name."""

    sets: Mapping[str, SetRow]
    models: Mapping[str, ModelRow]
    files: Mapping[str, FileRow]
    defaults: Mapping[str, Mapping[str, Any]]

    def set(self, name: str) -> SetRow:
        if name not in self.sets:
            raise ModelNotFoundError(f"there is no model set {name!r}{_hint(name, self.sets)}")
        return self.sets[name]

    def model(self, name: str, role: Role | None = None) -> ModelRow:
        """The model ``name``; a set's name stands for the set's model of this ``role``."""
        if role in ("det", "rec") and name in self.sets:
            name = getattr(self.sets[name], role)
        if name not in self.models:
            raise ModelNotFoundError(f"there is no model {name!r}{_hint(name, [*self.models, *self.sets])}")
        row = self.models[name]
        if role is not None and row.role != role:
            raise ModelError(f"the model {name} is of role {row.role}, and {role} was asked for")
        return row

    def rows(self, name: str) -> tuple[ModelRow, ...]:
        """The models of a set, or the one model of this name."""
        chosen = self.sets.get(name)
        return tuple(self.model(part) for part in ((name,) if chosen is None else chosen.parts()))

    def by_digest(self, sha256: str, role: Role) -> ModelRow | None:
        """The model of this role whose file has these bytes, if it is registered."""
        return next((row for row in self.models.values() if row.file.sha256 == sha256 and row.role == role), None)

    def unknown(self, name: str, role: Role, file: FileRow, charset: FileRow | None = None) -> ModelRow:
        """A row for a file that is not registered: the defaults of its role."""
        return ModelRow(name, role, "local", file, charset, self.defaults[role])


_EMPTY = Registry({}, {}, {}, {})


def _hint(name: str, known: Mapping[str, object] | list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f": did you mean {close[0]!r}?" if close else ": `fastocr models list` shows what there is"


@functools.cache
def builtin() -> Registry:
    """The registry that fastocr ships."""
    return load(Path(__file__).with_name(REGISTRY_NAME))


def load(path: Path, base: Registry = _EMPTY, folder: Path | None = None) -> Registry:
    """The registry at ``path``; with ``folder``, one whose files lie in that folder and that adds to ``base``.

    Raises ModelError where it is unfit, which names the file, the row, the key and what is wanted.
    """
    try:
        return _parse(tomllib.loads(path.read_text(encoding="utf-8")), base, folder)
    except OSError as error:
        raise ModelError(f"the registry {path} cannot be read: {error.strerror}") from error
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except ValueError as error:
        raise ModelError(f"{path} is no registry of models, since it is not TOML: {error}") from error


def _parse(data: dict[str, Any], base: Registry, folder: Path | None) -> Registry:
    schema = data.pop("schema", None)
    if schema != SCHEMA:
        raise ModelError(f"schema must be {SCHEMA}, not {schema!r}: import the models again with this fastocr")
    sections = ["normalisations", "files", "models", "sets", *([] if base.defaults else ["roles"])]
    check("registry", data, dict.fromkeys(sections, TABLE))
    norms, files, models, sets, roles = (data.get(section, {}) for section in (*sections[:4], "roles"))
    for name, row in norms.items():
        check(f"normalisations.{name}", row, NORMALISATION, NORMALISATION)
    defaults = base.defaults or {role: _values(f"roles.{role}", row, role, norms) for role, row in roles.items()}
    kept = {name: _file(name, row, folder) for name, row in files.items()}
    own = {name: _model(name, row, kept, norms, defaults, base.models) for name, row in models.items()}
    chosen = {name: _set(name, row, {**base.models, **own}) for name, row in sets.items()}
    return Registry(chosen, own, kept, defaults)


def _file(name: str, row: object, folder: Path | None) -> FileRow:
    if not _FILE_NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        raise ModelError(f"{name!r} cannot be a file's name: letters, digits, '.', '_', '+' and '-' only")
    fields = check(f"files.{name}", row, FILE, ("sha256",))
    wheels = tuple(_wheel(text) for text in fields.get("wheels", ()))
    licence, urls = fields.get("licence", "not stated"), tuple(fields.get("urls", ()))
    return FileRow(name, fields["sha256"], fields.get("bytes"), licence, wheels, urls, folder)


def _wheel(text: str) -> WheelSource:
    requirement, path = text.split(" ", 1)
    project, version = requirement.split("==")
    return WheelSource(project, version, path)


def _set(name: str, row: object, models: Mapping[str, ModelRow]) -> SetRow:
    chosen = SetRow(name, **check(f"sets.{name}", row, SET, ("det", "rec")))
    for key, role, model in (("det", "det", chosen.det), ("rec", "rec", chosen.rec), ("reread", "rec", chosen.reread)):
        if (model or key != "reread") and (model not in models or models[model].role != role):
            raise ModelError(f"sets.{name}.{key} must be the name of a {role} model, not {model!r}")
    return chosen


def _model(
    name: str, row: dict[str, Any], files: Mapping[str, FileRow], norms: Mapping[str, Any],
    defaults: Mapping[str, Mapping[str, Any]], others: Mapping[str, ModelRow],
) -> ModelRow:  # fmt: skip
    """A row's model.  One that is ``like`` another has of it, the file apart, all that the row does not state."""
    where = f"models.{name}"
    role = check(where, row, MODEL, ("role", "family", "file"))["role"]
    like = others.get(row["like"]) if "like" in row else None
    if "like" in row and (like is None or like.role != role):
        raise ModelError(f"{where}.like must be the name of a {role} model, not {row['like']!r}")
    values = {**defaults[role], **({} if like is None else like.values), **_values(where, row, role, norms)}
    for key in ("file", "charset"):
        if key in values and values[key] not in files:
            raise ModelError(f"{where}.{key} must be the name of a row under [files], not {values[key]!r}")
    family, file, charset = values.pop("family"), values.pop("file"), values.pop("charset", None)
    for key in ("role", "like"):
        values.pop(key, None)
    dictionary = files[charset] if charset is not None else like.charset if like is not None else None
    return ModelRow(name, role, family, files[file], dictionary, values)


def _values(where: str, row: dict[str, Any], role: Role, norms: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of Model out of a row: normalisation folded to scale and bias, lists to tuples."""
    named = row.get("normalisation")
    if isinstance(named, str):
        if named not in norms:
            raise ModelError(f"{where}.normalisation must be a table, or the name of one in the file, not {named!r}")
        row = {**row, "normalisation": norms[named]}
    values = dict(check(where, row, MODELS[role]))
    if norm := values.pop("normalisation", None):
        values["channels"] = tuple(norm["channels"])
        values["scale"] = tuple(1.0 / (255.0 * std) for std in norm["std"])
        values["bias"] = tuple(-mean / std for mean, std in zip(norm["mean"], norm["std"], strict=True))
    if "bounds" in values:
        values["bounds"] = {axis: (least, most) for axis, (least, most) in values["bounds"].items()}
    if "thresholds" in values:
        values["thresholds"] = Thresholds(**values["thresholds"])
    for key in ("languages", "scripts", "labels"):
        if key in values:
            values[key] = tuple(values[key])
    return values


def merge(registry: Registry, folders: tuple[Path, ...]) -> Registry:
    """``registry`` and those of the ``folders`` that hold one; a name that is taken twice is refused."""
    for folder in folders:
        path = folder / REGISTRY_NAME
        if not path.is_file() or any(row.file.folder == folder for row in registry.models.values()):
            continue
        local = load(path, registry, folder)
        if taken := {*registry.models, *registry.sets} & {*local.models, *local.sets}:
            raise ModelError(f"{path} names {', '.join(sorted(taken))}, which is taken: give it another name")
        registry = Registry(
            {**registry.sets, **local.sets}, {**registry.models, **local.models}, {**registry.files, **local.files},
            registry.defaults,
        )  # fmt: skip
    return registry
