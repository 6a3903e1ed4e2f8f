"""rapidocr's parameters in fastocr's terms."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from fastocr.errors import ArgumentError

__all__ = ["EngineType", "LangCls", "LangDet", "LangRec", "ModelType", "OCRVersion", "translated"]


class EngineType(Enum):
    """What runs the networks."""

    ONNXRUNTIME = "onnxruntime"
    OPENVINO = "openvino"
    PADDLE = "paddle"
    TORCH = "torch"
    TENSORRT = "tensorrt"
    MNN = "mnn"


class LangDet(Enum):
    """Languages of detectors; fastocr's read them all."""

    CH = "ch"
    EN = "en"
    MULTI = "multi"


class LangCls(Enum):
    """Languages of line classifiers."""

    CH = "ch"


class LangRec(Enum):
    """Languages of recognizers."""

    CH = "ch"
    CH_DOC = "ch_doc"
    EN = "en"
    ARABIC = "arabic"
    CHINESE_CHT = "chinese_cht"
    CYRILLIC = "cyrillic"
    DEVANAGARI = "devanagari"
    JAPAN = "japan"
    KOREAN = "korean"
    KA = "ka"
    LATIN = "latin"
    TA = "ta"
    TE = "te"
    ESLAV = "eslav"
    TH = "th"
    EL = "el"


class OCRVersion(Enum):
    """Generations of models."""

    PPOCRV4 = "PP-OCRv4"
    PPOCRV5 = "PP-OCRv5"
    PPOCRV6 = "PP-OCRv6"


class ModelType(Enum):
    """Sizes of models."""

    MOBILE = "mobile"
    SERVER = "server"
    TINY = "tiny"
    SMALL = "small"
    MEDIUM = "medium"


# What has one counterpart among the arguments of `OCR`.
_ARGUMENTS = {
    "Global.text_score": "min_confidence",
    "Det.model_path": "det",
    "Det.thresh": "threshold",
    "Det.box_thresh": "box_threshold",
    "Det.unclip_ratio": "unclip",
    "Cls.cls_thresh": "orientation_threshold",
    "Rec.model_path": "rec",
    "Rec.rec_keys_path": "dictionary",
}
_THREADS = ("EngineConfig.onnxruntime.intra_op_num_threads", "EngineConfig.openvino.inference_num_threads")
_PROVIDERS = {
    "EngineConfig.onnxruntime.use_cuda": "onnxruntime:cuda",
    "EngineConfig.onnxruntime.use_dml": "onnxruntime:directml",
    "EngineConfig.onnxruntime.use_coreml": "onnxruntime:coreml",
    "EngineConfig.onnxruntime.use_cann": "onnxruntime:cann",
}
_SWITCHES = {
    "use_det": True,
    "use_cls": True,
    "use_rec": True,
    "return_word_box": False,
    "return_single_char_box": False,
}
# Has no counterpart, and changes what is read little or not: sizes are chosen by fastocr itself, as is what it batches.
_PASSED_OVER = {
    "Global": "use_preprocess_img min_side_len max_side_len use_vertical_padding min_height width_height_ratio "
    "font_path log_level model_root_dir",
    "Det": "lang_type task_type limit_side_len limit_type max_candidates use_dilation score_mode",
    "Cls": "engine_type lang_type model_type ocr_version task_type cls_image_shape cls_batch_num label_list",
    "Rec": "task_type rec_img_shape rec_batch_num",
}
_IGNORED = {f"{section}.{name}" for section, names in _PASSED_OVER.items() for name in names.split()}


def translated(params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, bool]]:
    """(arguments of `OCR`, rapidocr's switches of a call).

    Values may be these enumerations, rapidocr's own or their strings.  Raises ArgumentError for a name that rapidocr
    does not know, and for what would give another result than asked for.
    """
    plain = {key: value.value if isinstance(value, Enum) else value for key, value in params.items()}
    given = {key: value for key, value in plain.items() if value is not None}
    made: dict[str, Any] = {name: given.pop(key) for key, name in _ARGUMENTS.items() if key in given}
    switches = {name: bool(given.pop(f"Global.{name}", default)) for name, default in _SWITCHES.items()}
    if "Global.use_cls" in plain:
        made["orientation"] = "auto" if switches["use_cls"] else "off"
    threads = [count for key in _THREADS if (count := given.pop(key, -1)) > 0]
    if threads:
        made["threads"] = max(threads)
    if backend := _backend(given):
        made["backend"] = backend
    for part in ("Det", "Rec"):
        model = _model(given, part)
        if model and part.lower() not in made:
            made[part.lower()] = model
    if lang := given.pop("Rec.lang_type", None):
        made["lang"] = str(lang).removesuffix("_doc")
    for key in given:
        if key not in _IGNORED and not key.startswith("EngineConfig."):
            raise ArgumentError(f"{key!r} has no counterpart in fastocr (docs/migrating.md lists those that have)")
    return made, switches


def _backend(given: dict[str, Any]) -> str | None:
    asked = {given.pop(f"{part}.engine_type") for part in ("Det", "Rec") if f"{part}.engine_type" in given}
    if unknown := asked - {"onnxruntime", "openvino"}:
        raise ArgumentError(f"engine_type {min(unknown)!r} has no counterpart: take onnxruntime or openvino")
    if len(asked) > 1:
        raise ArgumentError("detector and recognizer run by one engine: give both the same engine_type")
    providers = [name for key, name in _PROVIDERS.items() if given.pop(key, False)]
    return providers[0] if providers else next(iter(asked), None)


def _model(given: dict[str, Any], part: str) -> str | None:
    """The name of a model set, where version or size is asked for."""
    if not {f"{part}.ocr_version", f"{part}.model_type"} & given.keys():
        return None
    version = str(given.pop(f"{part}.ocr_version", OCRVersion.PPOCRV6.value))
    newest = version == OCRVersion.PPOCRV6.value
    size = str(given.pop(f"{part}.model_type", "small" if newest else "mobile"))
    name = f"{version.casefold().replace('-', '')}-{size}"
    from fastocr.models.opening import registry

    if name not in registry().sets:
        raise ArgumentError(f"there are no models {version} {size}; `fastocr models list` shows those that there are")
    return name
