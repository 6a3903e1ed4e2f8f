"""The processes of bench/serve.py: the service itself, its load, a probe beside, and `read_many` to compare with.

Each is a process of its own, so that none takes the interpreter of another.  The load is niced: where processors are
short, the service goes first.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
COMMAND = [sys.executable, "-m", "fastocr", "serve"]
KIB_PER_MIB = 1024
NICE = 10
START_SECONDS = 120.0
STOP_SECONDS = 60.0
# Seconds between two looks at the service's memory, and between two questions of the probe.
LOOK = 0.5
PROBE = 0.05


class Service:
    """`fastocr serve` with these flags, from ready to stopped."""

    def __init__(self, *flags: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.rss_mib: list[float] = []
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        command = [*COMMAND, "--port", str(self.port), "--log-level", "warning", *flags]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self._stopped = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        try:
            self._wait()
        except BaseException:
            self._process.kill()
            raise
        self._watcher.start()

    def _wait(self) -> None:
        end = time.monotonic() + START_SECONDS
        while self.status("/readyz") != 200:
            if self._process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"the service did not start:\n{self.log()}")
            time.sleep(0.1)

    def status(self, path: str) -> int:
        """Of the answer to a GET; 0 where there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def log(self) -> str:
        """What the service has said, its end."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-3000:]

    def cpu_seconds(self) -> float:
        """Processor time that the service has taken."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _watch(self) -> None:
        while not self._stopped.wait(LOOK):
            try:
                rows = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
                self.rss_mib.append(int(rows.split("VmRSS:")[1].split()[0]) / KIB_PER_MIB)
            except (OSError, IndexError):
                return

    def stop(self) -> None:
        self._stopped.set()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()


@contextmanager
def service(*flags: str) -> Iterator[Service]:
    """A service for the block."""
    running = Service(*flags)
    try:
        yield running
    finally:
        running.stop()


@dataclass(frozen=True)
class Load:
    """What came of a load: the report of `fastocr.loadtest` as JSON, and its requests, each with the digest of the page
    that the answer holds and the milliseconds for which it was read, without its time in the queue."""

    report: dict[str, Any]
    answers: list[dict[str, Any]]

    @property
    def good(self) -> list[dict[str, Any]]:
        return [answer for answer in self.answers if answer["code"] == "ok"]

    @property
    def p99(self) -> float:
        """Milliseconds of whole answers, from when they were due."""
        return float(self.report["latency"]["p99_ms"])

    @property
    def failed(self) -> float:
        """Share of the requests that had no whole answer."""
        ended = self.report["requests"]
        return 1 - self.report["latency"]["count"] / ended if ended else 1.0

    @property
    def service_ms(self) -> float:
        """Mean milliseconds of a request in the service without the queue."""
        times = [answer["service_ms"] for answer in self.good]
        return sum(times) / len(times) if times else float("nan")


def load(url: str, paths: Sequence[Path], **plan: Any) -> Load:
    """Puts a load on (`fastocr.loadtest.Plan`'s arguments), from a niced process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "load.json"
        order = {"url": url, "paths": [str(path) for path in paths], "out": str(out), "plan": plan}
        command = ["nice", "-n", str(NICE), sys.executable, str(HERE / "serve_load.py"), json.dumps(order)]
        subprocess.run(command, check=True)
        return Load(**json.loads(out.read_bytes()))


@dataclass
class Health:
    """Milliseconds of each answer of /healthz, and by how much the probe itself woke late; both ascending."""

    answers: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)


@contextmanager
def probing(url: str) -> Iterator[Health]:
    """Asks /healthz over and over beside what runs in the block; what it found is there when the block has ended."""
    found = Health()
    port = url.rpartition(":")[2]
    command = [sys.executable, str(HERE / "serve_probe.py"), port, str(PROBE)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield found
    finally:
        out, _ = process.communicate(timeout=60)  # the end of its input ends it
        read = json.loads(out)
        found.answers, found.late = sorted(read["answers"]), sorted(read["late"])


@dataclass(frozen=True)
class Spent:
    """Seconds of the clock and of the processors."""

    wall: float
    cpu: float


class Many:
    """An `OCR` in a process of its own, which reads with `read_many`."""

    def __init__(self, preset: str, threads: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._process = ProcessPoolExecutor(1, mp_context=spawn, initializer=open_ocr, initargs=(preset, threads))

    def read(self, paths: Sequence[Path]) -> Spent:
        """What reading these takes."""
        return self._process.submit(read_all, list(paths)).result()

    def digests(self, paths: Sequence[Path]) -> list[str]:
        """Of the pages that `OCR.read` gives, one by one."""
        return self._process.submit(read_each, list(paths)).result()

    def close(self) -> None:
        self._process.shutdown()


@contextmanager
def many(preset: str, threads: int) -> Iterator[Many]:
    """A `Many` for the block."""
    running = Many(preset, threads)
    try:
        yield running
    finally:
        running.close()


_ocr: Any = None


def open_ocr(preset: str, threads: int) -> None:
    global _ocr
    from fastocr import OCR

    _ocr = OCR(preset=preset, threads=threads)


def read_all(paths: list[Path]) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    for result in _ocr.read_many(paths):
        if result.error is not None:
            raise result.error
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def read_each(paths: list[Path]) -> list[str]:
    return [digest(json.loads(json.dumps(_ocr.read(path).to_dict()))) for path in paths]


def digest(page: dict[str, Any]) -> str:
    """Of all that a page's JSON says but how long it took and who served it."""
    kept = {key: value for key, value in page.items() if key not in ("timings", "service")}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
