"""Random numbers whose check digits hold.

Written from the standards, apart from fastocr's own rules, so that neither can repeat the other's mistake.
"""

from __future__ import annotations

import datetime
import string
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Random = np.random.Generator
Item = TypeVar("Item")

# What a bank card's number begins with, and how long it is.
NETWORKS: dict[str, tuple[tuple[str, ...], int]] = {
    "Visa": (("4",), 16),
    "Mastercard": (("51", "52", "53", "54", "55", "2221", "2720"), 16),
    "American Express": (("34", "37"), 15),
    "UnionPay": (("622202", "621700", "622848", "625910"), 19),
    "Discover": (("6011", "65"), 16),
}
# Country codes of ICCIDs, and how networks of the country go on.
ISSUERS = (
    ("44", "10"),
    ("49", "02"),
    ("33", "01"),
    ("1", "410"),
    ("86", "00"),
    ("39", "10"),
    ("81", "100"),
    ("61", "01"),
)
REGIONS = ("110105", "310104", "440305", "510107", "330106", "420111", "320102", "610113", "210202", "350203")


def pick(random: Random, items: Sequence[Item]) -> Item:
    return items[int(random.integers(len(items)))]


def digits(random: Random, count: int) -> str:
    return "".join(str(each) for each in random.integers(0, 10, count))


def luhn_digit(body: str) -> str:
    """The digit that makes the number pass ISO/IEC 7812-1: from the right, every other digit is doubled."""
    total = 0
    for place, each in enumerate(reversed(body)):
        value = int(each) * (2 if place % 2 == 0 else 1)
        total += value // 10 + value % 10
    return str((10 - total % 10) % 10)


def iccid(random: Random, length: int = 19) -> str:
    """The number of a SIM (ITU-T E.118): 89, country, issuer, account, check digit; 19 or 20 digits."""
    body = "89" + "".join(pick(random, ISSUERS))
    body += digits(random, length - 1 - len(body))
    return body + luhn_digit(body)


def card_number(random: Random, network: str) -> str:
    prefixes, length = NETWORKS[network]
    body = pick(random, prefixes)
    body += digits(random, length - 1 - len(body))
    return body + luhn_digit(body)


def resident_number(random: Random, birth: datetime.date, male: bool) -> str:
    """The number of a Chinese identity card (GB 11643): region, birth, serial (odd for men), check by ISO 7064 11-2."""
    serial = int(random.integers(0, 499)) * 2 + (1 if male else 2)
    body = f"{pick(random, REGIONS)}{birth:%Y%m%d}{serial:03d}"
    remainder = 0
    for each in body:
        remainder = (remainder + int(each)) * 2 % 11
    check = (12 - remainder) % 11
    return body + ("X" if check == 10 else str(check))


def mrz_digit(text: str) -> str:
    """The check digit of ICAO 9303: weights 7, 3, 1 over 0-9 = 0-9, A-Z = 10-35, < = 0."""
    values = "0123456789" + string.ascii_uppercase
    total = sum((values.find(each) if each != "<" else 0) * (7, 3, 1)[place % 3] for place, each in enumerate(text))
    return str(total % 10)


def mrz(
    state: str,
    surname: str,
    given: str,
    number: str,
    nationality: str,
    birth: datetime.date,
    sex: str,
    expiry: datetime.date,
    personal: str,
) -> tuple[str, str]:
    """Both lines of a passport's zone (TD3)."""
    names = f"{surname.replace(' ', '<')}<<{given.replace(' ', '<')}"
    first = f"P<{state}{names}"[:44].ljust(44, "<")
    number = number.ljust(9, "<")
    numbered = number + mrz_digit(number)
    born = f"{birth:%y%m%d}"
    ends = f"{expiry:%y%m%d}"
    own = personal.ljust(14, "<")
    middle = born + mrz_digit(born)
    last = ends + mrz_digit(ends) + own + mrz_digit(own)
    second = numbered + nationality + middle + sex + last
    return first, second + mrz_digit(numbered + middle + last)


def iban(random: Random, country: str = "DE") -> str:
    """An account (ISO 13616): country, two digits so that the whole moved by four is 1 modulo 97, account."""
    if country == "GB":
        account = "".join(pick(random, string.ascii_uppercase) for _ in range(4)) + digits(random, 14)
    elif country == "NL":
        account = "".join(pick(random, string.ascii_uppercase) for _ in range(4)) + digits(random, 10)
    else:
        account = digits(random, {"DE": 18, "FR": 23, "AT": 16, "IT": 22}[country])
    value = int("".join(str(int(each, 36)) for each in account + country + "00"))
    return f"{country}{98 - value % 97:02d}{account}"


def day(random: Random, first: int, last: int) -> datetime.date:
    """Any day of the years from `first` to `last`."""
    start = datetime.date(first, 1, 1).toordinal()
    return datetime.date.fromordinal(int(random.integers(start, datetime.date(last, 12, 31).toordinal() + 1)))


def grouped(number: str, sizes: Sequence[int], between: str = " ") -> str:
    """The number in groups of these sizes, the last size again and again."""
    parts, at, turn = [], 0, 0
    while at < len(number):
        size = sizes[min(turn, len(sizes) - 1)]
        parts.append(number[at : at + size])
        at, turn = at + size, turn + 1
    return between.join(parts)
