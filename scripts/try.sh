#!/bin/sh
# Sets up a fresh checkout and reads a sample image: sh scripts/try.sh [IMAGE...]
# PYTHON names the Python to use (3.11 or newer), VENV the environment's folder (default .venv).
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh

install_system_packages ""
make_environment
pip_install .
[ $# -gt 0 ] || set -- docs/samples/receipt.png
say "reading $*"
exec "$VENV/bin/fastocr" read "$@"
