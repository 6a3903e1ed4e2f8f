"""The two loops: clients that wait for their answers, and arrivals that wait for nobody."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from fastocr.loadtest.client import Answer, Client, Failure
from fastocr.loadtest.plan import Plan
from fastocr.loadtest.report import Report, Sample

__all__ = ["Moment", "measure"]

# Seconds between two tellings of how far it is.
PAUSE = 1.0
# Seconds that a client waits after it could not connect: a closed loop would do nothing else, as fast as it can.
REFUSED = 0.05
# Longest code of an error that is believed.
LONGEST_CODE = 60


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a run is: seconds from the start of what is measured (below 0 in the warm-up), requests that ended well
    and badly, and how many are under way."""

    seconds: float
    answers: int
    errors: int
    under_way: int


async def measure(
    plan: Plan,
    *,
    progress: Callable[[Moment], None] | None = None,
    watch: Callable[[Sample, Answer], None] | None = None,
) -> Report:
    """Sends what the plan says and waits for the last answer.  What happens to a request never raises.

    progress: called each second; watch: called with each answer, in full, and its sample, those of the warm-up too.
    A cancelled run (Ctrl-C, under `asyncio.run`) ends at once, and reports what there is.
    """
    run = Run(plan, watch)
    told = asyncio.create_task(run.tell(progress)) if progress is not None else None
    interrupted = False
    try:
        await (run.closed() if plan.rate is None else run.open(plan.rate))
    except asyncio.CancelledError:
        interrupted = True
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    finally:
        if told is not None:
            told.cancel()
        run.close()
    return run.report(interrupted)


class Run:
    """One run of a plan."""

    def __init__(self, plan: Plan, watch: Callable[[Sample, Answer], None] | None) -> None:
        self._plan = plan
        self._watch = watch
        self._client = Client(plan.host, plan.port, secure=plan.secure, timeout=plan.timeout, keep=watch is not None)
        self._messages = [(plan.head(len(image)), image) for image in plan.images]
        self._samples: list[Sample] = []
        self._good = self._bad = self._under_way = 0
        self._begun = 0  # requests that count
        self._next = 0
        self._zero = time.monotonic() + plan.warmup  # what is measured begins here
        self._cpu = time.process_time()

    def _now(self) -> float:
        return time.monotonic() - self._zero

    def _wanted(self, due: float) -> bool:
        """Whether a request is to be due then."""
        return due < self._plan.seconds and (due < 0 or self._begun != self._plan.requests)

    def _begin(self, due: float) -> None:
        if due >= 0:
            if not self._begun:
                self._cpu = time.process_time()
            self._begun += 1

    async def closed(self) -> None:
        """Each client sends a request as soon as its last was answered: that is when it is due."""

        async def client() -> None:
            while self._wanted(due := self._now()):
                self._begin(due)
                await self._send(due)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._plan.connections):
                group.create_task(client())

    async def open(self, rate: float) -> None:
        """Requests are due at moments of chance; each goes out then, or as soon as one of the connections is free, in
        their order."""
        places = asyncio.Semaphore(self._plan.connections)
        draw = random.Random(self._plan.seed)

        async def request(due: float) -> None:
            async with places:
                await self._send(due)

        due = draw.expovariate(rate) - self._plan.warmup
        async with asyncio.TaskGroup() as group:
            while self._wanted(due):
                if (wait := due - self._now()) > 0:
                    await asyncio.sleep(wait)
                self._begin(due)
                group.create_task(request(due))
                due += draw.expovariate(rate)

    async def _send(self, due: float) -> None:
        image = self._next % len(self._messages)
        self._next += 1
        head, body = self._messages[image]
        sent = self._now()
        answer: Answer | None = None
        self._under_way += 1
        try:
            answer = await self._client.post(head, body)
            code = code_of(answer)
        except Failure as failure:
            code = failure.code
        finally:
            self._under_way -= 1
        sample = Sample(
            due,
            sent,
            self._now(),
            image,
            code,
            answer.status if answer else 0,
            answer.headers.get("x-fastocr-preset", "") if answer else "",
            answer is not None and answer.headers.get("x-fastocr-degraded") == "true",
            len(head) + len(body),
            answer.size if answer else 0,
        )
        self._samples.append(sample)
        self._good += code == "ok"
        self._bad += code != "ok"
        if self._watch is not None and answer is not None:
            self._watch(sample, answer)
        if code == "connect_failed":
            await asyncio.sleep(REFUSED)

    async def tell(self, progress: Callable[[Moment], None]) -> None:
        """Calls `progress` each second, until cancelled."""
        while True:
            progress(Moment(self._now(), self._good, self._bad, self._under_way))
            await asyncio.sleep(PAUSE)

    def close(self) -> None:
        """Ends the connections."""
        self._client.close()

    def report(self, interrupted: bool) -> Report:
        """The numbers of what counts."""
        samples = [sample for sample in self._samples if sample.due >= 0]
        seconds, elapsed = self._plan.seconds, max(0.0, self._now())
        return Report.of(
            samples,
            loop="closed" if self._plan.rate is None else "open",
            seconds=min(seconds, elapsed) if interrupted else seconds,
            interrupted=interrupted,
            unfinished=self._begun - len(samples),
            cpu_seconds=time.process_time() - self._cpu,
            elapsed=elapsed,
        )


def code_of(answer: Answer) -> str:
    """ "ok", or the code that an error names: as the body, or as the last line of a stream that broke off."""
    if 200 <= answer.status < 300 and not answer.headers.get("content-type", "").startswith("application/x-ndjson"):
        return "ok"
    fallback = "ok" if 200 <= answer.status < 300 else f"http_{answer.status}"
    last = answer.body.rstrip().rpartition(b"\n")[2] if fallback == "ok" else answer.body
    with suppress(ValueError, TypeError, KeyError):
        code = json.loads(last)["error"]["code"]
        if isinstance(code, str) and code.isidentifier() and len(code) <= LONGEST_CODE:
            return code
    return fallback
