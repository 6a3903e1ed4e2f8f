"""Templates: which fields to find, as data in TOML.

A template is a file of this form; every key but ``about`` and one field is optional:

    about = "One sentence: what it is for."
    card = {aspect = 1.586}           # the page is a card of these proportions: it is found and rectified first
    not_labels = ["cash", "change"]   # words that are labels, but of nothing that the template asks for

    [fields.number]
    labels = ["Invoice No", "Rechnungsnr"]           # the first that has a value counts
    where = ["same-line", "right", "below"]          # where its value lies, tried in this order
    region = [0.0, 0.5, 1.0, 1.0]                    # left, top, right, bottom, as fractions of the page or card
    pattern = ["[A-Z]{2}[0-9]{6}", "[0-9]{4,10}"]    # the first that matches counts; its group "value" is the value
    pick = "first"                                   # of several values: first, last, largest or most (the commonest)
    until = ["tax summary"]                          # labels from whose row on it is not looked for
    equals = ["subtotal + tax", "paid - change"]     # sums of other fields: a value for which one holds comes first
    normal = "date"                                  # the normal form (`fastocr.fields.normal`)
    validate = "luhn"                                # the rule (`fastocr.fields.validators`)
    charset = "0123456789"                           # what its characters may be, when its place is read again
    required = true                                  # without it the page is no page of this kind
    reader = "items"                                 # code that finds it (`fastocr.fields.readers`), instead of labels
    of = "number"                                    # another field that says it too, once that is valid, and
    part = "cn-birth"                                # which part of that it is (`fastocr.fields.parts`)
"""

from __future__ import annotations

import difflib
import functools
import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

from fastocr.errors import ArgumentError
from fastocr.fields.normal import NORMALS
from fastocr.fields.parts import PARTS
from fastocr.fields.patterns import compiled
from fastocr.fields.readers import READERS
from fastocr.fields.validators import Validator, validator

__all__ = ["Card", "FieldRule", "Pick", "Template", "Where", "load", "names"]

Where = Literal["same-line", "right", "below", "region", "anywhere", "code"]
Pick = Literal["first", "last", "largest", "most"]
Region = tuple[float, float, float, float]
Sum = tuple[tuple[Literal[1, -1], str], ...]

BY_LABEL: tuple[Where, ...] = ("same-line", "right", "below")
# Bounds of what a template may ask for: each field costs time.
LARGEST_FILE = 256 * 1024
MOST_FIELDS = 64
MOST_LABELS = 200
LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field is found; the module's first lines say what each means.

    where: without labels, "region" where one is given, else "anywhere".  patterns: empty for any text.
    equals: sums, each of (sign, field).  of, part: both or neither.
    """

    name: str
    labels: tuple[str, ...] = ()
    where: tuple[Where, ...] = BY_LABEL
    region: Region | None = None
    patterns: tuple[re.Pattern[str], ...] = ()
    pick: Pick = "first"
    until: tuple[str, ...] = ()
    equals: tuple[Sum, ...] = ()
    normal: str | None = None
    validator: Validator | None = None
    charset: str | None = None
    required: bool = False
    reader: str | None = None
    of: str | None = None
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """The card that a page shows: its width over its height."""

    aspect: float


@dataclass(frozen=True, slots=True)
class Template:
    """What a template file says."""

    name: str
    about: str
    fields: tuple[FieldRule, ...]
    card: Card | None = None
    not_labels: tuple[str, ...] = ()

    @property
    def wants_codes(self) -> bool:
        """Whether a field may stand in a QR or bar code."""
        return any("code" in rule.where for rule in self.fields)


@functools.cache
def names() -> tuple[str, ...]:
    """The templates that ship, by name."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in shipped().iterdir() if file.name.endswith(".toml")))


def shipped() -> Any:
    """The folder of the templates that ship."""
    return resources.files("fastocr.fields").joinpath("templates")


