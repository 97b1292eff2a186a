"""The livedata service with both domains and their demonstration data, asked for the plans of questions."""

import json
import re
import sys
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/api"), str(Path(__file__).resolve().parent)]

from plans import is_right  # noqa: E402 (found by the line above)
from service import Service  # noqa: E402

DATA = ROOT / "tests/data/questions"
DOMAINS = ("shop", "machines")
ZONE = ZoneInfo("Europe/Berlin")
KEY = {"X-API-Key": "key-of-questions"}
OTHER_KEY = {"X-API-Key": "key-of-others"}
TENANTS = {"default": KEY, "others": OTHER_KEY}
MACHINES = (("Press", "north", True), ("Lathe", "south", True), ("Mill", "west", False), ("Saw", "north", False),
            ("Дрель", "south", True), ("Fräse", "west", True), ("Press", None, None))
SENSORS = (("temperature", 60), ("pressure", 4), ("vibration", 20), ("влажность", 40))
LANGUAGES = ("en", "ru", "ar", "de", "es", "fr", "zh")


def question_set(domain):
    return [json.loads(line) for line in (DATA / f"{domain}.jsonl").read_text(encoding="utf-8").splitlines()]


def settings(folder):
    """Those of a service with two tenants, and the file of their keys."""
    keys = [{"key": key["X-API-Key"], "name": tenant, "tenant": tenant} for tenant, key in TENANTS.items()]
    (folder / "keys.yaml").write_text(json.dumps({"keys": keys}))
    return {"LIVE_API_KEYS_FILE": str(folder / "keys.yaml"), "LIVE_SEED_ON_BOOT": "true",
            "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_TIME_ZONE": ZONE.key,
            "LIVE_CONFIG_DIR": f"{ROOT}/config/livedata,{ROOT}/config/demo/machines"}


def event(kind, ago, **members):
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "floor",
            "timestamp": (datetime.now(timezone.utc) - timedelta(minutes=ago)).isoformat(), **members}


def machine_events(mark=""):
    """Seven machines with readings of a day; with a mark in their ids and names."""
    events = []
    for number, (name, site, running) in enumerate(MACHINES, 1):
        installed = datetime.now(timezone.utc) - timedelta(days=100 * number)
        machine = f"{mark}M-{number}"
        events += [event("machine.registered", 3000, machine_id=machine, name=mark + name, site=site, running=running,
                         hourly_cost=str(10 * number), installed_at=installed.isoformat(), settings={"speed": number}),
                   event("machine.ran", 2000, machine_id=machine, used={"energy": number})]
        for at in range(24):
            sensor, base = SENSORS[at % len(SENSORS)]
            events.append(event("reading.taken", 60 * at, machine_id=machine, sensor=sensor, reading_id=f"{mark}R-{24 * number + at - 23}",
                                data={"value": str(base + number), "valid": at != 5}))
    return events


def order_events(day, user):
    """Five orders with ids of that day, each of another user."""
    return [event("order.created", number, order_id=f"ORD-{day}-{number:04}", user_id=f"USR-{user + number}", status="pending",
                  total_amount="10.00", items=[{"product_id": "PROD-666", "quantity": 1, "unit_price": "10.00"}])
            for number in range(1, 6)]


def send(service, events, key):
    answer = service.post("/v1/events", {"events": events}, headers=key)
    assert answer.json().get("applied") == len(events), answer.text[:500]


def fill(service):
    """Machines beside the seeded shop."""
    send(service, machine_events(), KEY)


def started(folder, engine="sqlite"):
    return Service("livedata", settings(folder), engine)


def explain(service, question, language="en"):
    return service.post("/v1/query/explain", {"question": question}, headers={**KEY, "Accept-Language": language})


def words_named(detail):
    """The words of a refusal; the question in its text does not count."""
    return " ".join(re.findall(r"Words that were not understood: (.*?)\. ", detail + " ")).casefold()


def judge(row, answer, asked):
    """What became of a question: `right`, `refused_rightly`, `refused`, `not_named` (refused without the words) or
    `misread`."""
    if answer.status_code == 400 and answer.json()["code"] == "untranslatable":
        if "plans" in row:
            return "refused"
        named = words_named(answer.json()["detail"])
        return "refused_rightly" if any(word.casefold() in named for word in row["refused"]) else "not_named"
    assert answer.status_code == 200, (row["question"], answer.status_code, answer.text)
    return "right" if "plans" in row and is_right(answer.json()["plan"], row["plans"], asked) else "misread"


def ask(service, row):
    """(outcome, answer) of a question."""
    before = datetime.now(ZONE)
    answer = explain(service, row["question"], row["language"])
    body = answer.json()
    return judge(row, answer, (before, datetime.now(ZONE))), body
