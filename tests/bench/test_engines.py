"""The table of engines: every row can be started, and what is asked for by name is what is run."""

from __future__ import annotations

import json
import sys

import engines
import environments
import pytest


def test_every_engine_has_an_adapter_and_an_environment() -> None:
    for spec in engines.ENGINES.values():
        assert (environments.ADAPTERS / f"{spec.adapter}_adapter.py").is_file(), spec.name
        assert spec.environment in {engines.OWN, engines.SYSTEM, *environments.ENVIRONMENTS}, spec.name


def test_ours_run_in_this_interpreter_and_peers_in_their_own() -> None:
    ours, peer = engines.find("fastocr-small"), engines.find("faster-paddle-tiny")
    assert ours.command(2)[0] == sys.executable
    assert ours.command(2)[-4:] == ["--models", "small", "--threads", "2"]
    assert peer.command(3)[0] == str(environments.interpreter("faster_paddle"))
    assert peer.command(3)[-4:] == ["--models", "tiny", "--threads", "3"]


def test_the_reference_kernels_are_asked_for_in_one_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTOCR_KERNELS", "avx2")
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    assert engines.find("fastocr-accurate-python").surroundings()["FASTOCR_KERNELS"] == "python"
    assert "FASTOCR_KERNELS" not in engines.find("fastocr-small").surroundings()
    assert engines.find("fastocr-small").surroundings()["PYTHONPATH"] == "somewhere"
    assert "PYTHONPATH" not in engines.find("rapidocr-small").surroundings()


def test_ours_on_openvino_keep_it_as_a_variant() -> None:
    command = engines.variant('half=fastocr-openvino-small{"area": 500000}').command(2)
    assert command[command.index("--models") + 1] == "small"
    assert command[command.index("--backend") + 1] == "openvino"


def test_a_variant_carries_options() -> None:
    spec = engines.variant('narrow=fastocr-tiny{"width_factor": 0.9, "area": 490000}')
    command = spec.command(2)
    assert spec.name == "narrow"
    assert command[command.index("--models") + 1] == "tiny"
    assert json.loads(command[command.index("--options") + 1]) == {"width_factor": 0.9, "area": 490000}


@pytest.mark.parametrize("text", ["x=rapidocr-small{}", "x=fastocr-small", '={"area": 1}', "fastocr-small"])
def test_a_malformed_variant_is_refused(text: str) -> None:
    with pytest.raises(SystemExit):
        engines.variant(text)


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SystemExit, match=r"no engine named foo.*fastocr-small"):
        engines.find("foo")
