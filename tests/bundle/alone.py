"""Run as a program, by `unshare -rn`, where there is no network: starts a bundle, sends an image, prints the answer.

    alone.py BUNDLE IMAGE [OPTION OF start.sh]...

Prints a JSON object: `text`, what the service read; `models`, what read it; `said`, what start.sh told; `seconds`, how
long it took until the service was ready; `code`, its exit code; `reached`, what came of an attempt to go outside.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def loopback_up() -> None:
    """A new network namespace has its loopback, and that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        fcntl.ioctl(door, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def reached() -> str:
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=5).close()
    except OSError as error:
        return error.strerror or str(error)
    return "reached"


def main(bundle: str, image: str, *words: str) -> None:
    loopback_up()
    begun = time.monotonic()
    said: list[str] = []
    with subprocess.Popen([f"{bundle}/start.sh", *words], stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr
        for line in service.stderr:
            said.append(line)
            if line.startswith("fastocr ready"):
                break
        else:
            sys.exit("".join(said))
        seconds = time.monotonic() - begun
        with closing(http.client.HTTPConnection("127.0.0.1", int(words[words.index("--port") + 1]), 120)) as client:
            client.request("POST", "/v2/ocr", Path(image).read_bytes())
            page = json.load(client.getresponse())
        service.send_signal(signal.SIGTERM)
        code = service.wait(120)
    told = {"text": page["text"], "models": page["service"]["models"], "said": "".join(said), "seconds": seconds}
    print(json.dumps({**told, "code": code, "reached": reached()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
