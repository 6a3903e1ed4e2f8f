"""Where the service's settings come from, and that a wrong one is named with its file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fastocr.errors import ArgumentError
from fastocr.serve.config import ServeConfig
from fastocr.serve.settings import load

pytest.importorskip("yaml", reason="needs pyyaml, of the extra server")


def loaded(folder: Path, name: str, text: str) -> ServeConfig:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load(path, {}, {})


def refused(folder: Path, name: str, text: str) -> str:
    with pytest.raises(ArgumentError) as caught:
        loaded(folder, name, text)
    return str(caught.value)


def test_flags_win_over_variables_over_the_file_over_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "serve.yaml"
    path.write_text("# the service\nport: 9001\nqueue: 5\ndrain_seconds: 7\n", encoding="utf-8")
    environ = {
        "FASTOCR_SERVE_PORT": "9002",
        "FASTOCR_SERVE_QUEUE": " 6 ",
        "FASTOCR_SERVE_HOST": "",
        "FASTOCR_THREADS": "1",
        "HOME": "/root",
    }
    config = load(path, environ, {"port": "9003", "host": None})
    assert (config.port, config.queue, config.drain_seconds) == (9003, 6, 7)
    assert config.host == ServeConfig().host
    assert isinstance(config.drain_seconds, float)
    assert load(None, environ | {"FASTOCR_SERVE_CONFIG": str(path)}, {}) == load(path, environ, {})
    assert load(None, {}, {}) == ServeConfig()


@pytest.mark.parametrize("name", ["serve.yaml", "serve.yml", "serve.toml"])
def test_an_empty_file_is_the_defaults(tmp_path: Path, name: str) -> None:
    assert loaded(tmp_path, name, "") == ServeConfig()
    assert loaded(tmp_path, name, "# nothing but words\n\n") == ServeConfig()


def test_lists_and_quoted_keys(tmp_path: Path) -> None:
    expected = ServeConfig(allowed_hosts=("a.example", "b.example"), queue=3)
    assert loaded(tmp_path, "a.yaml", '"queue": 3\nallowed_hosts:\n  - a.example\n  - b.example\n') == expected
    assert loaded(tmp_path, "b.yaml", "{queue: 3, allowed_hosts: [a.example, b.example]}") == expected
    toml = 'allowed_hosts = [\n  "a.example", # one\n  "b.example",\n]\n"queue" = 3\n'
    assert loaded(tmp_path, "c.toml", toml) == expected
    assert load(None, {"FASTOCR_SERVE_ALLOWED_HOSTS": "a.example, b.example"}, {"queue": "3"}) == expected


YAML = [
    ("port: 9000\n# c\nqueue: many\n", "line 3: queue must be a whole number, not 'many'"),
    ("queue: 1.5", "line 1: queue must be a whole number, not 1.5"),
    ("queue: true", "line 1: queue must be a whole number, not True"),
    ("\nqueue: '5'", "line 2: queue must be a whole number, not '5'"),
    ("queue:\n", "line 1: queue must be a whole number, not nothing"),
    ("queue: {a: 1}", "line 1: queue must be a whole number"),
    ("queue: 2020-01-01", "line 1: queue must be a whole number"),
    ("drain_seconds: .nan", "line 1: drain_seconds must be a number, not nan"),
    ("port: 1\nport: 2\n", "line 2: port stands in line 1 already"),
    ("\n\nqueu: 3", "line 3: unknown key 'queu': did you mean queue?"),
    ("drain-seconds: 5", "line 1: unknown key 'drain-seconds': did you mean drain_seconds?"),
    ("zzz: 5", "line 1: unknown key 'zzz'; `fastocr serve --help` lists all"),
    ("? [a, b]\n: 1", "line 1: unknown key"),
    ("- a\n- b", 'line 1: write "key: value" lines'),
    ("port: 1\nqueue: [1\n", "line 3:"),
    ("port: 1\n\tqueue: 3", "line 2:"),
    ("host: a: b", "line 1:"),
    ("queue: 1\nport: -5", "line 2: port must be"),
    (
        "port: 1\noptions:\n  layout: rows\n  min_confidense: 1\n",
        "line 4: unknown option 'min_confidense': did you mean",
    ),
    ("options:\n  area: 1\n", "line 2: area must be a number from 1024"),
    ("options:\n  area: 2000\n  area: 3000\n", "line 3: options.area stands in line 2 already"),
    ("options: rows", "line 1: options must be names with values, not 'rows'"),
    ("max_deadline_ms: 5", "line 1: deadline_ms must not be above max_deadline_ms"),
    ("log_level: loud", "line 1: log_level must be one of debug, info, warning, error, not 'loud'"),
    ("host: !!python/object/apply:os.getcwd []", "line 1:"),
]
TOML = [
    ("port = 9000\n# c\nqueue = 'many'\n", "line 3: queue must be a whole number, not 'many'"),
    ("queue = 1.5", "line 1: queue must be a whole number, not 1.5"),
    ("queue = true", "line 1: queue must be a whole number, not True"),
    ("drain_seconds = nan", "line 1: drain_seconds must be a number, not nan"),
    ("port = 1\n\n# again\nport = 2\n", "line 4: port stands in line 1 already"),
    ("\n\nqueu = 3", "line 3: unknown key 'queu': did you mean queue?"),
    ("[server]\nport = 3", "line 1: unknown key 'server'"),
    ("server.port = 3", "line 1: unknown key 'server'"),
    ("port = 1\nqueue = [1\n\n", "line 2: not TOML"),
    ("port = 1\nqueue = = 3\nhost = 'x'", "line 2: not TOML"),
    ("allowed_hosts = [\n 'a',\n 'b'\n]\n\nqueue = -1\n", "line 6: queue must be"),
    ("port = 1\n[options]\narea = 1\n", "line 3: area must be a number from 1024"),
    ("[options]\nlayout = 'rows'\nport = 1\n", "line 3: unknown option 'port'"),
    ("port = 1\n\noptions = {area = 1}\n", "line 3: area must be a number from 1024"),
    ("options.area = 3000\noptions.area = 4000\n", "line 2: options.area stands in line 1 already"),
    ("[queue]\nport = 3", "line 1: queue must be a whole number, not {}"),
    ('token = """\na\n"""\nqueue = "x"', "line 4: queue must be a whole number, not 'x'"),
]


def test_in_yaml_off_is_a_word(tmp_path: Path) -> None:
    config = loaded(tmp_path, "a.yaml", "light_preset: off\noffline: true\nopen_metrics: False\n")
    assert (config.light_preset, config.offline, config.open_metrics) == ("off", True, False)
    assert "line 1: offline must be true or false, not 'yes'" in refused(tmp_path, "b.yaml", "offline: yes")


def test_options_of_reading(tmp_path: Path) -> None:
    expected = ServeConfig(options={"layout": "rows", "min_confidence": 0.5}, port=1)
    assert loaded(tmp_path, "a.yaml", "options:\n  layout: rows\n  min_confidence: 0.5\nport: 1\n") == expected
    assert loaded(tmp_path, "b.toml", 'port = 1\n[options]\nlayout = "rows"\nmin_confidence = 0.5\n') == expected
    assert loaded(tmp_path, "c.toml", 'options = {layout = "rows", min_confidence = 0.5}\nport = 1\n') == expected
    assert loaded(tmp_path, "d.toml", 'options.layout = "rows"\noptions.min_confidence = 0.5\nport = 1') == expected
    text = '{"layout": "rows", "min_confidence": 0.5}'
    assert load(None, {"FASTOCR_SERVE_OPTIONS": text, "FASTOCR_SERVE_PORT": "1"}, {}) == expected
    assert load(None, {"FASTOCR_SERVE_OPTIONS": '{"alternatives": 2}'}, {"options": text, "port": "1"}) == expected


@pytest.mark.parametrize(("text", "expected"), YAML)
def test_what_is_wrong_in_yaml_is_named_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    assert f"serve.yaml {expected}" in refused(tmp_path, "serve.yaml", text)


@pytest.mark.parametrize(("text", "expected"), TOML)
def test_what_is_wrong_in_toml_is_named_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    assert f"serve.toml {expected}" in refused(tmp_path, "serve.toml", text)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"FASTOCR_SERVE_PORT": "x"}, "the variable FASTOCR_SERVE_PORT: port must be a whole number, not 'x'"),
        ({"FASTOCR_SERVE_PORT": "1_0"}, "the variable FASTOCR_SERVE_PORT: port must be a whole number"),
        ({"FASTOCR_SERVE_PORT": "70000"}, "the variable FASTOCR_SERVE_PORT: port must be"),
        ({"FASTOCR_SERVE_OPTIONS": "rows"}, "the variable FASTOCR_SERVE_OPTIONS: options must be names with values"),
        ({"FASTOCR_SERVE_OPTIONS": '{"area": 1}'}, "the variable FASTOCR_SERVE_OPTIONS: area must be a number"),
        ({"FASTOCR_SERVE_PROT": "1"}, "unknown variable FASTOCR_SERVE_PROT: did you mean FASTOCR_SERVE_PORT?"),
    ],
)
def test_a_wrong_variable_is_named(environ: dict[str, str], expected: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        load(None, environ, {})
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"port": "x"}, "--port: port must be a whole number, not 'x'"),
        ({"drain_seconds": "soon"}, "--drain-seconds: drain_seconds must be a number, not 'soon'"),
        ({"queue": "-1"}, "--queue: queue must be"),
    ],
)
def test_a_wrong_flag_is_named(flags: dict[str, Any], expected: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        load(None, {}, flags)
    assert expected in str(caught.value)


def test_a_file_that_cannot_be_used(tmp_path: Path) -> None:
    assert "must end in .yaml, .yml or .toml" in refused(tmp_path, "serve.json", "{}")
    (tmp_path / "bad.yaml").write_bytes(b"port: \xff\xfe")
    with pytest.raises(ArgumentError, match="it is not UTF-8"):
        load(tmp_path / "bad.yaml", {}, {})
    with pytest.raises(ArgumentError, match="No such file"):
        load(tmp_path / "none.toml", {}, {})


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    assert "hush" not in refused(tmp_path, "serve.yaml", "token: [hush]")
    assert "hush" not in refused(tmp_path, "serve.yaml", "token: hush hush")


@pytest.mark.parametrize("token", ["", "  ", "a b", "a\u00e4", "a\nb"])
def test_a_token_that_cannot_be_one_is_no_service_without_a_token(tmp_path: Path, token: str) -> None:
    with pytest.raises(ArgumentError, match=r"^the variable FASTOCR_SERVE_TOKEN: token must be"):
        load(None, {"FASTOCR_SERVE_TOKEN": token}, {})
    assert "line 1: token must be" in refused(tmp_path, "a.yaml", f"token: {json.dumps(token)}")
    assert load(None, {"FASTOCR_SERVE_TOKEN": "secret\n"}, {}) == ServeConfig(token="secret")  # noqa: S106


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("serve.yaml", "port: 2001-13-45\n", "serve.yaml cannot be read (month must be in 1..12"),
        ("serve.yaml", "port: !!int many\n", "serve.yaml cannot be read (invalid literal"),
        ("serve.yaml", 'port: 1\nhost: "\x01"\n', "serve.yaml line 2: the character 0x1 may not stand in YAML"),
        ("serve.yaml", f"queue: {'[' * 5000}{']' * 5000}\n", "serve.yaml cannot be read (it is nested too deeply)"),
        ("serve.toml", f"queue = {'[' * 5000}{']' * 5000}\n", "serve.toml cannot be read (it is nested too deeply)"),
        ("serve.toml", f"queue = {'9' * 5000}\n", "serve.toml cannot be read (Exceeds the limit"),
    ],
)
def test_what_stops_a_parser_is_an_error_of_the_file(tmp_path: Path, name: str, text: str, says: str) -> None:
    assert says in refused(tmp_path, name, text)


def test_a_value_of_billions_of_references_is_refused_at_once(tmp_path: Path) -> None:
    value = "&b0 [" + ",".join("x" * 9) + "]"
    for level in range(1, 12):
        value = f"&b{level} [{value}{f',*b{level - 1}' * 8}]"
    assert "queue must be a whole number" in refused(tmp_path, "serve.yaml", f"queue: {value}\n")
