"""A domain of one's own beside the shop: events of its types, rows, search, change data, and a row per key that equals an
independent recomputation whatever order its events came in."""

import os
import random
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from service import ENGINES, Service
from wait import wait_for

pytestmark = pytest.mark.both_engines

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = f"{ROOT}/config/livedata,{ROOT}/config/demo/machines"
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_CONFIG_DIR": FOLDERS}
KEY = {"X-API-Key": "key-of-shop"}
START = datetime(2026, 4, 4, 8, tzinfo=timezone.utc)
EVENTS = 100_000 if os.environ.get("ASSAY_TEST_SOAK") else 10_000


@pytest.fixture(scope="module", params=ENGINES)
def live(request):
    with Service("livedata", SETTINGS, request.param) as service:
        yield service


def event(kind, seconds, **members):
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "floor",
            "timestamp": (START + timedelta(seconds=seconds)).isoformat(), **members}


def send(live, events, status=200):
    answer = live.post("/v1/events", {"events": events}, headers=KEY)
    assert answer.status_code == status, answer.text
    return answer.json()


def row(live, kind, key):
    answer = live.get(f"/v1/entity/{kind}/{key}", headers=KEY)
    return answer.json()["data"] if answer.status_code == 200 else None


def test_events_of_a_domain_make_rows_that_can_be_read_and_found(live):
    name = "Fräse Nr. 7"
    sent = send(live, [event("machine.registered", 0, machine_id="read-1", name=name, site="north", hourly_cost="12.3456"),
                       event("machine.ran", 5, machine_id="read-1", used={"energy": 1.5})])
    assert sent["applied"] == 2, sent
    answer = live.get("/v1/entity/machine/read-1", headers=KEY)
    assert answer.json()["data"] == {
        "machine_id": "read-1", "name": name, "site": "north", "installed_at": None, "hourly_cost": 12.3456,
        "running": None, "settings": None, "starts": 1, "energy": 1.5}
    assert live.get("/v1/entity/machine/read-1", headers=KEY).headers["X-Cache"] == "HIT"
    send(live, [event("machine.changed", 9, machine_id="read-1", name="Дрель")])
    assert row(live, "machine", "read-1")["name"] == "Дрель"
    found = live.get("/v1/search?q=дрель", headers=KEY).json()["results"]
    assert [one["id"] for one in found if one.get("entity_type") == "machine"] == ["read-1"], found
    assert "machine" in live.get("/v1/catalog", headers=KEY).json()["entities"]
    send(live, [event("machine.scrapped", 10, machine_id="read-1")])
    assert live.get("/v1/entity/machine/read-1", headers=KEY).status_code == 404
    assert live.get("/v1/search?q=дрель", headers=KEY).json()["results"] == []


def test_a_value_that_does_not_fit_is_a_dead_letter_that_can_be_corrected(live):
    wrong = event("machine.registered", 0, machine_id="dead-1", name="Saw", site="east")
    [result] = send(live, [wrong])["results"]
    assert (result["status"], result["detail"]) == ("dead_lettered", "site: is none of the 3 values of site")
    answer = live.post(f"/v1/deadletter/{wrong['event_id']}/replay", {"corrected_payload": {"site": "west"}}, headers=KEY)
    assert answer.status_code == 200, answer.text
    assert row(live, "machine", "dead-1")["site"] == "west"


def test_what_happened_to_an_entity_is_listed_newest_first(live):
    def happened(path="", status=200):
        answer = live.get(f"/v1/entity/machine/trail-1/events{path}", headers=KEY)
        assert answer.status_code == status, answer.text
        return answer.json()

    assert happened() == {"entity_type": "machine", "entity_id": "trail-1", "events": [], "has_more": False}
    sent = [event("machine.registered", 0, machine_id="trail-1", name="Mill", site="north"),
            event("machine.ran", 5, machine_id="trail-1", used={"energy": 1}),
            event("machine.registered", 9, machine_id="trail-1", name="Mill", site="nowhere")]
    for one in sent:
        send(live, [one])
    send(live, [event("reading.taken", 1, reading_id="trail-1", machine_id="trail-1", sensor="s", data={"value": 1, "valid": True})])
    found = happened()
    assert [(one["event_id"], one["event_type"], one["applied"], one["source"]) for one in found["events"]] == [
        (one["event_id"], one["event_type"], one["event_type"] != "machine.registered" or one["site"] == "north", "floor")
        for one in reversed(sent)]
    assert [one["event_at"] for one in found["events"]] == [None, "2026-04-04T08:00:05Z", "2026-04-04T08:00:00Z"], found
    assert happened("?limit=1") == {**found, "events": found["events"][:1], "has_more": True}
    happened("?limit=201", 422)
    assert live.get("/v1/entity/ship/trail-1/events", headers=KEY).status_code == 404


