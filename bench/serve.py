"""The service under load: `fastocr serve` as a process of its own against `read_many`, and against its own bounds.

    python bench/serve.py [throughput] [latency] [overload] [knee] [slots] [--quick]

throughput: pages a second at concurrency 8 against `read_many` on the same images, in turns.
latency: Poisson arrivals at 40 % and 60 % of that rate: p99, and the mean time of a request without its queue.
overload: 300 % of it for three minutes, with the probe of /healthz beside: the service's memory, how fast what is
    refused is told so, and whether each page is what `OCR.read` gives with the preset that the answer names.
knee: the highest rate with p99 below 7.5 times the mean time of a request that is alone, and less than 1 % refused,
    with the light preset and without, step by step.
slots: throughput and latency by slots and threads.

All times count from the moment that a request was due.  The load comes from a niced process: `load cpu` is its share of
a processor, `late ms` the p99 of how late it sent.  `read ms` is the mean of a request in the service, but for the
queue.  Without a name all parts run, in half an hour; --quick runs each in seconds, to see that it runs.  Exits with
1 where an aim is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import facts
from serving import Load, Many, Service, load, many, probing, service
from sets import DEFAULT_ROOT, load_set

PRESET, LIGHT = "balanced", "fast"
CONCURRENCY = 8
# What is aimed at.
THROUGHPUT = 0.92
P99_MS = 2000.0
P99_OVER_SERVICE = 7.5
HEALTH_MS = 100.0
REFUSAL_MS = 200.0
GROWTH = 1.05
KNEE = 1.4
REFUSED = 0.01


@dataclass(frozen=True)
class Bench:
    """What all parts share: images, threads, and how long each takes."""

    paths: Sequence[Path]
    threads: int
    quick: bool

    def seconds(self, usual: float) -> float:
        return 4.0 if self.quick else usual

    def flags(self, *more: str) -> list[str]:
        return ["--preset", PRESET, "--threads", str(self.threads), *more]

    def load(self, running: Service, **plan: object) -> Load:
        return load(running.url, self.paths, **plan)

    def rate(self, reader: Many) -> float:
        """Pages a second of `read_many`, warmed."""
        reader.read(self.paths)
        return statistics.median(len(self.paths) / reader.read(self.paths).wall for _ in range(1 if self.quick else 3))


def verdict(good: bool) -> str:
    return "ok" if good else "MISSED"


def line(name: str, found: Load) -> str:
    """A row for a load."""
    report, latency = found.report, found.report["latency"]
    presets = " ".join(f"{preset} {count / latency['count']:.0%}" for preset, count in report["presets"].items())
    return (
        f"{name:22} {report['per_second']:8.2f}/s {latency['p50_ms']:8.0f} {latency['p95_ms']:8.0f} "
        f"{latency['p99_ms']:8.0f} {latency['max_ms']:8.0f} {found.service_ms:8.0f} {found.failed:8.1%} "
        f"{report['cpu_share']:8.1%} {report['late']['p99_ms']:7.0f}  {presets}"
    )


HEAD = (
    f"{'':22} {'answers':>10} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'max ms':>8} {'read ms':>8} {'refused':>8} "
    f"{'load cpu':>8} {'late ms':>7}  read by"
)


def throughput(bench: Bench) -> bool:
    """Rounds in which both read all images, and which begins changes; `cpu ms` is the processors' time of a page."""
    images = [*bench.paths] * (1 if bench.quick else 2)
    rates: dict[str, list[float]] = {"read_many": [], "service": []}
    cpu: dict[str, list[float]] = {"read_many": [], "service": []}
    shares: list[float] = []
    with many(PRESET, bench.threads) as reader, service(*bench.flags("--light-preset", "off")) as running:

        def turn(name: str) -> tuple[float, float]:
            """Pages and processor seconds a second."""
            if name == "read_many":
                spent = reader.read(images)
                return len(images) / spent.wall, spent.cpu
            before = running.cpu_seconds()
            found = load(running.url, images, concurrency=CONCURRENCY, requests=len(images))
            assert found.failed == 0, found.report["errors"]
            shares.append(found.report["cpu_share"])
            return found.report["per_second"], running.cpu_seconds() - before

        for name in rates:
            turn(name)  # warms up
        for number in range(2 if bench.quick else 6):
            for name in sorted(rates, reverse=bool(number % 2)):
                rate, seconds = turn(name)
                rates[name].append(rate)
                cpu[name].append(1e3 * seconds / len(images))
    for name, row in rates.items():
        each = ", ".join(f"{rate:.2f}" for rate in row)
        print(f"{name:22} {statistics.median(row):8.2f} pages/s, cpu ms {statistics.median(cpu[name]):5.0f}  ({each})")
    ratios = [one / other for one, other in zip(rates["service"], rates["read_many"], strict=True)]
    ratio = statistics.median(ratios)
    print(
        f"ratio {ratio:.3f} ({min(ratios):.3f} to {max(ratios):.3f}), load cpu {statistics.median(shares):.1%}; "
        f"aim {THROUGHPUT}: {verdict(ratio >= THROUGHPUT)}"
    )
    return ratio >= THROUGHPUT


