"""Which layers cost accuracy when they are quantized."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastocr.quantize.network import answers
from fastocr.quantize.ranges import Ranges
from fastocr.quantize.recipes import Recipe, measured_for, quantizable, quantized

__all__ = ["Cost", "costs", "left_in_float"]

Tensor = NDArray[np.float32]
Cost = tuple[str, float]

# How many of the costliest layers the candidates leave in float.
STEPS = (1, 2, 4, 8, 16, 32)


def costs(
    network: Any,
    recipe: Recipe,
    samples: Sequence[Tensor],
    shown: Sequence[Tensor],
    step: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[Cost]:
    """Each layer that has weights with what the network's answers lose, when it alone is quantized, the costliest
    first: the mean square of what differs over that of the answers.

    ``samples`` are those that ranges are measured on, ``shown`` those that are answered.
    """
    ranges = measured_for(network, recipe, samples)
    wanted = answers(network.SerializeToString(), shown)
    power = sum(float(np.square(answer).mean()) for answer in wanted)
    found = []
    nodes = [node.name for node in quantizable(network) if node.name not in recipe.exclude]
    for place, name in enumerate(nodes):
        step(place, len(nodes), f"scan: {name}")
        found.append((name, cost(network, recipe, ranges, name, shown, wanted) / max(power, 1e-30)))
    return sorted(found, key=lambda each: -each[1])


def cost(
    network: Any, recipe: Recipe, ranges: Ranges, name: str, shown: Sequence[Tensor], wanted: Sequence[Tensor]
) -> float:
    """What the answers lose; infinite where they are not finite."""
    copy = type(network)()
    copy.CopyFrom(network)
    given = answers(quantized(copy, recipe, ranges, [name]).SerializeToString(), shown)
    lost = sum(float(np.square(one - other).mean()) for one, other in zip(given, wanted, strict=True))
    return lost if np.isfinite(lost) else float("inf")


def left_in_float(recipe: Recipe, found: Sequence[Cost]) -> list[Recipe]:
    """The recipe with more and more of the costliest layers in float."""
    return [recipe.without(name for name, _ in found[:count]) for count in STEPS if count < len(found)]
