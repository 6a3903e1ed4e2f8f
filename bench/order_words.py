"""Text for drawn pages: sentences of chance, whose lines go on as those of prose do."""

from __future__ import annotations

import random

ENGLISH = """
the of and to in a is that for it was on are with as his they at be this from have or by one had not but what
all were when we there can an your which their said if do will each about how up out them then she many some so
these would other into has more her two like him see time could no make than first been its who now people my
made over did down only way find use may water long little very after words called just where most know river
valley harbour engineer bridge winter market letter captain garden window station morning council evidence
measure method result table pressure surface village teacher against through during between towards without
although because government development
"""
ARABIC = """
كتاب مدينة في من على الى هذا كان البيت الماء النهر الطريق صباح مساء قرية سوق رجل كبير صغير جديد قديم طويل بعد
قبل عند كل ثم لكن حتى الناس العمل اليوم السنة العالم الحياة مدرسة معلم رسالة حديقة شمس قمر بحر جبل سماء ارض نور
صوت قلب طعام
"""
HEBREW = """
ספר עיר בית מים נהר דרך בוקר ערב כפר שוק איש גדול קטן חדש ישן ארוך אחרי לפני כל אבל עד אנשים עבודה היום שנה עולם
חיים מורה מכתב גן שמש ירח ים הר שמים ארץ אור קול לב אוכל של על את עם זה היה לא כי גם רק מאוד תמיד
"""
CJK = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后"
    "小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长"
)
ITEMS = """
Bread Milk Butter Apples Coffee Sugar Cheese Noodles Tomato Battery Notebook Shampoo Candle Pencil Hammer Screws
Hinge Bracket Washer Cable Lamp Bucket Brush Towel Basket Kettle
"""
LABELS = """
Name; Address; Date of birth; Phone; Policy number; Place of issue; Occupation; Signature; Amount due; Order
no.; Reference; Contact; Department; Country; Valid until
"""
VALUES = """
Jonas Lindqvist; 12 Harbour Street, Larvik; 17 March 1968; +47 33 18 22 90; KX-204-771; Bergen; Carpenter; see
overleaf; 1,204.50; 2024-118; Ms Okafor; Maria Petrenko; Purchasing; Norway; 31.12.2027
"""


def sentences(draw: random.Random, count: int, vocabulary: str = ENGLISH) -> list[str]:
    """So many words as prose: sentences of 6 to 16 words, with capitals and full stops where the script has them."""
    words: list[str] = []
    while len(words) < count:
        sentence = draw.choices(vocabulary.split(), k=draw.randint(6, 16))
        sentence[0] = sentence[0].capitalize()
        if draw.random() < 0.5:
            sentence[len(sentence) // 2] += ","
        sentence[-1] += "."
        words += sentence
    return words[:count]


def title(draw: random.Random, count: int, vocabulary: str = ENGLISH) -> str:
    return " ".join(draw.choices(vocabulary.split(), k=count)).capitalize()


def glyphs(draw: random.Random, count: int) -> str:
    """So many full-width glyphs, punctuation among them."""
    found = draw.choices(CJK, k=count)
    for place in range(draw.randint(5, 11), count - 1, draw.randint(8, 13)):
        found[place] = draw.choice("，。")
    return "".join(found)


def picked(draw: random.Random, choices: str, count: int) -> list[str]:
    """Different ones of a list, parted by semicolons or blanks."""
    parted = choices.split(";") if ";" in choices else choices.split()
    return [" ".join(entry.split()) for entry in draw.sample(parted, count)]


def amount(draw: random.Random) -> str:
    return f"{draw.uniform(0.2, 900):,.2f}"
