"""One table of errors, and a page that documents it."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from fastocr import errors

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
KINDS = errors.table()


def documented() -> dict[str, tuple[str, int, int]]:
    """Rows of the page's table: the kind's name, with its code, exit code and HTTP status."""
    row = re.compile(r"^\| `(\w+)` \| `(\w+)` \| (\d+) \| (\d+) \|", re.MULTILINE)
    found = row.findall(DOCUMENT.read_text(encoding="utf-8"))
    return {name: (code, int(exit_code), int(status)) for name, code, exit_code, status in found}


def test_the_table_holds_every_kind_once() -> None:
    public = {name for name in errors.__all__ if name != "table"}
    assert KINDS[0] is errors.FastocrError
    assert {kind.__name__ for kind in KINDS} == public
    assert len(KINDS) == len(public)


def test_codes_are_unique_and_plain() -> None:
    codes = [kind.code for kind in KINDS]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_kind_keeps_the_rules(kind: type[errors.FastocrError]) -> None:
    assert issubclass(kind, errors.FastocrError)
    assert 1 <= kind.exit_code <= 63, "0 is success; 64 and above belong to shells and signals"
    assert 400 <= kind.http_status <= 599
    assert kind.__doc__
    copy = pickle.loads(pickle.dumps(kind("what to do")))  # worker processes hand errors over
    assert (type(copy), str(copy)) == (kind, "what to do")


def test_exit_codes_belong_to_one_family() -> None:
    """Kinds that share an exit code are one kind and its refinements, so a script can tell causes apart."""
    for kind in KINDS:
        for other in KINDS:
            if kind.exit_code == other.exit_code != errors.FastocrError.exit_code:
                family = [base for base in kind.__mro__ if base in KINDS and base is not errors.FastocrError][-1]
                assert issubclass(other, family)


def test_the_page_documents_every_kind() -> None:
    assert documented() == {kind.__name__: (kind.code, kind.exit_code, kind.http_status) for kind in KINDS}
