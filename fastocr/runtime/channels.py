"""Channels: how many a tensor has, and zeros put in until they fill the runtime's blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fastocr.runtime.net import Net, Node

__all__ = ["channel_count", "fill_blocks"]

# Operators whose result has the channels of their inputs, each made from the same channel.
ALIKE = (
    "Relu", "HardSigmoid", "Sigmoid", "Gelu", "Erf", "MaxPool", "AveragePool", "GlobalAveragePool", "ReduceMean",
    "Resize", "Add", "Mul", "Div",
)  # fmt: skip
OF_SEVERAL = ("Add", "Mul", "Div")


def channel_count(net: Net, name: str) -> int | None:
    """Number of channels of a tensor; None where it cannot be told."""
    return counted(net, name, {})


def counted(net: Net, name: str, known: dict[str, int | None]) -> int | None:
    """`channel_count`, each tensor counted once: the ways to one double with every gate and residual before it."""
    if name not in known:
        known[name] = count_of(net, name, known)
    return known[name]


def count_of(net: Net, name: str, known: dict[str, int | None]) -> int | None:
    node = net.maker(name)
    if node is None:
        return None
    if node.is_a("Conv"):
        filters = net.constants.get(node.inputs[1])
        return None if filters is None else filters.shape[0]
    if node.is_a("Concat") and node.get("axis") == 1:
        counts = [counted(net, item, known) for item in node.inputs]
        return None if None in counts else sum(number or 0 for number in counts)
    if not keeps_channels(net, node):
        return None
    return max((counted(net, item, known) or 0 for item in carrying(net, node)), default=0) or None


def keeps_channels(net: Net, node: Node) -> bool:
    return node.is_a(*ALIKE) and (not node.is_a("ReduceMean") or net.axes(node) == [2, 3])


def carrying(net: Net, node: Node) -> list[str]:
    """The inputs of an operator in ALIKE that have channels."""
    return [name for name in node.inputs if name not in net.constants] if node.is_a(*OF_SEVERAL) else node.inputs[:1]


@dataclass
class Tied:
    """Tensors whose channels are the same ones, who makes them and who uses them up."""

    names: set[str] = field(default_factory=set)
    makers: dict[int, Node] = field(default_factory=dict)
    users: dict[int, Node] = field(default_factory=dict)
    joins: dict[int, Node] = field(default_factory=dict)


def tied(net: Net, start: str) -> Tied | None:
    """All that is tied to a tensor; None where something takes part to which no channel can be added."""
    group = Tied()
    pending = [start]
    while pending:
        name = pending.pop()
        if name in group.names:
            continue
        group.names.add(name)
        maker = net.maker(name)
        if maker is None or name in net.outputs or not made(net, maker, group, pending):
            return None
        for user in net.users(name):
            if not used(net, user, name, group, pending):
                return None
    return group


def made(net: Net, maker: Node, group: Tied, pending: list[str]) -> bool:
    if maker.is_a("Conv"):
        if any(name not in net.constants for name in maker.inputs[1:]):
            return False
        group.makers[id(maker)] = maker
        if maker.get("group", 1) != 1:
            pending.append(maker.inputs[0])
        return maker.get("group", 1) in (1, len(net.constants[maker.inputs[1]]))
    sizes = [net.constants[name].size for name in maker.inputs if name in net.constants]
    pending.extend(carrying(net, maker))
    return keeps_channels(net, maker) and (not maker.is_a(*OF_SEVERAL) or max(sizes, default=1) == 1)


def used(net: Net, user: Node, name: str, group: Tied, pending: list[str]) -> bool:
    if user.is_a("Conv"):
        if user.get("group", 1) != 1:
            pending.append(user.output)
        else:
            group.users[id(user)] = user
        return user.inputs[0] == name and user.inputs[1] in net.constants
    if user.is_a("Concat") and user.get("axis") == 1:
        convolution = net.only_user(user.output)
        group.joins[id(user)] = user
        return (
            convolution is not None
            and convolution.is_a("Conv")
            and convolution.get("group", 1) == 1
            and convolution.inputs[1] in net.constants
            and channel_count(net, user.output) == net.constants[convolution.inputs[1]].shape[1]
        )
    pending.append(user.output)
    return keeps_channels(net, user)


def fill_blocks(net: Net, block: int) -> None:
    """Channels that do not fill blocks get more, which are made with weights of zero and count with weights of zero.

    The runtime computes them anyway, but takes its blocks apart behind such a tensor and puts them together again.
    """
    for node in net:
        count = channel_count(net, node.output) if node.is_a("Conv") and node.get("group", 1) == 1 else None
        if not count or count % block == 0:
            continue
        group = tied(net, node.output)
        if group is not None:
            widen(net, group, count, -count % block)


def widen(net: Net, group: Tied, count: int, more: int) -> None:
    for join in group.joins.values():
        convolution = net.only_user(join.output)
        if convolution is not None:
            widen_joined(net, group, join, convolution, more)
    for node in group.makers.values():
        pad(net, node, 1, 0, more)
        if len(node.inputs) > 2:
            pad(net, node, 2, 0, more)
        if node.get("group", 1) != 1:
            node.set(group=count + more)
    for node in group.users.values():
        pad(net, node, 1, 1, more)


def pad(net: Net, node: Node, position: int, axis: int, more: int) -> None:
    """Zeros behind a constant input's values."""
    values = net.constants[node.inputs[position]]
    node.inputs[position] = net.constant(np.pad(values, [(0, more * (k == axis)) for k in range(values.ndim)]))


def widen_joined(net: Net, group: Tied, join: Node, convolution: Node, more: int) -> None:
    """Zeros among a convolution's weights, behind those of each part that gets more channels."""
    filters = net.constants[convolution.inputs[1]]
    counts = [channel_count(net, name) or 0 for name in join.inputs]
    parts = np.split(filters, np.cumsum(counts)[:-1], axis=1)
    zeros = np.zeros((filters.shape[0], more, *filters.shape[2:]), np.float32)
    widened = [np.concatenate([part, zeros], 1) if name in group.names else part
               for name, part in zip(join.inputs, parts, strict=True)]  # fmt: skip
    convolution.inputs[1] = net.constant(np.concatenate(widened, axis=1))
