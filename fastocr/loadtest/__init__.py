"""Load for an OCR service, and what it makes of it.  Behind `fastocr loadtest`.

    plan = Plan("http://127.0.0.1:8080", images, rate=4.0, duration=60.0)
    print(render(asyncio.run(measure(plan))))

Requests are written and answers read by hand, over asyncio and connections that are kept: the tool must take a small
part of the processors that it measures.
"""

from fastocr.loadtest.client import Answer
from fastocr.loadtest.plan import OPERATIONS, Plan
from fastocr.loadtest.report import SCHEMA, Report, Sample, render
from fastocr.loadtest.run import Moment, measure

__all__ = ["OPERATIONS", "SCHEMA", "Answer", "Moment", "Plan", "Report", "Sample", "measure", "render"]
