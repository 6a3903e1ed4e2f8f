"""Rows of a registry: each that cannot be used is refused where it is read, by its file, its row and its key."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastocr.errors import ModelError
from fastocr.models.registry import Registry, builtin, load

SOUND: dict[str, Any] = {
    "schema": 1,
    "files": {"a.onnx": {"sha256": "0" * 64, "bytes": 3}, "c.txt": {"sha256": "1" * 64, "bytes": 3}},
    "normalisations": {"n": {"channels": [2, 1, 0], "mean": [0, 0.5, 1], "std": [1, 1, 0.0039]}},
    "models": {
        "d": {
            "role": "det",
            "family": "f",
            "file": "a.onnx",
            "normalisation": "n",
            "bounds": {"batch": [1, 1], "height": [32, 960], "width": [32, 960]},
            "thresholds": {"threshold": 0.3, "box_threshold": 0.6, "unclip": 1.5, "area": 500_000},
        },
        "r": {
            "role": "rec",
            "family": "f",
            "file": "a.onnx",
            "charset": "c.txt",
            "normalisation": {"channels": [0, 1, 2], "mean": [0, 0, 0], "std": [1, 1, 1]},
            "bounds": {"batch": [1, 8], "height": [32, 32], "width": [8, 2000]},
            "languages": ["de"],
        },
        "l": {"role": "line-orientation", "family": "f", "file": "a.onnx", "labels": [0, 180]},
    },
    "sets": {"s": {"det": "d", "rec": "r", "about": ""}, "t": {"det": "d", "rec": "ppocrv6-small-rec"}},
}


def toml(value: object) -> str:
    """Any of the values here as TOML, all tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value).lower() if isinstance(value, bool | str) else repr(value)


def read(data: dict[str, Any], folder: Path) -> Registry:
    path = folder / "registry.toml"
    path.write_text("".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in data.items()), encoding="utf-8")
    return load(path, builtin(), folder)


def changed(where: str, value: object) -> dict[str, Any]:
    """SOUND with ``value`` at the dotted ``where`` ("/" for the dot); None takes it away."""
    data = copy.deepcopy(SOUND)
    *above, last = where.split("/")
    row = data
    for key in above:
        row = row[key]
    if value is None:
        del row[last]
    else:
        row[last] = value
    return data


def test_sound_rows(tmp_path: Path) -> None:
    known = read(SOUND, tmp_path)
    assert known.model("d").values["channels"] == (2, 1, 0)
    assert known.model("d").values["bounds"]["height"] == (32, 960)
    assert known.model("r").charset.name == "c.txt"
    assert known.sets["t"].rec == "ppocrv6-small-rec", "a set may join a model of its folder and one that is shipped"


