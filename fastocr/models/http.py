"""HTTP as the sources need it: bounded reads, ranges that go on where they stopped, errors in one sentence."""

from __future__ import annotations

import base64
import http.client
import importlib.util
import netrc
import os
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path
from typing import IO, Any, NoReturn

from fastocr._version import DISTRIBUTION, __version__
from fastocr.errors import DownloadError
from fastocr.models.settings import Settings

__all__ = ["CHUNK", "MOST_UNSTATED", "Http", "NoRangesError", "Report", "redact", "tls"]

TRIES = 2  # of a request whose connection broke, or a gateway failed, before any byte came
CHUNK = 1 << 18
MOST_UNSTATED = 64 << 20  # bytes of a file whose size the registry does not state

Report = Callable[[int, int], None]
"""Called with the bytes done and the bytes in all (0: unknown)."""


class NoRangesError(DownloadError):
    """The server cannot send a part of a file."""


class Http:
    """Requests under the given settings.  A server that did not answer once is not asked again by this object."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._timeout = self._settings.timeout
        self._credentials: dict[str, str] = {}
        self._silent: dict[str, str] = {}
        self._openers: dict[bool, urllib.request.OpenerDirector] = {}

    def open(self, url: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """The response to GET ``url``, redirects followed.  DownloadError where there is none, or a status over 399."""
        request = self.request(url, headers)
        host = request.host
        if host in self._silent:
            raise DownloadError(f"{redact(url)}: {self._silent[host]}, so it was not asked again")
        attempt = 1
        while True:
            try:
                return self._opener(host).open(request, timeout=self._timeout)  # type: ignore[no-any-return]
            except (OSError, http.client.HTTPException, ValueError) as error:
                if isinstance(error, urllib.error.HTTPError):
                    error.close()
                if attempt == TRIES or not _worth_another_try(error):
                    self._fail(url, host, error)
            attempt += 1

    def read(self, url: str, headers: Mapping[str, str], limit: int) -> tuple[bytes, Message, str]:
        """Body of at most ``limit`` bytes, headers and final URL."""
        with self.open(url, headers) as response:
            try:
                body = response.read(limit + 1)
            except (OSError, http.client.HTTPException) as error:
                raise DownloadError(f"{redact(url)}: {self._reason(error)}") from error
            if len(body) > limit:
                raise DownloadError(f"{redact(url)}: the answer is over {limit} bytes")
            return body, response.headers, response.url

    def download(self, url: str, part: Path, start: int, length: int, report: Report) -> bool:
        """Bring bytes start..start+length of ``url`` into ``part``, going on where an earlier try left it.

        True where earlier bytes were kept.  Never writes more than ``length`` bytes.  DownloadError where the
        transfer ends early (``part`` stays for the next call) or the server announces another length (it goes);
        NoRangesError where a piece is wanted and the server sends the whole.
        """
        have = part.stat().st_size if part.exists() else 0
        if have == length:
            return True
        if have > length:
            have = 0
        try:
            self._piece(url, part, start, have, length, report)
        except NoRangesError:
            if start or not have:
                raise
            have = 0
            self._piece(url, part, start, have, length, report)
        return bool(have)

    def _piece(self, url: str, part: Path, start: int, have: int, length: int, report: Report) -> None:
        ranged = bool(start or have)
        headers = {"Range": f"bytes={start + have}-{start + length - 1}"} if ranged else {}
        with self.open(url, headers) as response:
            if ranged:
                _check_range(response, url, start + have)
            announced = response.headers.get("Content-Length", "")
            if announced.isdigit() and int(announced) != length - have:
                part.unlink(missing_ok=True)
                raise DownloadError(
                    f"{redact(url)}: the server announces {int(announced) + have} bytes, {length} are registered"
                )
            with part.open("ab" if have else "wb") as file:
                self._copy(response, url, file, have, length, report)

    def download_whole(self, url: str, target: Path, limit: int, report: Report) -> None:
        """The whole of ``url``, of at most ``limit`` bytes and of unknown length, into ``target``."""
        with self.open(url, {}) as response, target.open("wb") as file:
            announced = response.headers.get("Content-Length", "")
            length = int(announced) if announced.isdigit() else 0
            if length > limit:
                raise DownloadError(f"{redact(url)}: {length} bytes are more than the limit of {limit}")
            self._copy(response, url, file, 0, length or limit, report, exact=bool(length))

    def _copy(
        self, response: http.client.HTTPResponse, url: str, file: IO[bytes], done: int, length: int, report: Report,
        exact: bool = True,
    ) -> None:  # fmt: skip
        total = length if exact else 0
        report(done, total)
        reason = "the connection closed"
        while done < length:
            try:
                data = response.read(min(CHUNK, length - done))
            except (OSError, http.client.HTTPException) as error:
                data, reason = getattr(error, "partial", b""), self._reason(error)
            if not data:
                break
            file.write(data)
            done += len(data)
            report(done, total)
        if exact and done < length:
            raise DownloadError(f"{redact(url)}: {reason} after {done} of {length} bytes")
        if done == length and response.read(1):
            raise DownloadError(f"{redact(url)}: the server sends more than {length} bytes")

    def request(self, url: str, headers: Mapping[str, str]) -> urllib.request.Request:
        """A request without user and password in its URL, with them in a header that no other host gets to see."""
        try:
            parts = urllib.parse.urlsplit(url)
            known = parts.scheme in ("http", "https") and parts.hostname is not None
        except ValueError:
            known = False
        if not known:
            raise DownloadError(f"{redact(url)}: only http and https addresses can be fetched")
        user, _, host = parts.netloc.rpartition("@")
        if user:
            self._credentials[host] = _basic(*(urllib.parse.unquote(piece) for piece in (user + ":").split(":")[:2]))
        clean = urllib.parse.quote(parts._replace(netloc=host, fragment="").geturl(), safe="%/:=&?~#+!$,;'@()*[]")
        agent = f"{DISTRIBUTION}/{__version__}"
        request = urllib.request.Request(clean, headers={"User-Agent": agent, "Accept-Encoding": "identity", **headers})  # noqa: S310
        authorization = self._credentials.get(host) or _from_netrc(parts.hostname or "")
        if authorization:
            request.add_unredirected_header("Authorization", authorization)
        return request

    def _opener(self, host: str) -> urllib.request.OpenerDirector:
        name = host.rpartition(":")[0] or host
        trusted = host in self._settings.trusted_hosts or name in self._settings.trusted_hosts
        if trusted not in self._openers:
            proxy = self._settings.proxy
            opener = urllib.request.OpenerDirector()
            for handler in (
                urllib.request.ProxyHandler({"http": proxy, "https": proxy} if proxy else None),
                urllib.request.HTTPHandler(),
                urllib.request.HTTPSHandler(context=tls(self._settings, trusted)),
                urllib.request.HTTPDefaultErrorHandler(),
                urllib.request.HTTPErrorProcessor(),
                urllib.request.UnknownHandler(),
                _Redirects(self),
            ):
                opener.add_handler(handler)
            self._openers[trusted] = opener
        return self._openers[trusted]

    def _fail(self, url: str, host: str, error: Exception) -> NoReturn:
        reason = self._reason(error)
        if not isinstance(error, urllib.error.HTTPError):
            self._silent[host] = reason
        elif error.code in (http.client.REQUESTED_RANGE_NOT_SATISFIABLE, http.client.NOT_IMPLEMENTED):
            raise NoRangesError(f"{redact(url)}: {reason}") from error
        raise DownloadError(f"{redact(url)}: {reason}") from error

    def _reason(self, error: object) -> str:
        if isinstance(error, urllib.error.HTTPError):
            return f"HTTP {error.code} {error.reason}"
        if isinstance(error, urllib.error.URLError):
            return self._reason(error.reason)
        if isinstance(error, TimeoutError):
            return f"no answer within {self._timeout:g} s"
        if isinstance(error, OSError) and error.strerror:
            return error.strerror
        return str(error) or type(error).__name__


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects; the new request gets the credentials of its own host and no other's."""

    def __init__(self, client: Http) -> None:
        self._client = client

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is None:
            return None
        following = self._client.request(newurl, dict(request.header_items()))
        following.origin_req_host, following.unverifiable = req.origin_req_host, True
        return following


