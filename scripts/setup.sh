# shellcheck shell=sh
# Sourced by try.sh and test.sh: finds a Python, brings system libraries, makes the environment.  POSIX sh.

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The oldest Python that fastocr runs on.
python_fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

if [ -n "${PYTHON:-}" ] && ! python_fits "$PYTHON"; then
    die "PYTHON=$PYTHON is not a Python 3.11 or newer"
fi

# Prints the path of a fitting Python: $PYTHON, else what is on the PATH, else what pyenv installed.
find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python; do
        if python_fits "$candidate"; then printf '%s\n' "$candidate"; return 0; fi
    done
    return 1
}

# Runs a command as root where we may; fails where we may not.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then sudo "$@"
    else return 1
    fi
}

# Installs Debian packages; never fatal, since what is missing may not be needed on this machine.
apt_install() {
    if ! command -v apt-get >/dev/null 2>&1; then
        say "no apt here; if a later step fails, install by your own package manager what these hold: $*"
        return 0
    fi
    say "installing $*"
    if ! as_root apt-get update -q >/dev/null; then
        say "the package lists could not be renewed (no right to, or no network); going on with the old ones"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >/dev/null ||
        say "could not install them; if a later step fails, run: sudo apt-get install $*"
}

have_library() { PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -q "$1"; }
have_module() { "$1" -c "import $2" >/dev/null 2>&1; }
have_headers() {
    "$1" -c 'import os, sysconfig as s, sys; sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))' \
        >/dev/null 2>&1
}

# Brings what a fresh Debian or Ubuntu lacks; extra packages are named by the caller.
install_system_packages() {
    [ "$(uname -s)" = Linux ] || return 0
    missing="$*"
    have_library libGL.so.1 || missing="$missing libgl1"
    have_library libglib-2.0.so.0 || missing="$missing libglib2.0-0"
    command -v "${CC:-cc}" >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
    if python=$(find_python); then
        minor=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
        case $(command -v "$python") in /usr/bin/*) system=yes ;; *) system=no ;; esac
        if [ $system = yes ]; then
            have_module "$python" ensurepip || missing="$missing $minor-venv"
            have_headers "$python" || missing="$missing $minor-dev"
        fi
    else
        missing="$missing python3 python3-venv python3-dev"
    fi
    # shellcheck disable=SC2086  # a list of words on purpose
    [ -z "$missing" ] || apt_install $missing
}

# Makes the environment at $VENV (default .venv) once, and sets $venv_python.
make_environment() {
    VENV=${VENV:-.venv}
    python=$(find_python) || die "no Python 3.11 or newer found; install one, or name it: PYTHON=/path/to/python"
    if [ ! -x "$VENV/bin/python" ]; then
        say "making $VENV with $("$python" --version)"
        "$python" -m venv "$VENV" || die "cannot make an environment with $python; on Debian install python3-venv"
    elif ! python_fits "$VENV/bin/python"; then
        die "$VENV holds a Python older than 3.11; remove it, or set VENV to another folder"
    elif [ -n "${PYTHON:-}" ] && [ "$("$PYTHON" --version)" != "$("$VENV/bin/python" --version)" ]; then
        die "$VENV holds another Python than $PYTHON; remove it, or set VENV to another folder"
    fi
    venv_python=$VENV/bin/python
}

pip_install() { "$venv_python" -m pip install --disable-pip-version-check "$@"; }
