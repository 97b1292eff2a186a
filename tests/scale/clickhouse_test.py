"""Large tables of live data on ClickHouse: the same answers as PostgreSQL's after random events, also while ClickHouse and
the sender are killed; no answer that is older than it says; and how long a metric over many rows takes."""

import json
import os
import re
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from chaos import QUICK, SECONDS, Chaos
from engine_clickhouse import ClickHouse
from sales import KEY, METRICS, SETTINGS, Events, questions, write_files
from service import Service
from wait import wait_for

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EVENTS = int(os.environ.get("ASSAY_SCALE_EVENTS", 5_000 if QUICK else 1_000_000))
SALES = EVENTS // 5
BATCH = 500
SENDERS = 4
SEND_SECONDS = 600  # at most, for the events after the kills
ROWS = 1_000_000 if QUICK else 10_000_000
READS = 20 if QUICK else 100
LEVEL_SECONDS = 600


@pytest.fixture(scope="module")
def engine():
    with ClickHouse() as engine:
        yield engine


@pytest.fixture(scope="module")
def sales(engine, tmp_path_factory):
    """A service with ClickHouse, and one beside it on the same database without."""
    folder = write_files(tmp_path_factory.mktemp("sales") / "sales")
    settings = {**SETTINGS, "LIVE_CONFIG_DIR": f"{ROOT}/config/livedata,{folder}", "LIVE_QUERY_TIMEOUT_MS": "60000",
                "CACHE_TTL_SECONDS": "0"}
    with Service("livedata", {**settings, **engine.settings, "LIVE_COLUMNAR_FALLBACK_ROWS": "0"}, "postgres") as copied:
        with Service("livedata", {**settings, "LIVE_DATABASE_URL": copied.env["LIVE_DATABASE_URL"]}) as plain:
            yield copied, plain


def send(live, events):
    answer = live.post("/v1/events", {"events": events}, headers=KEY)
    assert answer.status_code == 200, answer.text
    return answer.json()


def figures(live):
    """What scrapers read about the copy: ready, lag_seconds, waiting_lines."""
    lines = [line for line in live.get("/metrics", checked=False).text.splitlines() if line.startswith("live_columnar_")]
    return {line.split("{")[0].removeprefix("live_columnar_"): float(line.rsplit(" ", 1)[1]) for line in lines}


def is_level(live):
    return figures(live) == {"ready": 1, "lag_seconds": 0, "waiting_lines": 0}


def wait_until_level(live):
    wait_for(lambda: is_level(live), lambda: f"{figures(live)} {live.stack.logs()[-2000:]}", LEVEL_SECONDS)


def plain_of(answer):
    """What two services must agree on: not when they answered."""
    left = ("computed_at", "meta", "freshness", "from", "to")
    return json.dumps({name: value for name, value in answer.json().items() if name not in left}, sort_keys=True)


def differing(copied, plain):
    """The questions that the two answer differently, at rest."""
    wrong = []
    for path in questions():
        ours, theirs = copied.get(path, headers=KEY), plain.get(path, headers=KEY)
        for answer in (ours, theirs):
            assert answer.status_code == 200, (path, answer.text)
        if plain_of(ours) != plain_of(theirs):
            wrong.append(f"{path}\n  {plain_of(ours)[:600]}\n  {plain_of(theirs)[:600]}")
    return wrong


def check_alike(copied, plain):
    wait_until_level(copied)
    verified = copied.stack.run("run", "livedata-columnar", "--verify", timeout=300)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    wrong = differing(copied, plain)
    assert not wrong, f"{len(wrong)} of {len(questions())}\n" + "\n".join(wrong[:4])
    print("alike:", len(questions()), "questions,", verified.stdout.strip(), flush=True)


class Sender:
    """The program that sends, as a victim; the supervisor of the stack starts it again."""

    name = "livedata-columnar"

    def __init__(self, stack):
        self.stack = stack

    def kill(self):
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and self.is_ours(process):
                os.kill(int(process.name), 9)

    def is_ours(self, process):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            return command[0].endswith(b"/livedata-columnar") and os.fsencode(self.stack.directory) in (
                process / "environ").read_bytes()
        except OSError:
            return False

    def start(self):
        pass


