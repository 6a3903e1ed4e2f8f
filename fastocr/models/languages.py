"""Languages: which recognizers read those that were asked for."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from fastocr.errors import ArgumentError
from fastocr.models.model import ModelSet
from fastocr.models.opening import open_model, registry
from fastocr.models.progress import ProgressCallback
from fastocr.models.registry import ModelRow, Registry

__all__ = ["asked", "covering"]

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


def covering(
    chosen: ModelSet, wanted: Sequence[str], *, fixed: bool = False, progress: ProgressCallback | None = None,
    offline: bool | None = None,
) -> ModelSet:  # fmt: skip
    """The models for these languages.

    The set's first recognizer where it covers them all, else its second alone where that does.  Else the fewest
    registered recognizers that cover the rest, fetched where they are missing: alone, where the set covers none of the
    languages, else beside what of the set covers its part.  With `fixed` the recognizer is the caller's choice, and no
    other takes its place.  Raises ArgumentError where it does not cover them, DownloadError where a file is not had.
    """
    if not wanted:
        return chosen
    if chosen.rec is None:
        raise ArgumentError("lang says what a model must cover: leave it out with a recognizer of your own")
    if all(map(chosen.rec.covers, wanted)):
        return chosen
    last = chosen.reread or chosen.rec
    own = [language for language in wanted if last.covers(language)]
    if len(own) < len(wanted) and (fixed or not last.languages):
        missing = ", ".join(language for language in wanted if language not in own)
        reads = ", ".join(last.languages) or "what it was trained for, which is not stated"
        raise ArgumentError(f"{last.name} does not cover {missing}; it covers {reads}")
    names = fewest([row for row in recognizers(registry()) if row.name != last.name], wanted, own)
    packs = [open_model(name, role="rec", progress=progress, offline=offline) for name in names]
    if own:
        kept = chosen if all(map(chosen.rec.covers, own)) else replace(chosen, rec=last, reread=None)
    else:
        kept = replace(chosen, rec=packs.pop(0), reread=None)
    return named(replace(kept, routes=tuple(packs)))


def fewest(rows: Sequence[ModelRow], wanted: Sequence[str], own: Sequence[str]) -> list[str]:
    """Names of recognizers that together cover what of the languages is not `own`: each the first of those that cover
    most of what is left."""
    left = [language for language in wanted if language not in own]
    names: list[str] = []
    while left:
        best = max(rows, key=lambda row: sum(map(row.covers, left)))
        names.append(best.name)
        left = [language for language in left if not best.covers(language)]
    return names


def named(chosen: ModelSet) -> ModelSet:
    """The set, named after its parts."""
    parts = ["custom" if chosen.det is None else chosen.det.name]
    parts += [model.name for model in (chosen.rec, chosen.reread, *chosen.routes) if model is not None]
    return replace(chosen, name="+".join(parts))


def recognizers(known: Registry) -> list[ModelRow]:
    """The recognizers of the registry, in its order."""
    return [row for row in known.models.values() if row.role == "rec"]
