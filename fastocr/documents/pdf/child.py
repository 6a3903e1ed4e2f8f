"""The program of the nursery and of the processes that are forked from it: see `fastocr.documents.pdf.nursery`."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import resource
import selectors
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from socket import recv_fds, socket, socketpair
from typing import NoReturn

from fastocr.documents.pdf import answer as answer  # what most children do, loaded once
from fastocr.documents.pdf.library import pdfium
from fastocr.documents.pdf.verdict import OUT_OF_MEMORY
from fastocr.documents.pdf.wire import receive, receive_into
from fastocr.errors import DependencyError

__all__ = ["nurse"]

PR_SET_PDEATHSIG = 1


def nurse(control: int) -> None:
    """The life of the nursery, until the other end of its socket closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(DependencyError), pdfium():  # loaded once; where it is missing, each child says so
        pass
    gc.freeze()  # what the children share is not to be copied for the collector's marks
    Nursery(socket(fileno=control)).run()


class Nursery:
    """Forks a child for each pair of sockets that comes: on one the child is asked; the other is its leash, on which is
    told how it ended, and whose end is the child's."""

    def __init__(self, control: socket) -> None:
        self._control = control
        self._leashes: dict[int, socket] = {}
        self._died, wakeup = socketpair()
        for end in (self._died, wakeup):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        self._kept = wakeup
        self._watched = selectors.DefaultSelector()
        for each in (control, self._died):
            self._watched.register(each, selectors.EVENT_READ)

    def run(self) -> None:
        while True:
            for key, _ in self._watched.select():
                if key.fileobj is self._control:
                    data, ends, _, _ = recv_fds(self._control, 1, 2)
                    if not data:
                        self._kill(*self._leashes)
                        return
                    self._fork([socket(fileno=end) for end in ends])
                elif key.fileobj is self._died:
                    self._died.recv(4096)
                    self._bury()
                elif self._leashes.get(key.data) is key.fileobj:  # not buried just now
                    self._watched.unregister(key.fileobj)
                    self._kill(key.data)

    def _fork(self, ends: list[socket]) -> None:
        """Where it cannot be, for want of files or of processes, the sockets are closed, which says so."""
        nursery = os.getpid()
        try:
            line, leash = ends
            pid = os.fork()
        except (ValueError, OSError):
            for end in ends:
                end.close()
            return
        if not pid:
            live(line, nursery)
        line.close()
        self._leashes[pid] = leash
        self._watched.register(leash, selectors.EVENT_READ, pid)

    def _kill(self, *pids: int) -> None:
        """Those that are not buried, whose numbers nobody else can have."""
        for pid in pids:
            if pid in self._leashes:
                os.kill(pid, signal.SIGKILL)

    def _bury(self) -> None:
        for pid, leash in list(self._leashes.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with suppress(OSError):
                    leash.send(str(os.waitstatus_to_exitcode(status)).encode("ascii"))
                with suppress(KeyError):  # where its end was seen before
                    self._watched.unregister(leash)
                leash.close()
                del self._leashes[pid]


def live(line: socket, nursery: int) -> NoReturn:
    """The life of a child, until it is killed or nobody asks any more."""
    code = 1
    try:
        leave(line, nursery)
        serve(line)
        code = 0
    except (EOFError, OSError):
        code = 0
    except MemoryError:
        code = OUT_OF_MEMORY
    except Exception:  # a mistake of ours
        traceback.print_exc()
    finally:
        os._exit(code)


def leave(line: socket, nursery: int) -> None:
    """Parts with what is the nursery's, and sees to it that a child goes when that does, even where it is busy."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.closerange(3, line.fileno())
    os.closerange(line.fileno() + 1, 2**20)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        with suppress(OSError):  # where the machine's memory runs out, this is what has to go
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    if os.getppid() != nursery:
        raise EOFError


def serve(line: socket) -> None:
    """Takes the order: which PDF, what module answers for it, and how much memory that may take."""
    order = receive(line)
    content: Path | bytes
    if order["path"] is None:
        memory = bytearray(order["size"])
        receive_into(line, memory)
        content = bytes(memory)
        del memory
    else:
        content = Path(order["path"])
    bound(order["memory"])
    importlib.import_module(order["module"]).answer(line, order, content)


def bound(memory: int) -> None:
    """Lets the process have so many bytes more than it has.  Elsewhere than on Linux nothing bounds them."""
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