class Reader:
    """Counts what a reader gets while it goes on: answers never go back, and their sum is one that was there."""

    def __init__(self, live):
        self.live, self.answers, self.refused, self.lags = live, 0, 0, []
        self.position = ""

    def read(self, at_most):
        """One answer; `at_most` is how many rows there can be by now."""
        answer = self.live.get("/v1/metrics/sale_count?window=30d", headers=KEY, checked=False)
        if answer.status_code == 503:
            self.refused += 1
            return
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert body["value"] <= at_most, body
        position = body["freshness"]["position"] or ""  # there is none while the copy has nothing of the journal
        assert position >= self.position, (self.position, body)
        self.position = position
        self.answers += 1

    def read_what_was_acknowledged(self, position):
        """With at_least the answer includes it or is refused: never older."""
        answer = self.live.get(f"/v1/metrics/sale_count?window=30d&at_least={position}", headers=KEY, checked=False)
        assert answer.status_code in (200, 503), answer.text
        if answer.status_code == 200:
            assert answer.json()["freshness"]["position"] >= position, answer.text
            self.answers += 1
        else:
            self.refused += 1


def send_until_taken(live, events):
    """Again while the service is busy: what it has taken already changes nothing."""
    answers = []

    def is_taken():
        answers.append(live.post("/v1/events", {"events": events}, headers=KEY, checked=False))
        assert answers[-1].status_code in (200, 503), answers[-1].text
        return answers[-1].status_code == 200

    wait_for(is_taken, seconds=SEND_SECONDS)
    return answers[-1].json()


def send_rest(live, events, count):
    """Sends so many events with nothing killed, or what SEND_SECONDS allow; returns how many."""
    end = time.monotonic() + SEND_SECONDS
    sent = 0
    with ThreadPoolExecutor(SENDERS) as pool:
        while sent < count and time.monotonic() < end:
            batches = [events.batch(BATCH) for _ in range(SENDERS)]
            for answer in pool.map(lambda batch: send_until_taken(live, batch), batches):
                assert answer["dead_lettered"] == 0, answer
            sent += BATCH * SENDERS
    return sent


def test_answers_are_those_of_postgresql_after_random_events_while_it_is_killed(sales, engine):
    copied, plain = sales
    events, reader = Events(SALES, 7), Reader(copied)
    sent, began, slowest = 0, time.monotonic(), 0
    with Chaos([engine, Sender(copied.stack)], seconds=10**6, away=(0, 4)) as chaos:
        while time.monotonic() - began < SECONDS or not chaos.kills["clickhouse"]:
            answer = send(copied, events.batch(BATCH))
            assert answer["dead_lettered"] == 0, answer
            sent += BATCH
            reader.read(sent)
            reader.read_what_was_acknowledged(answer["position"])
            slowest = max(slowest, figures(copied)["lag_seconds"])
    print(f"{sent} events in {time.monotonic() - began:.0f} s; {reader.answers} answers, {reader.refused} refused with 503; "
          f"largest lag that was told {slowest:.1f} s", flush=True)
    sent += send_rest(copied, events, EVENTS - sent)
    print(f"{sent} events in {time.monotonic() - began:.0f} s", flush=True)
    assert chaos.kills["clickhouse"] and reader.answers and slowest
    check_alike(copied, plain)


def test_a_copy_is_filled_again_beside_writes(sales):
    copied, plain = sales
    done = copied.stack.run("run", "livedata-columnar", "--rebuild", "sale")
    assert done.returncode == 0, done.stderr
    events = Events(SALES, 8)
    for _ in range(4):
        send(copied, events.batch(BATCH))
    check_alike(copied, plain)


