"""Where the service's settings come from: a file, the environment, flags; a wrong one is named with its place."""

from __future__ import annotations

import difflib
import json
import re
import reprlib
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastocr._version import DISTRIBUTION
from fastocr.errors import ArgumentError, DependencyError
from fastocr.serve.config import KINDS, ServeConfig, types_of

__all__ = ["FILE_VARIABLE", "PREFIX", "Given", "flag", "from_environ", "from_file", "from_flags", "load", "variable"]

PREFIX = "FASTOCR_SERVE_"
FILE_VARIABLE = f"{PREFIX}CONFIG"
YAML_BOOL = "tag:yaml.org,2002:bool"
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")

KNOWN = types_of()


@dataclass(frozen=True, slots=True)
class Given:
    """A value, and where it was given: "serve.yaml line 7", "the variable FASTOCR_SERVE_PORT" or "--port"."""

    value: Any
    where: str
    inside: dict[str, str] = field(default_factory=dict)
    """Where the names of a mapping were given."""


def load(file: str | Path | None, environ: Mapping[str, str], flags: Mapping[str, Any]) -> ServeConfig:
    """The settings in force: flags over variables over the file over the defaults.

    file: YAML (.yaml, .yml) or TOML (.toml); where it is None, that of FASTOCR_SERVE_CONFIG.
    flags: values by key, as text or of the key's type; None is not given.
    Raises ArgumentError, which names the place, for an unknown key, a key that stands twice, a value that cannot be
    used; DependencyError where the file is YAML and pyyaml is not installed.
    """
    named = file or environ.get(FILE_VARIABLE)
    given = from_file(Path(named)) if named else {}
    return checked(given | from_environ(environ) | from_flags(flags))


def checked(given: Mapping[str, Given]) -> ServeConfig:
    """The settings of these values; ArgumentError names where the value stands that cannot be used."""
    try:
        return ServeConfig(**{key: item.value for key, item in given.items()})
    except ArgumentError as error:
        # The message begins with the name that it is about; others beside it count where that one was not given.
        places = {name: where for item in given.values() for name, where in item.inside.items()}
        places |= {key: item.where for key, item in given.items()}
        named = [word for word in re.findall(r"\w+", str(error)) if word in places]
        if not named:
            raise
        raise ArgumentError(f"{places[named[0]]}: {error}") from error


def variable(key: str) -> str:
    """The environment variable of a key."""
    return PREFIX + key.upper()


def flag(key: str) -> str:
    """The flag of a key."""
    return "--" + key.replace("_", "-")


def from_flags(flags: Mapping[str, Any]) -> dict[str, Given]:
    """What was given on the command line."""
    return {key: _given(key, value, flag(key)) for key, value in flags.items() if value is not None}


def from_environ(environ: Mapping[str, str]) -> dict[str, Given]:
    """What the variables FASTOCR_SERVE_... give.  An empty one is not set, but for the token: one that was lost on its
    way must not open the service to all."""
    names = {variable(key): key for key in KNOWN}
    given = {}
    for name, value in environ.items():
        if not name.startswith(PREFIX) or name == FILE_VARIABLE:
            continue
        if not value.strip() and not is_secret(names.get(name, "")):
            continue
        if name not in names:
            raise ArgumentError(f"unknown variable {name}{_meant(name, [*names, FILE_VARIABLE])}")
        given[names[name]] = _given(names[name], value.strip(), f"the variable {name}")
    return given


def from_file(path: Path) -> dict[str, Given]:
    """What a file gives, each value with its line."""
    readers = {".yaml": _yaml, ".yml": _yaml, ".toml": _toml}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ArgumentError(f"{path} must end in .yaml, .yml or .toml, so that its form is known")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ArgumentError(f"the settings file {path} cannot be read ({reason})") from error
    given: dict[str, Given] = {}
    lines: dict[tuple[str, ...], int] = {}
    try:
        entries = [*reader(text, path.name)]
    except ArgumentError:
        raise
    except (ValueError, RecursionError) as error:  # the parsers themselves, on dates and numbers that are none
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise ArgumentError(f"the settings file {path} cannot be read ({reason})") from error
    for place, value, line in entries:
        key = place[0]
        where = f"{path.name} line {line}"
        if key not in KNOWN:
            raise ArgumentError(f"{where}: unknown key {key!r}{_meant(key, [*KNOWN])}")
        if place in lines:
            name = ".".join(place)
            raise ArgumentError(f"{where}: {name} stands in line {lines[place]} already: keep one of the two")
        lines[place] = line
        found = _given(key, value, where, text=False)
        if key in given:  # one more inside of it
            given[key].value.update(value)
            given[key].inside.update(found.inside)
        else:
            given[key] = found
    return given


# Place, value and line of an entry: ("port",), 80, 3; one inside of another as ("options", "layout"), {"layout": ...}.
Entry = tuple[tuple[str, ...], Any, int]


