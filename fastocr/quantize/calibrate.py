"""What networks are shown while their ranges are measured: what the pipeline itself feeds them on real pages."""

from __future__ import annotations

import hashlib
import random
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.api import OCR
from fastocr.documents.inputs import in_folder
from fastocr.errors import ArgumentError, FastocrError, InputError
from fastocr.runtime.backends import resolve_backend
from fastocr.runtime.base import Backend, CancelToken, Session, SessionOptions

__all__ = ["Recorder", "Samples", "from_arrays", "from_pages", "pages"]

Tensor = NDArray[np.float32]

# Samples of one network that are kept by default, and pages of a detector, of which each takes some 12 MB.
SAMPLES, PAGES = 200, 32


@dataclass(frozen=True, slots=True)
class Samples:
    """A network's inputs, float32 (1, 3, height, width), of at most ``most``: of more, each is as likely to be kept.

    The same inputs in the same order leave the same ones.
    """

    most: int
    kept: list[Tensor] = field(default_factory=list)
    seen: list[int] = field(default_factory=lambda: [0])
    draw: random.Random = field(default_factory=lambda: random.Random(0))

    def add(self, tensors: Iterable[Tensor]) -> None:
        for tensor in tensors:
            self.seen[0] += 1
            place = len(self.kept) if len(self.kept) < self.most else self.draw.randrange(self.seen[0])
            if place < self.most:
                self.kept[place : place + 1] = [tensor]


@dataclass(frozen=True, slots=True)
class Recorder:
    """A backend that runs networks with another one, and keeps a copy of what each is fed, by the path of its file."""

    backend: Backend
    log: dict[Path, list[Tensor]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.backend.name

    @property
    def few_shapes(self) -> bool:
        return self.backend.few_shapes

    def load(self, path: Path, options: SessionOptions) -> Session:
        return Recorded(self.backend.load(path, options), self.log.setdefault(path, []))


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session that keeps a copy of its inputs."""

    session: Session
    log: list[Tensor]

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        return self.session.output_shape

    def run(self, tensor: Tensor, cancel: CancelToken | None = None) -> Tensor:
        self.log.append(tensor.copy())
        return self.session.run(tensor, cancel)


def pages(folder: Path) -> list[Path]:
    """The images of a folder, by name; InputError where there are none."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}: give one with images of real pages")
    found = [Path(name) for name in in_folder(str(folder))]
    if not found:
        raise InputError(f"{folder} holds no images: calibrate on pages like those that will be read, fifty or so")
    return found


def from_pages(
    arguments: Mapping[str, Any],
    paths: Sequence[Path],
    most: int = SAMPLES,
    step: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> dict[Path, list[Tensor]]:
    """What an OCR with these arguments feeds each of its networks when it reads the pages, by the network's file.

    Raises InputError, that names the file, where one cannot be read, and where no network but the detector's was fed.
    """
    given = {"backend": "onnxruntime", **arguments}
    recorder = Recorder(resolve_backend(given.pop("backend")))
    kept: dict[Path, Samples] = {}
    with OCR(**given, backend=recorder) as ocr:
        detector = None if ocr.plan.models.det is None else ocr.plan.models.det.path
        for done, path in enumerate(paths):
            step(done, len(paths), path.name)
            for log in recorder.log.values():
                log.clear()
            read(ocr, path)
            for file, log in recorder.log.items():
                samples = kept.setdefault(file, Samples(min(most, PAGES) if file == detector else most))
                samples.add(sorted(log, key=order))
    found = {file: samples.kept for file, samples in kept.items() if samples.kept}
    if not {*found} - {detector}:
        raise InputError(f"no text was found on the {len(paths)} images: calibrate on pages with text")
    return found


def order(tensor: Tensor) -> tuple[tuple[int, ...], bytes]:
    """Lines of a page are read side by side, in whatever order; here they come in one that hangs on them alone."""
    return tensor.shape, hashlib.sha256(tensor.tobytes()).digest()


def read(ocr: OCR, path: Path) -> None:
    try:
        ocr.read(path)
    except InputError as error:
        raise InputError(f"{error}: mend this file, or take it out of the folder") from error
    except FastocrError:
        raise
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): take it out of the folder") from error


def from_arrays(path: Path, most: int = SAMPLES) -> dict[str, list[Tensor]]:
    """The samples of an NPZ file by role: its arrays are float32 (n, 3, height, width), ready for the network, and are
    named by the role, such as det_0 or rec_page1.

    Raises InputError for a file that holds something else.
    """
    found: dict[str, Samples] = {}
    try:
        # Given a path, NumPy leaves what it opened open where that is no archive.
        with path.open("rb") as source, np.load(source, allow_pickle=False) as file:
            for name in sorted(file.files):
                role, array = name.split("_")[0], file[name]
                if role not in ("det", "rec", "reread") or array.ndim != 4 or array.shape[1] != 3:
                    raise InputError(
                        f"{path} holds {name} of {array.shape}: name arrays det_..., rec_... or reread_..., each (n, "
                        "3, height, width)"
                    )
                if not np.isfinite(array).all():
                    raise InputError(f"{path} holds NaN or infinity in {name}: make the array again")
                samples = found.setdefault(role, Samples(min(most, PAGES) if role == "det" else most))
                samples.add(array[k : k + 1].astype(np.float32) for k in range(len(array)))
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, AttributeError) as error:
        raise InputError(f"{path} cannot be read as an NPZ file: write it with numpy.savez") from error
    if not found:
        raise InputError(f"{path} holds no arrays: calibrate on pages like those that will be read, fifty or so")
    return {role: samples.kept for role, samples in found.items()}


def checked_count(samples: int) -> int:
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise ArgumentError(f"samples must be a whole number from 1, not {samples!r}")
    return samples
