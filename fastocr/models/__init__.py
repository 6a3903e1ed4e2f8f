"""Models: a registry of what there is, a store of verified files, and sources that bring what is missing.

>>> from fastocr import models
>>> pair = models.open_set("ppocrv6-small", progress=models.print_progress)  # doctest: +SKIP
>>> pair.det.path, pair.rec.classes()[:3]  # doctest: +SKIP
"""

from fastocr.models.model import Model, ModelSet, Role, Thresholds
from fastocr.models.opening import DEFAULT_SET, open_model, open_set, registry
from fastocr.models.progress import Progress, ProgressCallback, print_progress
from fastocr.models.store import Store

__all__ = [
    "DEFAULT_SET",
    "Model",
    "ModelSet",
    "Progress",
    "ProgressCallback",
    "Role",
    "Store",
    "Thresholds",
    "open_model",
    "open_set",
    "print_progress",
    "registry",
]
