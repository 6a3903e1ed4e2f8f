#!/bin/sh
# Sets up a fresh checkout and runs its tests: sh scripts/test.sh [PYTEST ARGUMENT...]
# PYTHON names the Python to use (3.11 or newer), VENV the environment's folder (default .venv).
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh

# The test pages are drawn with these fonts, and Pillow sets letters by this library where it is.
drawing=''
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || drawing='fonts-dejavu'
if [ ! -e /usr/share/fonts/opentype/ocr-b/OCRB.otf ]; then
    # Those of the drawn cards (tests/fields/cards/faces.py).
    drawing="$drawing fonts-courier-prime fonts-crosextra-carlito fonts-inconsolata fonts-liberation fonts-ocr-a"
    drawing="$drawing fonts-ocr-b fonts-open-sans fonts-roboto-unhinted fonts-wqy-microhei"
fi
have_library libfribidi.so.0 || drawing="$drawing libfribidi0"
install_system_packages "$drawing"
make_environment
say "installing fastocr and what its tests need"
pip_install --quiet --editable '.[test]'
exec "$venv_python" -m pytest "$@"
