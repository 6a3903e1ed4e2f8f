"""The load of bench/serve.py, in a process of its own; its one argument is JSON: url, paths, out, plan.

Answers are kept as they are until the load is over, so that looking at them takes no processor from the service.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from serving import digest

from fastocr.loadtest import Answer, Plan, Sample, measure


def described(sample: Sample, answer: Answer) -> dict[str, Any]:
    """A request for the report's readers."""
    data: dict[str, Any] = asdict(sample)
    if sample.code == "ok":
        page = json.loads(answer.body)
        service = page.get("service", {})
        data["digest"] = digest(page)
        data["service_ms"] = service.get("total_ms", 0.0) - service.get("queue_ms", 0.0)
    return data


def main() -> None:
    order = json.loads(sys.argv[1])
    seen: list[tuple[Sample, Answer]] = []
    plan = Plan(order["url"], [Path(path).read_bytes() for path in order["paths"]], **order["plan"])
    report = asyncio.run(measure(plan, watch=lambda sample, answer: seen.append((sample, answer))))
    answers = [described(sample, answer) for sample, answer in seen if sample.due >= 0]
    Path(order["out"]).write_text(json.dumps({"report": report.to_dict(), "answers": answers}), encoding="utf-8")


if __name__ == "__main__":
    main()