def load(name: str | Path) -> Template:
    """The template of that name, or of the .toml file at that path, checked.

    Raises ArgumentError for a name that there is none of, a file that cannot be read, and, with the file and the key,
    for what a template may not say; DependencyError where a rule of it needs a package that is not installed.
    """
    if isinstance(name, str) and name in names():
        return shipped_template(name)
    path = Path(name)
    if path.suffix != ".toml":
        close = difflib.get_close_matches(str(name), names(), 1)
        hint = f": did you mean {close[0]}?" if close else ""
        raise ArgumentError(
            f"there is no template {str(name)!r}{hint}; those that ship are {', '.join(names())}, and one of your own "
            "is named by the path of its .toml file"
        )
    try:
        entry = os.stat(path)  # noqa: PTH116 (a Path of a name that is too long raises an OSError just as well)
        return from_file(os.fspath(path), entry.st_mtime_ns, entry.st_size)
    except (OSError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"cannot read the template {path}: {getattr(error, 'strerror', None) or error}") from error


@functools.cache
def shipped_template(name: str) -> Template:
    return parsed(shipped().joinpath(f"{name}.toml").read_bytes(), f"{name}.toml", name)


@functools.lru_cache(maxsize=64)
def from_file(path: str, changed: int, size: int) -> Template:
    """The template of a file as it is now."""
    if size > LARGEST_FILE:
        raise ArgumentError(f"{path}: a template may have {LARGEST_FILE // 1024} KiB")
    return parsed(Path(path).read_bytes(), path, Path(path).stem)


def parsed(data: bytes, file: str, name: str) -> Template:
    """The template that the bytes of a file hold."""
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ArgumentError(f"{file} is no TOML in UTF-8: {error}") from error
    top = Keys(table, file, "")
    card = top.table("card")
    fields = top.table("fields")
    if not fields or len(fields) > MOST_FIELDS:
        raise top.wrong("fields", f"must have 1 to {MOST_FIELDS} tables, such as [fields.number]")
    template = Template(
        name=name,
        about=top.text("about") or "",
        card=None if card is None else card_of(Keys(card, file, "card.")),
        not_labels=top.texts("not_labels", MOST_LABELS, LONGEST_LABEL),
        fields=tuple(
            rule_of(field, Keys(top.entry(fields, field), file, f"fields.{field}."), fields) for field in fields
        ),
    )
    top.done()
    return template


def card_of(keys: Keys) -> Card:
    aspect = keys.value("aspect")
    if isinstance(aspect, bool) or not isinstance(aspect, int | float) or not 0.1 <= aspect <= 10:
        raise keys.wrong("aspect", "must be the card's width over its height, from 0.1 to 10")
    keys.done()
    return Card(float(aspect))


def rule_of(name: str, keys: Keys, fields: Collection[str]) -> FieldRule:
    labels = keys.texts("labels", MOST_LABELS, LONGEST_LABEL)
    region = keys.region("region")
    usual = BY_LABEL if labels else ("region",) if region else ("anywhere",)
    where: Any = keys.texts("where", 6, 20) or usual
    for place in where:
        if place not in get_args(Where):
            raise keys.wrong("where", f"may hold {', '.join(get_args(Where))}, not {place!r}")
    if "region" in where and region is None:
        raise keys.wrong("region", "is missing: where names it")
    if not labels and set(where) & set(BY_LABEL):
        raise keys.wrong("labels", "are missing: where counts from them")
    validate = keys.text("validate")
    of, part = keys.one_of("of", [other for other in fields if other != name]), keys.one_of("part", PARTS)
    if (of is None) != (part is None):
        raise keys.wrong("of" if of is None else "part", "is missing: of and part go together")
    rule = FieldRule(
        name=name,
        labels=labels,
        where=where,
        region=region,
        patterns=tuple(keys.checked("pattern", compiled, one) for one in keys.texts("pattern", 20, 10_000)),
        pick=keys.one_of("pick", get_args(Pick)) or "first",  # type: ignore[arg-type]
        until=keys.texts("until", MOST_LABELS, LONGEST_LABEL),
        equals=tuple(sum_of(name, keys, one, fields) for one in keys.texts("equals", 10, 200)),
        normal=keys.one_of("normal", NORMALS),
        validator=None if validate is None else keys.checked("validate", validator, validate),
        charset=keys.text("charset"),
        required=keys.flag("required"),
        reader=keys.one_of("reader", READERS),
        of=of,
        part=part,
    )
    keys.done()
    return rule


