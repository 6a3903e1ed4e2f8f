"""Hard images: several trips down the river, each on the image made better in another way, merged line by line."""

from fastocr.strategies.persistent import Persistent

__all__ = ["Persistent"]
