"""Chinese identity cards, fronts: name, sex, people, birth, address, number, picture."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from tests.fields.cards import numbers, patterns
from tests.fields.cards.canvas import Canvas, Colour, Random, Sheet
from tests.fields.cards.numbers import pick

SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹"
GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华建国文博雨欣子涵浩宇佳怡志鹏晓东海燕春梅红玉兰"
PEOPLES = ("汉", "汉", "汉", "汉", "汉", "回", "满", "壮", "苗", "维吾尔", "土家", "蒙古", "藏")
PLACES = (
    "北京市朝阳区建国路", "上海市浦东新区世纪大道", "广东省深圳市南山区科技园南路", "四川省成都市武侯区人民南路四段",
    "浙江省杭州市西湖区文三路", "湖北省武汉市洪山区珞喻路", "江苏省南京市玄武区中山东路", "陕西省西安市雁塔区长安南路",
    "辽宁省大连市中山区人民路", "河南省郑州市金水区花园路",
)  # fmt: skip
BLUE: Colour = (54, 110, 158)
INK: Colour = (30, 30, 34)


class Person:
    """Someone, and what their card states."""

    def __init__(self, random: Random) -> None:
        self.male = bool(random.random() < 0.5)
        self.birth: datetime.date = numbers.day(random, 1950, 2008)
        self.number = numbers.resident_number(random, self.birth, self.male)
        self.name = pick(random, SURNAMES) + "".join(pick(random, GIVEN) for _ in range(int(pick(random, (1, 2, 2)))))
        self.people = pick(random, PEOPLES)
        self.address = pick(random, PLACES) + f"{int(random.integers(1, 400))}号"
        if random.random() < 0.6:
            self.address += f"{int(random.integers(1, 30))}栋{int(random.integers(101, 2999))}室"
        self.truth = {
            "number": self.number,
            "name": self.name,
            "sex": "男" if self.male else "女",
            "nation": self.people,
            "birth": self.birth.isoformat(),
            "address": self.address,
        }


def ground(canvas: Canvas, random: Random, start: Colour, end: Colour) -> None:
    """Pale blue to pale rose, with the fine waves of the card."""
    patterns.gradient(canvas, start, end, random.uniform(20, 50))
    patterns.guilloche(canvas, random, (150, 190, 210), 0.45, 40)
    patterns.guilloche(canvas, random, (222, 190, 200), 0.4, 34)


def rows(canvas: Canvas, person: Person, left: float, top: float, size: float, step: float, label: Colour) -> None:
    """Name, sex and people, birth, address, one below the other; labels before the values."""
    value = left + size * 4.1
    face = "microhei"

    def row(at: int, words: str, text: str) -> None:
        y = top + at * step
        canvas.text((left, y), words, size * 0.86, face, label, tracking=size * 0.25)
        canvas.text((value, y), text, size, face, INK, tracking=size * 0.12)

    row(0, "姓名", person.name)
    row(1, "性别", person.truth["sex"])
    people = left + size * 9
    canvas.text((people, top + step), "民族", size * 0.86, face, label, tracking=size * 0.25)
    canvas.text((people + size * 3.9, top + step), person.people, size, face, INK)
    y, x = top + 2 * step, value
    canvas.text((left, y), "出生", size * 0.86, face, label, tracking=size * 0.25)
    for text, ink in (
        (str(person.birth.year), INK), ("年", label), (str(person.birth.month), INK), ("月", label),
        (str(person.birth.day), INK), ("日", label),
    ):  # fmt: skip
        x = canvas.text((x, y), text, size if ink == INK else size * 0.86, face, ink) + size * 0.5
    canvas.text((left, top + 3 * step), "住址", size * 0.86, face, label, tracking=size * 0.25)
    # As many characters a line as end before the picture.
    many = int((55.5 - value) // (canvas.width_of("国", size, face, size * 0.12)))
    for line, at in enumerate(range(0, len(person.address), many)):
        y = top + 3 * step + line * size * 1.75
        canvas.text((value, y), person.address[at : at + many], size, face, INK, tracking=size * 0.12)


def number(
    canvas: Canvas, random: Random, person: Person, y: float, face: str, label: Colour, left: float = 6.5
) -> None:
    """The bottom row."""
    x = canvas.text((left, y), "公民身份号码", 2.3, "microhei", label, tracking=0.5)
    canvas.text((x + 3, y), person.number, 3.0, face, INK, tracking=random.uniform(0.1, 0.45), most=77 - x)


def card(
    random: Random, layout: str, face: str, start: Colour, end: Colour, label: Colour, step: float, grey: bool
) -> Sheet:
    """The standard arrangement: text at the left, the head at the right, the number at the bottom."""
    person = Person(random)
    canvas = Canvas(85.6, 54, 20)
    ground(canvas, random, start, end)
    rows(canvas, person, 6.5, 10.5, random.uniform(2.5, 2.8), step, label)
    patterns.portrait(canvas, random, (57, 7, 79, 38), (228, 238, 244), grey)
    number(canvas, random, person, 48, face, label)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(person.truth, layout)


def standard(random: Random) -> Sheet:
    return card(random, "standard", "ocr-b", (214, 236, 246), (246, 226, 230), BLUE, 7.2, False)


def copied(random: Random) -> Sheet:
    """A photocopy of one, grey, cut out."""
    made = card(random, "copied", "ocr-b", (238, 238, 238), (228, 228, 228), (96, 96, 100), 7.2, True)
    grey = made.pixels.mean(axis=2, keepdims=True)
    made.pixels[:] = (grey - 128) * 1.15 + 128
    made.pixels.clip(0, 255, out=made.pixels)
    return made


def sans(random: Random) -> Sheet:
    """As older makers printed it: the number in the face of the text, tighter rows."""
    face = pick(random, ("microhei", "liberation-sans", "dejavu-sans", "roboto"))
    return card(random, "sans", face, (220, 240, 236), (240, 236, 222), (40, 120, 140), 6.7, False)


def worn(random: Random) -> Sheet:
    """Faded, its print partly gone, with a scratched film."""
    made = card(
        random,
        "worn",
        pick(random, ("ocr-b", "ocr-a", "liberation-mono")),
        (222, 234, 240),
        (240, 232, 232),
        BLUE,
        7.2,
        False,
    )
    faded = patterns.smooth(random, *made.alpha.shape, 14, 0.0, 0.35)[..., None]
    made.pixels[:] += (232 - made.pixels) * faded
    return made


def temporary(random: Random) -> Sheet:
    """The card for the time until the other one is made: paper, a title, the number in the middle of the bottom."""
    person = Person(random)
    canvas = Canvas(85.6, 54, 20)
    patterns.gradient(canvas, (226, 236, 222), (240, 240, 226), 20)
    patterns.guilloche(canvas, random, (170, 200, 170), 0.5, 44)
    label: Colour = (50, 100, 70)
    canvas.text((24, 6.5), "临时居民身份证", 2.9, "microhei", label, tracking=0.6)
    rows(canvas, person, 7, 14, random.uniform(2.3, 2.5), 6.2, label)
    patterns.portrait(canvas, random, (60, 11, 79, 36), (232, 240, 236), False)
    number(canvas, random, person, 49, pick(random, ("ocr-b", "microhei", "inconsolata")), label, 7)
    patterns.grain(canvas, random, 2)
    return canvas.sheet(person.truth, "temporary")


LAYOUTS: tuple[Callable[[Random], Sheet], ...] = (standard, sans, copied, worn, temporary)