NAN = float("nan")
N, D, R = "normalisations/n", "models/d", "models/r"


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        ("schema", None, "schema must be 1, not None: import the models again"),
        ("schema", 2, "schema must be 1, not 2"),
        ("modles", {}, "registry has the key 'modles', which is not known there: take .*models"),
        ("roles", {}, "registry has the key 'roles'"),
        ("models", 3, "registry.models must be a table, not 3"),
        ("models/d", [1], r"models.d must be a table, not \[1\]"),
        (f"{N}/std", [0, 1, 1], r"normalisations.n.std must be three numbers from 0.0001 to 10000, not \[0, 1, 1\]"),
        (f"{N}/std", [NAN, 1, 1], "normalisations.n.std must be three numbers"),
        (f"{N}/std", [1e-320, 1, 1], "normalisations.n.std must be three numbers"),
        (f"{N}/mean", [0, float("inf"), 0], "normalisations.n.mean must be three numbers"),
        (f"{N}/mean", [0, 10**400, 0], "normalisations.n.mean must be three numbers"),
        (f"{N}/mean", [0, True, 0], "normalisations.n.mean must be three numbers"),
        (f"{N}/mean", None, "normalisations.n lacks the key 'mean': add it"),
        (f"{N}/channels", [0, 1], "normalisations.n.channels must be three channels"),
        (f"{N}/channels", [0, 1, 7], "normalisations.n.channels must be three channels"),
        (f"{N}/channels", [0, 1, 2.0], "normalisations.n.channels must be three channels"),
        (f"{R}/normalisation/std", [1, 1], "models.r.normalisation.std must be three numbers"),
        (f"{D}/normalisation", "half", "models.d.normalisation must be a table, or the name of one in the file"),
        (f"{D}/stpe", 32, "models.d has the key 'stpe', which is not known there: take role, .*step"),
        (f"{D}/width_factor", 1.0, "models.d has the key 'width_factor', which is not known there"),
        (f"{D}/step", 64, "models.d.step must be 32, not 64"),
        (f"{D}/role", "pet", "models.d.role must be one of det, rec, line-orientation, page-orientation, not 'pet'"),
        (f"{D}/role", [], "models.d.role must be one of"),
        (f"{D}/role", None, "models.d lacks the key 'role'"),
        (f"{D}/file", None, "models.d lacks the key 'file'"),
        (f"{D}/file", "b.onnx", r"models.d.file must be the name of a row under \[files\], not 'b.onnx'"),
        (f"{R}/charset", "d.txt", r"models.r.charset must be the name of a row under \[files\]"),
        (f"{D}/bounds/height", None, "models.d.bounds lacks the key 'height'"),
        (f"{D}/bounds/height", [16, 16], r"models.d.bounds.height must be \[least, most\], .* not \[16, 16\]"),
        (f"{D}/bounds/height", [640, 640], "models.d.bounds.height must be"),
        (f"{D}/bounds/width", [0, 960], "models.d.bounds.width must be .* least from 1 to 64"),
        (f"{D}/bounds/width", [960, 32], "models.d.bounds.width must be"),
        (f"{D}/bounds/width", [32, 960, 2], "models.d.bounds.width must be"),
        (f"{D}/bounds/width", 960, "models.d.bounds.width must be"),
        (f"{D}/bounds/batch", [8, 8], "models.d.bounds.batch must be"),
        (f"{D}/bounds/depth", [1, 1], "models.d.bounds has the key 'depth'"),
        (f"{R}/bounds/height", [32, 48], r"models.r.bounds.height must be \[size, size\]"),
        (f"{R}/bounds/width", [320, 320], "models.r.bounds.width must be"),
        (f"{D}/max_pixels", 16, "models.d.max_pixels must be a whole number"),
        (f"{D}/thresholds/threshold", 7, "models.d.thresholds.threshold must be a number from 0 to 1, not 7"),
        (f"{D}/thresholds/box_threshold", NAN, "models.d.thresholds.box_threshold must be a number from 0 to 1"),
        (f"{D}/thresholds/unclip", None, "models.d.thresholds lacks the key 'unclip'"),
        (f"{D}/thresholds/area", 0, "models.d.thresholds.area must be a whole number"),
        (f"{D}/thresholds/cut", 0, "models.d.thresholds has the key 'cut'"),
        (f"{R}/languages", [1, 2], r"models.r.languages must be a list of language codes, not \[1, 2\]"),
        (f"{R}/languages", "de", "models.r.languages must be a list"),
        (f"{R}/scripts", "latin", "models.r.scripts must be a list"),
        ("models/l/labels", [180, 0], r"models.l.labels must be \[0, 180\], not"),
        ("sets/s/det", "x", "sets.s.det must be the name of a det model, not 'x'"),
        ("sets/s/rec", "d", "sets.s.rec must be the name of a rec model, not 'd'"),
        ("sets/s/rec", [], "sets.s.rec must be a text"),
        ("sets/s/rec", None, "sets.s lacks the key 'rec'"),
        ("files/c.txt/sha256", "0" * 63, "files.c.txt.sha256 must be a text of 64 hex digits"),
        ("files/c.txt/sha256", None, "files.c.txt lacks the key 'sha256'"),
        ("files/c.txt/bytes", "3", "files.c.txt.bytes must be a whole number"),
        ("files/c.txt/urls", ["nowhere"], "files.c.txt.urls must be a list of addresses"),
        ("files/c.txt/wheels", ["project 1.0 path"], "files.c.txt.wheels must be a list of"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named(tmp_path: Path, where: str, value: object, message: str) -> None:
    with pytest.raises(ModelError, match=f"registry.toml: {message}"):
        read(changed(where, value), tmp_path)


def places(value: object, above: str = "") -> list[str]:
    if not isinstance(value, dict):
        return [above]
    return [above, *(place for key, item in value.items() for place in places(item, f"{above}/{key}"))]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "det", "a.onnx", "n", "x y==1 z"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["det", "std", "x", "file"]), inner),
    max_leaves=6,
)


@given(where=st.sampled_from([place[1:] for place in places(SOUND) if place]), value=VALUES)
def test_whatever_stands_there_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, where: str, value: object
) -> None:
    """With a message of its own: no other error leaves `load`, and no value that is no number gets through."""
    value = json.loads(json.dumps(value).replace("null", "0"))
    try:
        known = read(changed(where, value), tmp_path_factory.getbasetemp())
    except ModelError as error:
        assert "\n" not in str(error)
        return
    for row in known.models.values():
        model = row.model(Path("x"), None)
        assert all(abs(number) < 1e9 for number in (*model.scale, *model.bias))
        assert set(model.bounds) == {"batch", "height", "width"}
