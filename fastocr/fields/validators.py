"""The rules that a field's value may have to meet.

The rules of the templates that ship are here, so that these work with no other package; all that python-stdnum knows
besides is there by the name ``stdnum:MODULE``, such as ``stdnum:de.vat``, with the extra `fields`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from fastocr._version import DISTRIBUTION
from fastocr.errors import ArgumentError, DependencyError
from fastocr.fields import mrz
from fastocr.fields.networks import network_of

__all__ = ["VALIDATORS", "Checked", "Validator", "luhn", "validator"]


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether a value meets a rule; `reason` says why it does not; `normal` is the value as the rule writes it."""

    valid: bool
    reason: str = ""
    normal: str = ""


@dataclass(frozen=True, slots=True)
class Validator:
    """A rule.

    odds: of how many wrong values one passes all the same (10 for one decimal check digit); 0 for a rule that proves
    nothing, such as a date's.  letters: whether its values hold letters beside digits.  lengths: the fewest characters
    that they have, and the most.
    """

    check: Callable[[str], Checked]
    odds: int = 0
    letters: bool = False
    lengths: tuple[int, int] = (1, 10_000)

    def __call__(self, value: str) -> Checked:
        return self.check(value)


def validator(name: str) -> Validator:
    """The rule of that name; ArgumentError where there is none, DependencyError where it needs python-stdnum."""
    if name in VALIDATORS:
        return VALIDATORS[name]
    if name == "vat":
        return of_stdnum("eu.vat")
    if name.startswith("stdnum:"):
        return of_stdnum(name.removeprefix("stdnum:"))
    raise ArgumentError(
        f"there is no rule {name!r}; there are {', '.join(VALIDATORS)}, vat, and those of python-stdnum as "
        "stdnum:MODULE, such as stdnum:de.vat"
    )


def of_stdnum(module: str) -> Validator:
    """A rule of python-stdnum, such as "de.vat"."""
    try:
        importlib.import_module("stdnum")
    except ImportError as error:
        raise DependencyError(
            f'the rule {module} is one of python-stdnum: pip install "{DISTRIBUTION}[fields]"'
        ) from error
    try:
        if not re.fullmatch(r"[a-z_]{1,20}(\.[a-z0-9_]{1,20})?", module):
            raise ImportError(module)
        rules = importlib.import_module(f"stdnum.{module}")
        rules.validate, rules.compact  # noqa: B018
    except (ImportError, AttributeError) as error:
        raise ArgumentError(f"python-stdnum has no rule {module!r}") from error
    from stdnum.exceptions import ValidationError

    def check(value: str) -> Checked:
        try:
            return Checked(True, "", str(rules.validate(value)))
        except ValidationError as error:
            return Checked(False, str(error).rstrip(".").lower(), compact(value))

    # Which of its rules have a check digit, python-stdnum does not say: none of them proves a correction.
    return Validator(check, letters=True)


def compact(value: str) -> str:
    """The value in capitals, without what numbers are parted by."""
    return re.sub(r"[\s.\-/:·]", "", value).upper()


def digits(value: str, least: int, most: int) -> tuple[str, str]:
    """(the value's digits, what is wrong with them)."""
    number = compact(value)
    if not re.fullmatch(r"[0-9]*", number):
        return number, "it holds characters that are no digits"
    if not least <= len(number) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        return number, f"it has {len(number)} digits, not {wanted}"
    return number, ""


def luhn(number: str) -> bool:
    """Whether the last of the digits is the check digit by Luhn (ISO/IEC 7812-1, annex B)."""
    doubled = [int(digit) * (1 + k % 2) for k, digit in enumerate(reversed(number))]
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


def check_luhn(value: str, least: int = 2, most: int = 40) -> Checked:
    number, wrong = digits(value, least, most)
    if not wrong and not luhn(number):
        wrong = "its check digit (Luhn) does not hold"
    return Checked(not wrong, wrong, number)


def check_card(value: str) -> Checked:
    """A bank card's number (ISO/IEC 7812): 12 to 19 digits, the first one from 2 to 6, with Luhn's check digit, and as
    many as its network has."""
    found = check_luhn(value, 12, 19)
    if found.valid and not "2" <= found.normal[0] <= "6":
        return Checked(False, "no card's number begins so", found.normal)
    if found.valid and len(set(found.normal)) == 1:
        return Checked(False, "all its digits are the same", found.normal)
    network = network_of(found.normal)
    if found.valid and network and len(found.normal) not in network.lengths:
        wanted = " or ".join(map(str, network.lengths))
        return Checked(False, f"a number of {network.name} has {wanted} digits", found.normal)
    return found


