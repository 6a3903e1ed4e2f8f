"""The letters beyond a to z that each language's own spelling needs, in small; for scripts beside Latin, a sample.

Written down from the languages' alphabets, not from any model's dictionary.  Letters count, not all punctuation: no
PP-OCRv6 dictionary has the inverted exclamation mark of Spanish, and Uzbek is taken with the plain apostrophe.
"""

from __future__ import annotations

LATIN = "abcdefghijklmnopqrstuvwxyz"

EXTRA = {
    "af": "áèéêëíîïóôöúû",
    "az": "əçğıöşü",
    "bs": "čćđšž",
    "ca": "àçèéíïòóúü·",
    "cs": "áčďéěíňóřšťúůýž",
    "cy": "âêîôûŵŷäëïöáéíóúàèìòù",
    "da": "æøåé",
    "de": "äöüß",
    "en": "",
    "es": "áéíñóúü",
    "et": "äöõüšž",
    "eu": "ñç",
    "fi": "äöåšž",
    "fil": "ñ",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "ga": "áéíóú",
    "gl": "áéíñóúü",
    "hr": "čćđšž",
    "hu": "áéíóöőúüű",
    "id": "",
    "is": "áéíóúýðþæö",
    "it": "àèéìíòóùú",
    "ku": "çêîşû",
    "la": "",
    "lb": "äéëöüß",
    "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž",
    "mi": "āēīōū",
    "ms": "",
    "mt": "ċġħżàèìòù",
    "nb": "æøåéèêóòâôü",
    "nl": "éëïóöüáíúèê",
    "nn": "æøåéèêóòâô",
    "oc": "áàçéèíïóòúü",
    "pi": "āīūṅñṭḍṇḷṃ",
    "pl": "ąćęłńóśźż",
    "pt": "áâãàçéêíóôõúü",
    "qu": "ñ",
    "rm": "àèéìòùüö",
    "ro": "ăâîșț",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšž",
    "sq": "çë",
    "sr-Latn": "čćđšž",
    "sv": "åäöé",
    "sw": "",
    "tr": "çğıöşüâîû",
    "uz": "",
    "vi": "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}

# Dotless and dotted i are letters of their own: upper() of i is I there too.
UPPER = {"tr": "İ", "az": "İ"}
NO_UPPER = set("ß·ıÿ")

KANA = (
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんがぎぐげござじずぜぞだぢづでど"
    "ばびぶべぼぱぴぷぺぽぁぃぅぇぉっゃゅょアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
    "ガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポァィゥェォッャュョヴー々。、「」"
)
OTHER = {
    "zh-Hans": (
        "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过"
        "家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从、。，；：？！"
    ),
    "zh-Hant": (
        "的一是不了人我在有他這為之大來以個中上們到說國和地也子時道出而要於就下得可你年生自會那後能對著事其裡所去行過"
        "家十用發天如然作方成者多日都三小軍二無同麼經法當起與好看學進種將還分此心前面又定見只主沒公從、。，；：？！"
    ),
    "ja": KANA
    + (
        "日本語人一年大十二中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九"
        "入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法"
    ),
    "ko": "가나다라마바사아자차카타파하한국어의는이를을에서고",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "el": "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώς",
}


def needed(language: str) -> set[str]:
    """Every character without which the language cannot be written."""
    if language in OTHER:
        text = OTHER[language]
        return set(text) | {letter for letter in text.upper() if len(letter) == 1}
    letters = LATIN + EXTRA[language]
    upper = {letter.upper() for letter in letters if letter not in NO_UPPER}
    return set(letters) | upper | set(UPPER.get(language, "")) | set("0123456789.,:;!?'\"()-%&/")


def covered(characters: set[str]) -> tuple[str, ...]:
    """The languages that these characters can write."""
    return tuple(language for language in (*EXTRA, *OTHER) if needed(language) <= characters)
