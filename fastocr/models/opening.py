"""From a name or a path to a verified model."""

from __future__ import annotations

from pathlib import Path

from fastocr.errors import ModelError, ModelNotFoundError
from fastocr.models.model import Model, ModelSet, Role
from fastocr.models.onnxfile import OnnxHeader, read_header
from fastocr.models.progress import ProgressCallback
from fastocr.models.registry import REGISTRY_NAME, FileRow, ModelRow, Registry, builtin, merge
from fastocr.models.store import Store

__all__ = ["DEFAULT_SET", "open_model", "open_set", "registry"]

DEFAULT_SET = "ppocrv6-small"

_OUTPUT_RANK = {"det": 4, "rec": 3, "line-orientation": 2, "page-orientation": 2}


def registry(store: Store | None = None) -> Registry:
    """The models that can be named: those fastocr ships, and those of the folders in FASTOCR_MODELS."""
    return merge(builtin(), (store or Store()).extra)


def open_set(
    models: str | Path = DEFAULT_SET, *, det: str | Path | None = None, rec: str | Path | None = None,
    charset: str | Path | None = None, cls: str | Path | None = None, progress: ProgressCallback | None = None,
    offline: bool | None = None,
) -> ModelSet:  # fmt: skip
    """A detector and a recognizer, verified, fetched where they are missing.

    ``models`` names a set, or is a folder that ``fastocr models import`` wrote.  ``det`` and ``rec`` replace its parts:
    the name of a model or of another set, or the path of an .onnx file.  ``charset`` is the dictionary file of the
    recognizer where it is not the registered one; ``cls`` a line-orientation model.  ``offline`` True forbids all
    network use, None leaves it to FASTOCR_OFFLINE.

    Raises ModelNotFoundError for an unknown name, ModelError for a file of the wrong kind or a dictionary that does not
    fit the recognizer, DownloadError where a file cannot be had.
    """
    with Store(offline=offline, progress=progress) as store:
        known = registry(store)
        name = str(models)
        if det is None or rec is None:
            known, name = _with_folder(known, name)
            chosen = known.set(name)
            mixed = not (det is None and rec is None)
            det, rec = det or chosen.det, rec or chosen.rec
        else:
            mixed = True
        # Of a set all is missing where its detector is: the advice is to pull the set.
        wanted = None if mixed else name
        detector = _open(store, known, det, "det", wanted=wanted)
        recognizer = _open(store, known, rec, "rec", charset, wanted)
        recognizer.classes()
        turner = None if cls is None else _open(store, known, cls, "line-orientation")
    return ModelSet(f"{detector.name}+{recognizer.name}" if mixed else name, detector, recognizer, turner)


def open_model(
    name: str | Path, *, role: Role | None = None, charset: str | Path | None = None,
    progress: ProgressCallback | None = None, offline: bool | None = None,
) -> Model:  # fmt: skip
    """One model by name, or by path and ``role``; see :func:`open_set` for the rest."""
    with Store(offline=offline, progress=progress) as store:
        model = _open(store, registry(store), name, role, charset)
    if model.role == "rec":
        model.classes()
    return model


def _with_folder(known: Registry, name: str) -> tuple[Registry, str]:
    """``name``, or, where it is a folder with a registry of its own, that registry too and its one set."""
    folder = Path(name)
    if name in known.sets or not (folder / REGISTRY_NAME).is_file():
        return known, name
    merged = merge(known, (folder.absolute(),))
    own = [key for key in merged.sets if key not in known.sets]
    if len(own) != 1:
        raise ModelError(f"{folder} holds {len(own)} model sets, not one: give det and rec by name")
    return merged, own[0]


def _open(
    store: Store, known: Registry, spec: str | Path, role: Role | None, charset: str | Path | None = None,
    wanted: str | None = None,
) -> Model:  # fmt: skip
    """The model; ``wanted`` is the set by which a missing file is best fetched, where it is not the model itself."""
    path = Path(spec).expanduser()
    named = isinstance(spec, str) and (spec in known.models or spec in known.sets)
    if named or (not path.exists() and path.suffix != ".onnx" and path.name == str(spec)):
        row = known.model(str(spec), role)  # an unknown name: the error says what is near
        return _registered(store, row, charset, wanted)
    if role is None:
        raise ModelError(f"{path} is a file: say with role= what kind of model it is")
    return _open_path(store, known, path, role, charset)


def _registered(store: Store, row: ModelRow, charset: str | Path | None, wanted: str | None = None) -> Model:
    wanted = wanted or row.name
    path = store.ensure(row.file, wanted)
    if charset:
        return row.model(path, _charset_path(charset))
    return row.model(path, store.ensure(row.charset, wanted) if row.charset else None)


def _open_path(store: Store, known: Registry, path: Path, role: Role, charset: str | Path | None) -> Model:
    if path.is_dir():
        known = merge(known, (path.absolute(),))
        own = [row for row in known.models.values() if row.file.folder == path.absolute() and row.role == role]
        if len(own) != 1:
            raise ModelNotFoundError(f"the folder {path} holds {len(own)} {role} models from `fastocr models import`")
        return _registered(store, own[0], charset)
    if not path.is_file():
        raise ModelNotFoundError(f"there is no model file {path}")
    path = path.absolute()
    header = read_header(path)
    _check_kind(path, header, role)
    digest = store.digest(path)
    dictionary = _charset_path(charset) if charset else None
    registered = known.by_digest(digest, role)
    if registered is not None:
        if dictionary is None and registered.charset is not None:
            dictionary = store.ensure(registered.charset, registered.name)
        return registered.model(path, dictionary)
    file = FileRow(path.name, digest, path.stat().st_size, "not stated")
    return _narrowed(known.unknown(path.stem, role, file), header).model(path, dictionary)


def _charset_path(charset: str | Path) -> Path:
    path = Path(charset).expanduser().absolute()
    if not path.is_file():
        raise ModelNotFoundError(f"there is no dictionary file {path}")
    return path


def _check_kind(path: Path, header: OnnxHeader, role: Role) -> None:
    given, result = (next(iter(shapes.values())) for shapes in (header.inputs, header.outputs))
    rank = _OUTPUT_RANK[role]
    if len(header.inputs) != 1 or len(given) != 4 or given[1] not in (3, None):
        raise ModelError(f"{path} does not take one image of 3 channels, so it is no PP-OCR model")
    if result and len(result) != rank:
        raise ModelError(f"{path} has an output of {len(result)} axes; a model of role {role} has {rank}")


def _narrowed(row: ModelRow, header: OnnxHeader) -> ModelRow:
    """The row with the bounds of those axes that the file itself fixes."""
    batch, _, height, width = next(iter(header.inputs.values()))
    fixed = {"batch": batch, "height": height, "width": width}
    bounds = {**row.values["bounds"], **{axis: (size, size) for axis, size in fixed.items() if size}}
    return ModelRow(row.name, row.role, row.family, row.file, row.charset, {**row.values, "bounds": bounds})
