"""Whose network a bank card is of, by how its number begins (ISO/IEC 7812), and how many digits it has there."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Network", "network_of"]


class Network(NamedTuple):
    name: str
    lengths: tuple[int, ...]


# First and last beginning, each of as many digits as is written; of those that overlap the first counts.
_RANGES: tuple[tuple[int, int, Network], ...] = tuple(
    (first, last, Network(name, lengths))
    for name, lengths, ranges in (
        ("American Express", (15,), ((34, 34), (37, 37))),
        ("Diners Club", (14, 16), ((300, 305), (3095, 3095), (36, 36), (38, 39))),
        ("JCB", (16,), ((3528, 3589),)),
        ("Mir", (16, 17, 18, 19), ((2200, 2204),)),
        ("Mastercard", (16,), ((2221, 2720), (51, 55))),
        ("Visa", (13, 16, 19), ((4, 4),)),
        ("UnionPay", (16, 17, 18, 19), ((62, 62),)),
        ("Discover", (16,), ((6011, 6011), (644, 649), (65, 65))),
        ("RuPay", (16,), ((508, 508), (60, 60))),
        ("Maestro", (12, 13, 14, 15, 16, 17, 18, 19), ((50, 50), (56, 58), (61, 61), (63, 64), (66, 69))),
    )
    for first, last in ranges
)


def network_of(number: str) -> Network | None:
    """The network of a card's number, all digits; None for a beginning that is no network's."""
    for first, last, network in _RANGES:
        if number[: len(str(first))].isdecimal() and first <= int(number[: len(str(first))]) <= last:
            return network
    return None
