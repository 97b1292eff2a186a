"""Copies of large tables in ClickHouse: every change is there exactly once whatever becomes of an insert, and an answer
is never older than it says. What computes there is tested with the real server (tests/scale)."""

import random
import uuid
from datetime import datetime, timedelta, timezone

import pytest

from clickhouse import StandIn
from service import ENGINES, Service
from wait import wait_for

pytestmark = pytest.mark.both_engines

KEY = {"X-API-Key": "key-of-sales"}
ENTITY = """name: sale
description: Sale
key: sale_id
large: true
columns: {sale_id: text, shop: text, amount: {type: decimal, scale: 2}, sold_at: time, paid: boolean, touched: integer}
indexes: [[sold_at]]
events:
  sale.made: {does: insert}
  sale.changed: {does: upsert}
  sale.touched: {does: count, add: {touched: 1}}
  sale.undone: {does: delete}
"""
METRIC = """name: sale_sum
description: Sum
unit: RUB
table: own_sales_sale
kind: sum
column: amount
time: sold_at
windows: [24h]
source_events: [sale.made]
"""
COLUMNS = ("sale_id", "shop", "amount", "sold_at", "paid", "touched")
NOW = datetime.now(timezone.utc)


def event(kind, key, **members):
    return {"event_id": str(uuid.uuid4()), "event_type": f"sale.{kind}", "source": "till", "sale_id": key,
            "timestamp": datetime.now(timezone.utc).isoformat(), **members}


def made(key, draw):
    return event("made", key, shop=draw.choice(("north", "tab\tand\\slash", "线上\nshop", None)),
                 amount=f"{draw.randrange(10**6) / 100:.2f}", paid=draw.choice((True, False, None)),
                 sold_at=(NOW - timedelta(seconds=draw.randrange(3600))).isoformat())


def random_events(count, keys, seed):
    draw = random.Random(seed)
    events = []
    for _ in range(count):
        key = f"s{draw.randrange(keys)}"
        kind = draw.choice(("made", "made", "changed", "touched", "undone"))
        events.append(made(key, draw) if kind == "made" else event(
            kind, key, **({"amount": f"{draw.randrange(1000)}.50"} if kind == "changed" else {})))
    return events


class Floor:
    """A service that copies to a stand-in; the program that sends runs when the test says so, or all the time."""

    def __init__(self, stand_in, folder, engine, **settings):
        (folder / "entities").mkdir(parents=True)
        (folder / "metrics").mkdir()
        (folder / "domain.yaml").write_text("name: sales\n")
        (folder / "entities/sale.yaml").write_text(ENTITY)
        (folder / "metrics/sale_sum.yaml").write_text(METRIC)
        self.stand_in = stand_in
        self.service = Service("livedata", {
            "LIVE_API_KEYS": "key-of-sales:sales", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_CONFIG_DIR": folder,
            "CLICKHOUSE_HOST": "127.0.0.1", "CLICKHOUSE_PORT": stand_in.port, "LIVE_COLUMNAR_BLOCK_ROWS": "20",
            "LIVE_CURRENCY": "RUB", **settings}, engine)

    def __enter__(self):
        self.service.__enter__()
        return self

    def __exit__(self, *raised):
        self.service.__exit__(*raised)

    def send(self, events):
        answer = self.service.post("/v1/events", {"events": events}, headers=KEY)
        assert answer.status_code == 200, answer.text

    @property
    def copy(self):
        """The table there, or None before it is filled."""
        rows = self.service.sql("SELECT state, incarnation FROM columnar_tables")
        return f"own_sales_sale_{rows[0][1]}" if rows and rows[0][0] == "live" else None

    def stored(self):
        """The rows as the table has them, in the form in which they are inserted."""
        def text(value):
            if value in (None, ""):
                return "\\N"
            return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")

        rows = []
        for row in self.service.sql("SELECT sale_id, replace(COALESCE(shop, ''), chr_newline, '@newline@'), amount, sold_at,"
                                    " paid, touched FROM own_sales_sale".replace(
                                        "chr_newline", "char(10)" if self.service.engine == "sqlite" else "chr(10)")):
            values = [text(str(value).replace("@newline@", "\n") if value is not None else None) for value in row]
            time = "0" if values[3] == "\\N" else values[3]
            rows.append(("default", time, *values))
        return sorted(rows)

    def is_level(self):
        return self.copy and self.stand_in.live_rows(self.copy) == self.stored()

    def told(self):
        return (f"{len(self.stored())} rows, {len(self.stand_in.live_rows(self.copy or ''))} there, "
                f"{self.stand_in.done}, {self.service.sql('SELECT * FROM columnar_tables')} {self.service.stack.logs()[-2000:]}")


@pytest.fixture(params=ENGINES)
def floor(request, tmp_path):
    with StandIn() as stand_in, Floor(stand_in, tmp_path / "sales", request.param) as floor:
        yield floor


