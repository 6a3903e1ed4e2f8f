"""Requests that schemathesis makes up from our OpenAPI document: nothing undocumented, no 500, and still serving."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from fastocr.serve.config import ServeConfig
from fastocr.serve.metrics import Metrics
from fastocr.serve.service import Service
from tests.serve.running import Client, serving

REQUESTS = 1000
TOKEN = "a-token"  # noqa: S105
# Random bytes are no image, and a deadline of a millisecond is over: such answers are right, whatever was asked.  That
# an option may be in the query or in the body, but not in both, no schema can say.  A form's fields are all text: what
# a schema calls the wrong type, a number for a string or a list without entries, arrives there as right.
SETTINGS = f"""
[headers]
Authorization = "Bearer {TOKEN}"
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503, 504]
positive_data_acceptance.enabled = false
negative_data_rejection.enabled = false
"""


@pytest.mark.slow
def test_a_thousand_fuzzed_requests(tmp_path: Path) -> None:
    pytest.importorskip("schemathesis", reason="needs the extra: pip install 'fastocr-engine[test]'")
    config = ServeConfig(preset="fast", light_preset="off", threads=1, slots=2, token=TOKEN, max_batch=3)
    service = Service(config)
    service.start()
    with serving(service, Metrics(service).expose) as client:
        made = 0
        for seed in range(10):
            made += fuzz(client, tmp_path, seed)
            if made >= REQUESTS:
                break
        assert made >= REQUESTS
        text = cv2.putText(np.full((80, 300, 3), 255, np.uint8), "Total 42", (15, 55), 0, 1.5, (0, 0, 0), 3)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = client.ask("POST", "/v2/ocr", cv2.imencode(".png", text)[1].tobytes(), headers)
        assert (answer.status, answer.json["text"]) == (200, "Total 42")
        client.until(lambda: service.status().calls == service.status().pool.leased == 0)
        assert service.status().pending_bytes == service.status().documents == 0
        codes = {call.code for call in client.calls}
        assert codes >= {"ok", "bad_request", "bad_argument", "unsupported_format", "unauthorized"}
        assert "internal" not in codes
    service.close()


def fuzz(client: Client, folder: Path, seed: int) -> int:
    """How many requests were made, all of them answered as the document says."""
    (folder / "schemathesis.toml").write_text(SETTINGS, encoding="utf-8")
    url = f"http://127.0.0.1:{client.port}/openapi.json"
    command = [sys.executable, "-m", "schemathesis.cli", "run", url, "--seed", str(seed), "--max-examples", "100"]
    options = ["--generation-database", "none", "--no-color", "--continue-on-failure"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    found = re.search(r"(\d+) generated", done.stdout)
    assert found is not None, done.stdout[-5000:]
    return int(found[1])
