"""What `lang` chooses: the set's own recognizers, one pack, or several; and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError, DownloadError
from fastocr.models import Model, ModelSet, languages
from fastocr.models.languages import asked, covering
from fastocr.models.registry import builtin


def model(name: str) -> Model:
    """The row as a model whose file nobody opens."""
    return builtin().model(name).model(Path("nowhere"), None)


@pytest.fixture(autouse=True)
def _no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "open_model", lambda name, **_: model(name))


SMALL, TINY = model("ppocrv6-small-rec"), model("ppocrv6-tiny-rec")
DET = model("ppocrv6-tiny-det")
CASCADE = ModelSet("cascade", DET, TINY, SMALL)


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
    wanted = asked(lang, builtin()) if lang else ()
    chosen = covering(CASCADE, wanted)
    parts = [part for part in (chosen.rec, chosen.reread, *chosen.routes) if part is not None]
    assert [part.name for part in parts] == names
    assert all(any(part.covers(each) for part in parts) for each in wanted), "none of them is left out"
    assert chosen.det is DET
    assert chosen.name == ("cascade" if chosen is CASCADE else "+".join([DET.name, *names]))


def test_every_language_of_the_registry_can_be_asked_for() -> None:
    rows = [row for row in builtin().models.values() if row.role == "rec"]
    for language in {name for row in rows for name in row.reads()}:
        chosen = covering(CASCADE, asked(language, builtin()))
        assert chosen.rec is not None
        assert any(part.covers(language) for part in (chosen.rec, chosen.reread) if part is not None)


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


def test_a_recognizer_that_was_chosen_stays() -> None:
    one = ModelSet("one", DET, TINY)
    assert covering(one, ["en"], fixed=True) is one
    with pytest.raises(ArgumentError, match="ppocrv6-tiny-rec does not cover ja; it covers en, zh-Hans"):
        covering(one, ["en", "ja"], fixed=True)


def test_a_recognizer_that_states_no_languages_is_not_replaced() -> None:
    file = builtin().model("ppocrv6-tiny-rec").file
    own = builtin().unknown("mine", "rec", file).model(Path("nowhere"), None)
    with pytest.raises(ArgumentError, match="mine does not cover ru; it covers what it was trained for"):
        covering(ModelSet("own", DET, own), ["ru"])


def test_a_recognizer_of_the_callers_takes_no_languages() -> None:
    with pytest.raises(ArgumentError, match="leave it out with a recognizer of your own"):
        covering(ModelSet("custom", DET, None), ["en"])


def test_a_pack_that_is_not_here_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("FASTOCR_HOME", str(tmp_path))
    with pytest.raises(DownloadError, match=r"rec.onnx is not in .* `fastocr models pull ppocrv5-eslav-rec`"):
        covering(CASCADE, ["ru"], offline=True)
