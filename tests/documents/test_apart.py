"""PDFs in processes of their own: the same pages, and what becomes of the processes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from select import select
from typing import Any

import psutil
import pytest
from PIL import Image

from fastocr import OCR, CancelToken
from fastocr.documents import CAN_ISOLATE, Leaf, Pages, PdfOptions, first_leaf, open_pages
from fastocr.documents.pdf import nursery
from fastocr.errors import CancelledError, ClosedError, FastocrError, InputError, LimitError
from fastocr.images import Limits
from tests.documents import bombs
from tests.documents.children import children
from tests.documents.pdfs import both, changed, drawn, encrypted, saying, showing, with_boxes
from tests.documents.test_pdf import form, two_lines

pytestmark = pytest.mark.skipif(not CAN_ISOLATE, reason="processes are forked on Linux and macOS alone")
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="memory is bounded, and processes are watched, on Linux alone"
)

ISOLATED = PdfOptions(isolate=True)
MIB = 2**20


def scan() -> Image.Image:
    return Image.effect_noise((600, 300), 90)


PDFS: dict[str, Callable[[], bytes]] = {
    "lines": two_lines,
    "turned": lambda: with_boxes(two_lines(), 90),
    "cropped": lambda: with_boxes(two_lines(), crop=(40, 450, 380, 560)),
    "form": lambda: drawn((400, 200), form),
    "scan": lambda: drawn((400, 200), showing(scan(), (0, 0, 400, 200)), saying("After a scan")),
    "both": lambda: drawn((400, 200), both(showing(scan(), (20, 20, 200, 90)), saying("Beside it", (30, 150)))),
    "huge": lambda: with_boxes(two_lines(), media=(0, 0, 14_400, 14_400)),
    "unseen": lambda: drawn((400, 200), saying("Below", mode=3)),
    "damaged": lambda: drawn((400, 200), *(saying(f"Page {k}") for k in range(5)))[:1800],
    "claimed": lambda: drawn((400, 200), saying("x")).replace(b"/Count 1 ", b"/Count 3 "),
    "junk": lambda: b"%PDF-1.7\n" + b"junk" * 100,
    "encrypted": lambda: encrypted(drawn((400, 200), saying("Secret 7")), "Schlüssel"),
    "empty": lambda: changed(drawn((400, 200), saying("x")), lambda pdf: pdf.pages.__delitem__(0)),
}


def told(source: Any, options: PdfOptions) -> list[Any]:
    """All that can be seen of a PDF's pages, and the errors that stand in their place."""
    try:
        pages = open_pages(source, options=options)
    except FastocrError as error:
        return [type(error), str(error)]
    with closing(pages):
        seen: list[Any] = [pages.count, pages.source]
        for number in range(1, pages.count + 1):
            try:
                seen.append(of_leaf(pages.load(number)))
            except FastocrError as error:
                seen.append((type(error), str(error)))
        return seen


def of_leaf(leaf: Leaf) -> dict[str, Any]:
    def of(image: Any) -> Any:
        if image is None:
            return None
        kept = (image.name, image.page_count, image.format, image.warnings, image.dpi)
        return image.pixels.shape, image.pixels.tobytes(), image.pixels.flags.c_contiguous, kept

    return {
        "image": of(leaf.image),
        "unread": leaf.unread is leaf.image or of(leaf.unread),
        "lines": leaf.lines,
        "dpi": leaf.dpi,
        "on_its_side": leaf.on_its_side,
    }


@pytest.mark.parametrize("name", PDFS)
@pytest.mark.parametrize("options", [{}, {"text": "ignore"}, {"text": "only"}, {"dpi": 50}], ids=str)
def test_the_same_pages_and_errors(name: str, options: dict[str, Any]) -> None:
    data = PDFS[name]()
    assert told(data, PdfOptions(**options, isolate=True)) == told(data, PdfOptions(**options))


@pytest.mark.parametrize("password", ["Schlüssel", "owner", "wrong", "\udcff"])
def test_the_same_with_a_password(password: str) -> None:
    data = PDFS["encrypted"]()
    assert told(data, PdfOptions(password, isolate=True)) == told(data, PdfOptions(password))


def test_the_same_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a\udcff b.pdf").write_bytes(two_lines())
    first_leaf(two_lines(), options=ISOLATED)
    monkeypatch.chdir(tmp_path)  # where the nursery is not
    source = Path("a\udcff b.pdf")
    assert told(source, ISOLATED) == told(source, PdfOptions())
    assert of_leaf(first_leaf(source, options=ISOLATED)) == of_leaf(first_leaf(source))


