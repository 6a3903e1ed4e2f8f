"""Asks a service's /healthz on PORT every SECONDS until its input ends, then prints the milliseconds of each answer.

    python bench/serve_probe.py PORT SECONDS

A connection is made for each question, as a supervisor does; one without a good answer in 10 s counts as infinite.
Beside the answers stand the milliseconds by which the probe itself woke late from each pause: what the machine does to
a process that asks for nothing.
"""

from __future__ import annotations

import http.client
import json
import select
import sys
import time


def ask(port: int) -> float:
    start = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/healthz")
        good = connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        good = False
    finally:
        connection.close()
    return (time.perf_counter() - start) * 1e3 if good else float("inf")


def main() -> None:
    port, pause = int(sys.argv[1]), float(sys.argv[2])
    answers, late = [], []
    start = time.perf_counter()
    while not select.select([sys.stdin], [], [], pause)[0]:
        late.append((time.perf_counter() - start - pause) * 1e3)
        answers.append(ask(port))
        start = time.perf_counter()
    print(json.dumps({"answers": answers, "late": late}))


if __name__ == "__main__":
    main()
