"""Reloads under load: `fastocr serve` changes between two presets while requests come.

    python bench/serve_reload.py [--reloads 50] [--rate R] [--quick]

A steady load on each preset comes first, with a change between the two; then the same load while the service is told
to reload over and over, from one preset to the other.  Requests are due at random (Poisson) at `--rate`, by default
40 % of what the slower preset reads one by one; all times count from the moment that a request was due.  Each answer's
page is compared with what `OCR.read` gives with the preset that the answer names.

Printed are failed requests, wrong pages, p99 steady and during the reloads, how long a reload took, and the service's
resident memory, at rest and on the same preset after the same readings: at the start, after the steady loads, and after
the reloads.  Exits with 1 where a request failed or was wrong, or where memory did not come back within 5 %.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import facts
from serving import Load, Service, load, many, service
from sets import DEFAULT_ROOT, load_set

from fastocr.loadtest.report import Spread

PRESETS = ("fast", "balanced")
TOKEN = "bench"  # noqa: S105 - of a service that lives for the bench
SHARE = 0.4
MEMORY = 1.05


def reload(running: Service, preset: str) -> float:
    """Seconds that the change took."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=300)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection.request("POST", "/v2/admin/reload", json.dumps({"preset": preset}), headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"the reload failed: {body.decode()}")
    return time.perf_counter() - begun


def at_rest(running: Service, paths: Sequence[Path]) -> float:
    """MiB resident once nothing runs, after the same few readings each time."""
    load(running.url, paths, concurrency=2, requests=2 * len(paths), token=TOKEN, timeout=120.0)
    time.sleep(3.0)
    return running.rss_mib[-1]


def row(name: str, found: Spread) -> str:
    return (
        f"{name:18} {found.count:6} answers  p50 {found.p50_ms:6.0f}  p95 {found.p95_ms:6.0f}  "
        f"p99 {found.p99_ms:6.0f}  max {found.max_ms:6.0f} ms"
    )


def spread(*loads: Load) -> Spread:
    return Spread.of((answer["ended"] - answer["due"]) * 1e3 for found in loads for answer in found.good)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_ROOT / "sroie")
    parser.add_argument("--half", default="odd")
    parser.add_argument("--images", type=int, default=12, help="the first ones of the half (12)")
    parser.add_argument("--reloads", type=int, default=50, help="an even number (50)")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds from one reload to the next (2)")
    parser.add_argument("--rate", type=float, help="requests a second")
    parser.add_argument("--threads", type=int, default=facts.usable_cores())
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes; the numbers mean nothing")
    options = parser.parse_args()
    reloads, pause, steady_seconds = options.reloads, options.pause, 60.0
    if options.quick:
        reloads, pause, steady_seconds = 4, 0.2, 2.0
    paths = [page.path for page in load_set(options.data, options.half, options.images)]
    print(facts.headline())

    truth: dict[tuple[str, int], str] = {}
    rates = []
    for preset in PRESETS:
        with many(preset, options.threads) as reader:
            truth |= {(preset, k): digest for k, digest in enumerate(reader.digests(paths))}
            begun = time.perf_counter()
            reader.digests(paths)
            rates.append(len(paths) / (time.perf_counter() - begun))
    rate = options.rate or SHARE * min(rates)
    differ = sum(truth[PRESETS[0], k] != truth[PRESETS[1], k] for k in range(len(paths)))
    print(f"# {len(paths)} images, of which {differ} read otherwise by the other preset; {rate:.2f} requests a second")

    flags = ["--preset", PRESETS[0], "--light-preset", "off", "--threads", str(options.threads), "--token", TOKEN]
    with service(*flags) as running, ThreadPoolExecutor(1) as beside:

        def put(seconds: float) -> Load:
            return load(running.url, paths, rate=rate, duration=seconds, token=TOKEN, timeout=120.0)

        start = at_rest(running, paths)
        steady = [put(steady_seconds)]
        reload(running, PRESETS[1])
        steady.append(put(steady_seconds))
        reload(running, PRESETS[0])
        before = at_rest(running, paths)

        running.rss_mib.clear()
        under = beside.submit(put, reloads * pause)
        begun, times = time.monotonic(), []
        for number in range(1, reloads + 1):
            time.sleep(max(0.0, begun + number * pause - time.monotonic()))
            times.append(reload(running, PRESETS[number % 2]))
        changing = under.result()
        most = max(running.rss_mib)
        after = at_rest(running, paths)

    everything = [answer for found in (*steady, changing) for answer in found.answers]
    failed = [answer for answer in everything if answer["code"] != "ok"]
    wrong = [a for a in everything if a["code"] == "ok" and truth.get((a["preset"], a["image"])) != a["digest"]]
    read_by = Counter(answer["preset"] for answer in changing.good)
    print(*(row(f"steady, {preset}", spread(found)) for preset, found in zip(PRESETS, steady, strict=True)), sep="\n")
    print(row("steady, both", spread(*steady)))
    print(row("during reloads", spread(changing)))
    print(f"{len(times)} reloads, median {statistics.median(times):.2f} s, longest {max(times):.2f} s")
    print("read by " + ", ".join(f"{preset} {count}" for preset, count in read_by.most_common()))
    print(f"memory at rest, MiB: start {start:.0f}, before {before:.0f}, after {after:.0f}; at most {most:.0f} between")
    checks = [
        (f"{len(failed)} of {len(everything)} requests failed {dict(Counter(a['code'] for a in failed))}", not failed),
        (f"{len(wrong)} pages other than OCR.read's with the preset that the answer names", not wrong),
        ("both presets answered", options.quick or set(read_by) == set(PRESETS)),
        (
            f"memory {after / before:.3f} times what it was, {after / start:.3f} times the start",
            after <= MEMORY * before,
        ),
    ]
    for text, good in checks:
        print(f"{text}: {'ok' if good else 'MISSED'}")
    sys.exit(not all(good for _, good in checks))


if __name__ == "__main__":
    main()