def latency(bench: Bench) -> bool:
    """Two rates, without the light preset: what is measured is the preset alone."""
    with many(PRESET, bench.threads) as reader:
        rate = bench.rate(reader)
    print(f"read_many {rate:.2f} pages/s\n{HEAD}")
    with service(*bench.flags("--light-preset", "off")) as running:
        bench.load(running, concurrency=1, requests=len(bench.paths))
        alone = bench.load(running, concurrency=1, requests=len(bench.paths))
        print(line("alone", alone))
        low, high = (
            bench.load(running, rate=share * rate, warmup=bench.seconds(10), duration=bench.seconds(150))
            for share in (0.4, 0.6)
        )
    print(line("40 %", low), line("60 %", high), sep="\n")
    bound = P99_OVER_SERVICE * high.service_ms
    print(
        f"40 %: p99 {low.p99:.0f} ms, aim {P99_MS:.0f}: {verdict(low.p99 < P99_MS)}\n"
        f"60 %: p99 {high.p99:.0f} ms, mean service time {high.service_ms:.0f} ms (alone {alone.service_ms:.0f}), "
        f"{high.p99 / high.service_ms:.2f} times; aim {P99_OVER_SERVICE}: {verdict(high.p99 <= bound)}"
    )
    return low.p99 < P99_MS and high.p99 <= bound and not low.failed and not high.failed


