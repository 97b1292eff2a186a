"""A domain with one large entity: its files, random events, and the questions that every engine must answer alike."""

import random
import uuid
from datetime import datetime, timedelta, timezone

ENTITY = """name: sale
description: Sale in one of the shops
key: sale_id
large: true
columns:
  sale_id: text
  shop: text
  amount: {type: decimal, scale: 2}
  currency: text
  quantity: integer
  sold_at: time
  paid: boolean
  note: text
  touched: integer
indexes: [[sold_at]]
events:
  sale.made: {does: insert, columns: {shop: shop, amount: amount, currency: currency, quantity: quantity, sold_at: sold_at, paid: paid, note: note}}
  sale.changed: {does: upsert, columns: {shop: shop, amount: amount, quantity: quantity, sold_at: sold_at, paid: paid, note: note}}
  sale.touched: {does: count, add: {touched: 1}}
  sale.undone: {does: delete}
"""
HEAD = "description: {name}\nunit: x\ntable: own_sales_sale\ntime: sold_at\nwindows: [1h, 24h, 30d]\nsource_events: [sale.made]\n"
METRICS = {
    "sale_count": "kind: count",
    "sale_quantity": "kind: sum\ncolumn: quantity",
    "sale_amount": "kind: sum\ncolumn: amount\ncurrency_of: amount",
    "sale_average": "kind: average\ncolumn: quantity",
    "sale_least": "kind: min\ncolumn: quantity",
    "sale_most": "kind: max\ncolumn: quantity",
    "sale_late": "kind: quantile\nquantile: 0.95\ncolumn: quantity",
    "sale_shops": "kind: distinct\ncolumn: shop",
    "sale_unpaid": "kind: count\nwhere: [paid = false]",
    "sale_touched": "kind: sum\ncolumn: touched",
    "sale_share": "kind: ratio\nnumerator: {kind: count, where: [paid = true]}\ndenominator: {kind: count}",
}
SHOPS = ("north", "south", "it's", "back\\slash", "上海", "العربية", "กรุงเทพ", None)
CURRENCIES = ("RUB", "USD", "EUR", "JPY")
SETTINGS = {"LIVE_CURRENCY": "RUB", "LIVE_CURRENCY_RATES": "USD=90.5,EUR=98.25", "LIVE_TIME_ZONE": "Europe/Berlin",
            "LIVE_API_KEYS": "key-of-sales:sales", "LIVE_RATE_LIMIT_RPM": "100000"}
KEY = {"X-API-Key": "key-of-sales"}


def write_files(folder):
    """The domain's folder, for LIVE_CONFIG_DIR."""
    (folder / "entities").mkdir(parents=True)
    (folder / "metrics").mkdir()
    (folder / "domain.yaml").write_text("name: sales\n")
    (folder / "entities/sale.yaml").write_text(ENTITY)
    for name, kind in METRICS.items():
        (folder / f"metrics/{name}.yaml").write_text(f"name: {name}\n{kind}\n{HEAD.format(name=name)}")
    return folder


class Events:
    """Random events of `sales` keys: rows that come, change, move in time, are counted and go, late and twice."""

    def __init__(self, sales, seed):
        self.draw = random.Random(seed)
        self.sales = sales
        self.now = datetime.now(timezone.utc)
        self.sent = []

    def values(self, kind):
        draw = self.draw
        values = {"shop": draw.choice(SHOPS), "amount": f"{draw.randrange(-10**5, 10**7) / 100:.2f}",
                  "currency": draw.choice(CURRENCIES), "quantity": draw.choice((None, draw.randrange(-50, 1000))),
                  "sold_at": (self.now - timedelta(seconds=draw.randrange(25 * 86400))).isoformat(),
                  "paid": draw.choice((True, False, None)), "note": draw.choice(("tab\there", "line\nend", "plain", None))}
        if kind == "sale.changed":
            del values["currency"]
            return {name: value for name, value in values.items() if draw.random() < .4}
        return values

    def one(self):
        draw = self.draw
        if self.sent and draw.random() < .02:
            return draw.choice(self.sent)  # once more
        kind = draw.choices(("sale.made", "sale.changed", "sale.touched", "sale.undone"), (60, 25, 8, 7))[0]
        at = self.now - timedelta(seconds=draw.randrange(3600 if draw.random() < .9 else 86400))
        event = {"event_id": str(uuid.UUID(int=draw.getrandbits(128), version=4)), "event_type": kind, "source": "till",
                 "timestamp": at.isoformat(), "sale_id": f"s{draw.randrange(self.sales)}"}
        if kind in ("sale.made", "sale.changed"):
            event |= self.values(kind)
        if len(self.sent) < 5000 or draw.random() < .01:
            self.sent.append(event)
        return event

    def batch(self, size):
        return [self.one() for _ in range(size)]


def questions():
    """Paths that a reader asks, over all kinds of metrics."""
    day = datetime.now(timezone.utc).replace(microsecond=0)
    first = (day - timedelta(days=24)).strftime("%Y-%m-%dT%H:%M:%SZ")
    last = day.strftime("%Y-%m-%dT%H:%M:%SZ")
    paths = []
    for name in METRICS:
        paths += [f"/v1/metrics/{name}?window=30d", f"/v1/metrics/{name}?window=last_month",
                  f"/v1/metrics/{name}?window=30d&group_by=shop", f"/v1/metrics/{name}?window=30d&group_by=paid,week",
                  f"/v1/metrics/{name}/series?step=1d&from={first}&to={last}",
                  f"/v1/metrics/{name}/series?step=1h&from={first}&to={last}"]
    for given in ("shop = north|it's", "shop != back\\slash", "quantity >= 10; paid = true", "note =", "amount < 100.50",
                  "currency = USD|EUR"):
        paths.append(f"/v1/metrics/sale_quantity?window=30d&filter={given}")
    return paths
