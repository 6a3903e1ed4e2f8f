"""What a load test found: every request as a sample, and the numbers that sum them up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["SCHEMA", "Report", "Sample", "Spread", "percentile", "render"]

SCHEMA = "fastocr.loadtest/1"
MIB = 2**20
# Of the late requests, how much makes the tool itself the bottleneck: said below the table.
LATE_MS = 20.0
BUSY = 0.8


@dataclass(frozen=True, slots=True)
class Sample:
    """One request.  Seconds from the start of what is measured: when it was due, when it went out, when it ended.

    code: "ok"; or the code of the service's error, "http_404" where there is none; or, without an answer,
    "connect_failed", "connection_lost", "timeout", "bad_answer".
    status: of the answer, 0 without one; preset, degraded: what the answer says of itself; image: its number.
    """

    due: float
    sent: float
    ended: float
    image: int
    code: str
    status: int = 0
    preset: str = ""
    degraded: bool = False
    bytes_sent: int = 0
    bytes_received: int = 0

    @property
    def ms(self) -> float:
        """How long it took from the moment that it was due: that it had to wait before it could go out counts."""
        return (self.ended - self.due) * 1e3


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds of several requests; a percentile is that of a request, the nearest above."""

    count: int
    mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """All zero where there are none."""
        ordered = sorted(values)
        if not ordered:
            return cls(0, 0.0, 0.0, 0.0, 0.0, 0.0)
        p50, p95, p99 = (percentile(ordered, share) for share in (0.5, 0.95, 0.99))
        return cls(len(ordered), math.fsum(ordered) / len(ordered), p50, p95, p99, ordered[-1])


@dataclass(frozen=True, slots=True)
class Report:
    """The numbers of a run.

    seconds: the time in which requests were due, or until the last answer where only their number was given;
    per_second: whole answers that came in that time.
    latency: of whole answers; late: by how much requests went out after they were due; errors: by code;
    presets: whole answers by what they say read them; degraded: those that a lighter preset read.
    unfinished: requests without an end, in a run that was interrupted.
    cpu_seconds, elapsed: processor time of this process, and the time in which it was spent, until the last answer.
    """

    loop: str
    seconds: float
    interrupted: bool
    requests: int
    per_second: float
    latency: Spread
    late: Spread
    errors: dict[str, Spread]
    presets: dict[str, int]
    degraded: int
    unfinished: int
    bytes_sent: int
    bytes_received: int
    cpu_seconds: float
    elapsed: float

    @classmethod
    def of(
        cls,
        samples: Sequence[Sample],
        *,
        loop: str,
        seconds: float,
        interrupted: bool,
        unfinished: int,
        cpu_seconds: float,
        elapsed: float,
    ) -> Report:
        """Of the samples of a run, in any order; infinite ``seconds`` stand for until the last of them ended."""
        if math.isinf(seconds):
            seconds = max((sample.ended for sample in samples), default=0.0)
        good = [sample for sample in samples if sample.code == "ok"]
        codes = Counter(sample.code for sample in samples if sample.code != "ok")
        in_time = sum(sample.ended <= seconds for sample in good)
        return cls(
            loop=loop,
            seconds=seconds,
            interrupted=interrupted,
            requests=len(samples) + unfinished,
            per_second=in_time / seconds if seconds else 0.0,
            latency=Spread.of(sample.ms for sample in good),
            late=Spread.of((sample.sent - sample.due) * 1e3 for sample in samples),
            errors={
                code: Spread.of(sample.ms for sample in samples if sample.code == code)
                for code, _ in codes.most_common()
            },
            presets=dict(Counter(sample.preset for sample in good if sample.preset).most_common()),
            degraded=sum(sample.degraded for sample in good),
            unfinished=unfinished,
            bytes_sent=sum(sample.bytes_sent for sample in samples),
            bytes_received=sum(sample.bytes_received for sample in samples),
            cpu_seconds=cpu_seconds,
            elapsed=elapsed,
        )

    @property
    def cpu_share(self) -> float:
        """Of one processor, what this process took."""
        return self.cpu_seconds / self.elapsed if self.elapsed else 0.0

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        ended = max(1, self.requests - self.unfinished)
        return {
            "schema": SCHEMA,
            **asdict(self),
            "cpu_share": self.cpu_share,
            "cpu_ms_per_request": self.cpu_seconds * 1e3 / ended,
        }


def percentile(ordered: Sequence[float], share: float) -> float:
    """Of ascending values, the least that is no smaller than this share of them."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def render(found: Report) -> str:
    """The report as a table for a terminal."""
    data = found.to_dict()
    good, failed = found.latency.count, sum(spread.count for spread in found.errors.values())
    lines = [
        f"{found.loop} loop, {found.seconds:.1f} s: {found.requests} requests, {good} answers, {failed} errors"
        + f", {found.unfinished} unfinished" * bool(found.unfinished)
        + " (interrupted)" * found.interrupted,
        f"throughput   {found.per_second:.2f} answers a second",
        "",
        f"{'milliseconds':24} {'count':>7} {'mean':>9} {'p50':>9} {'p95':>9} {'p99':>9} {'max':>9}",
        row("answers", found.latency),
        *(row(f"error {code}", spread) for code, spread in found.errors.items()),
        row("sent late", found.late),
        "",
    ]
    for preset, count in found.presets.items():
        lines.append(f"preset {preset:17} {count:7} {count / good:9.1%}")
    if found.degraded:
        lines.append(f"{'degraded':24} {found.degraded:7} {found.degraded / good:9.1%}")
    lines += [
        f"bytes        {found.bytes_sent / MIB:.1f} MiB sent, {found.bytes_received / MIB:.1f} MiB received",
        f"this tool    {found.cpu_share:.1%} of a processor, {data['cpu_ms_per_request']:.2f} ms a request",
    ]
    if found.loop == "open" and found.late.p99_ms > LATE_MS:
        lines.append(
            f"requests went out late (p99 {found.late.p99_ms:.0f} ms): "
            + (
                "this tool has no processor left"
                if found.cpu_share > BUSY
                else "it had to wait for a connection or a processor"
            )
        )
    return "\n".join(lines) + "\n"


def row(name: str, of: Spread) -> str:
    values = " ".join(f"{value:9.1f}" for value in (of.mean_ms, of.p50_ms, of.p95_ms, of.p99_ms, of.max_ms))
    return f"{name:24} {of.count:7} {values}"