def random_events(count, seed):
    """Events of 40 machines and their readings, as far as they are different."""
    draw = random.Random(seed)
    made = []
    for number in range(count):
        machine, seconds = f"{seed}-m{draw.randrange(40)}", draw.randrange(5000)
        version = {"version": draw.randrange(3)} if draw.random() < .3 else {}
        kind = draw.choices(("registered", "changed", "ran", "scrapped", "taken", "corrected", "withdrawn"),
                            (4, 12, 30, 2, 30, 15, 7))[0]
        if kind in ("taken", "corrected", "withdrawn"):
            reading = f"{seed}-r{draw.randrange(count // 20)}"
            data = {"value": f"{draw.randrange(-10**7, 10**7) / 1000:.3f}", "valid": draw.choice((True, False, None))}
            more = {} if kind == "withdrawn" else {"data": data, "machine_id": machine, "sensor": f"s{draw.randrange(5)}"}
            made.append(event(f"reading.{kind}", seconds, reading_id=reading, **version, **more))
        elif kind == "ran":
            more = {}
            runs = [one for one in made[-200:] if one["event_type"] == "machine.ran"]
            if runs and draw.random() < .15:
                of = draw.choice(runs)
                machine, more = of["machine_id"], {"corrects": of.get("corrects", of["event_id"]), "version": draw.randrange(1, 5)}
            energy = f"{draw.randrange(1, 10**6) / 1000:.3f}"
            made.append(event("machine.ran", seconds, machine_id=machine, used={"energy": energy}, **{**version, **more}))
        elif kind == "scrapped":
            made.append(event("machine.scrapped", seconds, machine_id=machine, **version))
        else:
            values = {"site": draw.choice(("north", "south", "west")), "running": draw.random() < .5,
                      "hourly_cost": f"{draw.randrange(10**8) / 10**4:.4f}", "settings": {"n": number}}
            values = {name: value for name, value in values.items() if kind == "registered" or draw.random() < .4}
            if kind == "registered" or draw.random() < .5:
                values["name"] = f"machine {number}"
            made.append(event(f"machine.{kind}", seconds, machine_id=machine, **version, **values))
    return made


SET = {"machine": ("name", "site", "installed_at", "hourly_cost", "running", "settings"),
       "reading": ("machine_id", "sensor", "value", "taken_at", "valid")}


def stamp(one):
    return one["timestamp"], one.get("version", 0), one["event_id"]


def member(one, name):
    """The value of a column in an event, and whether the event has it."""
    if name in ("value", "valid"):
        return one.get("data", {}).get(name), name in one.get("data", {})
    if name == "taken_at":
        return one["timestamp"], one["event_type"] == "reading.taken"
    if one["event_type"] == "reading.corrected":
        return None, False
    return one.get(name), name in one


def recompute(kind, events):
    """The row by going through the entity's events in the order of their own times."""
    of_count = {}
    for one in (one for one in events if one["event_type"] == "machine.ran"):
        item = one.get("corrects", one["event_id"])
        order = one.get("version", 0), stamp(one)
        if item not in of_count or order > of_count[item][0]:
            of_count[item] = order, one
    counted = {one["event_id"] for _, one in of_count.values()}
    current = None
    for one in sorted(events, key=stamp):
        does = one["event_type"].split(".")[1]
        if does in ("scrapped", "withdrawn"):
            current = None
            continue
        current = current or {**dict.fromkeys(SET[kind]), "starts": 0, "energy": Decimal(0)}
        if does == "ran":
            if one["event_id"] in counted:
                current["starts"] += 1
                current["energy"] += Decimal(one["used"]["energy"])
            continue
        for name in SET[kind]:
            value, given = member(one, name)
            if given or does in ("registered", "taken"):
                current[name] = value
    return current


