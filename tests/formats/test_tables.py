"""CSV and TSV: rows and columns as their readers take them."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.formats.samples import BLANK, FULL, HOSTILE, NAME, hostile, pixels, words_of, written


def csv_rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))


def tsv_rows(data: bytes) -> list[dict[str, str]]:
    """Without quotes, as pytesseract and others read it."""
    text = io.StringIO(data.decode("utf-8"), newline="\n")
    return list(csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def test_csv_has_each_line_with_its_place_and_box() -> None:
    rows = csv_rows(written("csv"))
    assert [row["text"] for row in rows] == [line.text for line in FULL.lines]
    for row, line in zip(rows, FULL.lines, strict=True):
        assert row["source"] == NAME
        assert float(row["confidence"]) == line.confidence
        assert row["direction"] == line.direction
        assert tuple(float(row[name]) for name in ("x", "y", "width", "height")) == line.rect
        corners = tuple((float(row[f"x{k}"]), float(row[f"y{k}"])) for k in (1, 2, 3, 4))
        assert corners == line.quad
    places = [tuple(int(row[name]) for name in ("page", "block", "paragraph", "row", "line")) for row in rows]
    assert places == [
        (1, 1, 1, 1, 1),
        (1, 1, 1, 1, 2),
        (1, 1, 2, 2, 3),
        (1, 2, 3, 3, 4),
        (1, 2, 4, 4, 5),
        (1, 2, 4, 5, 6),
        (1, 2, 4, 6, 7),
        (1, 2, 4, 7, 8),
    ]


def test_csv_ends_rows_as_rfc_4180_does_and_keeps_all_text() -> None:
    data = written("csv", hostile())
    assert data.startswith(b"source,page,block,paragraph,row,line,text,confidence,")
    assert data.endswith(b"\r\n")
    rows = csv_rows(data)
    assert [row["text"] for row in rows] == [text.replace("\ud800", "\ufffd") for text in HOSTILE]
    assert {row["confidence"] for row in rows} == {"0.0"}


def test_csv_of_a_blank_page_is_its_header() -> None:
    assert csv_rows(written("csv", BLANK)) == []
    assert written("csv", BLANK).count(b"\r\n") == 1


def test_tsv_has_the_columns_of_tesseract(tmp_path: Path) -> None:
    header = written("tsv").decode().split("\n", 1)[0]
    assert header == "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
    if shutil.which("tesseract") is None:
        pytest.skip("needs the program tesseract, to compare its header with ours")
    (tmp_path / "white.pgm").write_bytes(b"P5 60 40 255\n" + b"\xff" * 2400)
    done = subprocess.run(
        ["tesseract", tmp_path / "white.pgm", "-", "tsv"], capture_output=True, check=True, timeout=60
    )
    assert done.stdout.decode().split("\n", 1)[0] == header


def test_tsv_has_words_and_what_holds_them() -> None:
    rows = tsv_rows(written("tsv"))
    words = [row for row in rows if row["level"] == "5"]
    assert [row["text"] for row in words] == [word.text for word in words_of(FULL)]
    for row, word in zip(words, words_of(FULL), strict=True):
        left, top, width, height = (int(row[name]) for name in ("left", "top", "width", "height"))
        assert (left, top, left + width, top + height) == pixels(word.quad)
        assert float(row["conf"]) == pytest.approx(word.confidence * 100)
    others = [row for row in rows if row["level"] != "5"]
    assert {(row["conf"], row["text"], row["word_num"]) for row in others} == {("-1", "", "0")}
    counts = [sum(row["level"] == level for row in rows) for level in "12345"]
    assert counts == [1, 2, 4, 7, len(words)]
    assert rows[0] == dict.fromkeys(rows[0], "0") | {
        "level": "1",
        "page_num": "1",
        "width": "480",
        "height": "400",
        "conf": "-1",
        "text": "",
    }


def test_tsv_numbers_begin_anew_in_what_holds_them() -> None:
    """Words grouped by their numbers, as programs do that read Tesseract's, are the page's rows."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in tsv_rows(written("tsv")):
        if row["level"] == "5":
            place = tuple(row[name] for name in ("page_num", "block_num", "par_num", "line_num"))
            lines.setdefault(place, []).append(row["text"])
    assert [" ".join(words) for words in lines.values()] == [
        text.replace("港口费用", "港 口 费 用") for text in FULL.text.split("\n")
    ]
    assert list(lines) == [tuple(place) for place in ("1111", "1121", "1211", "1221", "1222", "1223", "1224")]


def test_tsv_rows_stay_whole_and_text_comes_back() -> None:
    rows = tsv_rows(written("tsv", hostile()))
    assert all(None not in row and None not in row.values() for row in rows)
    words = [row["text"] for row in rows if row["level"] == "5"]
    back = [word.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for word in words]
    assert back == [text.replace("\ud800", "\ufffd") for text in HOSTILE]


def test_tsv_of_a_blank_page_is_the_page() -> None:
    (row,) = tsv_rows(written("tsv", BLANK))
    assert (row["level"], row["width"], row["height"]) == ("1", "400", "300")


def test_pytesseract_reads_the_table() -> None:
    pytesseract = pytest.importorskip("pytesseract.pytesseract", reason="needs pytesseract, in the extra `test`")
    table = pytesseract.file_to_dict(written("tsv").decode(), "\t", -1)
    words = [text for text, level in zip(table["text"], table["level"], strict=True) if level == 5]
    assert words == [word.text for word in words_of(FULL)]
    assert table["left"][0] == 0
    assert table["width"][0] == 480
