"""Networks rewritten so that they run faster and answer the same, up to rounding.

Each rule finds its pattern by operators and shapes, never by names, and leaves alone what does not match.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastocr.runtime.channels import channel_count, fill_blocks
from fastocr.runtime.net import OLDEST, Net, Node

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["rewrite", "with_float_weights"]

Weights = NDArray[np.float32]

# What ONNX calls float32.
FLOAT = 1
# Columns from which a matrix counts as a recognizer's last one.
LARGE = 1000


def rewrite(model: ModelProto, block: int) -> ModelProto:
    """The same network for a runtime that keeps channels in blocks of `block`."""
    net = Net(model)
    if net.opset < OLDEST:
        return model
    skip_identities(net)
    name_hard_sigmoids(net)
    fold_constants(net)
    scale_once(net)
    upsample_late(net)
    if block > 1:
        fill_blocks(net, block)
    convolve_before_upsampling(net)
    add_instead_of_concatenating(net)
    project_with_bias(net)
    return net.model()


def each(net: Net, *ops: str) -> Iterator[Node]:
    """The nodes of these kinds that are still in the net when their turn comes."""
    return (node for node in net if node.is_a(*ops) and node in net)


def either_way(node: Node) -> Iterator[tuple[str, str]]:
    """The two inputs of a node that may be swapped."""
    if len(node.inputs) == 2:
        yield node.inputs[0], node.inputs[1]
        yield node.inputs[1], node.inputs[0]


def weights(net: Net, node: Node | None, group: int = 1) -> Weights | None:
    """Weights of a two-dimensional convolution with the bias, if any, constant too; None where it is no such one."""
    if node is None or not node.is_a("Conv", "ConvTranspose") or node.get("group", 1) != group:
        return None
    array = net.constants.get(node.inputs[1])
    plain = node.get("auto_pad", b"NOTSET") == b"NOTSET" and set(node.get("dilations", [1])) == {1}
    fixed = all(name in net.constants for name in node.inputs[1:])
    return array if array is not None and array.ndim == 4 and array.dtype == np.float32 and plain and fixed else None


def bias(net: Net, node: Node, size: int) -> Weights:
    return net.constants[node.inputs[2]] if len(node.inputs) > 2 else np.zeros(size, np.float32)


def has_window(node: Node | None, kernel: int, stride: int, pads: int = 0) -> bool:
    """Whether a convolution has this square kernel, stride and padding."""
    return node is not None and (
        node.get("kernel_shape") == [kernel] * 2
        and node.get("strides", [1, 1]) == [stride] * 2
        and node.get("pads", [0] * 4) == [pads] * 4
    )


def with_float_weights(model: ModelProto) -> ModelProto:
    """The model whose weights that are stored in fewer bits are float: so they are made once, not in each run.  Where
    results inside are in eight bits, too, it stays as it is: the runtime computes with them."""
    net = Net(model)
    if any(node.is_a("QuantizeLinear") for node in net) or not any(each(net, "DequantizeLinear", "Cast")):
        return model
    for node in each(net, "DequantizeLinear", "Cast"):
        stored = [net.constants[name] for name in node.inputs if name in net.constants]
        if len(stored) == len(node.inputs) and node.output not in net.outputs:
            values = unpacked(node, *stored)
            if values is not None:
                net.constants[node.output] = values
                net.replace([node])
    return net.model()


def unpacked(node: Node, stored: NDArray[Any], *linear: NDArray[Any]) -> Weights | None:
    """What the node makes of constants; None where it is neither sixteen bits nor eight with a scale for all or for
    each channel."""
    if node.op == "Cast":
        return stored.astype(np.float32) if stored.dtype == np.float16 and node.get("to") == FLOAT else None
    if linear[0].ndim > 1 or linear[0].dtype != np.float32:
        return None
    shape = [1] * stored.ndim
    if linear[0].ndim == 1:
        shape[node.get("axis", 1)] = -1
    scale, *zero = (array.reshape(shape) for array in linear)
    whole = stored.astype(np.int32) - (zero[0].astype(np.int32) if zero else 0)
    return np.ascontiguousarray(whole * scale, np.float32)


def skip_identities(net: Net) -> None:
    for node in each(net, "Identity"):
        if node.output not in net.outputs:
            for user in net.users(node.output):
                user.rename({node.output: node.inputs[0]})
            net.replace([node])


def fold_constants(net: Net) -> None:
    """Scales and sums of constants behind a convolution become part of its weights."""
    for node in each(net, "Conv"):
        filters = net.constants.get(node.inputs[1])
        name, scale, shift, nodes = per_channel(net, node.output)
        if filters is not None and nodes and all(item in net.constants for item in node.inputs[1:]):
            count = filters.shape[0]
            scaled = filters * scale.reshape(-1, *[1] * (filters.ndim - 1))
            inputs = [node.inputs[0], net.constant(scaled), net.constant(bias(net, node, count) * scale + shift)]
            net.replace([node, *nodes], [Node("Conv", inputs, [name], node.attributes.values())])


def scale_once(net: Net) -> None:
    """x + x * s, where s comes from a HardSigmoid, is x * (1 + s): one pass over x, not two."""
    for add in each(net, "Add"):
        for whole, part in either_way(add):
            scaled = net.maker(part)
            if scaled is None or not scaled.is_a("Mul") or net.only_user(part) is not add or add not in net:
                continue
            for x, scale in either_way(scaled):
                maker = net.maker(scale)
                if x == whole and maker is not None and maker.is_a("HardSigmoid"):
                    more = net.new("Add", [scale, net.constant([[[[1]]]])])
                    net.replace([add, scaled], [more, net.new("Mul", [x, more.output], add.output)])
                    break


def per_channel(net: Net, name: str) -> tuple[str, Weights, Weights, list[Node]]:
    """What follows a tensor: y = x * scale + shift for each channel.  Gives y's name, scale, shift and the nodes."""
    scale, shift = np.ones(1), np.zeros(1)
    nodes: list[Node] = []
    while (node := net.only_user(name)) is not None:
        if node.is_a("BatchNormalization") and all(item in net.constants for item in node.inputs[1:]):
            gamma, beta, mean, variance = (net.constants[item].astype(np.float64) for item in node.inputs[1:])
            factor, offset = (by := gamma / np.sqrt(variance + node.get("epsilon", 1e-5))), beta - mean * by
        elif node.is_a("Add", "Mul") and (values := channel_values(net, node, name)) is not None:
            factor, offset = (np.ones(1), values) if node.is_a("Add") else (values, np.zeros(1))
        else:
            break
        scale, shift = scale * factor, shift * factor + offset
        name = node.output
        nodes.append(node)
    return name, scale.astype(np.float32), shift.astype(np.float32), nodes


