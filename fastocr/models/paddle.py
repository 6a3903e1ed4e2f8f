"""Paddle exports (inference.json or .pdmodel, .pdiparams, inference.yml) as local model folders."""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastocr._version import DISTRIBUTION
from fastocr.errors import ArgumentError, DependencyError, ModelError, OutputError
from fastocr.models.local import HEAD, file_row, quoted, table
from fastocr.models.model import Role
from fastocr.models.registry import REGISTRY_NAME

__all__ = ["Description", "import_exports", "read_description"]

OPSET = 14
HALF = ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
CONVERT = """
import sys, paddle2onnx
model, weights, target, opset = sys.argv[1:]
# The optimizer would install packages by itself, and the runtime folds constants anyway.
paddle2onnx.export(model, weights, target, opset_version=int(opset), enable_optimize=False)
"""


@dataclass(frozen=True, slots=True)
class Description:
    """What inference.yml says of a model.  ``mean`` and ``std`` are of values divided by 255, in channel order."""

    name: str
    role: Role
    channels: tuple[int, ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]
    shape: tuple[int, int] | None = None  # height and width where they are fixed
    resize_short: int = 0
    thresholds: Mapping[str, float] | None = None
    labels: tuple[int, ...] = ()
    charset: tuple[str, ...] = ()


def import_exports(folders: Sequence[Path], out: Path, name: str | None = None) -> list[Description]:
    """Convert the exports in ``folders`` into the new folder ``out``, with a registry beside them.

    Where they are one detector and one recognizer, they become the set ``name`` (default: the folder's name).
    Raises ModelError for a folder that is no Paddle export that fastocr can use, DependencyError without the extra,
    OutputError where ``out`` holds a registry already or cannot be written.
    """
    if (out / REGISTRY_NAME).exists():
        raise OutputError(f"{out} holds imported models already: choose another folder")
    for folder in folders:
        _graph(folder)
    found = [(folder, read_description(folder / "inference.yml")) for folder in folders]
    if len({text.name for _, text in found}) != len(found):
        raise ArgumentError("two of these exports have one name: import them into folders of their own")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".import-") as scratch:
            rows = [_convert(folder, text, Path(scratch)) for folder, text in found]
            registry = "\n".join([HEAD, *rows, *_set_row([text for _, text in found], name or out.name)])
            Path(scratch, REGISTRY_NAME).write_text(registry, encoding="utf-8")
            for path in sorted(Path(scratch).iterdir(), key=lambda path: path.name == REGISTRY_NAME):
                path.replace(out / path.name)  # the registry last: it makes the folder one of models
    except OSError as error:
        raise OutputError(f"{out} cannot be written: {error.strerror}") from error
    return [text for _, text in found]


def read_description(path: Path) -> Description:
    """The description in the inference.yml at ``path``; ModelError where it is of no kind that fastocr runs."""
    yaml = _extra("yaml")
    try:
        # Every scalar as text: a dictionary has characters such as ~ and 1 that YAML would make null and numbers.
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        steps = _steps(data["PreProcess"]["transform_ops"])
        post, label = data["PostProcess"], data["Global"]["model_name"]
        return _described(_plain(label), steps, post)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): it belongs to a Paddle export") from error
    except (KeyError, TypeError, ValueError, AttributeError, yaml.YAMLError) as error:
        raise ModelError(f"{path} does not describe a model in Paddle's way: {error!r}") from error


