"""The layers of the package: each module imports only what stands below it, and nothing runs in a circle."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "fastocr"

# Bottom to top.  Within the first row a module may use its neighbours; above it, only what stands lower.
LAYERS = [
    {"_version", "errors", "geometry", "config", "results", "scripts", "_opencv", "_onnxruntime", "offline"},
    {"kernels", "images"},
    {"runtime", "models"},
    {"stages", "layout"},
    {"engine"},
    {"build", "many"},
    {"documents", "formats"},
    {"strategies", "fields"},
    {"api"},
    {"batch", "pool", "quantize", "doctor", "profile", "loadtest", "bundle"},
    {"ray"},
    {"serve", "compat"},
    {"mcp"},
    {"cli"},
    {"__init__", "__main__"},
]
RANK = {unit: rank for rank, units in enumerate(LAYERS) for unit in units}

# Who may name which third-party package; what no row names may stand anywhere.
ONLY_IN = {
    "cv2": {"_opencv"},
    "mcp": {"mcp"},
    "onnxruntime": {"_onnxruntime"},
    "openvino": {"runtime"},
    "pikepdf": {"formats"},
    "ray": {"ray"},
}


def module_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def unit(module: str) -> str:
    """The first name below the package: `fastocr.models.store` -> `models`; the package itself is `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imported(node: ast.AST, importer: Path) -> Iterator[str]:
    """The full names that one import statement may load."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            package = importer.relative_to(REPOSITORY).parts[: -node.level]
            base = ".".join([*package, *([base] if base else [])])
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if is_module(inner) else base


def is_module(name: str) -> bool:
    path = REPOSITORY.joinpath(*name.split("."))
    return any(path.with_suffix(suffix).exists() for suffix in (".py", ".pyx")) or (path / "__init__.py").exists()


def at_import_time(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements that run when the module is imported: not those in functions, nor those for type checkers."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending.extend(node.orelse)
            continue
        yield node
        pending.extend(ast.iter_child_nodes(node))


def cython_imports(path: Path) -> list[str]:
    statement = re.compile(r"^\s*(?:from|c?import)\s+(fastocr[\w.]*)", re.MULTILINE)
    return statement.findall(path.read_text(encoding="utf-8"))


def test_every_unit_has_a_layer() -> None:
    units = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix == ".py"}
    units |= {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert units <= RANK.keys()


@pytest.mark.parametrize("path", module_files(), ids=module_name)
def test_imports_only_what_stands_below(path: Path) -> None:
    importer = unit(module_name(path))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        for name in imported(node, path):
            if name.split(".")[0] != "fastocr":
                continue
            target = unit(name)
            allowed = target == importer or RANK[target] < RANK[importer] or RANK[importer] == RANK[target] == 0
            assert allowed, f"{module_name(path)} imports {name}, which does not stand below it"


def test_kernels_in_cython_know_only_what_stands_below() -> None:
    for path in sorted(PACKAGE.rglob("*.pyx")):
        importer = path.relative_to(PACKAGE).parts[0]
        for name in cython_imports(path):
            assert unit(name) == importer or RANK[unit(name)] < RANK[importer], f"{path.name} imports {name}"


@pytest.mark.parametrize("path", module_files(), ids=module_name)
def test_third_party_packages_stand_where_they_may(path: Path) -> None:
    """At import time only the core's own dependencies are loaded, each behind its door."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {re.match(r"[\w-]+", requirement)[0] for requirement in project["dependencies"]}  # type: ignore[index]
    core = (core - {"opencv-python"}) | {"cv2", "fastocr"}
    importer = unit(module_name(path))
    for node in at_import_time(ast.parse(path.read_text(encoding="utf-8"))):
        for name in imported(node, path):
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names or top in core, f"{module_name(path)} loads {top} when imported"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in imported(node, path):
            top = name.split(".")[0]
            assert importer in ONLY_IN.get(top, {importer}), f"{module_name(path)} imports {top}"
            if importer == "kernels":
                assert top in sys.stdlib_module_names or top in {"numpy", "fastocr"}, f"kernels import {top}"


def test_no_circles_between_modules() -> None:
    graph: dict[str, set[str]] = {}
    for path in module_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        loaded = {name for node in at_import_time(tree) for name in imported(node, path) if is_module(name)}
        graph[module_name(path)] = {name for name in loaded if name.startswith("fastocr.")} - {module_name(path)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