@pytest.mark.data
@pytest.mark.slow
def test_the_same_of_real_ones(shared_data: Path) -> None:
    files = sorted((shared_data / "pdf_pages" / "pdf").glob("*.pdf"))
    assert files
    for file in files:
        assert told(file, ISOLATED) == told(file, PdfOptions()), file


@linux
def test_one_bad_page_does_not_cost_the_others() -> None:
    """Its content unpacks to 4 GiB."""
    data = bombs.pdf(bombs.line("One"), bombs.gigabytes(4), bombs.line("Three"))
    limits = Limits(max_page_memory=64 * MIB)
    with (
        OCR(detector=Nothing(), recognizer=Nothing(), limits=limits) as ocr,
        ocr.read_document(data, isolate=True) as document,
    ):
        first, second, third = document
    assert (first.text, third.text) == ("One", "Three")
    assert (second.lines, second.width) == ((), 0)
    assert second.warnings[0].startswith(
        "cannot read the given bytes: page 2 of the PDF takes too much memory, more than 64 MiB, or"
    )


class Nothing:
    """Stages that are not asked, since the pages hold their text."""

    def detect(self, image: Any, trip: Any) -> Any: ...

    def recognize(self, crops: Any, trip: Any) -> Any: ...


def test_a_form_that_holds_itself_ends_in_time_and_others_go_on() -> None:
    limits = Limits(max_page_seconds=1)
    data = bombs.pdf(bombs.DRAWS, bombs.line("Two"), more=bombs.endless())
    with closing(open_pages(data, limits=limits, options=ISOLATED)) as pages, waiting(pages, 1) as ended:
        others = 0
        while not ended():
            assert first_leaf(two_lines(), options=ISOLATED).lines
            others += 1
        assert others > 2
        assert isinstance(ended(), LimitError)
        assert str(ended()) == (
            "cannot read the given bytes: page 1 of the PDF takes longer than 1 s; raise Limits.max_page_seconds to "
            "allow it"
        )
        assert pages.load(2).lines[0].text == "Two"


def test_all_pages_together_have_a_limit() -> None:
    limits = Limits(max_page_seconds=60, max_document_seconds=1)
    data = bombs.pdf(bombs.DRAWS, bombs.line("Two"), more=bombs.endless())
    with closing(open_pages(data, limits=limits, options=ISOLATED)) as pages:
        for number in (1, 2):
            with pytest.raises(LimitError, match=r"its pages take longer than 1 s in all; raise Limits\.max_document"):
                pages.load(number)


@contextmanager
def waiting(pages: Pages, number: int, cancel: CancelToken | None = None) -> Iterator[Callable[[], Any]]:
    """A thread that loads a page; what it has got, None before."""
    got: list[Any] = []

    def load() -> None:
        try:
            got.append(pages.load(number, cancel))
        except Exception as error:
            got.append(error)

    thread = threading.Thread(target=load)
    thread.start()
    try:
        yield lambda: got[0] if got else None
    finally:
        thread.join()


def only_child() -> psutil.Process:
    """The one process with a PDF, once those of earlier tests are buried."""
    while len(found := children()) != 1:
        pass
    return found[0]


def busy_child() -> psutil.Process:
    """The same once it has worked for a while."""
    process = only_child()
    while process.cpu_times().user + process.cpu_times().system < 0.1:
        pass
    return process