def redact(url: str) -> str:
    """The URL without user, password, query and fragment."""
    return re.sub(r"//[^/@]*@", "//", re.split(r"[?#]", url, maxsplit=1)[0])


def _worth_another_try(error: Exception) -> bool:
    if isinstance(error, urllib.error.HTTPError):
        return error.code in (502, 503, 504)
    cause = getattr(error, "reason", error)
    return isinstance(cause, ConnectionResetError | BrokenPipeError | http.client.BadStatusLine)


def _check_range(response: http.client.HTTPResponse, url: str, first: int) -> None:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if response.status != http.client.PARTIAL_CONTENT or found is None or int(found[1]) != first:
        raise NoRangesError(f"{redact(url)}: the server cannot send a part of the file")


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def _from_netrc(host: str) -> str | None:
    name = os.environ.get("NETRC") or Path("~", "_netrc" if os.name == "nt" else ".netrc").expanduser()
    try:
        entry = netrc.netrc(str(name)).authenticators(host)
    except (OSError, netrc.NetrcParseError, UnicodeDecodeError):
        return None
    return _basic(entry[0], entry[2] or "") if entry else None


def tls(settings: Settings, trusted: bool = False) -> ssl.SSLContext:
    """Certificates: the configured bundle, else the system's, else that of certifi or of pip where one is installed."""
    folder = bool(settings.cert) and Path(settings.cert or "").is_dir()
    try:
        context = ssl.create_default_context(
            cafile=None if folder else settings.cert, capath=settings.cert if folder else None
        )
        if settings.client_cert:
            context.load_cert_chain(settings.client_cert)
    except OSError as error:
        raise DownloadError(f"the certificate file {settings.cert or settings.client_cert} cannot be used") from error
    if trusted:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif not settings.cert and not context.cert_store_stats()["x509_ca"] and (bundle := _bundled_certificates()):
        context.load_verify_locations(bundle)
    return context


def _bundled_certificates() -> str | None:
    paths = ssl.get_default_verify_paths()
    if paths.cafile or (paths.capath and any(Path(paths.capath).glob("*.0"))):
        return None
    for module in ("certifi", "pip._vendor.certifi"):
        try:
            found = importlib.util.find_spec(module)
        except ImportError:
            continue
        if found and found.origin and (bundle := Path(found.origin).with_name("cacert.pem")).is_file():
            return str(bundle)
    return None
