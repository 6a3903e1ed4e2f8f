"""Bundles for machines without a network: wheels, models, a configuration, a start script and checksums."""

from __future__ import annotations

from fastocr.bundle.config import Reader
from fastocr.bundle.make import EXTRAS, ORIENTATION, Order, make
from fastocr.bundle.target import Target

__all__ = ["EXTRAS", "ORIENTATION", "Order", "Reader", "Target", "make"]