def ends_within(process: psutil.Process, seconds: float, act: Callable[[], object]) -> bool:
    """Whether the process has gone so soon after an act."""
    handle = os.pidfd_open(process.pid)
    try:
        act()
        return bool(select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


@linux
def test_cancelling_kills_the_process_at_once() -> None:
    token = CancelToken()
    with closing(open_pages(bombs.pdf(bombs.DRAWS, more=bombs.endless()), options=ISOLATED)) as pages:
        with waiting(pages, 1, token) as ended:
            assert ends_within(busy_child(), 0.2, token.cancel)
        assert isinstance(ended(), CancelledError)
        with pytest.raises(CancelledError):
            pages.load(1, token)


@linux
def test_closing_kills_the_process_at_once() -> None:
    pages = open_pages(bombs.pdf(bombs.DRAWS, more=bombs.endless()), options=ISOLATED)
    with waiting(pages, 1) as ended:
        assert ends_within(busy_child(), 0.2, pages.close)
    assert isinstance(ended(), ClosedError)
    with pytest.raises(ClosedError):
        pages.load(1)


@linux
def test_an_open_that_is_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        open_pages(two_lines(), options=ISOLATED, cancel=token)
    assert settled(lambda: True)


@linux
def test_a_crash_is_an_error_of_its_page() -> None:
    data = bombs.pdf(bombs.DRAWS, bombs.line("Two"), more=bombs.endless())
    with closing(open_pages(data, options=ISOLATED)) as pages:
        with waiting(pages, 1) as ended:
            busy_child().send_signal(signal.SIGSEGV)
        assert type(ended()) is InputError
        assert str(ended()) == "cannot read the given bytes: page 1 of the PDF makes PDFium crash (SIGSEGV)"
        assert pages.load(2).lines[0].text == "Two"


@linux
def test_a_page_is_not_blamed_for_a_process_that_ended_before() -> None:
    with closing(open_pages(two_lines(), options=ISOLATED)) as pages:
        wanted = of_leaf(pages.load(1))
        for signum in (signal.SIGSEGV, signal.SIGKILL):
            process = only_child()
            assert ends_within(process, 10, lambda s=signum, p=process: p.send_signal(s))
            assert of_leaf(pages.load(1)) == wanted


@linux
def test_a_nursery_that_ends_is_replaced() -> None:
    with closing(open_pages(two_lines(), options=ISOLATED)) as pages:
        wanted = of_leaf(pages.load(1))
        process = only_child()
        parent = process.parent()
        assert parent is not None
        assert ends_within(process, 10, parent.kill), "children end with the nursery"
        assert of_leaf(pages.load(1)) == wanted
        assert of_leaf(first_leaf(two_lines(), options=ISOLATED)) == wanted


PARENT = """
import sys, threading
from fastocr.documents import PdfOptions, open_pages
from tests.documents import bombs
from tests.documents.test_apart import busy_child

pages = open_pages(bombs.pdf(bombs.DRAWS, more=bombs.endless()), options=PdfOptions(isolate=True))
threading.Thread(target=pages.load, args=(1,), daemon=True).start()
print(busy_child().pid, busy_child().parent().pid, flush=True)
sys.stdin.read()
"""


@linux
def test_nothing_outlives_its_parent() -> None:
    """Which is killed while a page is rendered."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as parent:
        assert parent.stdout is not None
        pids = list(map(int, parent.stdout.readline().split()))
        handles = [os.pidfd_open(pid) for pid in pids]
        parent.kill()
        try:
            for handle in handles:
                assert select([handle], [], [], 10)[0]
        finally:
            for handle in handles:
                os.close(handle)


@linux
def test_a_forked_process_has_a_nursery_of_its_own() -> None:
    with closing(open_pages(two_lines(), options=ISOLATED)) as pages:
        wanted = of_leaf(pages.load(1))
        pid = os.fork()
        if not pid:
            same = False
            try:
                same = of_leaf(pages.load(1)) == wanted == of_leaf(first_leaf(two_lines(), options=ISOLATED))
            finally:
                os._exit(not same)
        assert os.waitpid(pid, 0)[1] == 0
        assert of_leaf(pages.load(1)) == wanted, "and leaves that of its parent alone"


def test_many_threads_share_a_nursery() -> None:
    """Also where processes end at the moment at which they are let go of."""
    data = drawn((200, 100), saying("One", (20, 40), 20))
    nursery.ready()
    before = psutil.Process().children()  # that of multiprocessing may be among them
    failed: list[Exception] = []

    def read() -> None:
        try:
            for _ in range(15):
                with closing(open_pages(data, options=ISOLATED)) as pages:
                    assert pages.load(1).lines[0].text == "One"
                with pytest.raises(InputError):
                    open_pages(b"%PDF-1.7 junk", options=ISOLATED)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert psutil.Process().children() == before


@linux
def test_nothing_is_left_behind() -> None:
    data = drawn((200, 100), saying("One", (20, 40), 20))

    def held() -> tuple[int, int, list[psutil.Process]]:
        gc.collect()
        own = psutil.Process()
        return own.num_fds(), sum(process.num_fds() for process in own.children()), own.children(recursive=True)

    def memory() -> int:
        return sum(process.memory_info().rss for process in [psutil.Process(), *psutil.Process().children()])

    def read(count: int) -> None:
        for turn in range(count):
            pages = open_pages(data, options=ISOLATED)
            pages.load(1)
            if turn % 2:  # the others are closed by nobody
                pages.close()
            del pages
            with pytest.raises(InputError):
                open_pages(b"%PDF-1.7 junk", options=ISOLATED)

    read(10)
    before, rss = settled(held), memory()
    read(100)
    assert settled(held) == before
    assert memory() - rss < 20 * MIB


def settled(held: Callable[[], Any]) -> Any:
    """What is held once the nursery has buried all that were killed."""
    while children():
        pass
    return held()
