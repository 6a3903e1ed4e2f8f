"""`./start.sh` of a bundle: checks the machine, installs the wheels once, and becomes `fastocr serve`.

Everything that is written lies in the bundle's folder: venv/ (the environment) and home/ (graphs made for this
processor, stamps, temporary files).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import checks

__all__ = ["ADDRESS", "MANIFEST", "NOT_FIT", "Bundle", "around", "main"]

MANIFEST = "bundle.json"
# The command's exit code for a missing dependency.
NOT_FIT = 6
# Where the service listens unless it is told.
ADDRESS = {"host": "127.0.0.1", "port": 8080}


class Bundle:
    """The folder of a bundle."""

    def __init__(self, folder: Path) -> None:
        """OSError or ValueError where its manifest cannot be read."""
        self.folder = folder
        self.manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        self.home = folder / "home"
        self.python = folder / "venv" / "bin" / "python"
        self._stamp = folder / "venv" / "ready"

    @property
    def installed(self) -> bool:
        """Whether the environment is made, whole, from these wheels, for this Python."""
        try:
            return self._stamp.read_text(encoding="utf-8") == self._state() and self.python.exists()
        except OSError:
            return False

    def _state(self) -> str:
        return f"{sys.version}\n{checks.digest(self.folder / checks.SUMS)}\n"

    def problems(self, host: str, port: int, *, everything: bool) -> Iterator[checks.Problem]:
        """What is in the way; checksums of wheels only before they are installed, or where ``everything`` is asked."""
        yield from checks.fit(checks.here(), checks.Needs.of(self.manifest))
        yield from checks.libraries()
        installed = self.installed
        yield from checks.space(
            self.home if installed and self.home.is_dir() else self.folder,  # serving writes nowhere else
            0 if installed else self.manifest["installed_bytes"],
        )
        yield from checks.port(host, port)
        read_wheels = everything or not installed
        yield from checks.sums(self.folder, lambda name: read_wheels or not name.startswith("wheels/"))

    def install(self) -> None:
        """Makes the environment from the wheels; subprocess.CalledProcessError where that fails."""
        wheels = [str(self.folder / "wheels" / name) for name in self.manifest["wheels"]]
        pip = self.folder / "wheels" / self.manifest["pip"] / "pip"  # a wheel of pip runs as it is
        self._run(sys.executable, "-I", "-m", "venv", "--without-pip", "--clear", self.folder / "venv")
        quiet = ("--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-warn-script-location")
        self._run(self.python, "-I", pip, "install", "--isolated", "--no-index", "--no-deps", *quiet, *wheels)
        self._stamp.write_text(self._state(), encoding="utf-8")

    def _run(self, *words: str | Path) -> None:
        # pip asks other programs for their versions, and some of those write into the user's home: it finds none.
        environment = {**self.environment(), "PATH": str(self.python.parent)}
        command = [str(word) for word in words]
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603

    def environment(self) -> dict[str, str]:
        """What the service runs with: no network, and nothing outside the folder."""
        folders = (self.folder / name for name in self.manifest["models"])
        return {
            **os.environ,
            "FASTOCR_OFFLINE": "1",
            "FASTOCR_HOME": str(self.home),
            "FASTOCR_MODELS": os.pathsep.join(map(str, folders)),
            "TMPDIR": str(self.home / "tmp"),
        }

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lets one process at a time in; the lock is the system's, and ends with its holder."""
        import fcntl

        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def around() -> Path | None:
    """The bundle whose environment this Python runs in, if it is one."""
    folder = Path(sys.prefix).parent
    return folder if all((folder / name).is_file() for name in (MANIFEST, checks.SUMS)) else None


def main(argv: Sequence[str] | None = None) -> int:
    """Checks, installs and serves; returns an exit code only where it does not come to serving."""
    parser = argparse.ArgumentParser(
        prog="start.sh",
        description="Check this machine, install the wheels into venv/ here, and serve.",
        epilog="All other options are those of `fastocr serve` (--port, --host ...); serve.toml holds them too.",
        allow_abbrev=False,
    )
    parser.add_argument("--check", action="store_true", help="only check, also every checksum; nothing is written")
    args, rest = parser.parse_known_args(argv)
    folder = Path(__file__).resolve().parents[1]
    try:
        bundle = Bundle(folder)
        host, port = _address(folder / "serve.toml", rest)
    except (OSError, ValueError) as error:
        return _refuse([f"{error}: mend it, or copy the bundle again"])
    code = _check(bundle, host, port, everything=args.check) or (0 if args.check else _prepare(bundle))
    if code == 0 and not args.check:
        # Isolated: neither PYTHONPATH nor packages of the user's get in.
        command = [str(bundle.python), "-I", "-m", "fastocr", "serve", "--config", str(folder / "serve.toml"), *rest]
        os.execve(bundle.python, command, bundle.environment())  # noqa: S606
    return code


def _check(bundle: Bundle, host: str, port: int, *, everything: bool) -> int:
    """Tells all that is in the way; 0, or the exit code where that is an error."""
    problems = list(bundle.problems(host, port, everything=everything))
    for problem in problems:
        if problem.level != "error":
            _say(f"warning: {problem.text}")
    if errors := [problem.text for problem in problems if problem.level == "error"]:
        return _refuse(errors)
    if everything:
        _say(f"everything fits: this machine can serve on port {port} of {host}")
    return 0


def _prepare(bundle: Bundle) -> int:
    """Makes what serving needs, once; 0, or the exit code where that fails."""
    try:
        (bundle.home / "tmp").mkdir(parents=True, exist_ok=True)
        with bundle.alone():
            if not bundle.installed:
                _say(f"installing {len(bundle.manifest['wheels'])} packages into venv/ (once, about a minute)")
                bundle.install()
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout or str(error)).strip().splitlines()
        return _refuse([f"the packages could not be installed: {'; '.join(said[-8:])}"])
    except OSError as error:
        return _refuse([f"the packages could not be installed: {error}"])
    return 0


def _address(config: Path, rest: Sequence[str]) -> tuple[str, int]:
    """Where the service will listen, as `fastocr serve` decides it: options, then the environment, then the file."""
    parser = argparse.ArgumentParser(prog="start.sh", add_help=False, allow_abbrev=False)
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    given, _ = parser.parse_known_args(rest)
    try:
        told = tomllib.loads(config.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{config}: {error}") from error
    host, port = (
        getattr(given, name) or os.environ.get(f"FASTOCR_SERVE_{name.upper()}") or told.get(name, usual)
        for name, usual in ADDRESS.items()
    )
    return str(host), int(port)


def _say(text: str) -> None:
    sys.stderr.write(f"start.sh: {text}\n")
    sys.stderr.flush()


def _refuse(reasons: Sequence[str]) -> int:
    for reason in reasons:
        _say(f"error: {reason}")
    _say("not started")
    return NOT_FIT


if __name__ == "__main__":
    sys.exit(main())
