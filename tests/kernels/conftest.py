"""Every implementation that this machine has, against the reference."""

from __future__ import annotations

import pytest

from fastocr import kernels


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "impl" in metafunc.fixturenames:
        names = kernels.implementations()
        metafunc.parametrize("impl", [kernels.load(name) for name in names], ids=names)


@pytest.fixture(scope="session")
def reference() -> kernels.Kernels:
    """The implementation that defines the results."""
    return kernels.load("python")
