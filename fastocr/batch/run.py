"""A batch: many inputs to files in a folder; what an earlier run has done is kept."""

from __future__ import annotations

import hashlib
import io
import json
import multiprocessing
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastocr.api import OCR
from fastocr.batch.folder import REPORT, OutputFolder
from fastocr.batch.inputs import Input, expand
from fastocr.batch.journal import Entry, Made
from fastocr.batch.names import output_stems
from fastocr.batch.processes import in_processes
from fastocr.batch.work import Failure, Outcome, Recipe, Task, content_digest, perform
from fastocr.errors import ArgumentError, InputError, OutputError
from fastocr.formats import FORMATS, WriteOptions

__all__ = ["Result", "Spread", "run"]

# Works off the tasks and gives an outcome for each, in any order; its parts lie in the folder by then.  Closing the
# generator stops the work.
Spread = Callable[[OCR, Recipe, Sequence[Task], Path], Generator[Outcome]]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one input of ``total``: its outputs by format, as paths below the output folder (one, or one for
    each page where a file of that format holds a single one), its pages and their warnings; or the failure.
    ``kept`` tells that an earlier run had made the outputs."""

    index: int
    total: int
    input: str
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pages: int = 0
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None
    kept: bool = False


def run(
    ocr: OCR,
    inputs: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    formats: Sequence[str] = ("text",),
    *,
    jobs: int = 1,
    resume: bool = True,
    options: WriteOptions | None = None,
    reading: Mapping[str, Any] | None = None,
    spread: Spread | None = None,
) -> Generator[Result]:
    """Reads files, folders of files and patterns, and writes a file for each input and format below ``out``, where the
    folders are mirrored.  A generator of results: first of what is kept, then of the others as they are read.

    formats: names of `fastocr.formats.FORMATS`.
    jobs: with more than one, as many processes read with the models and options of ``ocr``, and share its threads.
    Each imports the script that is run, which must therefore ask for them below ``if __name__ == "__main__":``.
    resume: keep what an earlier run made of the same content with the same settings.
    options: for the writers; reading: arguments of `OCR.read_document`, such as ``{"pages": "1"}``.
    spread: another way to spread the work than over ``jobs`` processes, such as that of `fastocr.ray`.

    An input that cannot be read gives a result with its failure, and the others go on.  The report,
    ``out/report.jsonl``, is written in any case when the generator ends or is closed.
    Raises ArgumentError for a value that cannot be used, DependencyError for a format whose extra is missing, and
    OutputError for a folder that cannot be written.
    """
    if isinstance(inputs, str | os.PathLike):
        raise ArgumentError("a batch takes several inputs: pass [input] for one")
    unknown = [name for name in formats if name not in FORMATS]
    if isinstance(formats, str) or not formats or unknown:
        raise ArgumentError(f"formats must be a list of {', '.join(FORMATS)}, not {formats!r}")
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ArgumentError(f"jobs must be a whole number from 1, not {jobs!r}")
    if jobs > 1 and getattr(multiprocessing.current_process(), "_inheriting", False):
        # A process of the batch itself, as it imports the script that began the batch.
        raise ArgumentError('a script that asks for several jobs must do so below `if __name__ == "__main__":`')
    chosen = tuple(name for name in FORMATS if name in formats)
    recipe = Recipe(chosen, options or WriteOptions(), dict(reading or {}))
    for name in chosen:
        with suppress(ArgumentError):  # there is no page: all that is asked is whether the format's extra is there
            FORMATS[name].write([], io.BytesIO(), recipe.options)
    spread = spread or (here if jobs == 1 else partial(in_processes, jobs))
    return results(ocr, [os.fspath(path) for path in inputs], Path(out), recipe, resume, spread)


def here(ocr: OCR, recipe: Recipe, tasks: Sequence[Task], parts: Path) -> Generator[Outcome]:
    """Works the tasks off in this process, in their order."""
    for task in tasks:
        yield perform(ocr, recipe, task, parts)


def results(ocr: OCR, given: list[str], out: Path, recipe: Recipe, resume: bool, spread: Spread) -> Generator[Result]:
    settings = settings_digest(ocr, recipe)
    with OutputFolder(out) as folder:
        inputs = list(expand(given, made_here(folder)))
        forms = [FORMATS[name] for name in recipe.formats]
        by_page = any(form.single for form in forms)
        stems = output_stems(inputs, out, [form.suffix for form in forms], [out / REPORT], by_page)
        lines = [json.dumps({"input": item.name, "state": "left"}) for item in inputs]
        tasks = []
        try:
            for index, (item, stem) in enumerate(zip(inputs, stems, strict=True)):
                found = kept(folder, item, stem, recipe.formats, settings) if resume else None
                if found is None:
                    tasks.append(Task(index, item.name, item.path))
                    continue
                result = done(index, len(inputs), *found, kept=True)
                lines[index] = report_line(result)
                yield result
            with closing(spread(ocr, recipe, tasks, folder.parts)) as outcomes:
                for outcome in outcomes:
                    index = outcome.index
                    result = finish(folder, outcome, inputs[index].name, stems[index], settings, len(inputs))
                    lines[index] = report_line(result)
                    yield result
        finally:
            folder.report(lines)


def made_here(folder: OutputFolder) -> Callable[[Path], bool]:
    """Whether a file is one that a batch has put into the folder, and nobody has changed since."""
    out = Path(os.path.realpath(folder.path))
    real = cache(os.path.realpath)

    def ours(path: Path) -> bool:
        place = Path(real(path.parent), path.name)
        return place.is_relative_to(out) and folder.journal.is_output(place.relative_to(out).as_posix(), out)

    return ours


def kept(
    folder: OutputFolder, item: Input, stem: Path, forms: Sequence[str], settings: str
) -> tuple[Entry, Made] | None:
    """How an earlier run made these outputs, if of this content and with these settings."""
    found = folder.kept(stem, forms)
    if found is None or (found[0].input, found[0].settings) != (item.name, settings):
        return None
    try:
        return found if content_digest(item.path, item.name) == found[0].content else None
    except InputError:  # said where it is read
        return None


def finish(folder: OutputFolder, outcome: Outcome, name: str, stem: Path, settings: str, total: int) -> Result:
    """The result of an outcome, its parts brought to their names."""
    failure = outcome.failure
    if failure is None:
        entry = Entry(name, outcome.content, settings, outcome.pages, outcome.warnings)
        try:
            return done(outcome.index, total, entry, folder.keep(outcome.index, entry, stem, outcome.digests))
        except OutputError as error:
            failure = Failure.of(error, name)
    return Result(outcome.index, total, name, failure=failure)


def done(index: int, total: int, entry: Entry, made: Made, kept: bool = False) -> Result:
    outputs = {form: list(paths) for form, paths in made.items()}
    return Result(index, total, entry.input, outputs, entry.pages, entry.warnings, kept=kept)


def settings_digest(ocr: OCR, recipe: Recipe) -> str:
    """Of all that outputs depend on beside the input and the format."""
    same = ("password", "isolate")  # which open the same pages
    reading = {name: value for name, value in recipe.reading.items() if name not in same}
    stated = {"reader": ocr.plan.fingerprint(), "options": asdict(recipe.options), "reading": reading}
    return hashlib.sha256(json.dumps(stated, sort_keys=True, default=list).encode()).hexdigest()


def report_line(result: Result) -> str:
    """The same whether the outputs were made now or earlier."""
    failure = result.failure
    line: dict[str, Any]
    if failure is not None:
        line = {"input": result.input, "state": "failed", "code": failure.code, "message": failure.message}
    else:
        line = {
            "input": result.input,
            "state": "done",
            "pages": result.pages,
            "warnings": result.warnings,
            "outputs": result.outputs,
        }
    return json.dumps(line)
