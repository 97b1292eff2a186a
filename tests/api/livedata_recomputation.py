"""Random events of the shop and of machines, and what metrics over them come to: computed from the events alone by SQL
in DuckDB where it is installed, else in SQLite. Only the events are shared with the service."""

import random
import sqlite3
import uuid
from datetime import datetime, timezone
from fractions import Fraction

try:
    import duckdb
except ImportError:
    duckdb = None

SECOND = 10**6
SITES, SENSORS, CATEGORIES = ("north", "south", "west"), "tpv", ("cups", "plates", "bowls")
STATES, CURRENCIES = ("pending", "confirmed", "shipped", "cancelled"), ("RUB", "RUB", "USD", "EUR")


def iso(at):
    return datetime.fromtimestamp(at // SECOND, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{at % SECOND:06d}Z"


class Draw:
    """Events of both domains over the days before now, in random order, some twice. Most are near the present."""

    def __init__(self, seed, count, now, days):
        self.rng, self.now, self.days = random.Random(seed), now, days
        self.events, self.runs = [], []
        self.keys = {"order": max(count // 6, 20), "reading": max(count // 5, 20), "machine": 25, "product": 9}
        for number in range(count):
            self.events.append(getattr(self, self.rng.choices(
                ("order", "product", "taken", "corrected", "withdrawn", "registered", "changed", "ran", "scrapped"),
                (46, 1, 25, 8, 3, 2, 3, 10, 1))[0])(number))
        self.arriving = self.events + self.rng.sample(self.events, count // 10)
        self.rng.shuffle(self.arriving)

    def when(self):
        share = self.rng.random() ** 2 if self.rng.random() < .7 else self.rng.random()
        return self.now - 3600 * SECOND - int(share * self.days * 86400 * SECOND)

    def event(self, kind, **members):
        at = self.when()
        return {"event_id": str(uuid.UUID(int=self.rng.getrandbits(128), version=4)), "event_type": kind, "source": "draw",
                "timestamp": iso(at), "at": at, **members}

    def key(self, kind):
        return self.rng.randrange(self.keys[kind])

    def order(self, _):
        number, rng = self.key("order"), self.rng
        lines = [(f"PROD-{product}", rng.randint(1, 9), rng.randint(1, 99999)) for product in rng.sample(range(9), rng.randint(1, 3))]
        total = sum(count * cents for _, count, cents in lines)
        status = rng.choice(STATES)
        kind = "order.cancelled" if status == "cancelled" else rng.choice(("order.created", "order.updated"))
        return self.event(kind, order_id=f"ORD-20260404-{1000 + number}", user_id=f"USR-{rng.randrange(30)}", status=status,
                          currency=rng.choice(CURRENCIES), total_amount=f"{total // 100}.{total % 100:02}",
                          items=[{"product_id": product, "quantity": count, "unit_price": f"{cents // 100}.{cents % 100:02}"}
                                 for product, count, cents in lines])

    def product(self, _):
        number = self.key("product")
        return self.event("product.updated", product_id=f"PROD-{number}", name=f"Product {number}",
                          category=self.rng.choice(CATEGORIES), price="1.50", in_stock=True, stock_quantity=self.rng.randrange(50))

    def versioned(self, kind, **members):
        version = {"version": self.rng.randrange(1, 3)} if self.rng.random() < .2 else {}
        return self.event(kind, **version, **members)

    def data(self):
        units = self.rng.randrange(-10**7, 10**7)
        return {"value": f"{'-' * (units < 0)}{abs(units) // 1000}.{abs(units) % 1000:03}",
                "valid": self.rng.choice((True, True, False, None))}

    def taken(self, _):
        return self.versioned("reading.taken", reading_id=f"R-{self.key('reading')}", machine_id=f"M-{self.key('machine')}",
                              sensor=self.rng.choice(SENSORS), data=self.data())

    def corrected(self, _):
        return self.versioned("reading.corrected", reading_id=f"R-{self.key('reading')}", data=self.data())

    def withdrawn(self, _):
        return self.versioned("reading.withdrawn", reading_id=f"R-{self.key('reading')}")

    def registered(self, number):
        return self.versioned("machine.registered", machine_id=f"M-{self.key('machine')}", name=f"Machine {number}",
                              site=self.rng.choice(SITES), installed_at=iso(self.when()))

    def changed(self, _):
        change = {"site": self.rng.choice(SITES)} if self.rng.random() < .6 else {"installed_at": iso(self.when())}
        return self.versioned("machine.changed", machine_id=f"M-{self.key('machine')}", **change)

    def ran(self, _):
        energy = self.rng.randrange(1, 10**6)
        more, machine = {}, f"M-{self.key('machine')}"
        if self.runs and self.rng.random() < .2:
            of = self.rng.choice(self.runs[-100:])
            machine, more = of["machine_id"], {"corrects": of.get("corrects", of["event_id"])}
        self.runs.append(self.versioned("machine.ran", machine_id=machine, used={"energy": f"{energy // 1000}.{energy % 1000:03}"},
                                        **more))
        return self.runs[-1]

    def scrapped(self, _):
        return self.versioned("machine.scrapped", machine_id=f"M-{self.key('machine')}")


def sent(one):
    """The event as it goes to the service."""
    return {name: value for name, value in one.items() if name != "at"}


def units(text, scale):
    return None if text is None else int(Fraction(text) * 10**scale)


def micros(text):
    return None if text is None else round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * SECOND)


# The newest event wins, by its own time, version and id: n counts events in that order. What is older than the last
# deletion does not count.
TABLES = """
CREATE TABLE last_order AS SELECT id, max(n) AS n, min(own) AS created_at FROM orders GROUP BY id;
CREATE TABLE orders_v AS SELECT o.id, o.user_id, o.status, o.currency, o.cents, l.created_at FROM orders o JOIN last_order l
    ON l.n = o.n;
CREATE TABLE products_v AS SELECT id, category FROM products WHERE n IN (SELECT max(n) FROM products GROUP BY id);
CREATE TABLE items_v AS SELECT o.id, i.product, i.quantity FROM items i JOIN last_order o ON o.n = i.n;
CREATE TABLE r_live AS SELECT r.* FROM readings r LEFT JOIN (SELECT id, max(n) AS n FROM readings WHERE does = 'withdrawn'
    GROUP BY id) d ON d.id = r.id WHERE r.does <> 'withdrawn' AND (d.n IS NULL OR r.n > d.n);
CREATE TABLE r_taken AS SELECT id, machine, sensor, own FROM r_live WHERE n IN (SELECT max(n) FROM r_live WHERE does = 'taken'
    GROUP BY id);
CREATE TABLE r_value AS SELECT id, value, valid FROM r_live WHERE n IN (SELECT max(n) FROM r_live GROUP BY id);
CREATE TABLE readings_v AS SELECT t.id, t.machine, t.sensor, t.own, v.value, v.valid FROM r_taken t JOIN r_value v ON v.id = t.id;
CREATE TABLE m_gone AS SELECT id, max(n) AS n FROM machines WHERE does = 'scrapped' GROUP BY id;
CREATE TABLE m_live AS SELECT m.* FROM machines m LEFT JOIN m_gone d ON d.id = m.id WHERE m.does <> 'scrapped'
    AND (d.n IS NULL OR m.n > d.n);
CREATE TABLE m_site AS SELECT id, site FROM m_live WHERE n IN (SELECT max(n) FROM m_live WHERE does = 'registered'
    OR site IS NOT NULL GROUP BY id);
CREATE TABLE m_time AS SELECT id, installed FROM m_live WHERE n IN (SELECT max(n) FROM m_live WHERE does = 'registered'
    OR installed IS NOT NULL GROUP BY id);
CREATE TABLE m_runs AS SELECT m.id, m.item, m.n, m.energy, row_number() OVER (PARTITION BY m.id, m.item ORDER BY m.version DESC,
    m.n DESC) AS place FROM machines m WHERE m.does = 'ran';
CREATE TABLE m_sums AS SELECT id, count(*) AS starts, sum(energy) AS energy FROM m_runs WHERE place = 1
    AND n IN (SELECT n FROM m_live) GROUP BY id;
CREATE TABLE machines_v AS SELECT k.id, s.site, t.installed, coalesce(c.starts, 0) AS starts, coalesce(c.energy, 0) AS energy
    FROM (SELECT DISTINCT id FROM m_live) k LEFT JOIN m_site s ON s.id = k.id LEFT JOIN m_time t ON t.id = k.id
    LEFT JOIN m_sums c ON c.id = k.id;
"""
INPUTS = {"orders": "n BIGINT, own BIGINT, id TEXT, user_id TEXT, status TEXT, currency TEXT, cents BIGINT",
          "items": "n BIGINT, product TEXT, quantity BIGINT",
          "products": "n BIGINT, id TEXT, category TEXT",
          "readings": "n BIGINT, own BIGINT, id TEXT, does TEXT, machine TEXT, sensor TEXT, value BIGINT, valid BIGINT",
          "machines": "n BIGINT, id TEXT, does TEXT, site TEXT, installed BIGINT, energy BIGINT, item TEXT, version BIGINT"}


def rows_of(events):
    """The events by table, numbered in the order of their own times."""
    rows = {name: [] for name in INPUTS}
    for n, one in enumerate(sorted(events, key=lambda one: (one["at"], one.get("version", 0), one["event_id"]))):
        kind, does = one["event_type"].split(".")
        if kind == "order":
            rows["orders"].append((n, one["at"], one["order_id"], one["user_id"], one["status"], one["currency"],
                                   units(one["total_amount"], 2)))
            rows["items"] += [(n, line["product_id"], line["quantity"]) for line in one["items"]]
        elif kind == "product":
            rows["products"].append((n, one["product_id"], one["category"]))
        elif kind == "reading":
            data = one.get("data", {})
            valid = data.get("valid")
            rows["readings"].append((n, one["at"], one["reading_id"], does, one.get("machine_id"), one.get("sensor"),
                                     units(data.get("value"), 3), None if valid is None else int(valid)))
        else:
            rows["machines"].append((n, one["machine_id"], does, one.get("site"), micros(one.get("installed_at")),
                                     units(one.get("used", {}).get("energy"), 3), one.get("corrects", one["event_id"]),
                                     one.get("version", 0)))
    return rows


def literal(value):
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


class Recomputation:
    """What is in the tables after these events, and sums over it."""

    def __init__(self, events):
        self.engine = duckdb.connect() if duckdb else sqlite3.connect(":memory:")
        for name, rows in rows_of(events).items():
            self.engine.execute(f"CREATE TABLE {name} ({INPUTS[name]})")
            for first in range(0, len(rows), 2000):
                values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows[first:first + 2000])
                self.engine.execute(f"INSERT INTO {name} VALUES {values}")
        for statement in TABLES.split(";\n"):
            self.engine.execute(statement)

    def close(self):
        self.engine.close()

    def query(self, sql):
        return self.engine.execute(sql).fetchall()

    def groups(self, rows, lo, hi, keys, spans=None):
        """Of each group the count of rows and values, the sum, the least, the most, the number of different values, and the
        values in order. `rows` gives t, x and the keys; `spans`, bounds of buckets, are a key."""
        names = [f"k{i}" for i in range(len(keys))] + (["b"] if spans else [])
        columns = ", ".join(["t", "x"] + [f"{key} AS k{i}" for i, key in enumerate(keys)])
        source = f"(SELECT {columns} FROM ({rows}) AS s WHERE t >= {lo} AND t < {hi}) AS v"
        if spans:
            self.engine.execute("CREATE TEMP TABLE IF NOT EXISTS span (b BIGINT, lo BIGINT, hi BIGINT)")
            self.engine.execute("DELETE FROM span")
            marks = ", ".join(f"({i}, {a}, {b})" for i, (a, b) in enumerate(zip(spans, spans[1:])))
            self.engine.execute(f"INSERT INTO span VALUES {marks}")
            source += " JOIN span ON t >= span.lo AND t < span.hi"
        by = ", ".join(names)
        head = f"{by}, " if names else ""
        tail = f" GROUP BY {by}" if names else ""
        found = {}
        for row in self.query(f"SELECT {head}count(*), count(x), sum(x), min(x), max(x), count(DISTINCT x) FROM {source}{tail}"):
            found[row[:len(names)]] = {"rows": row[-6], "values": row[-5], "sum": row[-4], "min": row[-3], "max": row[-2],
                                       "distinct": row[-1], "ordered": []}
        return found, source, names

    def ordered(self, found, source, names):
        """Adds the values of each group in their order, for quantiles."""
        head = ", ".join(names) + ", " if names else ""
        for row in self.query(f"SELECT {head}x FROM {source} WHERE x IS NOT NULL ORDER BY {head}x"):
            found[row[:-1]]["ordered"].append(row[-1])
