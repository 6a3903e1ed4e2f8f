"""A client of the official SDK talks to `fastocr mcp` over real pipes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.documents import pdfs
from tests.mcp.conftest import LETTER, RECEIPT

anyio = pytest.importorskip("anyio", reason="comes with the extra mcp")
sdk = pytest.importorskip("mcp", reason="needs the extra mcp: pip install 'fastocr-engine[mcp]'")

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
OPTIONS = ["--preset", "fast", "--threads", "1"]
# Pages of a document that no test waits for.
ENDLESS = 2500

pytestmark = pytest.mark.models


def talk(root: Path, say: Callable[[Any], Awaitable[None]], mode: str = "auto") -> None:
    """A conversation with a server that may read one folder."""
    arguments = ["-m", "fastocr", "mcp", "--root", str(root), *OPTIONS]
    server = sdk.StdioServerParameters(command=sys.executable, args=arguments, env=ENVIRONMENT, cwd=str(root.parent))

    async def main() -> None:
        with anyio.fail_after(240):
            async with sdk.Client(server, mode=mode) as client:
                await say(client)

    anyio.run(main)


def endless(folder: Path, draw: ModuleType) -> None:
    """`endless.pdf`, whose pages are pictures."""
    show = pdfs.showing(draw.text_page(RECEIPT, 32), (30, 30, 172, 101))
    (folder / "endless.pdf").write_bytes(pdfs.drawn((595, 300), *[show] * ENDLESS))


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_image_and_a_document_are_read(folder: Path, mode: str) -> None:
    async def say(client: Any) -> None:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["read_image", "read_document"]

        receipt = await client.call_tool("read_image", {"path": "receipt.png", "lines": True})
        assert not receipt.is_error
        assert receipt.content[0].text == "\n".join(RECEIPT)
        assert [line["text"] for line in receipt.structured_content["lines"]] == RECEIPT
        assert json.loads(receipt.content[1].text) == receipt.structured_content["lines"]
        first = receipt.structured_content["lines"][0]["box"]
        assert abs(first["x"] - 20) < 6  # where the page was drawn
        assert abs(first["y"] - 20) < 10

        steps: list[tuple[float, float | None]] = []

        async def progress(done: float, total: float | None, _: str | None) -> None:
            steps.append((done, total))

        letter = await client.call_tool("read_document", {"path": "letter.pdf"}, progress_callback=progress)
        assert not letter.is_error
        assert letter.structured_content["page_count"] == 2
        assert [page["number"] for page in letter.structured_content["pages"]] == [1, 2]
        own, picture = (page["text"] for page in letter.structured_content["pages"])
        assert (flat(own), flat(picture)) == (LETTER, " ".join(RECEIPT))
        assert [content.text.splitlines()[0] for content in letter.content] == ["[page 1 of 2]", "[page 2 of 2]"]
        assert steps == [(1, 2), (2, 2)]

        second = await client.call_tool("read_document", {"path": "letter.pdf", "pages": "2"})
        assert [page["number"] for page in second.structured_content["pages"]] == [2]

        data = base64.b64encode((folder / "receipt.png").read_bytes()).decode()
        sent = await client.call_tool("read_image", {"data": f"data:image/png;base64,{data}", "charset": "0123456789."})
        assert "1234.50" in sent.content[0].text
        assert set(sent.content[0].text) <= set("0123456789. \n")

    talk(folder, say, mode)


def test_errors_are_ours_with_code_and_sentence(folder: Path) -> None:
    (folder.parent / "secret.png").write_bytes((folder / "receipt.png").read_bytes())
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    (folder / "notes.txt").write_text("no picture")
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        ("read_image", {"path": "broken.png"}, "unreadable_image", "broken.png"),
        ("read_image", {"path": "notes.txt"}, "unsupported_format", "notes.txt"),
        ("read_image", {"path": "nothing.png"}, "unreadable_image", "there is no such file"),
        ("read_image", {"path": str(folder.parent / "secret.png")}, "forbidden", "lies outside"),
        ("read_image", {"path": "link.png"}, "forbidden", "lies outside"),
        ("read_document", {"path": "../secret.png"}, "forbidden", "lies outside"),
        ("read_image", {"path": "https://example.org/a.png"}, "unreadable_image", "a URL is not fetched"),
        ("read_image", {"data": "%"}, "bad_request", "not valid base64"),
        ("read_image", {"data": "AAAA"}, "unsupported_format", "the given bytes"),
        ("read_image", {}, "bad_argument", "give either path or data"),
        ("read_image", {"path": "receipt.png", "charset": ""}, "bad_argument", "charset"),
        ("read_document", {"path": "letter.pdf", "pages": "9"}, "bad_argument", "there is no page 9 of 2"),
        ("read_pages", {}, "bad_argument", "this server has read_image, read_document"),
    ]

    async def say(client: Any) -> None:
        for tool, arguments, code, part in cases:
            answer = await client.session.call_tool(tool, arguments)
            assert answer.is_error, (tool, arguments)
            error = answer.structured_content["error"]
            assert error["code"] == code, error
            assert part in error["message"]
            (content,) = answer.content
            assert content.text == f"{code}: {error['message']}"
            assert "Traceback" not in content.text
        again = await client.call_tool("read_image", {"path": "receipt.png"})
        assert not again.is_error

    talk(folder, say)


def test_a_run_is_cancelled_when_the_client_cancels(folder: Path, draw: ModuleType) -> None:
    """Two documents that would take minutes hold both places of the server: what is asked after they are cancelled is
    answered all the same."""
    endless(folder, draw)
    reached: list[float] = []

    async def say(client: Any) -> None:
        async def read_until_a_page_is_done() -> None:
            async def progress(done: float, _total: float | None, _message: str | None) -> None:
                reached.append(done)
                scope.cancel()

            with anyio.CancelScope() as scope:
                await client.call_tool("read_document", {"path": "endless.pdf"}, progress_callback=progress)

        async with anyio.create_task_group() as group:
            group.start_soon(read_until_a_page_is_done)
            group.start_soon(read_until_a_page_is_done)
        with anyio.fail_after(60):
            receipt = await client.call_tool("read_image", {"path": "receipt.png"})
        assert receipt.content[0].text == "\n".join(RECEIPT)

    talk(folder, say)
    assert max(reached) < ENDLESS / 10


class Server:
    """`fastocr mcp` in a folder, spoken to line by line."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "fastocr", "mcp", *OPTIONS]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=folder
        )
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
        self.say({"id": 1, "method": "initialize", "params": client})
        self.say({"method": "notifications/initialized"})

    def say(self, message: dict[str, Any] | str) -> None:
        line = message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0", **message})
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted; each on the way must be one of the protocol."""
        assert self.process.stdout is not None
        while True:
            message: dict[str, Any] = json.loads(self.process.stdout.readline())
            assert message["jsonrpc"] == "2.0"
            if wanted(message):
                return message

    def ended(self) -> tuple[int, str]:
        """(exit code, what was left on stdout) once stdin is closed."""
        out, _ = self.process.communicate(timeout=120)
        return self.process.returncode, out


def test_stdout_holds_the_protocol_alone_and_the_end_of_stdin_ends_it(folder: Path) -> None:
    server = Server(folder)
    server.say("this is no message")
    server.say(
        {"id": 2, "method": "tools/call", "params": {"name": "read_image", "arguments": {"path": "receipt.png"}}}
    )
    answer = server.until(lambda message: message.get("id") == 2)
    assert answer["result"]["content"][0]["text"] == "\n".join(RECEIPT)
    assert server.ended() == (0, "")


def test_a_client_that_goes_ends_what_it_asked_for(folder: Path, draw: ModuleType) -> None:
    endless(folder, draw)
    server = Server(folder)
    call = {"name": "read_document", "arguments": {"path": "endless.pdf"}, "_meta": {"progressToken": "pages"}}
    server.say({"id": 2, "method": "tools/call", "params": call})
    server.until(lambda message: message.get("method") == "notifications/progress")
    assert server.ended()[0] == 0


def test_without_the_sdk_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from fastocr.cli import main; sys.exit(main(['mcp']))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (6, "")
    assert 'pip install "fastocr-engine[mcp]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_root_that_is_no_folder_ends_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fastocr", "mcp", "--root", str(tmp_path / "nothing")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--root" in done.stderr
