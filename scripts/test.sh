#!/bin/sh
# Sets up a fresh checkout and runs its tests: sh scripts/test.sh [PYTEST ARGUMENT...]
# PYTHON names the Python to use (3.11 or newer), VENV the environment's folder (default .venv).
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh

# The drawn test pages use these fonts.
fonts=''
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || fonts='fonts-dejavu'
install_system_packages "$fonts"
make_environment
pip_install --quiet --editable '.[test]'
exec "$venv_python" -m pytest "$@"
