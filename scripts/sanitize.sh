#!/bin/sh
# Builds the kernels under AddressSanitizer and UndefinedBehaviorSanitizer in a copy of the checkout, and runs their
# tests there: sh scripts/sanitize.sh [PYTEST ARGUMENT...].  VENV names the environment's folder (default .venv).
set -eu
cd "$(dirname "$0")/.."
python=$(cd "${VENV:-.venv}" && pwd)/bin/python
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R csrc fastocr tests setup.py pyproject.toml README.md LICENSE "$copy"
cd "$copy"
rm -f fastocr/kernels/*.so
FASTOCR_SANITIZE=address,undefined FASTOCR_REQUIRE_EXTENSIONS=1 "$python" setup.py --quiet build_ext --inplace

# Python itself is not built with them, so they are loaded first; and it keeps memory until it ends, which is no leak.
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
    "$python" -m pytest -p no:cacheprovider tests/kernels "$@"
