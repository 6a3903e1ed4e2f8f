"""The service's configuration in a bundle, and the models that it needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fastocr.config import DEFAULT_PRESET, preset
from fastocr.models import open_set
from fastocr.models.progress import ProgressCallback

__all__ = ["OFF", "Reader"]

# Of the light preset: none.
OFF = "off"
_TEMPLATE = Path(__file__).parent / "files" / "serve.toml"


@dataclass(frozen=True, slots=True)
class Reader:
    """What the service reads with: a preset or a model set, a lighter preset for when many wait, and languages."""

    preset: str | None = None
    models: str | None = None
    light: str = "fast"
    lang: Sequence[str] = ()

    def names(self, progress: ProgressCallback | None) -> list[str]:
        """The models that are needed, by name, each once; what is not here is fetched.  Raises what `open_set` does."""
        sets = [self.models or preset(self.preset or DEFAULT_PRESET).models]
        if self.light != OFF:
            sets.append(preset(self.light).models)
        chosen = (open_set(name, lang=self.lang or None, progress=progress) for name in sets)
        return list(dict.fromkeys(part for one in chosen for part in one.parts()))

    def config(self) -> str:
        """The text of serve.toml."""
        rows = [f"models = {json.dumps(self.models)}" if self.models else f'preset = "{self.preset or DEFAULT_PRESET}"']
        if self.lang:
            rows.append(f"lang = {json.dumps(list(self.lang))}")
        return _TEMPLATE.read_text(encoding="utf-8").replace("@READER@", "\n".join(rows)).replace("@LIGHT@", self.light)
