"""A part of the questions of tests/data/questions, and questions that should do harm. `make measure-questions` asks all."""

import json
import random
import sys
from datetime import datetime
from pathlib import Path

import pytest

from service import ENGINES

sys.path.append(str(Path(__file__).resolve().parents[1] / "livedata_questions"))
from ask import (DATA, DOMAINS, KEY, OTHER_KEY, ZONE, ask, fill, machine_events, order_events,  # noqa: E402
                 question_set, send, started)
from periods import resolve  # noqa: E402
from plans import TIME_COLUMNS, is_right  # noqa: E402

pytestmark = pytest.mark.both_engines
EVERY = 5
ANSWERED_FLOOR = {"shop": 0.75, "machines": 0.8}
STRANGER, STRANGE_DAY = "stranger", "20991231"  # in the ids of another tenant's machines and orders
TABLES = {"orders_v2": "order_id", "order_items": "order_id, product_id", "products_current": "product_id",
          "users_enriched": "user_id", "sessions_aggregated": "session_id", "own_machines_machine": "machine_id",
          "own_machines_reading": "reading_id", "pipeline_events": "seq", "dead_letter_events": "event_id"}


@pytest.fixture(scope="module", params=ENGINES)
def live(request, tmp_path_factory):
    """Another tenant has rows of both domains."""
    with started(tmp_path_factory.mktemp("keys"), request.param) as service:
        fill(service)
        send(service, machine_events(STRANGER) + order_events(STRANGE_DAY, 66600), OTHER_KEY)
        yield service


def times_of(period):
    return period and {"from": period[0] and period[0].isoformat(), "to": period[1] and period[1].isoformat()}


def as_answered(plan, now):
    """A plan of the set in the form of an answer."""
    def value_of(one):
        is_time = one["column"] in TIME_COLUMNS and one.get("values")
        return {**one, "values": [times_of(resolve(one["values"][0], now))["from"]]} if is_time else one

    period = None if plan.get("period") == "default" else resolve(plan.get("period"), now)
    return {**plan, "period": times_of(period), "compare": times_of(resolve(plan.get("compare"), now)),
            "filters": [value_of(one) for one in plan.get("filters", [])]}


def changed(plan, now):
    """Plans that differ from a plan in one member."""
    other = times_of(resolve("day:-13", now))
    more = {"column": "reading_id", "op": "=", "values": ["R-1"]}
    members = ({"entity": "catalog"}, {"select": "count" if plan["select"] != "count" else "rows"}, {"metric": "other", "column": "starts"},
               {"group_by": [*plan.get("group_by", []), "name"]}, {"filters": [*plan["filters"], more]}, {"limit": 77},
               {"filters": plan["filters"][1:] if plan["filters"] else [more]}, {"period": other}, {"compare": other})
    return [{**plan, **member} for member in members if {**plan, **member} != plan]


@pytest.mark.parametrize("now", ["2026-11-27T12:00", "2026-11-05T10:00", "2027-01-01T00:00", "2026-10-25T02:30", "2028-02-29T23:59"])
def test_the_comparison_takes_the_right_plan_and_no_other(now):
    now = datetime.fromisoformat(now).replace(tzinfo=ZONE)
    for domain in DOMAINS:
        for row in question_set(domain):
            if len(row.get("plans", [])) != 1 or row["plans"][0].get("limit") == "any":
                continue
            [wanted] = row["plans"]
            plan = as_answered(wanted, now)
            assert is_right(plan, row["plans"], (now, now)), (row, plan)
            for other in changed(plan, now):
                assert not is_right(other, row["plans"], (now, now)), (row, other)


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_question_is_misread(live, domain):
    rows = question_set(domain)[::EVERY]
    outcomes = [(*ask(live, row), row["question"]) for row in rows]
    assert [(question, body["plan"]) for outcome, body, question in outcomes if outcome == "misread"] == []
    assert [(question, body["detail"]) for outcome, body, question in outcomes if outcome == "not_named"] == []
    answerable = sum("plans" in row for row in rows)
    assert sum(outcome == "right" for outcome, *_ in outcomes) >= ANSWERED_FLOOR[domain] * answerable, \
        [(question, body["detail"]) for outcome, body, question in outcomes if outcome == "refused"]


def hostile_questions():
    """Those of the file; and long ones, and values with each sign that means something to SQL."""
    texts = (DATA / "hostile.txt").read_text(encoding="utf-8").splitlines()
    rng = random.Random(33)
    words = ["orders", "machines", "not", "or", "by", "over", "1", "'", "--", "today", "all", "north", "select", "union", ";"]
    texts += [" ".join(rng.choice(words) for _ in range(2000)), "a" * 10_000, "orders " * 1_400, "'" * 900, "(" * 900,
              "orders\x00 today", "machines\r\nat site north\t' --", "é̂" * 400, "\u202e\u200b\ufeff orders",
              "\U0001f680" * 200, "machines at site " + "north or " * 100, "top " + "9" * 900 + " orders"]
    for sign in "'\"`;\\%_\u2019\uff07\u0000\n":
        texts += [f"machines with name Pr{sign}ess", f"orders of customer USR-10003{sign}", f"products in category {sign}coffee{sign}"]
    return texts


def state(live):
    """Every row of data and of the journal, and the names of the tables."""
    names = ("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1" if live.engine != "sqlite" else
             "SELECT name FROM sqlite_master ORDER BY 1")
    return {"tables": live.sql(names)} | {table: live.sql(f"SELECT * FROM {table} ORDER BY tenant_id, {key}")
                                          for table, key in TABLES.items()}


def test_hostile_questions_write_nothing_and_show_nothing_of_others(live):
    before = state(live)
    assert all(before.values())
    outcomes = []
    for question in hostile_questions():
        for path in ("/v1/query", "/v1/query/explain"):
            answer = live.post(path, {"question": question}, headers=KEY)
            assert answer.status_code in (200, 400, 403, 422), (question[:200], answer.status_code, answer.text[:500])
            outcomes.append(answer.status_code)
            if answer.status_code == 200:
                rows = json.dumps(answer.json().get("rows"))
                assert STRANGER not in rows and STRANGE_DAY not in rows and "USR-666" not in rows, (question[:200], rows[:500])
    after = state(live)
    assert {table for table in before if before[table] != after[table]} == set()
    assert {200, 400, 422} <= set(outcomes)


@pytest.mark.parametrize("question,mark", [("list orders", STRANGE_DAY), ("list machines", STRANGER), ("list readings", STRANGER)])
def test_each_tenant_sees_its_own_rows(live, question, mark):
    """So the test above would have seen those of others."""
    seen = [live.post("/v1/query", {"question": question}, headers=key) for key in (KEY, OTHER_KEY)]
    assert [answer.status_code for answer in seen] == [200, 200], [answer.text for answer in seen]
    for answer, is_others in zip(seen, (False, True), strict=True):
        rows = answer.json()["rows"]
        assert rows and all((mark in json.dumps(row)) is is_others for row in rows), rows
