"""What `lang` chooses: the set's own recognizers, one pack, or several; and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError, DownloadError
from fastocr.models import open_set
from fastocr.models.languages import asked, readers
from fastocr.models.registry import builtin
from tests.languages.standins import registry

CASCADE = builtin().set("ppocrv6-cascade-light")


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        (None, ["ppocrv6-tiny-rec", "ppocrv6-small-rec"]),
        ([], ["ppocrv6-tiny-rec", "ppocrv6-small-rec"]),
        ("en", ["ppocrv6-tiny-rec", "ppocrv6-small-rec"]),
        (["DE", "fr", "no", "zh"], ["ppocrv6-tiny-rec", "ppocrv6-small-rec"]),
        (["en", "ja"], ["ppocrv6-small-rec"]),
        ("japan", ["ppocrv6-small-rec"]),
        ("ru", ["ppocrv5-eslav-rec"]),
        ("bg", ["ppocrv5-cyrillic-rec"]),
        (["ru", "bg"], ["ppocrv5-cyrillic-rec"]),
        ("cyrillic", ["ppocrv5-cyrillic-rec"]),
        ("vi", ["ppocrv5-latin-rec"]),
        ("ar", ["ppocrv5-arabic-rec"]),
        (["en", "ar"], ["ppocrv6-tiny-rec", "ppocrv6-small-rec", "ppocrv5-arabic-rec"]),
        (["ja", "ko"], ["ppocrv6-small-rec", "ppocrv5-korean-rec"]),
        (["th", "el", "th"], ["ppocrv5-th-rec", "ppocrv5-el-rec"]),
        (["en", "ta", "te", "hi"], ["ppocrv6-tiny-rec", "ppocrv6-small-rec", "ppocrv5-devanagari-rec",
                                    "ppocrv5-ta-rec", "ppocrv5-te-rec"]),
    ],
)  # fmt: skip
def test_who_reads(lang: Any, names: list[str]) -> None:
    wanted = asked(lang, builtin())
    first, second, others = readers(builtin(), CASCADE, wanted)
    chosen = [name for name in (first, second, *others) if name]
    assert chosen == names
    rows = [builtin().model(name) for name in chosen]
    assert all(any(row.covers(each) for row in rows) for each in wanted), "none of them is left out"


def test_every_language_of_the_registry_can_be_asked_for() -> None:
    rows = [row for row in builtin().models.values() if row.role == "rec"]
    for language in {name for row in rows for name in row.reads()}:
        first, second, others = readers(builtin(), CASCADE, asked(language, builtin()))
        assert any(builtin().model(name).covers(language) for name in (first, second) if name)
        assert not others


@pytest.mark.parametrize(
    ("lang", "message"),
    [
        ("xx", r"no recognizer reads the language 'xx': .*`fastocr models list`"),
        (["en", "rus"], r"no recognizer reads the language 'rus': did you mean 'ru'"),
        (["ru", "he"], r"no recognizer reads the language 'he'"),
        ("cyrilic", r"did you mean 'cyrillic'"),
        (5, "lang must be a language or a list of them"),
        ([1], "lang must be a language or a list of them"),
        ({"en": 1}, "lang must be a language or a list of them"),
    ],
)
def test_what_nobody_reads_is_refused_with_what_is_near(lang: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        asked(lang, builtin())
    with pytest.raises(ArgumentError, match=message):
        OCR(lang=lang, offline=True)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the set "mine", whose recognizer reads the language xa, and one for a language of a pack."""
    monkeypatch.setenv("FASTOCR_MODELS", str(registry(tmp_path, {"latin": ["xa"], "cyrillic": ["xb"]})))
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_recognizer_that_was_chosen_stays(mine: Path) -> None:
    for rec in ("latin", mine / "latin.onnx"):
        assert open_set(rec=rec, lang=["xa"], need_det=False).parts() == ("custom", "latin")
        with pytest.raises(ArgumentError, match="latin does not cover xb; it covers xa: choose another, or leave lang"):
            open_set(rec=rec, lang=["xa", "xb"], need_det=False)


def test_a_recognizer_that_states_no_languages_is_not_replaced(tmp_path: Path) -> None:
    registry(tmp_path, {"latin": []})
    text = (tmp_path / "registry.toml").read_text(encoding="utf-8")
    (tmp_path / "registry.toml").write_text(text.replace('scripts = ["latin-made"]', ""), encoding="utf-8")
    assert open_set(tmp_path, need_det=False).parts() == ("custom", "latin")
    with pytest.raises(ArgumentError, match="latin does not cover ru; it covers what it was trained for"):
        open_set(tmp_path, lang="ru", need_det=False)


def test_languages_of_a_folder_given_by_its_path(tmp_path: Path) -> None:
    folder = registry(tmp_path, {"latin": ["xa"], "cyrillic": ["xb"]})
    assert open_set(folder, lang=["xa", "xb"], need_det=False).parts() == ("custom", "latin", "cyrillic")


@pytest.mark.usefixtures("mine")
def test_a_recognizer_of_the_callers_takes_no_languages() -> None:
    with pytest.raises(ArgumentError, match="leave it out with a recognizer of your own"):
        open_set("mine", lang="xa", need_det=False, need_rec=False)


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("lang", ["ru", ["xa", "ru"]])
def test_a_pack_that_is_not_here_is_named(lang: Any) -> None:
    with pytest.raises(DownloadError, match=r"rec.onnx is not in .* `fastocr models pull ppocrv5-eslav-rec`"):
        open_set("mine", lang=lang, need_det=False, offline=True)
