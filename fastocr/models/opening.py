"""From a name or a path to a verified model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fastocr.errors import ArgumentError, ModelError, ModelNotFoundError
from fastocr.models.languages import asked, check_covers, readers
from fastocr.models.model import Model, ModelSet, Role
from fastocr.models.onnxfile import OnnxHeader, Shape, read_header
from fastocr.models.progress import ProgressCallback
from fastocr.models.registry import REGISTRY_NAME, FileRow, ModelRow, Registry, builtin, load, merge
from fastocr.models.store import ARCHIVES, FOLDERS_VARIABLE, Store

__all__ = ["DEFAULT_SET", "open_model", "open_set", "registry"]

DEFAULT_SET = "ppocrv6-small"

# One image at a time goes in.  None: any size, or one that the file does not fix.
_INPUT: Shape = (1, 3, None, None)
_OUTPUTS: dict[Role, Shape] = {
    "det": (1, 1, None, None),
    "rec": (1, None, None),
    "line-orientation": (1, 2),
    "page-orientation": (1, 4),
}
_DYNAMIC: dict[Role, tuple[str, ...]] = {"det": ("height", "width"), "rec": ("width",)}


def registry(store: Store | None = None) -> Registry:
    """The models that can be named: those fastocr ships, those of the folders in FASTOCR_MODELS, and those made here.

    ModelError where the variable names what is not there, or a folder's registry is unfit.
    """
    store = store or Store()
    places = store.extra
    for place in places:
        if not (place.is_file() if place.suffix in ARCHIVES else place.is_dir()):
            raise ModelError(
                f"{FOLDERS_VARIABLE} names {place}, where there is no folder and no .whl or .zip file: "
                "correct the variable, or take that out of it"
            )
    return merge(builtin(), (*places, *store.own()))


def open_set(
    models: str | Path = DEFAULT_SET, *, det: str | Path | None = None, rec: str | Path | None = None,
    charset: str | Path | None = None, lang: str | Sequence[str] | None = None, need_det: bool = True,
    need_rec: bool = True, progress: ProgressCallback | None = None, offline: bool | None = None,
) -> ModelSet:  # fmt: skip
    """A detector and a recognizer, verified, fetched where they are missing.

    ``models`` names a set, or is a folder that ``fastocr models import`` wrote.  ``det`` and ``rec`` replace its parts:
    the name of a model or of another set, or the path of an .onnx file.  ``charset`` is the dictionary file of the
    recognizer where it is not the registered one.  With ``rec`` or ``charset`` a set's second recognizer is left out.
    ``lang`` is a language or several: where the set does not cover them, registered recognizers that do stand beside
    its own as ``routes``, or in their place where it covers none; ``rec`` and ``charset`` are never replaced.
    A part that is not needed, since the caller has one of its own, is neither fetched nor opened: it is None, and
    "custom" in the set's name.  ``offline`` True forbids all network use, None leaves it to FASTOCR_OFFLINE.

    Raises ModelNotFoundError for an unknown name, ArgumentError for a language that is not covered, ModelError for a
    file of the wrong kind or a dictionary that does not fit the recognizer, DownloadError where a file cannot be had.
    """
    with Store(offline=offline, progress=progress) as store:
        known, name = registry(store), str(models)
        if (need_det and det is None) or (need_rec and rec is None):
            known, name = _with_folder(known, name)
            known.set(name)
        languages = asked(lang, known)
        if languages and not need_rec:
            raise ArgumentError("lang says what a model must cover: leave it out with a recognizer of your own")
        # Of a set all is missing where its detector is: the advice is to pull the set.
        wanted = name if need_det and need_rec and det is None and rec is None else None
        detector = _open(store, known, name if det is None else det, "det", wanted=wanted) if need_det else None
        nobody: _Readers = (None, None, ())
        given = nobody if not need_rec else _readers(store, known, name, rec, charset, languages, wanted)
    chosen = ModelSet(name, detector, *given)
    own = det is None and rec is None and chosen.parts() == known.sets[name].parts()
    return chosen if own else replace(chosen, name="+".join(chosen.parts()))


_Readers = tuple[Model | None, Model | None, tuple[Model, ...]]


def _readers(
    store: Store, known: Registry, name: str, rec: str | Path | None, charset: str | Path | None,
    languages: Sequence[str], wanted: str | None,
) -> _Readers:  # fmt: skip
    """The recognizers: the caller's, else those of the set, else those that the languages need."""
    if rec is not None or charset is not None:
        model = _open(store, known, name if rec is None else rec, "rec", charset, wanted)
        check_covers(model, languages)
        return model, None, ()
    chosen = known.sets[name]
    first, second, others = readers(known, chosen, languages)

    def opened(part: str) -> Model:
        return _open(store, known, part, "rec", wanted=wanted if part in chosen.parts() else None)

    return opened(first), opened(second) if second else None, tuple(map(opened, others))


