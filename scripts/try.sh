#!/bin/sh
# Sets up a fresh checkout and reads a sample image: sh scripts/try.sh [IMAGE...]
# PYTHON names the Python to use (3.11 or newer), VENV the environment's folder (default .venv).
set -eu
caller=$PWD
cd "$(dirname "$0")/.."
. scripts/setup.sh

install_system_packages ""
make_environment
pip_install --editable . >&2 # stdout is for the text
[ $# -gt 0 ] || set -- "$PWD/docs/samples/receipt.png"
command=$(cd "$VENV" && pwd)/bin/fastocr
cd "$caller" # the images are named from there
say "reading $*"
exec "$command" read "$@"
