"""Markdown: a parser of CommonMark gives the page's text back, and makes nothing of it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastocr.formats.markdown import escaped
from fastocr.results import Page
from tests.formats.samples import BLANK, FULL, HOSTILE, as_xml, hostile, line, written

markdown_it = pytest.importorskip("markdown_it", reason="needs markdown-it-py, which is in the extra `test`")


def blocks(text: str, flavour: str = "commonmark") -> list[str]:
    """The text of each paragraph; all else that a parser may see in it is refused."""
    parser = markdown_it.MarkdownIt(flavour, {"html": True})
    if flavour == "default":
        parser.enable(["table", "strikethrough"])
    found = []
    for token in parser.parse(text):
        if token.type == "hr":
            found.append("<hr>")
        elif token.type == "inline":
            found.append("".join(map(inline, token.children)))
        else:
            assert token.type in ("paragraph_open", "paragraph_close"), token.type
    return found


def inline(token: Any) -> str:
    assert token.type in ("text", "softbreak", "text_special"), token.type
    return "\n" if token.type == "softbreak" else str(token.content)


def page_of(*rows: str) -> Page:
    each = tuple((k,) for k in range(len(rows)))
    lines = tuple(line(text, 0, 20 * k) for k, text in enumerate(rows))
    return Page(lines=lines, rows=each, paragraphs=(tuple(range(len(rows))),), width=99, height=99, models="")


def test_paragraphs_are_the_pages() -> None:
    texts = ["\n".join(FULL.text.split("\n")[row] for row in paragraph) for paragraph in FULL.paragraphs]
    assert blocks(written("markdown").decode()) == texts


def test_pages_stand_under_a_rule() -> None:
    text = written("markdown", [FULL, BLANK, FULL]).decode()
    assert blocks(text).count("<hr>") == 2
    assert written("markdown", BLANK) == b""


TRICKS = (
    *("# heading", "####### seven", "- item", "+ item", "* item", "1. first", "12) twelfth", "1234567890. no list"),
    *("> quote", "    code", "\tcode", "```python", "~~~", "---", "===", "***", "- - -", "a | b", "--- | ---", "|a|"),
    *("*emphasis*", "_emphasis_", "__init__", "snake_case_name", "**bold**", "~~struck~~", "`code`", "``"),
    *("[link](http://x.y)", "[ref]: /url", "![image](x.png)", "<b>bold</b>", "<!-- x -->", "<http://x.y>", "a\\"),
    *("&amp;", "&#35;", "AT&T", "&copy", "back\\slash", "\\*", "trailing  ", "  leading", "-5.00", "+49 30 1234"),
    *("=1+1", "#1", "2. ", "2.", "-", "+", "*", ">", "#", "=", "[ ] todo", "a^b", "$x$", ":smile:", "x__y__z"),
)


@pytest.mark.parametrize("flavour", ["commonmark", "default"])
def test_what_means_something_in_markdown_is_text(flavour: str) -> None:
    for trick in TRICKS:
        assert blocks(written("markdown", page_of(trick)).decode(), flavour) == [trick.strip()], trick
    rows = [row for trick in TRICKS for row in ("word", trick)]
    assert blocks(written("markdown", page_of(*rows)).decode(), flavour) == ["\n".join(row.strip() for row in rows)]


def test_plain_text_is_left_alone() -> None:
    for text in ("Total: 8,415.20 EUR (incl. VAT)", "http://ex.org/a_b?c=1", "AT&T, 5 - 3 = 2", "№ 5 – “quoted”"):
        assert escaped(text) == text


def test_hostile_text_comes_back_by_the_rule() -> None:
    expected = ["\n".join(part.strip() for part in as_xml(text).split("\n")) for text in HOSTILE]
    # A text of nothing but blanks is no paragraph.
    assert blocks(written("markdown", hostile()).decode()) == [text for text in expected if text]


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text(st.sampled_from("ab1 \\`*_{}[]()#+-.!|<>&;~=:\"'^/@%\t"), min_size=1, max_size=12))
def test_any_mixture_of_marks_comes_back(text: str) -> None:
    page = page_of("first", text, "last")
    rows = [row.strip() for row in ("first", text, "last") if row.strip()]
    for flavour in ("commonmark", "default"):
        assert blocks(written("markdown", page).decode(), flavour) == ["\n".join(rows)]


def test_rows_without_text_leave_no_mark() -> None:
    page = dataclasses.replace(page_of("a", "", "b"))
    assert written("markdown", page) == b"a\nb\n"
