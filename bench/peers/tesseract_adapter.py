"""Tesseract (the system's tesseract-ocr, eng): one process an image, TSV words joined to lines."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from dataclasses import dataclass

import protocol

WORD_LEVEL = "5"
COLUMNS = 12


@dataclass(frozen=True)
class Word:
    left: int
    top: int
    right: int
    bottom: int
    confidence: float
    text: str


def words_by_line(table: str) -> list[list[Word]]:
    """The words of a TSV table, in lines (page, block, paragraph and line number), in the table's order."""
    lines: defaultdict[tuple[str, ...], list[Word]] = defaultdict(list)
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < COLUMNS or cells[0] != WORD_LEVEL or not cells[11].strip():
            continue
        left, top, width, height = map(int, cells[6:10])
        word = Word(left, top, left + width, top + height, float(cells[10]), cells[11])
        lines[tuple(cells[1:5])].append(word)
    return list(lines.values())


def reading(words: list[Word]) -> protocol.Reading:
    box = protocol.upright(
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
    )
    score = sum(word.confidence for word in words) / len(words) / 100
    return box, " ".join(word.text for word in words), score


def main() -> None:
    parser = protocol.peer_parser(("eng",), "eng")
    parser.add_argument("--psm", default="3", help="page segmentation mode")
    options = parser.parse_args()
    out = protocol.claim_stdout()
    environment = {**os.environ, "OMP_THREAD_LIMIT": str(options.threads)}

    def tesseract(*arguments: str) -> str:
        result = subprocess.run(["tesseract", *arguments], capture_output=True, text=True, env=environment)
        if result.returncode:
            raise RuntimeError(result.stderr.strip()[-200:])
        return result.stdout

    def read(path: str) -> list[protocol.Reading]:
        table = tesseract(path, "-", "--psm", options.psm, "-l", options.models, "tsv")
        return [reading(words) for words in words_by_line(table)]

    facts = {
        "engine": "tesseract",
        "version": tesseract("--version").splitlines()[0],
        "models": options.models,
        "threads": options.threads,
        "onnxruntime": None,
        "psm": options.psm,
    }
    protocol.serve(out, facts, read)


if __name__ == "__main__":
    main()
