"""What the service's bench makes of answers; the service is a stand-in."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from serve import line
from serving import digest, load, probing

from tests.loadtest.stub import Stub, Writer, error, plain, serving

PAGE = {"text": "añb", "lines": [], "timings": {"total": 5.0}, "service": {"queue_ms": 30.0, "total_ms": 100.0}}


def test_a_load_has_each_request_with_its_page_and_its_time_without_the_queue(tmp_path: Path) -> None:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        if number % 4 == 3:
            writer.write(error(503, "overloaded"))
        else:
            page = {**PAGE, "text": f"page {number % 2}", "timings": {"total": number}}
            writer.write(plain(json.dumps(page).encode(), x_fastocr_preset="balanced"))
        return True

    for name in "ab":
        (tmp_path / name).write_bytes(name.encode())
    with serving(behave) as stub:
        found = load(stub.url, [tmp_path / "a", tmp_path / "b"], requests=8)
    assert found.failed == 0.25
    assert len(found.answers) == 8
    assert found.service_ms == 70.0
    expected = {k: digest({"text": f"page {k}", "lines": []}) for k in range(2)}
    assert all(answer["digest"] == expected[answer["image"]] for answer in found.good)
    assert "balanced 100%" in line("some", found)
    assert " 25.0% " in line("some", found)


def test_a_page_differs_by_what_it_says_alone() -> None:
    assert digest(PAGE) == digest({"lines": [], "text": "añb"})
    assert digest(PAGE) != digest({**PAGE, "lines": [{}]})


@pytest.mark.parametrize(("status", "good"), [(200, True), (503, False)])
def test_the_probe_asks_until_the_block_ends(status: int, good: bool) -> None:
    asked = threading.Event()

    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        writer.write(plain(status=status))
        if number >= 2:
            asked.set()
        return True

    with serving(behave) as stub:
        with probing(stub.url) as health:
            assert asked.wait(60)
        assert len(health.answers) == len(health.late) >= 3
        assert all((ms < 60_000) is good for ms in health.answers)
    assert set(stub.lines) == {"GET /healthz HTTP/1.1"}