def open_model(
    name: str | Path, *, role: Role | None = None, charset: str | Path | None = None,
    progress: ProgressCallback | None = None, offline: bool | None = None,
) -> Model:  # fmt: skip
    """One model by name, or by path and ``role``; see :func:`open_set` for the rest."""
    with Store(offline=offline, progress=progress) as store:
        return _open(store, registry(store), name, role, charset)


def _with_folder(known: Registry, name: str) -> tuple[Registry, str]:
    """``name``, or, where it is a folder with a registry of its own, that registry too and its one set."""
    folder = Path(name).expanduser().absolute()
    if name in known.sets or not (folder / REGISTRY_NAME).is_file():
        return known, name
    own = [*load(folder / REGISTRY_NAME, known, folder).sets]
    if len(own) != 1:
        raise ModelError(f"{folder} holds {len(own)} model sets, not one: give det and rec by name")
    return merge(known, (folder,)), own[0]


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
        return _fitted(row, path, _charset_path(charset))
    return _fitted(row, path, store.ensure(row.charset, wanted) if row.charset else None)


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
    digest = store.digest(path)
    dictionary = _charset_path(charset) if charset else None
    row = known.by_digest(digest, role)
    if row is None:
        row = known.unknown(path.stem, role, FileRow(path.name, digest, path.stat().st_size, "not stated"))
    elif dictionary is None and row.charset is not None:
        dictionary = store.ensure(row.charset, row.name)
    return _fitted(row, path, dictionary)


def _charset_path(charset: str | Path) -> Path:
    path = Path(charset).expanduser().absolute()
    if not path.is_file():
        raise ModelNotFoundError(f"there is no dictionary file {path}")
    return path


def _fitted(row: ModelRow, path: Path, charset: Path | None) -> Model:
    """The row's model, once its file is seen to fit the role; an axis that the file fixes has that one size."""
    header = read_header(path)
    _check_kind(path, header, row.role)
    batch, _, height, width = next(iter(header.inputs.values()))
    fixed = {axis: size for axis, size in (("batch", batch), ("height", height), ("width", width)) if size}
    if stiff := [axis for axis in _DYNAMIC.get(row.role, ()) if axis in fixed]:
        sizes = " and ".join(f"a {axis} of {fixed[axis]}" for axis in stiff)
        raise ModelError(
            f"{path} takes images of {sizes} alone; a model of role {row.role} is fed with many sizes: "
            f"export it with dynamic {' and '.join(stiff)}"
        )
    bounds = {**row.values["bounds"], **{axis: (size, size) for axis, size in fixed.items()}}
    model = row.model(path, charset, bounds=bounds)
    if model.role != "rec":
        return model
    if header.class_count is None:
        model.characters()  # whether they are as many as the classes, only a run can tell
    else:
        model.classes()
    return model


def _check_kind(path: Path, header: OnnxHeader, role: Role) -> None:
    """ModelError where the shapes in the file are not those of the role, as far as the file states them."""
    given, result = (next(iter(shapes.values())) for shapes in (header.inputs, header.outputs))
    if len(header.inputs) != 1 or len(given) != 4 or not _agree(given, _INPUT):
        raise ModelError(f"{path} does not take one image of 3 channels at a time, so it is no PP-OCR model")
    wanted = _OUTPUTS[role]
    if result and len(result) != len(wanted):
        raise ModelError(f"{path} has an output of {len(result)} axes; a model of role {role} has {len(wanted)}")
    if result and not _agree(result, wanted):
        raise ModelError(f"{path} has an output of {_text(result)}; a model of role {role} has {_text(wanted)}")


def _agree(stated: Shape, wanted: Shape) -> bool:
    return all(None in (one, other) or one == other for one, other in zip(stated, wanted, strict=True))


def _text(shape: Shape) -> str:
    return f"({', '.join('any' if size is None else str(size) for size in shape)})"
