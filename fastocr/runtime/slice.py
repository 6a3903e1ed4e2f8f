"""A recognizer's network that answers some of its classes alone: the others are not computed."""

from __future__ import annotations

from collections.abc import Sequence

from fastocr.runtime.net import Net, Node, parse

__all__ = ["sliced"]


def sliced(content: bytes, classes: Sequence[int]) -> bytes | None:
    """The model of the file's bytes with these classes, in this order, its softmax over them alone; None where the
    network does not end as recognizers do: a product with a constant matrix, a constant row added, a softmax."""
    model = parse(content)
    if model is None or len(model.graph.output) != 1:
        return None
    net = Net(model)
    softmax = before(net, net.outputs[0])
    add = before(net, softmax.inputs[0]) if softmax is not None and softmax.is_a("Softmax") else None
    if softmax is None or add is None or not add.is_a("Add") or softmax.get("axis", -1) not in (-1, 2):
        return None
    row = next((k for k in (0, 1) if add.inputs[k] in net.constants), None)
    product = None if row is None else before(net, add.inputs[1 - row])
    if row is None or product is None or not product.is_a("MatMul"):
        return None
    bias, matrix = net.constants[add.inputs[row]], net.constants.get(product.inputs[1])
    if matrix is None or matrix.ndim != 2 or bias.shape != matrix.shape[1:] or max(classes) >= len(bias):
        return None
    product.inputs[1] = net.constant(matrix[:, classes], matrix.dtype.type)
    add.inputs[row] = net.constant(bias[list(classes)], bias.dtype.type)
    made = net.model()
    del made.graph.value_info[:]
    made.graph.output[0].type.tensor_type.shape.dim[-1].dim_value = len(classes)
    answer: bytes = made.SerializeToString()
    return answer


def before(net: Net, name: str) -> Node | None:
    """The node that makes a tensor, Identity passed over."""
    node = net.maker(name)
    while node is not None and node.is_a("Identity"):
        node = net.maker(node.inputs[0])
    return node
