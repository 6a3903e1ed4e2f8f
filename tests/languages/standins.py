"""Recognizers made in the test: each knows the letters of one script, which are drawn as columns of a colour.

A script has a colour channel of its own, in which its letters are darker steps and all else is white; digits darken all
three channels.  So a recognizer sees nothing where another's letters stand, and every one reads digits.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from fastocr.runtime.backends import resolve_backend
from fastocr.runtime.base import CancelToken, Session, SessionOptions
from fastocr.stages.base import Detections, Trip

Image = NDArray[np.uint8]

SCRIPTS = {"latin": "abcdef", "cyrillic": "бгджзи", "arabic": "ابتثجح"}  # by channel
DIGITS = "0123"
# Height of a line, width of a letter and of the gap behind it; a time step is 8 pixels.
HEIGHT, LETTER, GAP = 48, 16, 16


def levels(script: str) -> dict[str, int]:
    """The value of each letter and digit in its channel; white, 255, is blank."""
    texts = SCRIPTS[script] + DIGITS + " "
    return {text: round(255 * (1 - (k + 1) / len(texts))) for k, text in enumerate(texts)}


def drawn(text: str) -> Image:
    """A line, uint8 (48, width, 3): each letter, as it stands from the left, in the channel of its script."""
    line = np.full((HEIGHT, GAP + len(text) * (LETTER + GAP), 3), 255, np.uint8)
    for k, letter in enumerate(text):
        left = GAP + k * (LETTER + GAP)
        for channel, script in enumerate(SCRIPTS):
            if letter in levels(script) and letter != " ":
                line[:, left : left + LETTER, channel] = levels(script)[letter]
    return line


def unclear(width: int) -> Image:
    """A line that nobody can read: every channel halfway between two letters."""
    line = drawn("0" * width)
    line[line < 255] -= 12
    return line


def page(lines: Sequence[Image]) -> Image:
    """The lines below each other, each `HEIGHT` pixels."""
    image = np.full((HEIGHT * len(lines), max(line.shape[1] for line in lines), 3), 255, np.uint8)
    for k, line in enumerate(lines):
        image[k * HEIGHT : (k + 1) * HEIGHT, : line.shape[1]] = line
    return image


class Rows:
    """A detector that knows where such a page's lines are: one for each `HEIGHT` pixels, as wide as its letters."""

    def detect(self, image: Image, trip: Trip) -> Detections:
        quads = []
        for top in range(0, image.shape[0], HEIGHT):
            right = np.flatnonzero((image[top : top + HEIGHT] < 255).any((0, 2))).max(initial=HEIGHT - 1) + 1 + GAP
            quads.append([(0, top), (right - 1, top), (right - 1, top + HEIGHT - 1), (0, top + HEIGHT - 1)])
        return Detections(np.array(quads, np.float32), np.ones(len(quads)))


def network(script: str) -> bytes:
    """x (1, 3, 48, W) to y (1, W / 8, classes): the level that is nearest to the mean of the channel in each step."""
    values = np.array([255, *levels(script).values()], np.float32) / 127.5 - 1
    steepness = np.float32(400)
    weight = np.zeros((len(values), 3, 1, 1), np.float32)
    weight[:, list(SCRIPTS).index(script), 0, 0] = 2 * steepness * values
    model: onnx.ModelProto = onnx.parser.parse_model(f"""
        <ir_version: 8, opset_import: ["" : 14]> g (float[n, 3, 48, w] x) => (float[n, t, {len(values)}] y) {{
            p = AveragePool <kernel_shape = [48, 8], strides = [48, 8]> (x)
            c = Conv <kernel_shape = [1, 1]> (p, weight, bias)
            s = Squeeze (c, axis)
            m = Transpose <perm = [0, 2, 1]> (s)
            y = Softmax <axis = 2> (m)
        }}""")
    constants = {"weight": weight, "bias": -steepness * values**2, "axis": np.array([2], np.int64)}
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    onnx.helper.set_model_props(model, {"character": "\n".join([*SCRIPTS[script], *DIGITS])})
    data: bytes = model.SerializeToString()
    return data


def pack(script: str, folder: Path) -> Path:
    """The network as a file."""
    path = folder / f"{script}.onnx"
    path.write_bytes(network(script))
    return path


def registry(folder: Path, languages: dict[str, Sequence[str]]) -> Path:
    """A folder with a pack of each script and a registry that states its languages; the first is in the set "mine"."""
    rows = ["schema = 1"]
    for script, codes in languages.items():
        data = pack(script, folder).read_bytes()
        listed = ", ".join(f'"{code}"' for code in codes)
        rows.append(f'[files."{script}.onnx"]\nsha256 = "{hashlib.sha256(data).hexdigest()}"\nbytes = {len(data)}')
        rows.append(f'[models.{script}]\nrole = "rec"\nfamily = "made"\nfile = "{script}.onnx"')
        rows.append(f'languages = [{listed}]\nscripts = ["{script}-made"]')
    rows.append(f'[sets.mine]\ndet = "ppocrv6-tiny-det"\nrec = "{next(iter(languages))}"')
    (folder / "registry.toml").write_text("\n".join(rows), encoding="utf-8")
    return folder


class Counting:
    """ONNX Runtime that counts the runs of each file, and tells `then` of each."""

    name = "counting"
    few_shapes = False

    def __init__(self) -> None:
        self.runs: Counter[str] = Counter()
        self.then: Callable[[str], None] = lambda name: None
        self._inner = resolve_backend("onnxruntime")

    def load(self, path: Path, options: SessionOptions) -> Session:
        return Counted(self._inner.load(path, options), self, path.stem)


class Counted:
    """A session that counts."""

    def __init__(self, inner: Session, backend: Counting, name: str) -> None:
        self._inner, self._backend, self._name = inner, backend, name
        self.output_shape = inner.output_shape

    def run(self, tensor: NDArray[np.float32], cancel: CancelToken | None = None) -> NDArray[np.float32]:
        self._backend.runs[self._name] += 1
        self._backend.then(self._name)
        return self._inner.run(tensor, cancel)