def channel_values(net: Net, node: Node, name: str) -> Weights | None:
    """The constant that a node joins with `name`: one number, or one for each channel."""
    for one, other in either_way(node):
        values = net.constants.get(other)
        if one != name or values is None or values.ndim > 4:
            continue
        if values.size == 1 or (values.ndim == 4 and values.size == values.shape[1]):
            return values.reshape(-1)
    return None


def number(net: Net, node: Node, name: str) -> float | None:
    """The one number that a node joins with `name`; of a Div, that by which it divides."""
    for one, other in either_way(node):
        values = net.constants.get(other)
        if one == name and values is not None and values.size == 1 and (node.op != "Div" or one == node.inputs[0]):
            return float(values.reshape(-1)[0])
    return None


def name_hard_sigmoids(net: Net) -> None:
    """min(max(x + a, 0), b) / b is a HardSigmoid of x; a product with it may stand before the division."""
    for add in each(net, "Add"):
        x = next((name for name in add.inputs if name not in net.constants), "")
        clip = net.only_user(add.output)
        shift = number(net, add, x)
        if clip is None or not clip.is_a("Clip") or shift is None or len(clip.inputs) != 3:
            continue
        limits = [net.constants[name].item() for name in clip.inputs[1:] if name in net.constants]
        user = net.only_user(clip.output)
        if len(limits) != 2 or limits[0] != 0 or limits[1] <= 0 or user is None:
            continue
        times = user if user.is_a("Mul") and number(net, user, clip.output) is None else None
        divide = net.only_user(user.output) if times is not None else user
        if divide is None or not divide.is_a("Div"):
            continue
        if number(net, divide, clip.output if times is None else times.output) != limits[1]:
            continue
        gate = net.new("HardSigmoid", [x], alpha=1 / limits[1], beta=shift / limits[1])
        if times is None:
            gate.outputs = divide.outputs
            net.replace([add, clip, divide], [gate])
        else:
            other = next(name for name in times.inputs if name != clip.output)
            net.replace([add, clip, times, divide], [gate, net.new("Mul", [other, gate.output], divide.output)])