def _entries(key: str, value: Any, line: int) -> Iterator[Entry]:
    """One entry, or those inside of it, where their lines are its own."""
    if key in KNOWN and is_mapping(key) and isinstance(value, dict):
        for name, inner in value.items():
            yield (key, str(name)), {str(name): inner}, line
    else:
        yield (key,), value, line


def _yaml(text: str, name: str) -> Iterator[Entry]:
    """The entries of a YAML mapping.  As in YAML 1.2, yes and off are words, not truth."""
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise DependencyError(
            f"{name} is YAML, for which pyyaml is needed: write it as TOML, or run "
            f'`pip install "{DISTRIBUTION}[server]"`'
        ) from error
    try:
        loader = yaml.SafeLoader(text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ArgumentError(f"{name} line {line}: the character {error.character:#x} may not stand in YAML") from error
    loader.yaml_implicit_resolvers = {
        start: [(tag, form) for tag, form in forms if tag != YAML_BOOL]
        for start, forms in loader.yaml_implicit_resolvers.items()
    } | {start: [(YAML_BOOL, re.compile("(?i:true|false)$"))] for start in "tTfF"}
    try:
        root = loader.get_single_node()
        if root is None:  # nothing but comments
            return
        if not isinstance(root, yaml.MappingNode):
            raise ArgumentError(f'{name} line {root.start_mark.line + 1}: write "key: value" lines, and nothing else')
        for node, below in root.value:
            key = str(loader.construct_object(node, deep=True))
            if key in KNOWN and is_mapping(key) and isinstance(below, yaml.MappingNode):
                for inner, value in below.value:
                    made = str(loader.construct_object(inner, deep=True)), loader.construct_object(value, deep=True)
                    yield (key, made[0]), dict([made]), inner.start_mark.line + 1
            else:
                yield (key,), loader.construct_object(below, deep=True), node.start_mark.line + 1
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name} line {mark.line + 1}" if mark else name
        raise ArgumentError(f"{where}: {getattr(error, 'problem', None) or error}") from error
    finally:
        loader.dispose()


def _toml(text: str, name: str) -> Iterator[Entry]:
    """The entries of a TOML file.

    tomllib tells no lines.  A statement ends with its line, unless it cannot be parsed so far: so each is parsed by
    itself, as soon as it can be, and begins in the line after the one before.
    """
    lines = text.splitlines()
    first, table = 0, ""
    for number in range(len(lines)):
        statement = "\n".join(lines[first : number + 1])
        try:
            found = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        for key, value in found.items():
            if statement.lstrip().startswith("["):
                table = key
                yield (key,), value, first + 1
            elif table:
                yield (table, key), {key: value}, first + 1
            else:
                yield from _entries(key, value, first + 1)
        first = number + 1
    if first < len(lines):
        try:
            tomllib.loads("\n".join(lines[first:]))
        except tomllib.TOMLDecodeError as error:
            # The first line of what cannot be parsed: the parser itself may stumble only at the end of the file.
            reason = re.sub(r" \(at .*\)$", "", str(error))
            raise ArgumentError(f"{name} line {first + 1}: not TOML: {reason}") from error


def _meant(name: str, known: list[str]) -> str:
    """What an unknown name may have been meant to be."""
    plain = name.replace("-", "_")
    close = difflib.get_close_matches(plain, known, 1, cutoff=0.6)
    return f": did you mean {close[0]}?" if close else "; `fastocr serve --help` lists all"


def _given(key: str, value: Any, where: str, *, text: bool = True) -> Given:
    """The value as its key's type; `text`, of variables and flags, is read as that type."""
    try:
        made = _converted(key, value, text)
        return Given(made, where, dict.fromkeys(made, where) if is_mapping(key) else {})
    except ValueError as error:
        shown = (
            "nothing"
            if value is None
            else "what was given"
            if is_secret(key)
            else textwrap.shorten(reprlib.repr(value), 80)
        )
        raise ArgumentError(f"{where}: {key} must be {kind_text(key)}, not {shown}") from error


def is_secret(key: str) -> bool:
    """Whether a key's value must not be shown."""
    return key == "token"


def kind_text(key: str) -> str:
    """What a key takes, for messages and tables."""
    return KINDS[KNOWN[key][0]].name


def is_mapping(key: str) -> bool:
    """Whether a key takes names and values of its own."""
    return KNOWN[key][0] is Mapping


def _converted(key: str, value: Any, text: bool) -> Any:
    """The value as its key's type; ValueError where it is none."""
    kind, optional = KNOWN[key]
    if value is None and optional:
        return None
    if text and isinstance(value, str):
        value = _from_text(kind, value)
    if kind is tuple and isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if kind is tuple and isinstance(value, list):
        value = tuple(value)
    if not KINDS[kind].fits(value):
        raise ValueError(value)
    return dict(value) if kind is Mapping else kind(value)


def _from_text(kind: Any, text: str) -> Any:
    """What a variable or a flag says."""
    if kind is bool and text.lower() in (*YES, *NO):
        return text.lower() in YES
    if kind in (int, float) and text.isascii() and "_" not in text:
        return kind(text)
    return json.loads(text) if kind is Mapping else text