def sum_of(name: str, keys: Keys, text: str, fields: Collection[str]) -> Sum:
    """The terms of a sum of other fields, such as "subtotal + tax"."""
    terms = re.findall(r"([+-]?)\s*(\w+)", text)
    if not re.fullmatch(r"\w+(\s*[+-]\s*\w+)*", text.strip()):
        raise keys.wrong("equals", f"must be a sum of other fields, such as subtotal + tax, not {text!r}")
    for _, field in terms:
        if field == name or field not in fields:
            raise keys.wrong("equals", f"names {field!r}, which is no other field of this template")
    return tuple((-1 if sign == "-" else 1, field) for sign, field in terms)


class Keys:
    """The keys of one table of a file; what nobody has asked for when all is `done` is unknown."""

    def __init__(self, table: Mapping[str, Any], file: str, prefix: str) -> None:
        self.table_, self.file, self.prefix = table, file, prefix
        self.asked: list[str] = []

    def wrong(self, key: str, what: str) -> ArgumentError:
        return ArgumentError(f"{self.file}: {self.prefix}{key} {what}")

    def checked(self, key: str, make: Callable[[str], Any], value: str) -> Any:
        """What `make` makes of a value; what it cannot be made of is said of the key."""
        try:
            return make(value)
        except ArgumentError as error:
            raise self.wrong(key, f"cannot be used: {error}") from error

    def value(self, key: str) -> Any:
        self.asked.append(key)
        return self.table_.get(key)

    def entry(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        if not isinstance(table[key], dict):
            raise self.wrong(f"fields.{key}", "must be a table")
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", key):
            raise self.wrong(f"fields.{key}", "must be named in small letters, digits and _")
        return table[key]  # type: ignore[no-any-return]

    def table(self, key: str) -> Mapping[str, Any] | None:
        value = self.value(key)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(key, "must be a table")
        return value

    def text(self, key: str) -> str | None:
        value = self.value(key)
        if value is not None and not (isinstance(value, str) and value.strip() and len(value) <= 10_000):
            raise self.wrong(key, "must be a text that is not empty")
        return value

    def texts(self, key: str, most: int, longest: int) -> tuple[str, ...]:
        """Texts in a list, or one."""
        value = self.value(key)
        value = [value] if isinstance(value, str) else [] if value is None else value
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise self.wrong(key, "must be a list of texts that are not empty")
        if len(value) > most or any(len(one) > longest for one in value):
            raise self.wrong(key, f"may hold {most} texts of {longest} characters")
        return tuple(value)

    def flag(self, key: str) -> bool:
        value = self.value(key)
        if not isinstance(value, bool | None):
            raise self.wrong(key, "must be true or false")
        return bool(value)

    def one_of(self, key: str, known: Collection[str]) -> str | None:
        value = self.text(key)
        if value is not None and value not in known:
            raise self.wrong(key, f"must be one of {', '.join(known)}, not {value!r}")
        return value

    def region(self, key: str) -> Region | None:
        value = self.value(key)
        if value is None:
            return None
        numbers = isinstance(value, list) and [type(one) in (int, float) for one in value] == [True] * 4
        if not numbers or not (0 <= value[0] < value[2] <= 1 and 0 <= value[1] < value[3] <= 1):
            raise self.wrong(key, "must be [left, top, right, bottom] in fractions from 0 to 1")
        return tuple(map(float, value))  # type: ignore[return-value]

    def done(self) -> None:
        """Raises ArgumentError for a key that nobody has asked for."""
        for key in self.table_:
            if key not in self.asked:
                close = difflib.get_close_matches(key, self.asked, 1)
                hint = f": did you mean {close[0]}?" if close else f"; known are {', '.join(self.asked)}"
                raise self.wrong(key, f"is no key of a template{hint}")