def pinned_chdb(folder):
    """The interpreter of an environment with the release of ClickHouse that PyPI has, by its hash."""
    environment = Path(os.environ.get("ASSAY_BUILD_DIR", ROOT / "build")) / "scale-chdb"
    python = environment / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    done = subprocess.run([python, "-m", "pip", "install", "-q", "--require-hashes", "--no-deps", "-r", HERE / "chdb.txt"],
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        pytest.skip(f"chdb cannot be installed: {done.stderr.strip().splitlines()[-1:]}")
    return python


def statements_of(engine):
    """Those that the service has run here, each once."""
    engine.ask("SYSTEM FLUSH LOGS")
    text = engine.ask("SELECT DISTINCT query FROM system.query_log WHERE type = 2 AND query LIKE 'SELECT m, %' "
                      "ORDER BY query FORMAT JSONCompact")
    return [row[0] for row in json.loads(text)["data"]]


def test_a_release_of_today_answers_the_same_statements_alike(sales, engine, tmp_path):
    copied, _ = sales
    python = pinned_chdb(tmp_path)
    wait_until_level(copied)
    [[incarnation]] = copied.sql("SELECT incarnation FROM columnar_tables")
    table = f"own_sales_sale_{incarnation}"
    [made] = json.loads(engine.ask(f"SHOW CREATE TABLE assay_livedata.{table} FORMAT JSONCompact"))["data"]
    # A copy that stands still, as the table gets a row at each step of the journal, and that keeps all rows: which of
    # those with one key collapse depends on the order of their inserts.
    create = made[0].replace(f"assay_livedata.{table}", "still", 1)
    create, engines = re.subn(r"CollapsingMergeTree\([^)]*\)", "MergeTree()", create)
    assert engines == 1, create
    engine.ask(create, database="assay_livedata")
    engine.ask(f"INSERT INTO still SELECT * FROM {table}", database="assay_livedata")
    rows = tmp_path / "rows"
    rows.write_text(engine.ask("SELECT * FROM assay_livedata.still FORMAT TabSeparated"))
    for path in questions():
        assert copied.get(path, headers=KEY).status_code == 200
    asked = [one.replace(f"FROM {table} ", "FROM still ") for one in statements_of(engine) if f"FROM {table} " in one]
    work = tmp_path / "work.json"
    work.write_text(json.dumps({"create": create, "table": "still", "rows": str(rows), "statements": asked}))
    done = subprocess.run([python, HERE / "chdb_answers.py", work], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    theirs = json.loads(done.stdout)
    assert len(asked) > len(METRICS)
    for statement, answer in zip(asked, theirs, strict=True):
        ours = json.loads(engine.ask(statement, database="assay_livedata", output_format_json_quote_64bit_integers=1))["data"]
        assert ours == answer, (statement, ours[:3], answer[:3])
    print(f"alike: {len(asked)} statements", flush=True)


def test_a_metric_over_many_rows_is_quick(sales, engine):
    """Measured, not judged: the machine may be busy."""
    copied, _ = sales
    wait_until_level(copied)
    [[incarnation]] = copied.sql("SELECT incarnation FROM columnar_tables")
    now = int(time.time()) * 10**6
    engine.ask(f"INSERT INTO assay_livedata.own_sales_sale_{incarnation} (tenant_id, row_time, c_sale_id, c_shop, c_amount,"
               " c_currency, c_quantity, c_sold_at, c_paid, row_sign) "
               f"SELECT 'default', {now} - number * 200000, concat('q', toString(number)), toString(number % 50), number % 9999,"
               f" 'RUB', number % 100, {now} - number * 200000, number % 2, 1 FROM system.numbers LIMIT {ROWS}")
    session = requests.Session()
    for name, path in (("sum", "sale_quantity?window=30d"), ("money by shop", "sale_amount?window=30d&group_by=shop"),
                       ("quantile", "sale_late?window=30d"), ("series by the hour", "sale_count/series?step=1h"),
                       ("one hour", "sale_quantity?window=1h")):
        times = []
        for _ in range(READS):
            began = time.monotonic()
            answer = session.get(f"{copied.url}/v1/metrics/{path}", headers=KEY, timeout=60)
            times.append(time.monotonic() - began)
            assert answer.status_code == 200, answer.text
        quantiles = statistics.quantiles(times, n=20)
        print(f"{ROWS} rows, {name}: p50 {1000 * statistics.median(times):.0f} ms, p95 {1000 * quantiles[18]:.0f} ms", flush=True)
