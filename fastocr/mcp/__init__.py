"""Reading images and documents as tools of the Model Context Protocol, over stdio: behind `fastocr mcp`.

Needs the extra `mcp`, which is imported when a server is made.
"""

from fastocr.mcp.roots import Roots
from fastocr.mcp.server import serve

__all__ = ["Roots", "serve"]
