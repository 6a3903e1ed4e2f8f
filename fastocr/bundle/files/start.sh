#!/bin/sh
# Checks this machine and serves: ./start.sh [--check] [OPTION OF fastocr serve]...
# Here only a Python is looked for; offline/start.py does the rest.  PYTHON names one: PYTHON=/opt/python/bin/python3 ./start.sh
set -eu
wanted=@PYTHON@
CDPATH='' cd -- "$(dirname -- "$0")"

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

seen=''
for candidate in ${PYTHON:+"$PYTHON"} "python$wanted" python3 python "${PYENV_ROOT:-${HOME:-/root}/.pyenv}/versions/$wanted".*/bin/python; do
    version=$(version_of "$candidate") || continue
    if [ "$version" = "$wanted" ]; then
        # Nothing of the user's environment gets in, and no bytecode is written beside these files.
        exec "$candidate" -E -s -B -m offline.start "$@"
    fi
    seen="$seen $candidate ($version)"
done
printf 'start.sh: error: Python %s is needed, and there is none here%s\n' "$wanted" "${seen:+; found:$seen}" >&2
printf 'start.sh: install it (on Debian and Ubuntu: apt-get install python%s), or name one that is elsewhere:\n' "$wanted" >&2
printf 'start.sh: PYTHON=/path/to/python%s ./start.sh; or make the bundle for another: fastocr bundle --python\n' "$wanted" >&2
exit 6