def check_iccid(value: str) -> Checked:
    """A SIM card's number (ITU-T E.118): 89, then digits, 19 or 20 in all, the last by Luhn; a filling F at its end is
    no part of it."""
    found = check_luhn(re.sub(r"[Ff]$", "", value.strip()), 19, 20)
    if found.valid and not found.normal.startswith("89"):
        return Checked(False, "a SIM card's number begins with 89", found.normal)
    return found


def check_ean(value: str) -> Checked:
    """EAN-8, UPC-A, EAN-13 or GTIN-14."""
    number, wrong = digits(value, 8, 14)
    if not wrong and len(number) not in (8, 12, 13, 14):
        wrong = f"it has {len(number)} digits, not 8, 12, 13 or 14"
    if not wrong and sum(int(digit) * (1 + 2 * (k % 2)) for k, digit in enumerate(reversed(number))) % 10:
        wrong = "its check digit does not hold"
    return Checked(not wrong, wrong, number)


def check_iban(value: str) -> Checked:
    """An account's number (ISO 13616): mod 97, and the length of its country."""
    number = compact(value)
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{6,30}", number):
        return Checked(False, "it is not a country, two digits and 11 to 30 characters", number)
    length = IBAN_LENGTHS.get(number[:2])
    if length is None:
        return Checked(False, f"{number[:2]} is no country with such numbers", number)
    if len(number) != length:
        return Checked(False, f"it has {len(number)} characters, not {length} as in {number[:2]}", number)
    if int("".join(str(int(each, 36)) for each in number[4:] + number[:4])) % 97 != 1:
        return Checked(False, "its check digits do not hold", number)
    return Checked(True, "", number)


def check_cn_id(value: str) -> Checked:
    """A Chinese identity number (GB 11643): province, date of birth, and ISO 7064 mod 11-2."""
    number = compact(value)
    if not re.fullmatch(r"[0-9]{17}[0-9X]", number):
        return Checked(False, "it is not 17 digits and a digit or X", number)
    born = f"{number[6:10]}-{number[10:12]}-{number[12:14]}"
    if not check_date(born).valid:
        return Checked(False, f"{born} is no date of birth", number)
    if number[0] == "0":
        return Checked(False, "no province has this number", number)
    total = sum(int(each.replace("X", "10")) * pow(2, 17 - k, 11) for k, each in enumerate(number))
    if total % 11 != 1:
        return Checked(False, "its check digit (mod 11-2) does not hold", number)
    return Checked(True, "", number)


def check_date(value: str) -> Checked:
    """A day of the calendar, as YYYY-MM-DD, from 1900 to 2100."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return Checked(False, "it is no date", value)
    if not 1900 <= day.year <= 2100:
        return Checked(False, f"the year {day.year} is not from 1900 to 2100", value)
    return Checked(True, "", value)


def check_amount(value: str) -> Checked:
    """An amount in its normal form: digits, and a dot before its decimals."""
    if not re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,4})?", value):
        return Checked(False, "it is no amount", value)
    return Checked(True, "", str(Decimal(value)))


def check_mrz(value: str) -> Checked:
    """The lines of a machine-readable zone (ICAO 9303), each of its check digits."""
    lines, wrong = mrz.checked(value)
    return Checked(not wrong, wrong, "\n".join(lines))


# Country and length.
_IBANS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 "
    "LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 "
    "QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
IBAN_LENGTHS: Mapping[str, int] = {
    country: int(length) for country, length in re.findall(r"([A-Z]{2})([0-9]{2})", _IBANS)
}

VALIDATORS: Mapping[str, Validator] = {
    "luhn": Validator(check_luhn, 10, lengths=(2, 40)),
    "card": Validator(check_card, 10, lengths=(12, 19)),
    "iccid": Validator(check_iccid, 10, lengths=(19, 20)),
    "ean": Validator(check_ean, 10, lengths=(8, 14)),
    "iban": Validator(check_iban, 97, letters=True),
    "cn-id": Validator(check_cn_id, 11, letters=True, lengths=(18, 18)),
    "mrz": Validator(check_mrz, 10, letters=True),
    "date": Validator(check_date),
    "amount": Validator(check_amount),
}
