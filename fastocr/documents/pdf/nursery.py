"""Processes that open one PDF each, and can be killed.

A process that loads what PDFs need takes some 0.4 s of a processor; so one does it once, the nursery, and is forked for
each PDF.  It has a single thread, so the fork copies no lock that another holds, and each child begins as clean as the
first.  Nursery and children end with the process that asked for them, however that ends.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from socket import SHUT_RDWR, socket, socketpair

from fastocr.documents.pdf.options import CAN_ISOLATE
from fastocr.errors import BackendError, DependencyError

__all__ = ["Child", "child", "ready"]

# Seconds in which the nursery tells how a child ended, which takes it a millisecond.
PATIENCE = 10.0
PROGRAM = """
import sys
sys.path[:] = sys.argv[2:]
from fastocr.documents.pdf.child import nurse
nurse(int(sys.argv[1]))
"""

_lock = threading.Lock()
_running: tuple[subprocess.Popen[bytes], socket] | None = None
_children: weakref.WeakSet[Child] = weakref.WeakSet()


class Child:
    """A process for one PDF.  It is killed at the latest when this is collected."""

    def __init__(self, line: socket, leash: socket) -> None:
        self.line = line
        """To talk with it (`fastocr.documents.pdf.wire`)."""
        self.killed = False
        self._leash = leash

    def kill(self) -> None:
        """Has the nursery kill it.  From any thread, also while another waits for an answer, which then is EOFError."""
        self.killed = True
        for end in (self._leash, self.line):
            with suppress(OSError):
                end.shutdown(SHUT_RDWR)  # unlike close, whatever copies of the sockets there are

    def end(self) -> int | None:
        """How the process ended, for one that has: its exit code, or the number of a signal as a negative one; None for
        one that was killed here."""
        fate = b""
        with suppress(OSError):
            self._leash.settimeout(PATIENCE)
            fate = self._leash.recv(32)
        self.forget()
        return int(fate) if fate else None

    def forget(self) -> None:
        """Lets the sockets go."""
        self.line.close()
        self._leash.close()

    def __del__(self) -> None:
        self.kill()
        self.forget()


def child() -> Child:
    """A new process.  Raises DependencyError where there can be none, BackendError where the nursery cannot start."""
    line, far = socketpair()
    leash, held = socketpair()
    with far, held:
        born = Child(line, leash)
        _send([far, held])
    _children.add(born)
    return born


def ready() -> None:
    """Starts the nursery, if it does not run: the first PDF would wait for it.  Raises as `child` does."""
    _check()
    with _lock:
        _control()


def _check() -> None:
    if not CAN_ISOLATE:
        raise DependencyError("PDFs are opened in a process of their own on Linux and macOS alone: leave isolate out")


def _send(ends: list[socket]) -> None:
    from socket import send_fds

    _check()
    with _lock:
        for _ in range(2):  # one that has died meanwhile is replaced
            try:
                send_fds(_control(), [b"."], [end.fileno() for end in ends])
            except OSError:
                _discard()
            else:
                return
    raise BackendError("the process from which those that open PDFs are forked ends as soon as it begins")


def _control() -> socket:
    """Within the lock."""
    global _running
    if _running is None:
        near, far = socketpair()
        with far:
            process = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-c", PROGRAM, str(far.fileno()), *sys.path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[far.fileno()],
                start_new_session=True,  # the keyboard's interrupts are the parent's affair
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a process with more threads cannot be forked
            )
        _running = process, near
    return _running[1]


def _discard() -> None:
    """Within the lock: the nursery ends."""
    global _running
    if _running is not None:
        process, control = _running
        _running = None
        control.close()
        process.wait()


def _at_exit() -> None:
    with _lock:
        _discard()


def _after_fork() -> None:
    """In a forked child of ours the nursery is the parent's, and is to see its end."""
    global _lock, _running
    _lock = threading.Lock()
    for each in list(_children):
        each.forget()
    if _running is not None:
        _running[1].close()
        _running = None


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
