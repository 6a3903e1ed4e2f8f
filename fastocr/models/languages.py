"""Languages: which recognizers read those that were asked for."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from fastocr.errors import ArgumentError
from fastocr.models.model import Model
from fastocr.models.registry import ModelRow, Registry, SetRow

__all__ = ["asked", "check_covers", "readers"]

# Other names of languages: codes without the script, and what PaddleOCR calls them.
ALIASES = {
    "zh": "zh-Hans", "no": "nb", "tl": "fil", "sr": "sr-Cyrl", "ch": "zh-Hans", "chinese_cht": "zh-Hant", "japan": "ja",
    "korean": "ko", "french": "fr", "german": "de", "rs_latin": "sr-Latn", "rs_cyrillic": "sr-Cyrl",
}  # fmt: skip
NEAR = 3


def asked(lang: str | Sequence[str] | None, known: Registry) -> tuple[str, ...]:
    """The languages that were asked for, each once.  Raises ArgumentError for one that no registered recognizer reads,
    naming those that are spelt nearly so."""
    if lang is None:
        return ()
    if not isinstance(lang, (str, list, tuple)) or not all(isinstance(each, str) for each in lang):
        raise ArgumentError(f"lang must be a language or a list of them, such as 'en' or ['en', 'de'], not {lang!r}")
    given: Sequence[str] = [lang] if isinstance(lang, str) else lang
    wanted = tuple(dict.fromkeys(ALIASES.get(each.casefold(), each) for each in given))
    rows = recognizers(known)
    if unknown := [each for each in wanted if not any(row.covers(each) for row in rows)]:
        names = sorted({name for row in rows for name in row.reads()} | ALIASES.keys())
        near = difflib.get_close_matches(unknown[0].casefold(), names, NEAR)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "it takes codes such as en, zh-Hans and ru."
        raise ArgumentError(
            f"no recognizer reads the language {unknown[0]!r}: {hint} `fastocr models list` shows them all"
        )
    return wanted


def readers(known: Registry, chosen: SetRow, wanted: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    """(first, second, others): names of the recognizers for these languages, "" where there is no second.

    The set's first where it covers them all, else its second alone where that does.  Else the fewest registered ones
    that cover the rest: alone, where the set covers none of the languages, else beside what of the set covers its part.
    Raises ArgumentError for a set that does not cover them and states no language, being the caller's own.
    """
    first, last = known.models[chosen.rec], known.models[chosen.reread or chosen.rec]
    own = [language for language in wanted if last.covers(language)]
    if len(own) < len(wanted) and not last.reads():
        raise uncovered(last.name, (), wanted)
    names = fewest([row for row in recognizers(known) if row is not last], [each for each in wanted if each not in own])
    if wanted and not own:
        return names[0], "", names[1:]
    if all(map(first.covers, own)):
        return chosen.rec, chosen.reread, names
    return last.name, "", names


def check_covers(model: Model, wanted: Sequence[str]) -> None:
    """Raises ArgumentError where a recognizer that the caller chose does not cover the languages."""
    if missing := [each for each in wanted if not model.covers(each)]:
        raise uncovered(model.name, model.languages, missing)


def uncovered(name: str, languages: Sequence[str], missing: Sequence[str]) -> ArgumentError:
    reads = ", ".join(languages) or "what it was trained for, which it does not state"
    return ArgumentError(
        f"{name} does not cover {', '.join(missing)}; it covers {reads}: choose another, or leave lang out"
    )


def fewest(rows: Sequence[ModelRow], languages: Sequence[str]) -> tuple[str, ...]:
    """Names of recognizers that cover the languages: each is the first of those that cover most of what is left."""
    names: list[str] = []
    left = list(languages)
    while left:
        best = max(rows, key=lambda row: sum(map(row.covers, left)))
        names.append(best.name)
        left = [language for language in left if not best.covers(language)]
    return tuple(names)


def recognizers(known: Registry) -> list[ModelRow]:
    """The recognizers of the registry, in its order."""
    return [row for row in known.models.values() if row.role == "rec"]
