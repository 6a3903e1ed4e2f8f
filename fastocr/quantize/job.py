"""From a float model set to a smaller one that has proved as good, or to none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.errors import ArgumentError, GateError, InputError, ModelError
from fastocr.models import Model, ModelSet, Store, open_set
from fastocr.models.onnxfile import read_header
from fastocr.quantize import calibrate, choose, keep, measure, network, report, scan, tools
from fastocr.quantize.gate import Gate, Proof, speedup
from fastocr.quantize.keep import Part
from fastocr.quantize.recipes import Recipe
from fastocr.runtime.backends import resolve_backend

__all__ = ["Order", "Outcome", "quantize"]

Tensor = NDArray[np.float32]
Step = Callable[[int, int, str], None]

PLAIN = "plain"
# Samples that the layers' costs are measured with.
SCANNED = {"det": 2, "rec": 8, "reread": 8}
# With one of these a processor adds products in 32 bits; with none of them weights keep to seven bits.
WIDE = ("avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")


def nothing(done: int, total: int, name: str) -> None:
    """No progress is shown."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made, of what.

    models: a set by name or folder, or the path of a detector or recognizer as .onnx, for the default set.
    images: a folder of pages, or an NPZ file of inputs (`calibrate.from_arrays`).
    name: that of the new set.
    dictionary: the characters of a recognizer given by path.
    roles: which networks to make smaller, of "det", "rec" and "reread"; by default all that the set has.
    recipe: how ranges are measured and what stays in float; its kind is what is tried beside the others.
    only: the kind alone, and not the others.
    samples: the most inputs of a network to measure ranges on.
    held_out: a folder of pages to prove it on; by default every other page of ``images``, which calibration then leaves
        out.
    truth: what stands on those pages (`measure.loaded`); without it they are held against what float reads.
    force: keeps the set even where it does not pass the gate; the report says so.
    """

    models: str | Path
    images: Path
    name: str
    dictionary: Path | None = None
    roles: tuple[str, ...] = ()
    recipe: Recipe = field(default_factory=lambda: Recipe("static"))
    only: bool = False
    samples: int = calibrate.SAMPLES
    held_out: Path | None = None
    truth: Path | None = None
    backend: str = "onnxruntime"
    threads: int | None = None
    passes: int = 3
    gate: Gate = field(default_factory=Gate)
    report: Path | None = None
    force: bool = False
    offline: bool | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The new set's folder, None where it was refused, and what was measured."""

    folder: Path | None
    report: report.Report


def quantize(order: Order, step: Step = nothing) -> Outcome:
    """Makes a set as the order says, and keeps it under its name if it passes the gate.

    The report is written into the set's folder, and into ``order.report`` in any case.  Raises GateError where the set
    does not pass, InputError for images that cannot be used, ModelError for a network that cannot be made smaller;
    whatever is raised, nothing is left behind but that report.
    """
    for needed in (tools.onnx, tools.rapidfuzz):  # not only after an hour
        needed()
    calibrate.checked_count(order.samples)
    calibrate.checked_count(order.passes)
    store = Store(offline=order.offline)
    keep.check_name(order.name, store)
    chosen = open_parts(order)
    parts = {
        role: model for role, model in (("det", chosen.det), ("rec", chosen.rec), ("reread", chosen.reread)) if model
    }
    if unknown := [role for role in order.roles if role not in parts]:
        raise ArgumentError(f"{chosen.name} has no {unknown[0]}: it has {', '.join(parts)}")
    samples, held = shown(order, parts, step)
    with keep.scratch(store) as folder:
        tables = compared(order, parts, samples, folder, step)
        least = 0.0 if order.force else min(1.0, order.gate.min_speedup)
        rows = {role: choose.chosen(role, rows, order.gate.max_loss, least)
                for role, rows in tables.items()}  # fmt: skip
        contents = {role: row.content for role, row in rows.items() if row is not None}
        made = {role: Part(model, contents.get(role)) for role, model in parts.items()}
        taken = {role: (tables[role], "" if row is None else row.name) for role, row in rows.items()}
        counts = {role: len(each) for role, each in samples.items()}
        return proved(order, chosen, made, taken, counts, held, folder, store, step)


def open_parts(order: Order) -> ModelSet:
    """The float set, or the default one with the network of the file in its place."""
    path = Path(order.models)
    if path.suffix != ".onnx" and not path.is_file():
        return open_set(order.models, offline=order.offline)
    if not path.is_file():
        raise ModelError(f"there is no model file {path}")
    shape = next(iter(read_header(path).outputs.values()))
    if len(shape) == 4:
        return open_set(det=path, offline=order.offline)
    return open_set(rec=path, charset=order.dictionary, offline=order.offline)


def arguments(order: Order) -> dict[str, Any]:
    """The arguments of an OCR with the float networks, as JSON takes them."""
    given: dict[str, Any] = {"backend": order.backend, "threads": order.threads, "offline": order.offline}
    path = Path(order.models)
    if path.is_file():
        role = "det" if len(next(iter(read_header(path).outputs.values()))) == 4 else "rec"
        given[role] = str(path.absolute())
        if role == "rec" and order.dictionary is not None:
            given["dictionary"] = str(order.dictionary.absolute())
        return given
    return {**given, "models": str(order.models)}


