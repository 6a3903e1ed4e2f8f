"""What a number says beside itself: a template takes it as ``of = "number"`` and ``part = "network"``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastocr.fields.networks import network_of

__all__ = ["PARTS"]


def network(number: str) -> str:
    """The network of a bank card, or ""."""
    known = network_of(number)
    return known.name if known else ""


def cn_birth(number: str) -> str:
    """The day of birth in a Chinese identity number."""
    return f"{number[6:10]}-{number[10:12]}-{number[12:14]}"


def cn_sex(number: str) -> str:
    """The sex in a Chinese identity number, as the card prints it."""
    return "男" if int(number[16]) % 2 else "女"


# Each takes the normal form of a value that is valid, and gives "" where it does not say.
PARTS: Mapping[str, Callable[[str], str]] = {
    "network": network,
    "cn-birth": cn_birth,
    "cn-sex": cn_sex,
}