def upsample_late(net: Net) -> None:
    """A detector's head: two transposed convolutions of 2 x 2 with stride 2 and a sigmoid.  They touch one pixel of
    the input each, so they are pointwise convolutions there, and one shuffle at the end puts the pixels in place."""
    for first in each(net, "ConvTranspose"):
        one = weights(net, first)
        if one is None or not has_window(first, 2, 2):
            continue
        name, scale1, shift1, after1 = per_channel(net, first.output)
        relu = net.only_user(name)
        second = net.only_user(relu.output) if relu is not None and relu.is_a("Relu") else None
        two = weights(net, second)
        if relu is None or second is None or two is None or not has_window(second, 2, 2) or two.shape[1] != 1:
            continue
        if not second.is_a("ConvTranspose"):
            continue
        name, scale2, shift2, after2 = per_channel(net, second.output)
        sigmoid = net.only_user(name)
        if sigmoid is None or not sigmoid.is_a("Sigmoid"):
            continue
        given, middle = one.shape[:2]
        low = (one * scale1.reshape(1, -1, 1, 1)).transpose(2, 3, 1, 0).reshape(4 * middle, given, 1, 1)
        low_bias = np.tile(bias(net, first, middle) * scale1 + shift1, 4)
        # Channel 4 * row + column of the result is one of the 4 x 4 pixels that come from one of the input.
        high = np.zeros((16, 4 * middle, 1, 1), np.float32)
        for y1, x1, y2, x2 in product(range(2), repeat=4):
            source = (2 * y1 + x1) * middle
            high[4 * (2 * y1 + y2) + 2 * x1 + x2, source : source + middle, 0, 0] = two[:, 0, y2, x2] * scale2
        high_bias = np.repeat(bias(net, second, 1) * scale2 + shift2, 16)
        a = net.new("Conv", [first.inputs[0], net.constant(low), net.constant(low_bias)], kernel_shape=[1, 1])
        b = net.new("Relu", [a.output])
        c = net.new("Conv", [b.output, net.constant(high), net.constant(high_bias)], kernel_shape=[1, 1])
        d = net.new("Sigmoid", [c.output])
        e = net.new("DepthToSpace", [d.output], sigmoid.output, blocksize=4, mode="DCR")
        net.replace([first, *after1, relu, second, *after2, sigmoid], [a, b, c, d, e])


def doubling(net: Net, name: str) -> tuple[Node, float] | None:
    """The node and its factor, where a tensor is made by repeating pixels."""
    node = net.maker(name)
    if node is None or not node.is_a("Resize") or len(node.inputs) != 3:
        return None
    modes = (node.get("mode", b"nearest"), node.get("nearest_mode"), node.get("coordinate_transformation_mode"))
    scales = net.constants.get(node.inputs[2], np.empty(0)).tolist()
    fit = len(scales) == 4 and scales[:2] == [1, 1] and scales[2] == scales[3] and scales[2] in (2, 4, 8, 16)
    return (node, scales[2]) if modes == (b"nearest", b"floor", b"asymmetric") and fit else None


