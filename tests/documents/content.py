"""The contents of the test documents, the same for all formats: blocks, and questions whose answers are known.

A block is a tuple: ("heading", text), ("text", text), ("columns", [text...]), ("table", Table),
("form", [(label, value)...]) or ("list", [(label, value)...]), a table of two columns without heads. Names of rows are
unique in the whole set, so that every question has one answer.
"""

import random
from dataclasses import dataclass, field

TREES = ("Alder Aspen Birch Cedar Cherry Cypress Elder Elm Fir Hazel Hickory Holly Juniper Larch Laurel Linden Magnolia Maple"
         " Myrtle Oak Olive Palm Pecan Pine Poplar Redwood Rowan Sequoia Spruce Sycamore Teak Walnut Willow Yew").split()
THINGS = ("kettle toaster mixer blender grill heater lamp fan iron radio camera printer scanner monitor keyboard drill saw"
          " hammer ladder bench chair table shelf cabinet mirror carpet curtain pillow blanket basket bucket broom kayak"
          " paddle tent stove lantern compass").split()
GROUPS = "Kitchen Workshop Garden Office Camping Bathroom Hallway Balcony Cellar Nursery".split()
USES = ("for daily use in small households, with a cord of two metres",
        "with a housing of brushed steel that is easy to clean and hard to scratch",
        "made for long days outdoors and tested in rain, wind and snow",
        "which folds flat, so that it fits under a bed or behind a door",
        "sold together with a bag, a cleaning cloth and a printed manual in five languages")
PROSE = ("The people who work in our warehouses begin at six in the morning, when the first lorries arrive from the harbour"
         " and the goods of the night have to be sorted by street and house.",
         "Over the years the company has moved three times, always to a larger building, and each time the customers found"
         " the way without much trouble because the name over the door stayed the same.",
         "Nobody can say today why the founder chose a heron for the sign, but it is still painted on every van, and"
         " children wave when they see it on the road.",
         "A good workshop smells of wood and oil, and ours is no exception; visitors are welcome on weekdays, when somebody"
         " has the time to show them around.",
         "In winter the heating of the old halls is expensive, so that we decided to insulate the roof and to replace the"
         " windows on the side where the wind comes from.")

# By language: nouns, and heads of columns with their questions.
LANGUAGES = {
    "de": ("Lampe Kanne Leiter Waage Pumpe Bohrer Zange Kessel".split(), (
        ("Preis", "Was ist der Preis von {k}?"), ("Gewicht", "Welches Gewicht hat {k}?"),
        ("Lagerbestand", "Wie hoch ist der Lagerbestand von {k}?"))),
    "fr": ("Lampe Carafe Échelle Balance Pompe Perceuse Pince Chaudière".split(), (
        ("Prix", "Quel est le prix de {k} ?"), ("Poids", "Quel est le poids de {k} ?"),
        ("Stock", "Quel est le stock de {k} ?"))),
    "es": ("Lámpara Jarra Escalera Balanza Bomba Taladro Pinza Caldera".split(), (
        ("Precio", "¿Cuál es el precio de {k}?"), ("Peso", "¿Cuál es el peso de {k}?"),
        ("Existencias", "¿Cuáles son las existencias de {k}?"))),
    "ru": ("Лампа Чайник Лестница Весы Насос Дрель Клещи Котёл".split(), (
        ("Цена", "Какова цена {k}?"), ("Вес", "Каков вес {k}?"), ("Остаток", "Каков остаток {k}?"))),
    "zh": ("台灯 水壶 梯子 天平 水泵 电钻 钳子 锅炉".split(), (
        ("价格", "{k}的价格是多少？"), ("重量", "{k}的重量是多少？"), ("库存", "{k}的库存是多少？"))),
    "ja": ("ランプ やかん はしご てんびん ポンプ ドリル ペンチ ボイラー".split(), (
        ("価格", "{k}の価格はいくらですか？"), ("重量", "{k}の重量はいくらですか？"), ("在庫", "{k}の在庫はいくつですか？"))),
    "ko": ("램프 주전자 사다리 저울 펌프 드릴 펜치 보일러".split(), (
        ("가격", "{k}의 가격은 얼마입니까?"), ("무게", "{k}의 무게는 얼마입니까?"), ("재고", "{k}의 재고는 얼마입니까?"))),
    "ar": ("مصباح إبريق سلم ميزان مضخة مثقاب كماشة غلاية".split(), (
        ("السعر", "ما هو السعر لـ {k}؟"), ("الوزن", "ما هو الوزن لـ {k}؟"), ("المخزون", "ما هو المخزون لـ {k}؟"))),
    "he": ("מנורה קומקום סולם מאזניים משאבה מקדחה צבת דוד".split(), (
        ("מחיר", "מה המחיר של {k}?"), ("משקל", "מה המשקל של {k}?"), ("מלאי", "מה המלאי של {k}?"))),
}
FIRST = {"de": "Artikel", "fr": "Article", "es": "Artículo", "ru": "Товар", "zh": "产品", "ja": "品名", "ko": "품목",
         "ar": "المنتج", "he": "מוצר"}