def overload(bench: Bench) -> bool:
    """Three times what can be done, with the service's defaults."""
    truth: dict[tuple[str, int], str] = {}
    for preset in (PRESET, LIGHT):
        with many(preset, bench.threads) as reader:
            if preset == PRESET:
                rate = bench.rate(reader)
            truth |= {(preset, k): digest for k, digest in enumerate(reader.digests(bench.paths))}
    print(f"read_many {rate:.2f} pages/s\n{HEAD}")
    with service(*bench.flags()) as running:
        bench.load(running, concurrency=1, requests=len(bench.paths))
        with probing(running.url) as health:
            running.rss_mib.clear()
            found = bench.load(running, rate=3 * rate, duration=bench.seconds(180), timeout=120.0)
            memory = list(running.rss_mib)
    print(line("300 %", found))
    codes = Counter(answer["code"] for answer in found.answers)
    refused = sorted(answer["ended"] - answer["due"] for answer in found.answers if answer["status"] in (429, 503))
    wrong = [a for a in found.good if truth.get((a["preset"], a["image"])) != a["digest"]]
    thirds = [max(memory[k * len(memory) // 3 : (k + 1) * len(memory) // 3]) for k in range(3)]
    print("codes: " + ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    print("memory, MiB: " + " ".join(f"{mib:.0f}" for mib in memory[:: max(1, len(memory) // 12)]))
    last, before = thirds[2], max(thirds[:2])
    slowest, longest = at(health.answers, 1), 1e3 * at(refused, 1)
    asked, late = f"{len(health.answers)} times /healthz", f"{at(health.late, 0.99):.0f}, {at(health.late, 1):.0f}"
    checks = [
        (
            f"memory of each third {', '.join(f'{mib:.0f}' for mib in thirds)} MiB, the last {GROWTH:g} times at most",
            bench.quick or last <= GROWTH * before,
        ),
        (
            f"{asked}: p99 {at(health.answers, 0.99):.0f}, max {slowest:.0f} ms, aim {HEALTH_MS:.0f} (the probe itself "
            f"woke late by {late})",
            slowest < HEALTH_MS,
        ),
        (
            f"{len(refused)} refused: p99 {1e3 * at(refused, 0.99):.0f}, max {longest:.0f} ms, aim {REFUSAL_MS:.0f}",
            longest <= REFUSAL_MS,
        ),
        (
            f"{len(found.good)} pages, {len(wrong)} other than OCR.read's with the preset that the answer names",
            not wrong,
        ),
        ("nothing but answers and refusals", set(codes) <= {"ok", "overloaded"}),
    ]
    for text, good in checks:
        print(f"{text}: {verdict(good)}")
    return all(good for _, good in checks)


def at(ordered: Sequence[float], share: float) -> float:
    """The percentile of ascending values; 0 where there are none."""
    from fastocr.loadtest.report import percentile

    return percentile(ordered, share) if ordered else 0.0


def knee(bench: Bench) -> bool:
    """The steps of both services take turns; each ends after two steps in a row beyond its knee."""
    with many(PRESET, bench.threads) as reader:
        rate = bench.rate(reader)
    steps = (0.6, 1.2) if bench.quick else (0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4)
    best, beyond = {"without": 0.0, "with": 0.0}, Counter[str]()
    with service(*bench.flags("--light-preset", "off")) as without, service(*bench.flags()) as with_light:
        services = {"without": without, "with": with_light}
        for running in services.values():
            bench.load(running, concurrency=2, requests=len(bench.paths))
        bound = P99_OVER_SERVICE * bench.load(without, concurrency=1, requests=len(bench.paths)).service_ms
        print(f"read_many {rate:.2f} pages/s; within: p99 below {bound:.0f} ms, at most {REFUSED:.0%} refused\n{HEAD}")
        for step in steps:
            for name, running in services.items():
                if beyond[name] == 2:
                    continue
                found = bench.load(running, rate=step * rate, warmup=bench.seconds(5), duration=bench.seconds(30))
                within = found.p99 < bound and found.failed <= REFUSED
                print(f"{line(f'{name} light, {step:.0%}', found)}{'' if within else '  beyond'}", flush=True)
                beyond[name] = 0 if within else beyond[name] + 1
                if within:
                    best[name] = step
    ratio = best["with"] / best["without"] if best["without"] else float("nan")
    print(
        f"knee without the light preset {best['without'] * rate:.2f}/s, with it {best['with'] * rate:.2f}/s: "
        f"{ratio:.2f} times, aim {KNEE}: {verdict(ratio >= KNEE)}"
    )
    return ratio >= KNEE


def slots(bench: Bench) -> bool:
    """Each row is a service of its own; nothing is aimed at: the rows say why the default is what it is."""
    print(HEAD)
    most = bench.threads
    rows = [(threads, count) for threads in sorted({1, most}) for count in range(1, threads + 4)]
    for threads, count in rows[-2:] if bench.quick else rows:
        flags = ["--preset", PRESET, "--light-preset", "off", "--threads", str(threads), "--slots", str(count)]
        with service(*flags) as running:
            bench.load(running, concurrency=2, requests=len(bench.paths))
            alone = bench.load(running, concurrency=1, requests=len(bench.paths))
            full = bench.load(running, concurrency=CONCURRENCY, duration=bench.seconds(20))
            memory = running.rss_mib[-1] if running.rss_mib else 0.0
        print(line(f"{threads} threads {count} slots @1", alone))
        print(f"{line(f'{threads} threads {count} slots @{CONCURRENCY}', full)}, {memory:.0f} MiB", flush=True)
    return True


PARTS: dict[str, Callable[[Bench], bool]] = {
    part.__name__: part for part in (throughput, latency, overload, knee, slots)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (all)")
    parser.add_argument("--data", type=Path, default=DEFAULT_ROOT / "sroie")
    parser.add_argument("--half", default="odd")
    parser.add_argument("--images", type=int, help="the first ones of the half (all)")
    parser.add_argument("--threads", type=int, default=facts.usable_cores())
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes; the numbers mean nothing")
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    limit = 4 if options.quick else options.images
    bench = Bench([page.path for page in load_set(options.data, options.half, limit)], options.threads, options.quick)
    print(facts.headline())
    print(f"# {len(bench.paths)} images, {bench.threads} threads, preset {PRESET}")
    good = True
    for name in options.parts or PARTS:
        print(f"\n{name}: {(PARTS[name].__doc__ or '').strip()}", flush=True)
        good &= PARTS[name](bench)
    sys.exit(not good)


if __name__ == "__main__":
    main()