def convolve_before_upsampling(net: Net) -> None:
    """A 3 x 3 convolution of tensors of which some were enlarged by repeating pixels.

    Among the enlarged pixels it sees only 2 x 2 different ones.  So their part is a 2 x 2 convolution at half the
    size, at each corner between four pixels, that answers for the four enlarged pixels around that corner at once:
    four ninths of the work, in a shape that fills the processor's registers.
    """
    for join, user, channels in joined(net):
        filters = weights(net, user)
        enlarged = {name: found for name in join.inputs if (found := doubling(net, name)) is not None}
        if filters is None or not has_window(user, 3, 1, 1) or not 0 < len(enlarged) < len(join.inputs):
            continue
        parts = dict(zip(join.inputs, np.split(filters, np.cumsum(channels)[:-1], axis=1), strict=True))
        low, new = [], []
        for node, factor in enlarged.values():
            if factor == 2:
                low.append(node.inputs[0])
                continue
            half = Node("Resize", [*node.inputs[:2], net.constant([1, 1, factor / 2, factor / 2])], [net.fresh()],
                        node.attributes.values())  # fmt: skip
            new.append(half)
            low.append(half.output)
        if len(low) > 1:
            new.append(net.new("Concat", low, axis=1))
        small = net.constant(at_corners(np.concatenate([parts[name] for name in enlarged], axis=1)))
        corners = net.new("Conv", [new[-1].output if len(low) > 1 else low[0], small], kernel_shape=[2, 2],
                          pads=[1, 1, 1, 1])  # fmt: skip
        shuffle = net.new("DepthToSpace", [corners.output], blocksize=2, mode="DCR")
        inner = net.new("Slice", [shuffle.output, net.shape(1, 1), net.shape(-1, -1), net.shape(2, 3)])
        names = [name for name in join.inputs if name not in enlarged]
        whole = net.new("Concat", names, axis=1)
        rest = Node("Conv", [whole.output if len(names) > 1 else names[0],
                             net.constant(np.concatenate([parts[name] for name in names], axis=1)), *user.inputs[2:]],
                    [net.fresh()], user.attributes.values())  # fmt: skip
        total = net.new("Add", [inner.output, rest.output], user.output)
        net.replace([join, user], [*new, corners, shuffle, inner, whole, rest, total])


def at_corners(filters: Weights) -> Weights:
    """(out, in, 3, 3) for enlarged pixels -> (4 * out, in, 2, 2) for the pixels around a corner.

    Of the pixels before and behind the corner, an enlarged pixel before it sees the one before twice, and the one
    behind once; an enlarged pixel behind it sees them the other way round.
    """
    seen = np.array([[[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 1]]], np.float32)
    spread: Weights = np.einsum("yvk,xwl,oikl->yxoivw", seen, seen, filters).astype(np.float32)
    return spread.reshape(-1, filters.shape[1], 2, 2)


def joined(net: Net) -> Iterator[tuple[Node, Node, list[int]]]:
    """A Concat of channels that feeds one convolution alone; with them the channels of each part."""
    for join in each(net, "Concat"):
        user = net.only_user(join.output)
        filters = net.constants.get(user.inputs[1]) if user is not None and user.is_a("Conv") else None
        if user is None or filters is None or join.get("axis") != 1 or len(set(join.inputs)) != len(join.inputs):
            continue
        channels = [channel_count(net, name) for name in join.inputs]
        if sum(count or 0 for count in channels) == filters.shape[1] and None not in channels:
            yield join, user, [count for count in channels if count]


def add_instead_of_concatenating(net: Net) -> None:
    """A convolution of two tensors' channels is the sum of two convolutions: nothing has to be copied together, and
    the runtime adds while it convolves."""
    for join, user, channels in joined(net):
        filters = weights(net, user)
        if filters is None or len(channels) != 2:
            continue
        parts = np.split(filters, [channels[0]], axis=1)
        nodes = [
            Node("Conv", [name, net.constant(part), *rest], [net.fresh()], user.attributes.values())
            for name, part, rest in zip(join.inputs, parts, (user.inputs[2:], []), strict=True)
        ]
        total = net.new("Add", [node.output for node in nodes], user.output)
        net.replace([join, user], [*nodes, total])


def project_with_bias(net: Net) -> None:
    """A recognizer's last step, the product with a large constant matrix and then a sum with a constant row, is one
    operation on the time steps of all lines, which writes each number once."""
    for matmul in each(net, "MatMul"):
        matrix = net.constants.get(matmul.inputs[1])
        add = net.only_user(matmul.output)
        if matrix is None or matrix.ndim != 2 or matrix.shape[1] < LARGE or add is None or not add.is_a("Add"):
            continue
        rows = [other for one, other in either_way(add) if one == matmul.output]
        if net.constants.get(rows[0], matrix).shape != matrix.shape[1:]:
            continue
        given, classes = matrix.shape
        flat = net.new("Reshape", [matmul.inputs[0], net.shape(-1, given)])
        gemm = net.new("Gemm", [flat.output, matmul.inputs[1], rows[0]])
        sizes = net.new("Shape", [matmul.inputs[0]])
        leading = net.new("Slice", [sizes.output, net.shape(0), net.shape(-1)])
        shape = net.new("Concat", [leading.output, net.shape(classes)], axis=0)
        net.replace([matmul, add], [flat, gemm, sizes, leading, shape,
                                      net.new("Reshape", [gemm.output, shape.output], add.output)])  # fmt: skip
