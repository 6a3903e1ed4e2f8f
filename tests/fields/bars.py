"""Bar codes of EAN-13, EAN-8 and UPC-A, drawn by the rules of the standard (GS1 General Specifications, 5.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

# The dark and light modules of each digit: set A; B is C mirrored, and C is A inverted.
A = ("0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011")
C = tuple(code.translate(str.maketrans("01", "10")) for code in A)
B = tuple(code[::-1] for code in C)
# Which of the six digits of the left half stand in set B, by the first digit, which is not drawn itself.
FIRST = ("AAAAAA", "AABABB", "AABBAB", "AABBBA", "ABAABB", "ABBAAB", "ABBBAA", "ABABAB", "ABABBA", "ABBABA")
# Light modules that the standard asks for on either side.
QUIET = {13: (11, 7), 8: (7, 7)}


def check_digit(number: str) -> str:
    return str(-sum(int(digit) * (3 - 2 * (k % 2)) for k, digit in enumerate(reversed(number))) % 10)


def modules(number: str) -> str:
    """The modules of a number of 13 or 8 digits; one of 12 (UPC-A) is one of 13 that begins with 0."""
    number = number.rjust(13, "0") if len(number) == 12 else number
    assert check_digit(number[:-1]) == number[-1]
    if len(number) == 13:
        sets = [A if name == "A" else B for name in FIRST[int(number[0])]]
        left, right = number[1:7], number[7:]
    else:
        sets, (left, right) = [A] * 4, (number[:4], number[4:])
    halves = [
        "".join(each[int(digit)] for each, digit in zip(sets, left, strict=True)),
        "".join(C[int(digit)] for digit in right),
    ]
    return f"101{halves[0]}01010{halves[1]}101"


def bars(number: str, module: int, height: int) -> Pixels:
    """uint8 (height, width, 3) BGR: the code with its quiet zones, `module` pixels a module."""
    before, after = QUIET[8 if len(number) == 8 else 13]
    row = np.array([255 - 255 * int(each) for each in "0" * before + modules(number) + "0" * after], np.uint8)
    return np.ascontiguousarray(np.broadcast_to(np.repeat(row, module)[None, :, None], (height, len(row) * module, 3)))
