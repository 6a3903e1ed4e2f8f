"""What a bundle holds; that it is whole or not there, and the same twice."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import fastocr
from fastocr._version import DISTRIBUTION, __version__
from fastocr.bundle import Reader, Target, own
from fastocr.bundle.wheels import read_wheel
from fastocr.errors import ArgumentError, DependencyError, DownloadError, OutputError
from fastocr.offline.checks import BASELINE, here
from tests.bundle import world

Make = Callable[..., Path]
HERE = Target.of()


def wheels(folder: Path) -> set[str]:
    return {path.name.partition("-")[0] for path in (folder / "wheels").iterdir()}


def test_holds_what_the_machine_there_needs(bundle: Path) -> None:
    assert {path.name for path in bundle.iterdir()} == {
        "README.txt", "SHA256SUMS", "bundle.json", "models", "offline", "serve.toml", "start.sh", "wheels",
    }  # fmt: skip
    # `past` is for other Pythons than 3.99, `future` for that alone; a server needs no display.
    assert wheels(bundle) == {"fastocr_engine", "base", "web", "leaf", "past", "opencv_python_headless", "pip"}
    assert world.files(bundle / "models" / "own").items() >= world.MODELS.items()
    assert (bundle / "start.sh").stat().st_mode & 0o111 == 0o111
    manifest = json.loads((bundle / "bundle.json").read_text())
    assert (manifest["python"], manifest["machine"]) == ("{}.{}".format(*here().python), here().machine)
    assert set(manifest["features"]) == set(BASELINE[here().machine])
    assert manifest["models"] == ["models", "models/own"]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_another_program_finds_the_checksums_right(bundle: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=bundle, check=True, capture_output=True)
    listed = {line[66:] for line in (bundle / "SHA256SUMS").read_text().splitlines()}
    assert listed == set(world.files(bundle)) - {"SHA256SUMS", "serve.toml"}


def test_equal_inputs_give_equal_bytes(make_bundle: Make, tmp_path: Path, bundle: Path) -> None:
    first, second = make_bundle(tmp_path / "a.tar.gz"), make_bundle(tmp_path / "b.tgz")
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first, "r:gz") as archive:
        archive.extractall(tmp_path / "out", filter="data")
    (folder,) = (tmp_path / "out").iterdir()
    assert folder.name == f"{DISTRIBUTION}-{__version__}"
    assert world.files(folder) == world.files(bundle)
    assert (folder / "start.sh").stat().st_mode & 0o111
    with tarfile.open(make_bundle(tmp_path / "a.tar"), "r:") as plain, tarfile.open(first) as archive:
        assert plain.getnames() == archive.getnames()


def test_nothing_is_written_over(make_bundle: Make, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="is there already"):
        make_bundle(tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_half_a_bundle_is_none(make_bundle: Make, tmp_path: Path) -> None:
    lacking = world.engine(tmp_path, ["base", "nowhere-to-be-had>=2"])
    target = tmp_path / "deep" / "out"
    with pytest.raises(DownloadError, match="nowhere-to-be-had>=2"):
        make_bundle(target, own=lacking)
    assert list(target.parent.iterdir()) == []


def test_what_another_python_needs_comes_too(make_bundle: Make, tmp_path: Path) -> None:
    """pip itself evaluates markers for the Python that it runs on."""
    made = make_bundle(tmp_path / "out", target=dataclasses.replace(HERE, python=(3, 99)), extras=())
    assert wheels(made) == {"fastocr_engine", "base", "future", "opencv_python_headless", "pip"}


def test_an_extra_that_there_is_not(make_bundle: Make, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="no extra 'sever'; it has server, pdf"):
        make_bundle(tmp_path / "out", extras=("sever",))


def test_a_wheel_that_does_not_run_there(make_bundle: Make, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="does not run on Python"):
        make_bundle(tmp_path / "out", own=world.engine(tmp_path, tag="cp38-cp38-manylinux_2_5_x86_64"))
    with pytest.raises(ArgumentError, match="is a wheel of leaf"):
        make_bundle(tmp_path / "out", own=world.wheel(tmp_path, "leaf"))
    broken = tmp_path / f"{world.STEM}-py3-none-any.whl"
    broken.write_bytes(b"no zip")
    with pytest.raises(ArgumentError, match="no wheel that can be read"):
        make_bundle(tmp_path / "out", own=broken)


def test_the_glibc_that_a_wheel_needs(tmp_path: Path) -> None:
    two = world.wheel(tmp_path, "two", tag="cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64")
    assert read_wheel(two).glibc == 27, "the least that its name has"
    assert read_wheel(world.wheel(tmp_path, "none")).glibc == 0
    symbols = {"own/fast.so": b"\x7fELF GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.14\0", "own/__init__.py": b""}
    assert read_wheel(world.wheel(tmp_path, "own", tag="cp311-cp311-linux_x86_64", files=symbols)).glibc == 34


def test_the_wheel_of_this_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip takes it apart and finds the list of its files right."""
    info = tmp_path / "site" / f"{world.STEM}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {__version__}\n")
    (info / "entry_points.txt").write_text("[console_scripts]\nfastocr = fastocr.cli:main\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    made = own.installed(tmp_path, HERE)
    again = tmp_path / "again"
    again.mkdir()
    assert own.installed(again, HERE).path.read_bytes() == made.path.read_bytes()
    with zipfile.ZipFile(made.path) as archive:
        archive.extractall(tmp_path / "out")  # noqa: S202
    (found,) = importlib.metadata.distributions(path=[str(tmp_path / "out")])
    assert (found.name, found.version) == (DISTRIBUTION, __version__)
    assert [point.name for point in found.entry_points] == ["fastocr"]
    package = Path(fastocr.__file__).parent
    listed = {str(path): path for path in found.files or ()}
    assert "fastocr/bundle/files/start.sh" in listed
    for name, path in listed.items():
        if name.startswith("fastocr/"):
            assert path.read_binary() == (package.parent / name).read_bytes()
            assert path.suffix not in (".pyx", ".pyc")
    with pytest.raises(ArgumentError, match="--wheel"):
        own.installed(tmp_path, dataclasses.replace(HERE, python=(3, 99)))
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: 9.9\n")
    with pytest.raises(DependencyError, match=r"9\.9 is installed"):
        own.installed(tmp_path, HERE)


@pytest.mark.parametrize(
    ("python", "platform", "expected"),
    [
        ("3.12", "manylinux_2_28_aarch64", Target((3, 12), "aarch64", (2, 28))),
        ("3.11", "manylinux2014_x86_64", Target((3, 11), "x86_64", (2, 17))),
        (None, "manylinux1_x86_64", Target(here().python, "x86_64", (2, 5))),
    ],
)
def test_targets_are_named_as_wheels_name_them(python: str | None, platform: str, expected: Target) -> None:
    assert Target.of(python, platform) == expected


@pytest.mark.parametrize(
    ("python", "platform", "said"),
    [("3.8", None, "3.11 or newer"), ("three", None, "such as"), (None, "win_amd64", "x86_64, aarch64")],
)
def test_targets_that_there_cannot_be(python: str | None, platform: str | None, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        Target.of(python, platform)


def test_the_configuration_says_what_was_asked() -> None:
    told = tomllib.loads(Reader("accurate", light="off").config())
    assert (told["preset"], told["light_preset"], told["offline"]) == ("accurate", "off", True)
    told = tomllib.loads(Reader(models="ppocrv6-small", lang=["de", "ru"]).config())
    assert (told["models"], told["light_preset"], told["lang"]) == ("ppocrv6-small", "fast", ["de", "ru"])
    assert "preset" not in told