def _steps(ops: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {name: fields if isinstance(fields, dict) else {} for op in ops for name, fields in op.items()}


def _described(name: str, steps: Mapping[str, Mapping[str, Any]], post: Mapping[str, Any]) -> Description:
    kind = post["name"] if "name" in post else next(iter(post))
    if kind == "DBPostProcess":
        thresholds = {
            "threshold": float(post["thresh"]),
            "box_threshold": float(post["box_thresh"]),
            "unclip": float(post["unclip_ratio"]),
        }
        return Description(name, "det", *_normalisation(steps, "BGR"), thresholds=thresholds)
    if kind == "CTCLabelDecode":
        height = int(steps["RecResizeImg"]["image_shape"][1])
        charset = tuple(post["character_dict"])
        if not charset or any(not entry or "\n" in entry for entry in charset):
            raise ValueError("character_dict has an entry that is no character")
        mean_std = _normalisation(steps, "BGR") if "NormalizeImage" in steps else (_channels(steps, "BGR"), *HALF)
        return Description(name, "rec", *mean_std, shape=(height, 0), charset=charset)
    if kind == "Topk":
        return _classifier(name, steps, post["Topk"]["label_list"])
    raise ValueError(f"PostProcess is {kind}")


def _classifier(name: str, steps: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> Description:
    labels = tuple(int(label.removesuffix("_degree")) for label in names)
    role: Role = "line-orientation" if len(labels) == 2 else "page-orientation"
    resize = steps["ResizeImage"]
    size = steps["CropImage"]["size"] if "CropImage" in steps else resize["size"]
    width, height = (int(size), int(size)) if isinstance(size, str) else (int(size[0]), int(size[1]))
    short = int(resize.get("resize_short", 0))
    normal = _normalisation(steps, "RGB")
    return Description(name, role, *normal, shape=(height, width), resize_short=short, labels=labels)


Normalisation = tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]


def _normalisation(steps: Mapping[str, Mapping[str, Any]], order: str) -> Normalisation:
    norm = steps["NormalizeImage"]
    scale = 255.0 * _number(norm.get("scale", "1./255."))
    mean, std = (tuple(float(value) / scale for value in norm[key]) for key in ("mean", "std"))
    if len(mean) != 3 or len(std) != 3 or not all(map(math.isfinite, (*mean, *std))) or 0.0 in std:
        raise ValueError("NormalizeImage needs three means and three deviations")
    return _channels(steps, order), mean, std


def _channels(steps: Mapping[str, Mapping[str, Any]], order: str) -> tuple[int, ...]:
    return {"BGR": (0, 1, 2), "RGB": (2, 1, 0)}[steps.get("DecodeImage", {}).get("img_mode", order)]


def _number(text: str) -> float:
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:100] or "model"


def _convert(folder: Path, text: Description, out: Path) -> str:
    """Writes the model and its dictionary into ``out``; returns their rows."""
    model, charset = out / f"{text.name}.onnx", out / f"{text.name}.charset.txt"
    _to_onnx(folder, model)
    files = [model]
    if text.charset:
        charset.write_bytes("".join(f"{entry}\n" for entry in text.charset).encode())
        files.append(charset)
    row: dict[str, object] = {
        "role": text.role,
        "family": "imported",
        "file": model.name,
        "normalisation": {"channels": text.channels, "mean": text.mean, "std": text.std},
    }
    if text.charset:
        row["charset"] = charset.name
    if text.thresholds:
        row["thresholds"] = {**text.thresholds, "area": 921_600}
    if text.shape:
        height, width = text.shape
        row["bounds"] = {"batch": (1, 64), "height": (height, height), "width": (width, width) if width else (8, 8192)}
    if text.labels:
        row["labels"] = text.labels
    if text.resize_short:
        row["resize_short"] = text.resize_short
    tables = [table(f"models.{quoted(text.name)}", row)]
    tables += [table(f"files.{quoted(path.name)}", file_row(path)) for path in files]
    return "\n".join(tables)


def _graph(folder: Path) -> Path:
    """The network's file in the export; ModelError where the folder is none."""
    if not folder.is_dir():
        raise ModelError(f"there is no folder {folder}: give the folder of a Paddle export")
    graphs = [path for path in (folder / "inference.json", folder / "inference.pdmodel") if path.is_file()]
    if not graphs or not all((folder / name).is_file() for name in ("inference.pdiparams", "inference.yml")):
        raise ModelError(
            f"{folder} is no Paddle export: that has inference.json (or inference.pdmodel), inference.pdiparams and "
            "inference.yml"
        )
    return graphs[0]


def _to_onnx(folder: Path, target: Path) -> None:
    """In a process of its own: Paddle changes signal handlers, logging and the floating-point state of its host."""
    for module in ("paddle", "paddle2onnx"):
        if importlib.util.find_spec(module) is None:
            raise _missing(module)
    graph, weights = _graph(folder), folder / "inference.pdiparams"
    command = [sys.executable, "-c", CONVERT, str(graph), str(weights), str(target), str(OPSET)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
    if done.returncode or not target.is_file():
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise ModelError(f"paddle2onnx could not convert {graph}: {lines[-1] if lines else done.returncode}")


def _extra(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise _missing(module) from error


def _missing(module: str) -> DependencyError:
    return DependencyError(
        f'to import Paddle models, {module} is needed: pip install "{DISTRIBUTION}[import]" '
        '(in a checkout: pip install ".[import]") with Python 3.11 or 3.12 (paddle2onnx has no wheels for later ones)'
    )


def _set_row(found: Sequence[Description], name: str) -> list[str]:
    roles = {text.role: text.name for text in found}
    if sorted(roles) != ["det", "rec"] or len(found) != 2:
        return []
    return [table(f"sets.{quoted(name)}", {"det": roles["det"], "rec": roles["rec"], "about": "imported"})]