@dataclass
class Table:
    """Heads are rows of (text, columns); a row of one cell is the title of the rows below it. `grouped`: equal first
    cells are one cell over their rows."""
    heads: list
    rows: list
    grouped: bool = False
    borders: bool = True
    from_right: bool = False
    repeat: bool = True  # the heads on every page


@dataclass
class Document:
    name: str
    kind: str
    blocks: list = field(default_factory=list)
    questions: list = field(default_factory=list)  # (question, right value, values of other rows)
    language: str = "en"
    pages: bool = False  # long enough for several, with headers and footers


class Contents:
    """Draws names and figures that occur once."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = [f"{tree} {thing}" for tree in TREES for thing in THINGS]
        self.random.shuffle(self.names)
        self.figures, self.codes = set(), set()

    def fresh(self, taken, draw):
        while (value := draw()) in taken:
            pass
        taken.add(value)
        return value

    def price(self):
        return self.fresh(self.figures, lambda: f"{self.random.randint(1000, 99999) / 100:.2f}")

    def weight(self):
        return self.fresh(self.figures, lambda: f"{self.random.randint(101, 9999) / 100:.2f} kg")

    def count(self):
        return self.fresh(self.figures, lambda: f"{self.random.randint(1001, 9999)}")

    def code(self):
        return self.fresh(self.codes, lambda: "".join(self.random.sample("ABCDEFGHKLMNPRSTUVWX", 2)) + "-"
                          + str(self.random.randint(1000, 9999)))

    def intro(self, document, title):
        document.blocks += [("heading", title), ("text", self.random.choice(PROSE))]

    def ask(self, document, rows, columns, name=0):
        """About three cells of the rows, each column being (index, question)."""
        for _ in range(3):
            row = self.random.choice(rows)
            index, question = self.random.choice(columns)
            found = (question.format(k=row[name]), row[index], [other[index] for other in rows if other is not row])
            if found not in document.questions:
                document.questions.append(found)

    def plain(self, document, count=7, borders=True, wrapped=False, long=False):
        names = [self.names.pop() for _ in range(40 if long else count)]
        rows = [[name, self.price(), self.weight(), self.count()] for name in names]
        columns = [(1, "What is the price of the {k}?"), (2, "What is the weight of the {k}?"),
                   (3, "How many {k} are in stock?")]
        heads = ["Product", "Price", "Weight", "In stock"]
        shown = rows
        if wrapped:
            shown = [[row[0], self.random.choice(USES), *row[1:3]] for row in rows]
            heads, columns = ["Product", "Description", "Price", "Weight"], columns[:2]
        document.blocks.append(("table", Table([[(text, 1) for text in heads]], shown, borders=borders, repeat=not long
                                               or self.random.random() < 0.5)))
        self.ask(document, rows, columns)

    def spanned(self, document):
        names = [self.names.pop() for _ in range(6)]
        rows = [[name, self.price(), self.count(), self.price(), self.count()] for name in names]
        heads = [[("Product", 1), ("Spring", 2), ("Autumn", 2)],
                 [("", 1), ("Price", 1), ("Sold", 1), ("Price", 1), ("Sold", 1)]]
        document.blocks.append(("table", Table(heads, rows)))
        self.ask(document, rows, [(1, "What is the price of the {k} in spring?"), (4, "How many {k} were sold in autumn?"),
                                  (3, "What is the price of the {k} in autumn?")])

    def grouped(self, document):
        groups = self.random.sample(GROUPS, 3)
        rows = [[group, self.names.pop(), self.price(), self.count()] for group in groups
                for _ in range(self.random.randint(2, 4))]
        document.blocks.append(("table", Table([[(text, 1) for text in ("Group", "Product", "Price", "In stock")]], rows,
                                               grouped=True)))
        self.ask(document, rows, [(2, "What is the price of the {k}?"), (3, "How many {k} are in stock?")], name=1)

    def sections(self, document):
        rows, shown = [], []
        for group in self.random.sample(GROUPS, 2):
            shown.append([group + " goods"])
            for _ in range(4):
                rows.append([self.names.pop(), self.price(), self.weight()])
                shown.append(rows[-1])
        document.blocks.append(("table", Table([[(text, 1) for text in ("Product", "Price", "Weight")]], shown)))
        self.ask(document, rows, [(1, "What is the price of the {k}?"), (2, "What is the weight of the {k}?")])

    def form(self, document):
        name, code = self.names.pop(), self.code()
        values = [("Order number", code), ("Article", name), ("Net price", self.price()), ("Shipping weight", self.weight()),
                  ("Invoice total", self.price()), ("Serial number", self.count())]
        document.blocks.append(("form", values))
        document.questions += [(f"What is the {label.lower()} of order {code}?", value,
                                [other for _, other in values[2:] if other != value]) for label, value in values[2:5]]

    def listed(self, document):
        name = self.names.pop()
        values = [("Weight", self.weight()), ("Rated power", f"{self.count()} W"), ("Housing", "brushed steel"),
                  ("Cable length", f"{self.price()} m"), ("Water tank", f"{self.price()} l")]
        document.blocks[-2:] = [("heading", f"Data sheet of the {name}"), document.blocks[-1]]
        document.blocks.append(("list", values))
        document.questions += [(f"What is the {label.lower()} of the {name}?", value,
                                [other for _, other in values if other != value and other != "brushed steel"])
                               for label, value in values if label != "Housing"][:3]

    def columns(self, document):
        facts = [(self.names.pop(), self.price()) for _ in range(4)]
        paragraphs = []
        for name, price in facts:
            prose = self.random.sample(PROSE, 2)
            paragraphs += [prose[0], f"The {name} costs {price} euros at the counter and the same by mail. {prose[1]}"]
        document.blocks.append(("columns", paragraphs))
        for name, price in facts[:3]:
            document.questions.append((f"What does the {name} cost?", price, [other for _, other in facts if other != price]))

    def noted(self, document):
        self.plain(document, 5)
        name, price = self.names.pop(), self.price()
        document.blocks.append(("text", f"* The deposit for the {name} is {price} euros and is paid back on return."))
        document.questions.append((f"What is the deposit for the {name}?", price, []))

    def invoice(self, document):
        code = self.code()
        names = [self.names.pop() for _ in range(3)]
        rows = [[str(place + 1), name, "1", price, price] for place, (name, price) in
                enumerate((name, self.price()) for name in names)]
        sums = [[""] * 3 + [label, self.price()] for label in ("Subtotal", "VAT 19%", "Total due")]
        document.blocks[:] = [("heading", f"Invoice {code}"), ("form", [("Customer", "K-20981"), ("Terms", "30 days net")]),
                              ("table", Table([[(text, 1) for text in ("Pos", "Description", "Qty", "Unit price", "Amount")]],
                                              rows + sums))]
        document.questions += [(f"What is the total due on invoice {code}?", sums[2][4], [rows[0][4], sums[1][4]]),
                               (f"How much VAT is on invoice {code}?", sums[1][4], [sums[0][4], sums[2][4]])]
        self.ask(document, rows, [(3, "What is the unit price of the {k}?")], name=1)

    def timetable(self, document):
        line = self.random.randint(11, 99)
        stops = [f"{tree} Street" for tree in self.random.sample(TREES, 5)]
        rows = [[stop] + [f"{6 + ride}:{(7 * place + 11 * ride) % 60:02d}" for ride in range(4)]
                for place, stop in enumerate(stops)]
        document.blocks[:] = [("heading", f"Timetable of line {line}"), ("table", Table(
            [[("Stop", 1), *((f"Tram {line}{ride}", 1) for ride in range(1, 5))]], rows))]
        for ride, place in ((1, 2), (3, 4), (4, 1)):
            document.questions.append((f"When is tram {line}{ride} at {stops[place]}?", rows[place][ride],
                                       [row[ride] for row in rows if row is not rows[place]]))

    def numbered(self, document):
        rows = [[self.count(), self.names.pop(), self.price(), self.weight()] for _ in range(6)]
        document.blocks.append(("table", Table([[(text, 1) for text in ("Art. no.", "Name", "Price", "Weight")]], rows)))
        self.ask(document, rows, [(2, "What is the price of article {k}?"), (3, "What is the weight of article {k}?")])

    def fees(self, document):
        name = self.names.pop()
        values = [(f"{name} {part}", f"{self.price()} EUR") for part in ("hire per day", "repair", "delivery", "assembly")]
        document.blocks.append(("leaders", values))
        document.questions += [(f"How much is {label}?", value, [other for _, other in values if other != value])
                               for label, value in values[1:]]

    def foreign(self, document):
        nouns, columns = LANGUAGES[document.language]
        rows = [[f"{noun} {self.code()}", self.price(), self.weight(), self.count()]
                for noun in self.random.sample(nouns, 6)]
        heads = [[(FIRST[document.language], 1), *((head, 1) for head, _ in columns)]]
        document.blocks[:] = [("heading", columns[0][0]),
                              ("table", Table(heads, rows, from_right=document.language in ("ar", "he")))]
        self.ask(document, rows, [(index + 1, question) for index, (_, question) in enumerate(columns)])

    def make(self, name, kind, language="en"):
        document = Document(name, kind, language=language)
        self.intro(document, self.random.choice(("Price list", "Stock of the warehouse", "Catalogue", "Offers")))
        if language != "en":
            self.foreign(document)
        elif kind == "borderless":
            self.plain(document, borders=False)
        elif kind == "wrapped":
            self.plain(document, wrapped=True)
        elif kind == "long":
            document.pages = True
            self.plain(document, long=True)
        else:
            getattr(self, kind)(document)
        return document
