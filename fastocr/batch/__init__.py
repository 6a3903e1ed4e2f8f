"""Many inputs to files in a folder, with what was done kept.

>>> from fastocr import OCR, batch
>>> with OCR() as ocr:  # doctest: +SKIP
...     for result in batch.run(ocr, ["scans"], out="texts", formats=["text", "json"]):
...         print(result.input, result.failure or result.outputs)
"""

from fastocr.batch.parcel import Parcel
from fastocr.batch.run import Result, Spread, run
from fastocr.batch.work import Failure, Outcome, Recipe, Task, lost, perform

__all__ = ["Failure", "Outcome", "Parcel", "Recipe", "Result", "Spread", "Task", "lost", "perform", "run"]