def shown(order: Order, parts: Mapping[str, Model], step: Step) -> tuple[dict[str, list[Tensor]], list[measure.Page]]:
    """The samples of each role, and the pages on which the set is to be proved."""
    if order.images.suffix == ".npz":
        samples = calibrate.from_arrays(order.images, order.samples)
        held = calibrate.pages(order.held_out) if order.held_out else []
    else:
        every = calibrate.pages(order.images)
        seen, held = (every, calibrate.pages(order.held_out)) if order.held_out else measure.split(every)
        by_path = calibrate.from_pages(arguments(order), seen, order.samples, step)
        samples = {role: by_path[model.path] for role, model in parts.items() if model.path in by_path}
    if not held:
        raise InputError(f"{order.images} leaves no pages to prove the set on: give two at least, or a folder held out")
    wanted = order.roles or tuple(role for role in parts if role in samples)
    if missing := [role for role in wanted if role not in samples]:
        raise InputError(f"{order.images} has nothing that {missing[0]} is fed with: give other pages, or leave it out")
    return {role: samples[role] for role in wanted}, measure.loaded(held, order.truth)


def compared(
    order: Order, parts: Mapping[str, Model], samples: Mapping[str, Sequence[Tensor]], folder: Path, step: Step
) -> dict[str, list[choose.Row]]:
    """The table of each network that is to be made smaller."""
    backend = resolve_backend(order.backend, folder / "graphs")
    base = replace(order.recipe, half=not {*report.features()} & {*WIDE})
    found = {}
    for role, inputs in samples.items():
        path = parts[role].path
        ready = network.ready(path, choose.spread(inputs, choose.PAGES))
        recipes = [base]
        if not order.only:
            costs = scan.costs(ready, base, inputs, choose.spread(inputs, SCANNED[role]), step)
            recipes = choose.candidates(base, scan.left_in_float(base, costs))
        found[role] = choose.table(role, path, ready, recipes, inputs, backend, folder, step)
    return found


def proved(
    order: Order, chosen: ModelSet, made: Mapping[str, Part], tables: Mapping[str, tuple[list[choose.Row], str]],
    counts: Mapping[str, int], held: Sequence[measure.Page], scratch: Path, store: Store, step: Step,
) -> Outcome:  # fmt: skip
    """Reads the pages with both sets, writes the report, and keeps the set or refuses it."""
    about = f"{chosen.name} in eight bits, for {order.backend}"
    sizes = tuple(sum(size) for size in zip(*(bytes_of(part) for part in made.values()), strict=True))
    result = report.Report(
        order.name, chosen.name, order.backend, options(order), counts, tables, (sizes[0], sizes[1]), held, (), None,
        order.gate, (),
    )  # fmt: skip
    if all(part.content is None for part in made.values()):
        result = replace(
            result, faults=("every candidate is slower than float on this processor, or differs too much",)
        )
        return concluded(order, result, None, store)
    folder = keep.drawn_up(scratch / order.name, order.name, chosen, made, about)
    own = {"backend": order.backend, "threads": order.threads, "offline": order.offline}
    engines = {"float": arguments(order), order.name: {**own, "models": str(folder)}}
    plain = {role: Part(made[role].model, next((row.content for row in rows if row.name == PLAIN), None))
             for role, (rows, _) in tables.items()}  # fmt: skip
    if any(part.content for part in plain.values()):
        engines[PLAIN] = {**own, "models": str(keep.drawn_up(scratch / PLAIN, PLAIN, chosen, {**made, **plain}, PLAIN))}
    runs = measure.take_turns(engines, held, order.passes, step)
    figures = (runs[0].figures(held, runs[0]), runs[1].figures(held, runs[0]))
    proof = Proof(*figures, *speedup(runs[0].by_page(), runs[1].by_page()), 1 - sizes[1] / sizes[0])
    return concluded(order, replace(result, runs=runs, proof=proof, faults=order.gate.faults(proof)), folder, store)


def concluded(order: Order, result: report.Report, folder: Path | None, store: Store) -> Outcome:
    if order.report is not None:
        report.write(result, order.report)
    if folder is None or (result.faults and not order.force):
        where = "" if order.report is None else f" (the report is in {order.report})"
        raise GateError(f"no set is kept, float stays in place: {'; '.join(result.faults)}{where}", result)
    report.write(result, folder)
    return Outcome(keep.keep(folder, order.name, store), result)


def bytes_of(part: Part) -> tuple[int, int]:
    """Of a network's file: float, and made."""
    size = part.model.path.stat().st_size
    return size, size if part.content is None else len(part.content)


def options(order: Order) -> dict[str, Any]:
    """What of an order a report tells."""
    recipe = order.recipe
    return {
        "method": recipe.method, "per_channel": recipe.per_channel, "symmetric": recipe.symmetric,
        "exclude": [*recipe.exclude], "samples": order.samples, "threads": order.threads, "passes": order.passes,
        "forced": order.force,
    }  # fmt: skip
