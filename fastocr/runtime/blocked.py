"""Graphs that ONNX Runtime has optimized, kept in its blocked layout from end to end.

ONNX Runtime lays channels in blocks of 8 or 16, for convolutions and what it knows to do in blocks.  Around the rest it
puts nodes that take the blocks apart (ReorderOutput) and put them together again (ReorderInput): in the detectors they
and the operators between them take a third of the time.  Here those operators work on the blocks.

A tensor in blocks has the shape (N, C, H, W) and the memory of (N, C / block, H, W, block).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastocr.runtime.net import BLOCKED, OLDEST, Net, Node

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["keep_blocks"]

POINTWISE = ("Relu", "Gelu", "HardSigmoid", "Sigmoid", "Clip")


def keep_blocks(model: ModelProto, block: int) -> ModelProto | None:
    """The same network for one image at a time; None where it has no blocks to keep."""
    net = Net(model)
    if net.opset < OLDEST or not any(blocked(node, "ReorderOutput") for node in net):
        return None
    blocks = Blocks(net, block)
    blocks.spread()
    scale_filters(net, blocks)
    add_within_convolutions(net)
    blocks.settle_pairs()
    result = net.model()
    # A filter that is scaled for one image is wrong for its neighbour.
    result.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    return result


def blocked(node: Node | None, op: str) -> bool:
    return node is not None and node.domain == BLOCKED and node.op == op


class Blocks:
    """Takes operator after operator into the blocked layout, as long as what it reads is there."""

    def __init__(self, net: Net, block: int) -> None:
        self.net = net
        self.block = block
        # Name of a plain tensor -> name of the same in blocks, and its channels.
        self.known: dict[str, tuple[str, int]] = {}
        # Tensors, plain or in blocks, with one number a channel.
        self.single: set[str] = set()
        # Nodes on two tensors in blocks, and their channels, that are right where the two are of one shape.
        self.pairs: list[tuple[Node, int]] = []

    def spread(self) -> None:
        for node in self.net.in_order():
            if node.domain == BLOCKED:
                self.note_single(node)
            if blocked(node, "ReorderOutput") and not node.get("channels_last", 0):
                self.remember(node.output, node.inputs[0], node.get("channels"))
            elif blocked(node, "ReorderInput") and node.inputs[0] in self.known and not node.get("channels_last", 0):
                self.instead(node, self.known[node.inputs[0]][0])
            elif blocked(node, "GlobalAveragePool"):
                self.average(node)
            elif not node.domain:
                self.take_in(node)
        self.net.prune()

    def remember(self, plain: str, inner: str, channels: int) -> None:
        if channels % self.block == 0:
            self.known[plain] = (inner, channels)

    def instead(self, node: Node, name: str) -> None:
        """Whoever reads this node's result reads that tensor instead."""
        for user in self.net.users(node.output):
            user.rename({node.output: name})
        self.net.replace([node])

    def note_single(self, node: Node) -> None:
        pads = any(node.get("pads", []))
        if node.inputs[0] in self.single and (node.op != "Conv" or (node.get("kernel_shape") == [1, 1] and not pads)):
            self.single.add(node.output)

    def take_in(self, node: Node) -> None:
        """Puts nodes that work on blocks in this one's place, where there are such."""
        inner = [self.known[name] for name in node.inputs if name in self.known]
        if not inner or (len({channels for _, channels in inner}) > 1 and node.op != "Concat"):
            return
        names, channels = [name for name, _ in inner], inner[0][1]
        every = len(inner) == len(node.inputs)
        result = self.net.fresh()
        nodes: list[Node] | None = None
        if node.is_a(*POINTWISE):
            nodes = [Node(node.op, [*names, *node.inputs[1:]], [result], node.attributes.values())]
        elif node.is_a("ReduceMean") and self.net.axes(node) == [2, 3] and node.get("keepdims", 1):
            nodes = self.mean(names[0], channels, result)
        elif node.is_a("Add", "Mul") and every:
            nodes = self.pair(node.op, names, channels, result)
        elif node.is_a("Add", "Mul", "Div") and self.has_number(node):
            nodes = [self.net.new(node.op, [self.known.get(name, (name, 0))[0] for name in node.inputs], result)]
        elif node.is_a("Concat") and every and node.get("axis") == 1:
            channels = sum(count for _, count in inner)
            nodes = [self.net.new("Concat", names, result, axis=1)]
        elif node.is_a("Resize"):
            nodes = self.enlarge(node, names[0], result)
        elif node.is_a("DepthToSpace"):
            nodes, channels = self.shuffle(node, names[0], channels, result), channels // 4
        elif node.is_a("Slice"):
            nodes = self.slice(node, names[0], channels, result)
        if nodes is not None:
            self.settle(node, nodes, result, channels, names)

    def settle(self, node: Node, nodes: list[Node], result: str, channels: int, names: Sequence[str]) -> None:
        if node.is_a(*POINTWISE, "Add", "Mul") and all(name in self.single for name in names):
            self.single.update((result, node.output))
        plain = self.net.new("ReorderOutput", [result], node.output, BLOCKED, channels=channels, channels_last=0)
        self.net.replace([node], [*nodes, plain])
        self.known[node.output] = (result, channels)

    def has_number(self, node: Node) -> bool:
        return any(name in self.net.constants and self.net.constants[name].size == 1 for name in node.inputs)

    def apart(self, name: str, channels: int) -> Node:
        return self.net.new("Reshape", [name, self.net.shape(0, channels // self.block, 0, 0, self.block)])

    def together(self, name: str, channels: int, result: str) -> Node:
        return self.net.new("Reshape", [name, self.net.shape(0, channels, 0, 0)], result)

    def mean(self, name: str, channels: int, result: str) -> list[Node]:
        """One number a channel, by rows and then by columns: one long sum of small numbers loses four digits.

        For the pool a row is an image.  Unlike ReduceMean it sums in one order whatever the number of threads.
        """
        net = self.net
        rows = net.new("Reshape", [name, net.shape(1, -1, 1, 0)])
        sums = net.new("GlobalAveragePool", [rows.output], domain=BLOCKED)
        column = net.new("Reshape", [sums.output, net.shape(1, channels, 1, -1)])
        self.single.add(result)
        return [rows, sums, column, net.new("GlobalAveragePool", [column.output], result, BLOCKED)]

    def average(self, node: Node) -> None:
        maker = self.net.maker(node.inputs[0])
        filters = self.net.constants.get(maker.inputs[1]) if blocked(maker, "Conv") and maker is not None else None
        if filters is not None:
            self.net.replace([node], self.mean(node.inputs[0], filters.shape[0], node.output))

    def pair(self, op: str, names: list[str], channels: int, result: str) -> list[Node]:
        single = [name in self.single for name in names]
        if op == "Mul" and sum(single) == 1:
            # A convolution of each channel by itself, with the numbers as its filter.
            x, scale = names if single[1] else names[::-1]
            filters = self.net.new("Reshape", [scale, self.net.shape(channels, 1, 1, 1)])
            return [filters, self.net.new("Conv", [x, filters.output], result, BLOCKED, group=channels,
                                          kernel_shape=[1, 1])]  # fmt: skip
        both = self.net.new(op, names, result)
        self.pairs.append((both, channels))
        return [both]

    def settle_pairs(self) -> None:
        """Pairs that no convolution has taken up: apart, they are right even where one is spread over the other."""
        for node, channels in self.pairs:
            if node in self.net:
                one, other = (self.apart(name, channels) for name in node.inputs)
                both = self.net.new(node.op, [one.output, other.output])
                self.net.replace([node], [one, other, both, self.together(both.output, channels, node.output)])

    def enlarge(self, node: Node, name: str, result: str) -> list[Node] | None:
        modes = (node.get("mode", b"nearest"), node.get("nearest_mode"), node.get("coordinate_transformation_mode"))
        constant = self.net.constants.get(node.inputs[2]) if len(node.inputs) == 3 else None
        scales = [] if constant is None else constant.tolist()
        whole = [int(scale) for scale in scales]
        if modes != (b"nearest", b"floor", b"asymmetric") or whole != scales or whole[:2] != [1, 1]:
            return None
        return [self.net.new("Upsample", [name], result, BLOCKED, scales=whole)]

    def slice(self, node: Node, name: str, channels: int, result: str) -> list[Node] | None:
        axes = self.net.constants.get(node.inputs[3]) if len(node.inputs) == 4 else None
        if axes is None or not set(axes.tolist()) <= {2, 3}:
            return None
        apart = self.apart(name, channels)
        part = self.net.new("Slice", [apart.output, *node.inputs[1:]])
        return [apart, part, self.together(part.output, channels, result)]

    def shuffle(self, node: Node, name: str, channels: int, result: str) -> list[Node] | None:
        """Whole blocks change their places where each of the four pixels has whole ones."""
        if node.get("blocksize") != 2 or node.get("mode", b"DCR") != b"DCR" or channels % (4 * self.block):
            return None
        net, blocks = self.net, channels // 4 // self.block
        sizes = net.new("Shape", [name])
        inner = net.new("Slice", [sizes.output, net.shape(2), net.shape(4)])
        before = net.new("Concat", [net.shape(2, 2, blocks), inner.output, net.shape(self.block)], axis=0)
        apart = net.new("Reshape", [name, before.output])
        moved = net.new("Transpose", [apart.output], perm=[2, 3, 0, 4, 1, 5])
        doubled = net.new("Mul", [inner.output, net.shape(2, 2)])
        after = net.new("Concat", [net.shape(1, channels // 4), doubled.output], axis=0)
        return [sizes, inner, before, apart, moved, doubled, after,
                net.new("Reshape", [moved.output, after.output], result)]  # fmt: skip


def scale_filters(net: Net, blocks: Blocks) -> None:
    """y * s, where y is a pointwise convolution and s is made of y's mean: the filter is scaled instead of the image,
    and since the mean of a convolution is the convolution of the mean, s is known before y is."""
    for scaling in net:
        if not blocked(scaling, "Conv") or scaling.get("group", 1) == 1 or scaling.inputs[1] in net.constants:
            continue
        convolution = net.maker(scaling.inputs[0])
        mean = mean_of(net, scaling)
        if convolution is None or mean is None or not is_pointwise(net, convolution):
            continue
        filters = net.constants[convolution.inputs[1]]
        many, few = filters.shape[:2]
        block = blocks.block
        small = blocks.mean(convolution.inputs[0], few, net.fresh())
        early = net.new("Conv", [small[-1].output, *convolution.inputs[1:]], mean[-1].output, BLOCKED,
                        kernel_shape=[1, 1])  # fmt: skip
        reshaped = net.maker(scaling.inputs[1])
        scale = reshaped.inputs[0] if reshaped is not None else ""
        # The filter's memory is (out / block, in, block of in, block of out).
        by_block = net.new("Reshape", [scale, net.shape(many // block, 1, block)])
        scaled = net.new("Mul", [net.constant(filters.reshape(many // block, few, block)), by_block.output])
        whole = net.new("Reshape", [scaled.output, net.shape(many, few, 1, 1)])
        inputs, nodes = [convolution.inputs[0], whole.output], [by_block, scaled, whole]
        if len(convolution.inputs) > 2:
            numbers = net.new("Reshape", [scale, net.shape(many)])
            shift = net.new("Mul", [numbers.output, convolution.inputs[2]])
            nodes += [numbers, shift]
            inputs.append(shift.output)
        late = net.new("Conv", inputs, scaling.output, BLOCKED, kernel_shape=[1, 1])
        net.replace([scaling, convolution, *mean], [*small, early, *nodes, late])


def is_pointwise(net: Net, node: Node) -> bool:
    return (
        blocked(node, "Conv")
        and node.get("kernel_shape") == [1, 1]
        and node.get("strides", [1, 1]) == [1, 1]
        and node.get("group", 1) == 1
        and node.get("activation") is None
        and not any(node.get("pads", []))
        and len(node.inputs) < 4
        and all(name in net.constants for name in node.inputs[1:])
    )


def mean_of(net: Net, scaling: Node) -> list[Node] | None:
    """The nodes that take the mean of what is scaled, where nothing else reads that."""
    others = [user for user in net.users(scaling.inputs[0]) if user is not scaling]
    if len(others) != 1 or scaling.inputs[0] in net.outputs:
        return None
    nodes = others
    for _ in range(3):
        user = net.only_user(nodes[-1].output)
        if user is None:
            return None
        nodes.append(user)
    made = [node.op for node in nodes] == ["Reshape", "GlobalAveragePool"] * 2
    return nodes if made and nodes[1].domain == nodes[3].domain == BLOCKED else None


def add_within_convolutions(net: Net) -> None:
    """A sum of a convolution and something else is made by the convolution, and a Relu behind it too.

    The convolution refuses what is not of its result's shape.
    """
    for add in net:
        if not add.is_a("Add") or any(name in net.constants for name in add.inputs):
            continue
        for own, other in (add.inputs[::-1], add.inputs):
            node = net.maker(own)
            if (
                node is not None
                and blocked(node, "Conv")
                and net.only_user(own) is add
                and len(node.inputs) < 4
                and node.get("activation") is None
                and not net.depends(other, node)
            ):
                inputs = [*node.inputs, *[""] * (3 - len(node.inputs)), other]
                merged = Node("Conv", inputs, add.outputs, node.attributes.values(), BLOCKED)
                relu = net.only_user(add.output)
                if relu is not None and relu.is_a("Relu"):
                    merged.outputs = relu.outputs
                    merged.set(activation="Relu")
                net.replace([add, node, *([relu] if relu is not None and relu.is_a("Relu") else [])], [merged])
                break
