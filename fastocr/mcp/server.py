"""The server: tools listed and called, over stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import closing
from typing import Any

from fastocr._version import DISTRIBUTION, __version__
from fastocr.api import OCR
from fastocr.errors import ArgumentError, DependencyError, FastocrError
from fastocr.mcp.reading import Reader, Source
from fastocr.mcp.roots import Roots
from fastocr.mcp.tools import TOOLS, checked
from fastocr.results import Page
from fastocr.serve.inputs import decoded

__all__ = ["make_server", "serve"]

log = logging.getLogger(__name__)


def serve(roots: Roots, make: Callable[[], OCR]) -> None:
    """Serves one client on stdin and stdout until it closes stdin.  Meanwhile whatever else this process prints goes
    to stderr.  `make` makes the engine, at the first call.  Raises DependencyError without the extra `mcp`."""
    sdk = load()

    async def run(reader: Reader) -> None:
        server = make_server(roots, reader)
        async with sdk.stdio_server() as (receive, send):
            await server.run(receive, send, server.create_initialization_options())

    with closing(Reader(make)) as reader:
        asyncio.run(run(reader))


def load() -> Any:
    """The package `mcp`; raises DependencyError where it is not installed, or too old."""
    try:
        import mcp
        import mcp_types  # noqa: F401  (what version 1 has not)
    except ImportError as error:
        raise DependencyError(
            f'the MCP SDK, version 2, cannot be loaded ({error}): run `pip install "{DISTRIBUTION}[mcp]"`'
        ) from error
    return mcp


def make_server(roots: Roots, reader: Reader) -> Any:
    """An `mcp.server.Server` with the tools.  It knows no transport."""
    sdk = load()
    from mcp.server import Server

    kinds = sdk.types

    async def list_tools(_context: Any, _params: Any) -> Any:
        harmless = kinds.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        tools = [
            kinds.Tool(
                name=name,
                title=tool["title"],
                description=tool["description"],
                input_schema=tool["input"],
                output_schema=tool["output"],
                annotations=harmless,
            )
            for name, tool in TOOLS.items()
        ]
        return kinds.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> Any:
        try:
            texts, answer = await called(params.name, params.arguments or {}, context.session.report_progress)
        except FastocrError as error:
            return failure(error.code, str(error))
        except Exception:  # a fault of ours: the client learns that there was one, and the log which
            log.exception("%s failed", params.name)
            return failure(FastocrError.code, "fastocr failed inside; the server's log has the reason")
        return kinds.CallToolResult(content=[content(text) for text in texts], structured_content=answer)

    async def called(name: str, arguments: dict[str, Any], report: Any) -> tuple[list[str], dict[str, Any]]:
        if name not in TOOLS:
            raise ArgumentError(f"there is no such tool: this server has {', '.join(TOOLS)}")
        given = checked(name, arguments)
        lines = given.pop("lines", False)
        source = opened(given)
        if name == "read_image":
            page = await reader.image(source, **given)
            return told(page, lines), {**described(page, lines), "page_count": page.page_count}
        count, pages = await reader.document(source, report, pages=given.get("pages"), password=given.get("password"))
        texts = [text for page in pages for text in told(page, lines, f"[page {page.number} of {count}]\n")]
        return texts, {"page_count": count, "pages": [described(page, lines) for page in pages]}

    def opened(given: dict[str, Any]) -> Source:
        return roots.file(given.pop("path")) if "path" in given else decoded(given.pop("data"))

    def content(text: str) -> Any:
        return kinds.TextContent(type="text", text=text)

    def failure(code: str, message: str) -> Any:
        error = {"error": {"code": code, "message": message}}
        return kinds.CallToolResult(content=[content(f"{code}: {message}")], structured_content=error, is_error=True)

    folders = ", ".join(map(str, roots.folders))
    return Server(
        "fastocr",
        version=__version__,
        title="fastocr",
        instructions=f"Reads the text of images and documents. Files are read in: {folders}. URLs are not fetched.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def told(page: Page, lines: bool, header: str = "") -> list[str]:
    """What a model reads of a page: its text, its warnings, its lines as JSON."""
    texts = [header + (page.text or "(no text)")]
    texts += [f"warning: {warning}" for warning in page.warnings]
    if lines:
        texts.append(json.dumps(described(page, lines)["lines"], ensure_ascii=False))
    return texts


def described(page: Page, lines: bool) -> dict[str, Any]:
    """The page as the tools' output schemas have it: some of its JSON form."""
    whole = page.to_dict()
    data = {name: whole[name] for name in ("number", "text", "width", "height", "models", "warnings")}
    if lines:
        data["lines"] = [
            {
                "text": line["text"],
                "confidence": round(line["confidence"], 4),
                "box": {side: round(pixels, 1) for side, pixels in line["rect"].items()},
            }
            for line in whole["lines"]
        ]
    return data
