"""The files under deploy/ name only what there is: flags, variables, paths, ports, metrics, extras, models."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fastocr._version import DISTRIBUTION, __version__
from fastocr.cli import serve
from fastocr.config import PRESETS
from fastocr.errors import ArgumentError, DependencyError, ModelError
from fastocr.models import registry, store
from fastocr.serve import settings
from fastocr.serve.config import ServeConfig
from fastocr.serve.door import HEALTH, READY
from fastocr.serve.openapi import description

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "deploy"
UNIT = (DEPLOY / "fastocr.service").read_text()
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
MANIFESTS = {item["kind"]: item for item in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())}
DEFAULTS = ServeConfig()
KEYS = {field.name for field in dataclasses.fields(ServeConfig)}
OURS = {store.HOME_VARIABLE, store.FOLDERS_VARIABLE, store.OFFLINE_VARIABLE}


def unit(key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", UNIT, re.MULTILINE)


def docker(instruction: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{instruction} +(.*)$", joined, re.MULTILINE)


def container() -> dict[str, Any]:
    (found,) = MANIFESTS["Deployment"]["spec"]["template"]["spec"]["containers"]
    return dict(found)


def variables() -> Iterator[tuple[str, str | None]]:
    """Each variable that a file sets, and its value where it stands there."""
    for line in (*unit("Environment"), *docker("ENV")):
        yield from (tuple(word.split("=", 1)) for word in shlex.split(line))  # type: ignore[misc]
    yield from ((row["name"], row.get("value")) for row in container()["env"])


def commands() -> Iterator[list[str]]:
    """What is run of `fastocr`, without its name."""
    yield shlex.split(unit("ExecStart")[0])[1:]
    yield json.loads(docker("CMD")[-1])
    yield container()["args"]


def flags(words: list[str]) -> dict[str, Any]:
    """The arguments as the command itself takes them apart; fails where it refuses them."""
    parser = argparse.ArgumentParser()
    serve.register(parser.add_subparsers(required=True))
    return vars(parser.parse_args(words))


def test_variables_are_those_of_the_service_and_of_the_store() -> None:
    given = {name: value for name, value in variables() if name.startswith("FASTOCR_")}
    ours = {name: value for name, value in given.items() if name not in OURS}
    assert {settings.PREFIX + key.upper() for key in KEYS} >= ours.keys()
    read = settings.load(None, {name: value or "a-token" for name, value in ours.items()}, {})
    assert read.drain_seconds == DEFAULTS.drain_seconds


def test_commands_take_their_arguments() -> None:
    for words in commands():
        known = {key: value for key, value in flags(words).items() if key in KEYS and value is not None}
        settings.load(None, {}, known)


def test_the_settings_file_is_read() -> None:
    (command,) = unit("ExecStart")
    assert Path(flags(shlex.split(command)[1:])["config"]).name == "serve.toml"
    assert settings.load(DEPLOY / "serve.toml", {}, {}) == ServeConfig(preset="balanced")


def test_commented_settings_would_be_read_too(tmp_path: Path) -> None:
    for path in (DEPLOY / "serve.toml", REPOSITORY / "fastocr" / "bundle" / "files" / "serve.toml"):
        text = path.read_text().replace("@READER@", 'preset = "fast"').replace("@LIGHT@", "fast")
        full = tmp_path / "full.toml"
        full.write_text(re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE))
        assert full.read_text() != text
        settings.load(full, {}, {})


def test_probes_ask_paths_that_need_no_token() -> None:
    probes = [container()[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")]
    assert [probe["path"] for probe in probes] == [READY, READY, HEALTH]
    assert {probe["port"] for probe in probes} == {"http"}
    (check,) = docker("HEALTHCHECK")
    assert f"http://127.0.0.1:{DEFAULTS.port}{HEALTH}" in check
    paths = description(DEFAULTS, metrics=True)["paths"]
    assert {HEALTH, READY, "/metrics"} <= paths.keys()
    notes = MANIFESTS["Deployment"]["spec"]["template"]["metadata"]["annotations"]
    assert (notes["prometheus.io/path"], notes["prometheus.io/port"]) == ("/metrics", str(DEFAULTS.port))


def test_ports_agree() -> None:
    given = dict(variables())
    ports = {port["name"]: port["containerPort"] for port in container()["ports"]}
    assert ports == {"http": DEFAULTS.port, "grpc": int(given["FASTOCR_SERVE_GRPC_PORT"] or 0)}
    service = MANIFESTS["Service"]["spec"]["ports"]
    assert {port["name"]: port["targetPort"] for port in service} == {"http": "http", "grpc": "grpc"}
    assert docker("EXPOSE") == [str(DEFAULTS.port)]


def test_requests_under_way_have_their_time() -> None:
    grace = MANIFESTS["Deployment"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    _, pause = container()["lifecycle"]["preStop"]["exec"]["command"]
    assert grace > DEFAULTS.drain_seconds + float(pause)
    assert float(unit("TimeoutStopSec")[0]) > DEFAULTS.drain_seconds
    assert (unit("KillSignal"), docker("STOPSIGNAL")) == (["SIGTERM"], ["SIGTERM"])
    assert unit("ExecReload") == ["/bin/kill -HUP $MAINPID"]
    codes = {str(kind.exit_code) for kind in (ArgumentError, ModelError, DependencyError)}
    assert set(unit("RestartPreventExitStatus")[0].split()) == codes


def test_the_autoscaler_asks_for_a_metric_that_there_is() -> None:
    pytest.importorskip("prometheus_client", reason="needs the extra server")
    from fastocr.serve.metrics import Metrics
    from tests.serve.test_metrics import StandIn

    text, _ = Metrics(StandIn()).expose()  # type: ignore[arg-type]
    (metric,) = MANIFESTS["HorizontalPodAutoscaler"]["spec"]["metrics"]
    name = metric["pods"]["metric"]["name"]
    assert re.search(rf"^{name} \d", text.decode(), re.MULTILINE)
    assert f"seriesQuery: '{name}{{" in (DEPLOY / "kubernetes.yaml").read_text()
    target = MANIFESTS["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", MANIFESTS["Deployment"]["metadata"]["name"])


def test_the_image_holds_what_it_reads_with() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    for names in re.findall(r"(?:/src|" + DISTRIBUTION + r")\[([\w,]+)\]", DOCKERFILE + UNIT):
        assert project["optional-dependencies"].keys() >= set(names.split(","))
    (pulled,) = re.findall(r"models pull ([\w -]+)", DOCKERFILE)
    assert {PRESETS["balanced"].models, PRESETS["fast"].models} == set(pulled.split())
    assert all(name in registry().sets for name in pulled.split())
    copied = re.findall(r"^!(.+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    assert all((REPOSITORY / name).exists() for name in copied)
    assert project["readme"] in copied
    assert container()["image"] == f"fastocr:{__version__}"


def test_nobody_is_root() -> None:
    user = docker("USER")[0].split(":")[0]
    pod = MANIFESTS["Deployment"]["spec"]["template"]["spec"]["securityContext"]
    assert (str(pod["runAsUser"]), pod["runAsNonRoot"]) == (user, True)
    assert unit("DynamicUser") == ["yes"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    copy = tmp_path / "fastocr.service"
    copy.write_text(UNIT.replace("/opt/fastocr/bin/fastocr", shutil.which("true") or ""))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
