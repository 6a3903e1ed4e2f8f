"""The range that each tensor inside a network takes on the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastocr.errors import ArgumentError
from fastocr.quantize.network import session

__all__ = ["METHODS", "Method", "Ranges", "checked_method", "measured"]

Tensor = NDArray[np.float32]
Method = Literal["minmax", "ema", "percentile", "entropy"]
METHODS: tuple[Method, ...] = get_args(Method)
Ranges = dict[str, tuple[float, float]]

# Tensors that are looked at in one run of the network: all of a detector's at once would take gigabytes.
AT_ONCE = 24
# What one sample adds to a moving average.
SHARE = 0.05
# The share of values that percentile lets lie outside, on each side.
OUTSIDE = 1e-4
BINS = 2048
LEVELS = 128


def checked_method(method: str) -> Method:
    for known in METHODS:
        if method == known:
            return known
    raise ArgumentError(f"method must be one of {', '.join(METHODS)}, not {method!r}")


def measured(model: Any, names: Sequence[str], samples: Sequence[Tensor], method: Method = "minmax") -> Ranges:
    """(lowest, highest) of each named float32 tensor of the network, 0 always within, as the method sees it.

    minmax: over all samples; ema: the moving average of each sample's; percentile: the mean of each sample's, without
    the outermost values; entropy: the range whose 8-bit histogram tells the least otherwise.  A tensor that holds NaN
    or infinity has the range (nan, nan).
    """
    found: Ranges = {}
    unique = list(dict.fromkeys(names))
    for start in range(0, len(unique), AT_ONCE):
        chosen = unique[start : start + AT_ONCE]
        if method == "entropy":
            found |= by_entropy(model, chosen, samples)
        else:
            rows = [[limits(tensor, method) for tensor in tensors] for tensors in inner(model, chosen, samples)]
            for name, column in zip(chosen, zip(*rows, strict=True), strict=True):
                found[name] = united(np.array(column), method)
    return {name: around_zero(low, high) for name, (low, high) in found.items()}


def inner(model: Any, names: Sequence[str], samples: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """For each sample the values of the named tensors."""
    spy = type(model)()
    spy.CopyFrom(model)
    outputs = {item.name for item in spy.graph.output}
    for name in names:
        if name not in outputs:
            spy.graph.output.add(name=name)
    runs = session(spy.SerializeToString())
    given = runs.get_inputs()[0].name
    for sample in samples:
        yield runs.run(list(names), {given: sample})


def limits(tensor: Tensor, method: Method) -> tuple[float, float]:
    if not np.isfinite(tensor).all():
        return np.nan, np.nan
    if method == "percentile":
        flat = tensor.ravel()
        outside = int(flat.size * OUTSIDE)
        if outside:
            parted = np.partition(flat, [outside, flat.size - 1 - outside])
            return float(parted[outside]), float(parted[flat.size - 1 - outside])
    return float(tensor.min(initial=0)), float(tensor.max(initial=0))


def united(column: NDArray[np.float64], method: Method) -> tuple[float, float]:
    """One range of those of all samples, shape (samples, 2)."""
    if np.isnan(column).any():
        return np.nan, np.nan
    if method == "minmax":
        return float(column[:, 0].min()), float(column[:, 1].max())
    if method == "percentile":
        low, high = column.mean(0).tolist()
        return low, high
    average = column[0]
    for row in column[1:]:
        average = average + SHARE * (row - average)
    return float(average[0]), float(average[1])


def by_entropy(model: Any, names: Sequence[str], samples: Sequence[Tensor]) -> Ranges:
    """The symmetric range around 0, cut to what occurs, whose histogram of LEVELS is nearest to the whole one's."""
    rows = [[limits(tensor, "minmax") for tensor in tensors] for tensors in inner(model, names, samples)]
    whole = {
        name: united(np.array(column), "minmax") for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    counts = {name: np.zeros(BINS) for name in names}
    for tensors in inner(model, names, samples):
        for name, tensor in zip(names, tensors, strict=True):
            reach = max(map(abs, whole[name]))
            if np.isfinite(reach) and reach > 0:
                counts[name] += np.histogram(np.abs(tensor), BINS, (0, reach))[0]
    found: Ranges = {}
    for name, (low, high) in whole.items():
        reach = nearest(counts[name]) / BINS * max(abs(low), abs(high))
        found[name] = (max(low, -reach), min(high, reach)) if np.isfinite(low) else (low, high)
    return found


def nearest(counts: NDArray[np.float64]) -> int:
    """How many of the histogram's bins to keep, the rest counted in the last, so that in LEVELS it loses the least, by
    Kullback and Leibler's measure."""
    best, least = BINS, np.inf
    for kept in range(LEVELS, BINS + 1, LEVELS // 8):
        cut = counts[:kept].copy()
        cut[-1] += counts[kept:].sum()
        edges = np.linspace(0, kept, LEVELS + 1).astype(int)[:-1]
        filled = (counts[:kept] > 0).astype(float)
        places = np.searchsorted(edges, np.arange(kept), "right") - 1
        coarse = (np.add.reduceat(counts[:kept], edges) / np.maximum(np.add.reduceat(filled, edges), 1))[
            places
        ] * filled
        if not coarse.sum():
            continue
        p, q = cut / cut.sum(), coarse / coarse.sum()
        some = p > 0
        loss = float((p[some] * np.log(p[some] / np.maximum(q[some], 1e-9))).sum())
        if loss < least:
            best, least = kept, loss
    return best


def around_zero(low: float, high: float) -> tuple[float, float]:
    """0 must have a value of its own: it is what borders are filled with."""
    return (low, high) if np.isnan(low) else (min(low, 0.0), max(high, 0.0))
