"""Makes the descriptor of the gRPC service, `ocr.binpb`, from `ocr.proto`; needs grpcio-tools.

    python tools/make_descriptor.py

A test says where the two no longer agree.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grpc_tools import protoc

PROTOS = Path(__file__).resolve().parents[1] / "fastocr" / "serve" / "protos"
PROTO = PROTOS / "fastocr" / "v2" / "ocr.proto"


def make(target: Path) -> int:
    """Writes the FileDescriptorSet of the .proto; the compiler's exit status."""
    return int(protoc.main(["protoc", f"-I{PROTOS}", f"--descriptor_set_out={target}", str(PROTO)]))


if __name__ == "__main__":
    sys.exit(make(PROTO.with_suffix(".binpb")))
