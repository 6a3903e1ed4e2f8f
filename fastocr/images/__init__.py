"""Any input as one upright BGR picture: paths, bytes, file objects, NumPy arrays, Pillow images."""

from fastocr.images.door import label, load
from fastocr.images.headers import known, probe
from fastocr.images.image import DEFAULT_LIMITS, Header, Image, Limits

__all__ = ["DEFAULT_LIMITS", "Header", "Image", "Limits", "known", "label", "load", "probe"]
