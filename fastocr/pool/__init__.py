"""Engine leases: a fixed number of readings at once, a bounded queue before them, and nothing lost.

>>> from fastocr import OCR
>>> from fastocr.pool import Pool
>>> pool = Pool(OCR())                   # doctest: +SKIP
>>> with pool.lease(timeout=2) as ocr:   # doctest: +SKIP
...     page = ocr.read("photo.jpg")
"""

from fastocr.pool.lease import Lease
from fastocr.pool.pool import Pin, Pool, PoolState

__all__ = ["Lease", "Pin", "Pool", "PoolState"]