def comparable(kind, found):
    if found is None:
        return None
    made = {}
    for name in SET[kind] + (("starts", "energy") if kind == "machine" else ()):
        value = found[name]
        if value is not None and name in ("hourly_cost", "value", "energy"):
            value = Decimal(str(value)).quantize(Decimal("0.0001"))
        if value is not None and name == "taken_at":
            value = datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
        made[name] = value
    return made


def differing(live, events):
    """Keys whose row is not what the events say."""
    of_key = {}
    for one in events:
        kind = one["event_type"].split(".")[0]
        of_key.setdefault((kind, one[f"{kind}_id"]), []).append(one)
    return [key for key, own in of_key.items()
            if comparable(key[0], row(live, *key)) != comparable(key[0], recompute(key[0], own))]


def write_press(folder, columns):
    (folder / "entities").mkdir(exist_ok=True)
    (folder / "entities" / "press.yaml").write_text(
        f"name: press\ndescription: Press\nkey: press_id\ncolumns: {{press_id: text, {columns}}}\n"
        "events:\n  press.seen: {does: upsert}\n", encoding="utf-8")


def test_files_are_read_and_tables_planned_and_made_before_a_start(live, tmp_path):
    """What a person does with livedata-check before the service has the files."""
    folder = tmp_path / "presses"
    folder.mkdir()

    def check(option, columns, expected, *texts):
        write_press(folder, columns)
        done = live.run("livedata-check", option, env={"LIVE_CONFIG_DIR": f"{FOLDERS},{folder}"})
        assert done.returncode == expected, done.stdout + done.stderr
        for text in texts:
            assert text in done.stdout + done.stderr, done.stdout + done.stderr

    check("--files", "force: many", 1, f"{folder}/entities/press.yaml: columns.force: many is no type")
    check("--files", "force: integer", 0, "domains=3", "the files are right")
    for _ in range(2):  # the first changes nothing
        check("--plan", "force: integer", 0, "press: table own_presses_press is made")
    check("--apply", "force: integer", 0, "press: table own_presses_press is made")
    check("--plan", "force: integer", 0, "the tables fit the files")
    check("--plan", "force: text", 4, "press: column force is integer in the database and text in the file (refused)")
    check("--apply", "force: text", 4, "(refused)")
    check("--apply", "force: integer, site: text", 0, "press: column site (text) is added")
    check("--plan", "force: integer, site: text", 0, "the tables fit the files", "column site is filled from its first")
    # A file that was replaced is not gone back to by a start, but by a person.
    check("--apply", "force: integer, site: {type: text, values: [a]}", 0)
    check("--plan", "force: integer, site: text", 4, "press: the file is an older one")
    check("--apply", "force: integer, site: text", 0)
    check("--plan", "force: integer, site: text", 0, "the tables fit the files")


def test_rows_equal_a_recomputation_in_any_order_and_after_a_rebuild(live):
    events = random_events(EVENTS, 1)
    arriving = events + random.Random(2).sample(events, EVENTS // 10)
    random.Random(3).shuffle(arriving)
    totals = {"applied": 0, "duplicates": 0, "dead_lettered": 0}
    for first in range(0, len(arriving), 500):
        sent = send(live, arriving[first:first + 500])
        totals = {name: value + sent[name] for name, value in totals.items()}
    assert totals == {"applied": EVENTS, "duplicates": EVENTS // 10, "dead_lettered": 0}
    assert differing(live, events) == []
    live.sql("UPDATE own_machines_machine SET starts = 999, site = 'north', row_stamps = ''")
    wait_for(lambda: differing(live, events) != [])  # cached answers end after seconds
    rebuilt = live.run("livedata-check", "--rebuild", "machine", "reading")
    assert rebuilt.returncode == 0, rebuilt.stderr
    wait_for(lambda: differing(live, events) == [])
    checked = live.run("livedata-check")
    assert checked.returncode == 0, checked.stdout
