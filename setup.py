"""Builds the C extension; everything else stands in pyproject.toml.

Environment:
    FASTOCR_NO_EXTENSIONS=1       pure Python, no compiler asked for
    FASTOCR_REQUIRE_EXTENSIONS=1  fail where the extension cannot be built, instead of going without
    FASTOCR_BUILD_DEBUG=1         no optimization, debug symbols
    FASTOCR_SANITIZE=address,undefined
    FASTOCR_WERROR=1              warnings in csrc are errors (GCC and Clang)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

FALLBACK = """
******************************************************************************
fastocr: the C kernels could not be built: {error}
fastocr: this installation runs on the Python kernels, which are slower.
fastocr: install a C compiler and build again; with FASTOCR_REQUIRE_EXTENSIONS=1
fastocr: the build fails here instead.
******************************************************************************
"""
SOURCES = ["pack", "score", "ctc", "binarize", "fpstate", "cpu"]


def switch(name: str) -> bool:
    return os.environ.get(f"FASTOCR_{name}", "") not in ("", "0")


def gcc_flags() -> tuple[list[str], list[str]]:
    """Flags for compiling and for linking; contraction into FMA would change results."""
    compile_flags = ["-std=c11", "-ffp-contract=off", "-fvisibility=hidden"]
    compile_flags += ["-O0", "-g"] if switch("BUILD_DEBUG") else ["-O3", "-g0"]
    if switch("WERROR"):
        compile_flags += ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-missing-field-initializers"]
    sanitize = os.environ.get("FASTOCR_SANITIZE", "")
    link_flags = [f"-fsanitize={sanitize}"] if sanitize else []
    if sanitize:
        compile_flags += [*link_flags, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g"]
    return compile_flags, link_flags


class BuildKernels(build_ext):
    """Goes without the extension, loudly, where it cannot be built and is not required."""

    def build_extension(self, extension: Extension) -> None:
        if self.compiler.compiler_type == "msvc":
            extension.extra_compile_args = ["/std:c11", "/fp:precise", "/Od" if switch("BUILD_DEBUG") else "/O2"]
        else:
            extension.extra_compile_args, extension.extra_link_args = gcc_flags()
        try:
            super().build_extension(extension)
        except Exception as error:
            if switch("REQUIRE_EXTENSIONS"):
                raise
            # What pip hides without -v, `fastocr doctor` says again.
            extension.optional = True
            sys.stderr.write(FALLBACK.format(error=error))


def extensions() -> list[Extension]:
    if switch("NO_EXTENSIONS"):
        return []
    from Cython.Build import cythonize

    native = Extension(
        "fastocr.kernels._native",
        sources=["fastocr/kernels/_native.pyx", *(f"csrc/{name}.c" for name in SOURCES)],
        include_dirs=["csrc"],
        depends=["csrc/fastocr.h", "csrc/internal.h"],
    )
    Path("build/cython").mkdir(parents=True, exist_ok=True)
    modules: list[Extension] = cythonize([native], build_dir="build/cython")
    return modules


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildKernels})
