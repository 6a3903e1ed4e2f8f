"""Pixels an inch, as files state them."""

from __future__ import annotations

__all__ = ["CENTIMETRES", "METRES", "square"]

CENTIMETRES, METRES = 2.54, 0.0254
"""Centimetres and metres in an inch."""
# What lies beyond is no resolution, but a field that was filled with anything.
LEAST, MOST = 10.0, 10_000.0
# A whole number of pixels an inch is not one of pixels a metre.
ROUNDING = 0.05


def square(across: float, down: float, inch: float = 1.0) -> float | None:
    """Pixels an inch of ``across`` and ``down`` pixels a unit, of which an inch has ``inch``.

    None where the pixels are not square (as those of many faxes), and for numbers that no scanner has.
    """
    if across <= 0 or not 0.99 <= down / across <= 1.01:
        return None
    dpi = across * inch
    whole = round(dpi)
    return (float(whole) if abs(dpi - whole) < ROUNDING else dpi) if LEAST <= dpi <= MOST else None
