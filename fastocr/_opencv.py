"""The one door to OpenCV: where it cannot be loaded, the error says which package mends it."""

from __future__ import annotations

from fastocr._version import DISTRIBUTION
from fastocr.errors import DependencyError

__all__ = ["cv2"]

try:
    import cv2
except ModuleNotFoundError as error:
    if error.name != "cv2":
        raise
    raise DependencyError(
        f"OpenCV is not installed: run `pip install opencv-python` (it comes with {DISTRIBUTION}), "
        "or `pip install opencv-python-headless` on a machine without a display"
    ) from error
except ImportError as error:
    raise DependencyError(
        f"OpenCV cannot be loaded ({error}): install its system libraries "
        "(`apt-get install libgl1 libglib2.0-0` on Debian and Ubuntu), or replace opencv-python by the build "
        "that needs none: `pip uninstall opencv-python && pip install opencv-python-headless`"
    ) from error