def test_every_change_is_there_once_whatever_becomes_of_an_insert(floor):
    faults = ("lost", "unheard", "cut", "late", "refused", "unended")
    for number, fault in enumerate(faults):
        floor.stand_in.faults.append(fault)
        floor.send(random_events(60, 25, number))
        wait_for(lambda: not floor.stand_in.faults or None, floor.told)
        wait_for(floor.is_level, floor.told)
    assert all(floor.stand_in.done[fault] for fault in faults), floor.stand_in.done


def test_a_server_that_was_emptied_is_filled_anew_and_answers_nothing_meanwhile(floor):
    floor.send(random_events(40, 25, 9))
    wait_for(floor.is_level, floor.told)
    former = floor.copy
    floor.stand_in.tables.clear()
    floor.send(random_events(10, 25, 10))
    wait_for(lambda: floor.is_level() and floor.copy != former, floor.told)
    rebuilt = floor.copy
    done = floor.service.stack.run("run", "livedata-columnar", "--rebuild", "sale")
    assert done.returncode == 0, done.stdout + done.stderr
    wait_for(lambda: floor.is_level() and floor.copy != rebuilt, floor.told)


def metric(floor, more=""):
    return floor.service.get(f"/v1/metrics/sale_sum?window=24h{more}", headers=KEY, checked=False)


def check_of(floor):
    checks = floor.service.get("/health/ready").json()["checks"]
    return {one["name"]: one["status"] for one in checks}["columnar"]


def test_without_an_answer_of_clickhouse_few_rows_are_computed_by_the_database(floor):
    floor.send([event("made", f"few-{n}", amount="2.50", sold_at=NOW.isoformat()) for n in range(4)])
    wait_for(floor.is_level, floor.told)
    assert metric(floor).json()["value"] == 10  # the stand-in refuses to compute
    floor.stand_in.away = True
    floor.send([event("made", "few-5", amount="2.50", sold_at=NOW.isoformat())])
    answer = metric(floor).json()
    assert answer["value"] == 12.5
    assert answer["freshness"]["position"] == metric(floor).json()["freshness"]["position"]
    wait_for(lambda: check_of(floor) == "degraded", lambda: check_of(floor))
    lines = floor.service.get("/metrics", checked=False).text
    assert 'live_columnar_ready{table="own_sales_sale"} 0' in lines
    assert 'live_columnar_waiting_lines{table="own_sales_sale"} 1' in lines
    floor.stand_in.away = False
    wait_for(floor.is_level, floor.told)


@pytest.mark.parametrize("engine", ENGINES)
def test_many_rows_are_not_computed_by_the_database(engine, tmp_path):
    with StandIn() as stand_in, Floor(stand_in, tmp_path / "sales", engine, LIVE_COLUMNAR_FALLBACK_ROWS="2") as floor:
        floor.send([event("made", f"many-{n}", amount="1.00", sold_at=NOW.isoformat()) for n in range(2)])
        assert metric(floor).status_code == 200
        floor.send([event("made", "many-2", amount="1.00", sold_at=NOW.isoformat())])
        assert metric(floor).status_code == 503 and "Retry-After" in metric(floor).headers, metric(floor).text


def test_without_clickhouse_a_copy_is_forgotten_and_nothing_is_queued(tmp_path):
    with StandIn() as stand_in, Floor(stand_in, tmp_path / "sales", "sqlite") as floor:
        floor.send(random_events(20, 10, 1))
        wait_for(floor.is_level, floor.told)
        stand_in.away = True
        floor.send([event("made", "waits", amount="1.00")])
        done = floor.service.stack.run("run", "livedata-columnar", "--forget", env={"CLICKHOUSE_HOST": ""})
        assert done.returncode == 0, done.stdout + done.stderr
        floor.send([event("made", "later", amount="1.00")])
        assert floor.service.sql("SELECT count(*) FROM columnar_outbox") == [["0"]]


def test_changes_that_nobody_sends_are_given_up_and_the_copy_is_filled_anew(tmp_path):
    with StandIn() as stand_in, Floor(stand_in, tmp_path / "sales", "sqlite", LIVE_COLUMNAR_QUEUE_LINES="1000") as floor:
        floor.send(random_events(20, 10, 1))
        wait_for(floor.is_level, floor.told)
        former = floor.copy
        stand_in.away = True
        for number in range(4):
            floor.send([event("made", f"new-{number}-{n}", amount="1.00") for n in range(300)])
        done = floor.service.stack.run("run", "livedata-worker")
        assert done.returncode == 0, done.stderr
        assert floor.service.sql("SELECT count(*) FROM columnar_outbox") == [["0"]]
        stand_in.away = False
        wait_for(lambda: floor.is_level() and floor.copy != former, floor.told)
