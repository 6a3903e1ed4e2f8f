"""A network as plain data: nodes, constants, and who makes and who uses each tensor.

The package `onnx` is imported here alone, when a network is read or written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import AttributeProto, ModelProto

__all__ = ["BLOCKED", "OLDEST", "Net", "Node", "parse"]

# ONNX Runtime's own operators on tensors whose channels lie in blocks.
BLOCKED = "com.microsoft.nchwc"

# The first version of the operator set that has all operators which rewriting puts in.
OLDEST = 11

Constant = NDArray[Any]


class Node:
    """One operation.  Two nodes are the same only where they are one object."""

    def __init__(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Iterable[AttributeProto] = (),
        domain: str = "", name: str = "",
    ) -> None:  # fmt: skip
        self.op = op
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self.domain = "" if domain == "ai.onnx" else domain
        self.name = name

    @property
    def output(self) -> str:
        return self.outputs[0]

    def is_a(self, *ops: str) -> bool:
        """Whether this is one of these standard operators."""
        return not self.domain and self.op in ops

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an attribute: a number, bytes, or a list."""
        from onnx import helper

        attribute = self.attributes.get(name)
        if attribute is None:
            return default
        value = helper.get_attribute_value(attribute)
        return list(value) if isinstance(value, Sequence) and not isinstance(value, bytes | str) else value

    def set(self, **values: Any) -> Node:
        from onnx import helper

        self.attributes.update({name: helper.make_attribute(name, value) for name, value in values.items()})
        return self

    def rename(self, names: dict[str, str]) -> None:
        """Reads other tensors instead of these."""
        self.inputs = [names.get(name, name) for name in self.inputs]


class Net:
    """The graph of a model, to be changed; `model` makes the model of what it has become."""

    def __init__(self, model: ModelProto) -> None:
        from onnx import numpy_helper

        self._model = model
        graph = model.graph
        self.opset = max((item.version for item in model.opset_import if item.domain in ("", "ai.onnx")), default=1)
        self.constants: dict[str, Constant] = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
        self.inputs = [item.name for item in graph.input if item.name not in self.constants]
        self.outputs = [item.name for item in graph.output]
        self._nodes: list[Node] = []
        for item in graph.node:
            if item.op_type == "Constant" and item.attribute and item.attribute[0].name == "value":
                self.constants[item.output[0]] = numpy_helper.to_array(item.attribute[0].t)
            else:
                self._nodes.append(Node(item.op_type, item.input, item.output, item.attribute, item.domain, item.name))
        self._taken = {name for node in self._nodes for name in (*node.inputs, *node.outputs)} | self.constants.keys()
        self._index()

    def _index(self) -> None:
        self._makers = {name: node for node in self._nodes for name in node.outputs if name}
        self._users: dict[str, list[Node]] = {}
        for node in self._nodes:
            for name in dict.fromkeys(node.inputs):
                self._users.setdefault(name, []).append(node)

    def __iter__(self) -> Iterator[Node]:
        """The nodes as they are now, whatever the loop does to them."""
        return iter(list(self._nodes))

    def __contains__(self, node: Node) -> bool:
        return any(item is node for item in self._nodes)

    def maker(self, name: str) -> Node | None:
        return self._makers.get(name)

    def users(self, name: str) -> list[Node]:
        return self._users.get(name, [])

    def only_user(self, name: str) -> Node | None:
        """The node that alone reads this tensor; None where there are others, or where it is an output."""
        users = self.users(name)
        return users[0] if len(users) == 1 and name not in self.outputs else None

    def fresh(self) -> str:
        """A name that is not taken."""
        name = f"rewritten_{len(self._taken)}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def constant(self, values: Any, dtype: type[np.generic] = np.float32) -> str:
        name = self.fresh()
        self.constants[name] = np.ascontiguousarray(values, dtype=dtype)
        return name

    def shape(self, *sizes: int) -> str:
        """A constant for Reshape: 0 keeps an axis, -1 is what is left."""
        return self.constant(sizes, np.int64)

    def axes(self, node: Node) -> list[int] | None:
        """The axes of a reduction, where they are constant."""
        if len(node.inputs) == 1:
            axes = node.get("axes")
            return None if axes is None else list(axes)
        constant = self.constants.get(node.inputs[1])
        return None if constant is None else [int(axis) for axis in constant]

    def new(self, op: str, inputs: Sequence[str], output: str = "", domain: str = "", **attributes: Any) -> Node:
        """A node that is not yet part of the net; without `output` its result gets a fresh name."""
        return Node(op, inputs, [output or self.fresh()], domain=domain).set(**attributes)

    def replace(self, old: Iterable[Node], new: Iterable[Node] = ()) -> None:
        """Takes nodes out and puts others in; their order is seen to when the model is made."""
        gone = {id(node) for node in old}
        self._nodes = [node for node in self._nodes if id(node) not in gone] + list(new)
        self._index()

    def prune(self) -> None:
        """Takes out what no output depends on."""
        needed: set[int] = set()
        pending = [self._makers[name] for name in self.outputs if name in self._makers]
        while pending:
            node = pending.pop()
            if id(node) not in needed:
                needed.add(id(node))
                pending.extend(self._makers[name] for name in node.inputs if name in self._makers)
        self._nodes = [node for node in self._nodes if id(node) in needed]
        self._index()

    def depends(self, name: str, on: Node) -> bool:
        """Whether this tensor is made from what `on` makes."""
        seen: set[str] = set()
        pending = [name]
        while pending:
            maker = self._makers.get(pending.pop())
            if maker is on:
                return True
            if maker is not None and maker.output not in seen:
                seen.add(maker.output)
                pending.extend(maker.inputs)
        return False

    def in_order(self) -> list[Node]:
        """The nodes, each behind those that make its inputs."""
        self.prune()
        order: list[Node] = []
        ready = {*self.constants, *self.inputs, ""}
        left = list(self._nodes)
        while left:
            later = []
            for node in left:
                if all(name in ready for name in node.inputs):
                    order.append(node)
                    ready.update(node.outputs)
                else:
                    later.append(node)
            if len(later) == len(left):
                raise ValueError("the graph has a circle")
            left = later
        return order

    def model(self) -> ModelProto:
        """The model, with its metadata as it was; shapes that were stated for tensors inside are left out."""
        import onnx
        from onnx import numpy_helper

        order = self.in_order()
        used = {name for node in order for name in node.inputs} | set(self.outputs)
        result = onnx.ModelProto()
        result.CopyFrom(self._model)
        graph = result.graph
        for field in (graph.node, graph.initializer, graph.value_info):
            del field[:]
        kept = [item for item in graph.input if item.name in self.inputs]
        del graph.input[:]
        graph.input.extend(kept)
        for node in order:
            names = {"domain": node.domain, "name": node.name}
            made = graph.node.add(op_type=node.op, **{key: text for key, text in names.items() if text})
            made.input.extend(node.inputs)
            made.output.extend(node.outputs)
            made.attribute.extend(node.attributes.values())
        graph.initializer.extend(
            numpy_helper.from_array(array, name) for name, array in self.constants.items() if name in used
        )
        return result


def parse(content: bytes) -> ModelProto | None:
    """The model in a file's bytes; None where it has what `Net` does not carry: graphs within nodes, functions, or
    weights in other files."""
    import onnx

    model = onnx.load_model_from_string(content)
    inner = any(item.g.node or item.graphs for node in model.graph.node for item in node.attribute)
    outer = any(item.data_location == onnx.TensorProto.EXTERNAL for item in model.graph.initializer)
    return None if inner or outer or model.functions or model.graph.sparse_initializer else model
