"""Normal forms of what was read: dates as YYYY-MM-DD, amounts with a dot, currencies by their ISO 4217 code.

What a page leaves open in one place it mostly says in another: which mark stands before decimals, and whether the day
or the month comes first, is decided once for a whole page, by all that is printed there.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

__all__ = ["AMOUNT", "NORMALS", "Document", "Normal", "amount", "day"]


@dataclass(frozen=True, slots=True)
class Document:
    """What holds for all of a page.  decimal: the mark before decimals.  day_first: 5/3 is the 5th of March.
    japanese: whether a ¥ is a yen."""

    decimal: str = "."
    day_first: bool = True
    japanese: bool = False

    @classmethod
    def of(cls, texts: Iterable[str]) -> Document:
        """What the lines of a page say together."""
        lines = [unicodedata.normalize("NFKC", text) for text in texts]
        return cls(decimal_mark(lines), day_first(lines), any(re.search("[ぁ-ヿ]", line) for line in lines))


# A number as it is printed, with marks and blanks in it.
_NUMBER = re.compile(r"(?<![\w.,])\d{1,15}(?:[.,' ]\d{1,6}){0,6}(?![\w.,/%-])")
_UNITED_STATES = re.compile(r"\b[A-Z]{2},? ?\d{5}(?:-\d{4})?$")


def decimal_mark(lines: Iterable[str]) -> str:
    """ "." or ",": what the numbers of the lines have before their decimals, by what their form proves of each."""
    votes: Counter[str] = Counter()
    for line in lines:
        for found in _NUMBER.finditer(line):
            marks = re.findall(r"[.,]", found.group())
            groups = re.split(r"[.,' ]", found.group())
            if len(set(marks)) == 2 and marks.count(marks[-1]) == 1:
                votes[marks[-1]] += 3  # 1.234,50
            elif len(marks) == 1 and (len(groups[-1]) == 2 or groups[0] == "0"):
                votes[marks[0]] += 1  # 12,50
            elif len(marks) > 1 and len(set(marks)) == 1 and all(len(group) == 3 for group in groups[1:]):
                votes["." if marks[0] == "," else ","] += 3  # 1.234.567
    return "," if votes[","] > votes["."] else "."


def day_first(lines: Iterable[str]) -> bool:
    """Whether dates have the day first: what a number over 12 proves; else unless an address of the United States
    stands there."""
    proofs, states = 0, False
    for line in lines:
        for first, second in re.findall(r"(?<!\d)(\d{1,2})[/.-](\d{1,2})[/.-]\d{2,4}(?!\d)", line):
            proofs += (12 < int(first) <= 31 and int(second) <= 12) - (12 < int(second) <= 31 and int(first) <= 12)
        states = states or bool(_UNITED_STATES.search(line))
    return proofs > 0 if proofs else not states


# Marks may have a blank beside them, as a recognizer puts it there; what a % or a letter follows is no amount.
AMOUNT = (
    r"(?:(?<![\w,])|(?<=RM)|(?<=\bR)|(?<=Rs)|(?<=\b(?:EUR|USD|GBP|CHF|SGD|MYR|AUD|CAD|INR)))(?<!\d[.])"
    r"(?P<value>[-−]?\(?(?:\d{1,3}(?:[.,' ]\d{3}){1,4}|\d{1,9}) ?[.,] ?\d{2}\)?-?|(?<![.])[-−]?[.]\d{2})"
    r"(?![\d%]|[.,]\d| ?%)",
    r"(?<![\w.,/-])(?P<value>[-−]?(?:\d{1,3}(?:[.,' ]\d{3}){1,4}|\d{1,6}))(?![\w%]|[.,:/-]\w| ?%)",
)


def amount(text: str, document: Document) -> str:
    """ "1469.06" of "1.469,06"; "" where the text is no amount.

    One or two digits after the last mark are decimals whatever mark it is, since no thousands are parted so; three are
    decimals only after the page's own decimal mark.
    """
    plain = "".join(unicodedata.normalize("NFKC", text).split()).replace("−", "-")
    negative = plain.startswith(("-", "(")) or plain.endswith("-")
    number = re.sub(r"^[.](?=\d{2}$)", "0.", re.sub(r"[^0-9.,']", "", plain))
    if not re.fullmatch(r"\d+(?:[.,']\d+)*", number):
        return ""
    whole, mark, decimals = number, "", ""
    if last := re.search(r"([.,])(\d+)$", number):
        alone = last[1] == document.decimal and number.count(last[1]) == 1
        is_decimal = len(last[2]) < 3 or (len(last[2]) == 3 and alone)
        if is_decimal:
            whole, mark, decimals = number[: last.start()], ".", last[2]
        elif len(last[2]) != 3:
            return ""
    parts = re.split(r"[.,']", whole)
    if len(parts) > 1 and not (1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])):
        return ""
    sign = "-" if negative else ""
    return f"{sign}{int(''.join(parts))}{mark}{decimals}"


_MONTHS = {
    prefix: number
    for number, prefixes in enumerate(
        (
            "jan ene gen",
            "feb fev fév",
            "mar mär maa mac mrt",
            "apr avr abr",
            "may mai mei mag",
            "jun juin giu",
            "jul juil lug",
            "aug aou aoû ago ogos",
            "sep set",
            "oct okt out ott",
            "nov",
            "dec dez dic déc dis",
        ),
        1,
    )
    for prefix in prefixes.split()
}
_MARK = r"(?: ?[/.\-] ?)"
# A date may have a dash or a dot before it, and a time right behind it: "Date-23/03/201814:05".
_BEFORE, _TIME = r"(?<!\d)(?<!\d[/.\-])", r"(?:[.\-]?[012]?\d:[0-5]\d)"
DATE = (
    # 2018-03-23, 2018年3月23日
    rf"(?<!\d)(?P<value>(?:19|20)\d\d{_MARK}\d{{1,2}}{_MARK}(?:\d{{1,2}}(?!\d)|\d\d(?={_TIME})))",
    r"(?<!\d)(?P<value>(?:19|20)\d\d ?年 ?\d{1,2} ?月 ?\d{1,2} ?日)",
    # 23/03/2018
    rf"{_BEFORE}(?P<value>\d{{1,2}}{_MARK}\d{{1,2}}{_MARK}(?:(?:19|20)\d\d(?!\d)|\d\d(?![/.\-]?\d)|(?:20)?\d\d(?={_TIME})))",
    # 23 Mar 2018, 23-Mar-18, 23Mar'18
    r"(?<!\d)(?P<value>\d{1,2}(?:st|nd|rd|th)?[ .\-/,]{0,2}(?:de )?[^\W\d_]{3,10}[ .\-/,'’`´~]{0,3}(?:de )?"
    rf"(?:(?:19|20)\d\d|\d\d))(?:(?!\d)|(?={_TIME}))",
    # March 23, 2018, Mar23'18
    r"(?P<value>\b[^\W\d_]{3,10}[ .\-]{0,2}\d{1,2}(?:st|nd|rd|th)?"
    rf"(?:[ .,\-'’]{{1,3}}(?:19|20)\d\d|,? ?['’`´~]\d\d))(?:(?!\d)|(?={_TIME}))",
    # Mar-23-18
    r"(?P<value>\b[^\W\d_]{3,10}-\d{1,2}-\d\d)(?!\d)",
    # 20180323
    r"(?<!\d)(?P<value>20[0-4]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?!\d)",
)


def day(text: str, document: Document) -> str:
    """ "2018-03-23" of a date of any form; "" where the text is none."""
    plain = unicodedata.normalize("NFKC", text).casefold().strip()
    numbers = [int(number) for number in re.findall(r"\d+", plain)]
    name = re.search(r"[^\W\d_年月日]{3,}", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain))
    if re.fullmatch(r"\d{8}", plain):
        numbers = [int(plain[:4]), int(plain[4:6]), int(plain[6:])]
    if name is not None:
        month = next((_MONTHS[name[0][:k]] for k in (4, 3) if name[0][:k] in _MONTHS), 0)
        if not month or len(numbers) != 2:
            return ""
        year, dated = numbers[1], (month, numbers[0])
    elif len(numbers) != 3:
        return ""
    elif numbers[0] > 31:
        year, dated = numbers[0], (numbers[1], numbers[2])
    else:
        first, second, year = numbers
        # What can stand one way alone stands that way, whatever the rest of the page has.
        dated = (second, first) if (document.day_first or first > 12) and second <= 12 else (first, second)
    if year < 100:
        year += 2000 if year < 70 else 1900
    try:
        return date(year, *dated).isoformat()
    except ValueError:
        return ""


_CURRENCIES: Mapping[str, str] = {
    "€": "EUR", "EURO": "EUR", "£": "GBP", "RM": "MYR", "$": "USD", "US$": "USD", "S$": "SGD", "HK$": "HKD",
    "NT$": "TWD", "A$": "AUD", "C$": "CAD", "R$": "BRL", "₹": "INR", "RS": "INR", "RP": "IDR", "₩": "KRW", "₽": "RUB",
    "₺": "TRY", "ZŁ": "PLN", "KČ": "CZK", "฿": "THB", "₫": "VND", "₱": "PHP", "元": "CNY", "円": "JPY", "RMB": "CNY",
}  # fmt: skip
_CODES = (
    "EUR|USD|GBP|MYR|SGD|CNY|JPY|CHF|CAD|AUD|NZD|HKD|TWD|INR|IDR|THB|VND|PHP|KRW|BRL|MXN|PLN|CZK|HUF|SEK|NOK|DKK|TRY|"
    "RUB|UAH|ILS|AED|SAR|ZAR"
)
CURRENCY = (
    rf"(?<![^\W\d_])(?P<value>{_CODES}|EURO?|RMB|RM(?= ?\d|\b))(?![^\W\d_])",
    r"(?P<value>(?:US|S|HK|NT|A|C|R)?\$|[€£₹₩₽₺฿₫₱¥]|元|円)",
    r"(?<![^\W\d_])(?P<value>Rs|Rp|zł|Kč)(?![^\W\d_])",
)


def currency(text: str, document: Document) -> str:
    """ "EUR" of "€"; "" for what is none.  A $ alone is a dollar of the United States."""
    sign = unicodedata.normalize("NFKC", text).strip().upper()
    if sign in ("¥", "￥"):
        return "JPY" if document.japanese else "CNY"
    return sign if re.fullmatch(_CODES, sign) else _CURRENCIES.get(sign, "")


def plain(text: str, document: Document) -> str:
    """The text with single blanks and no marks at its ends."""
    return " ".join(text.split()).strip(" :;,.*-_=#|")


def compact(text: str, document: Document) -> str:
    """The text in capitals without blanks."""
    return "".join(text.split()).upper()


def only_digits(text: str, document: Document) -> str:
    """The digits of the text."""
    return re.sub(r"\D", "", text)


def month(text: str, document: Document) -> str:
    """ "2028-12" of "12/28"; "" where the text is no month of a year."""
    found = re.fullmatch(r"\D*(\d{1,2})\D+(\d{4}|\d\d)\D*", text)
    if not found or not 1 <= int(found[1]) <= 12:
        return ""
    return f"{int(found[2]) + (2000 if len(found[2]) == 2 else 0)}-{int(found[1]):02d}"


def phone(text: str, document: Document) -> str:
    """The digits of a telephone number, and a + where one stands before them."""
    return ("+" if text.lstrip("( ").startswith("+") else "") + only_digits(text, document)


@dataclass(frozen=True, slots=True)
class Normal:
    """A normal form.  patterns: what is looked for where a template states no pattern.  make: the form of a text as it
    was read, or ""."""

    make: Callable[[str, Document], str]
    patterns: tuple[str, ...] = ()


NORMALS: Mapping[str, Normal] = {
    "text": Normal(plain),
    "compact": Normal(compact),
    "digits": Normal(only_digits),
    "month": Normal(month),
    "phone": Normal(phone),
    "amount": Normal(amount, AMOUNT),
    "date": Normal(day, DATE),
    "currency": Normal(currency, CURRENCY),
}
