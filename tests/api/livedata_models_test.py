"""Questions that a model plans."""

import json
from datetime import datetime, timezone

import pytest

from fake_provider import FakeProvider, response
from service import ENGINES, Service
from stack import CHECKOUT

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-floor"}
QUESTION = "tally whatever machinery we possess"
COUNT = {"entity": "machine", "select": "count"}


def plans(*values):
    return [lambda heard, value=value: response(200, json.dumps({"output_text": json.dumps(value)}).encode()) for value in values]


@pytest.fixture(scope="module", params=ENGINES)
def planned(request):
    model = FakeProvider()
    settings = {"LIVE_API_KEYS": "key-of-floor:floor", "LIVE_RATE_LIMIT_RPM": "100000", "ORCH_URL": model.url,
                "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{CHECKOUT}/config/demo/machines"}
    with Service("livedata", settings, request.param) as service:
        service.model = model
        yield service
    model.close()


def ask(planned, **more):
    return planned.post("/v1/query", {"question": QUESTION, **more}, headers=KEY)


def test_a_question_with_a_bound_is_planned_once(planned):
    planned.model.behave(*plans(COUNT, {"entity": "reading", "select": "count"}))
    plain = ask(planned)
    assert plain.status_code == 200, plain.text
    assert plain.json()["metadata"]["engine"] == "llm" and len(planned.model.heard) == 1
    registered = {"event_id": "00000000-0000-4000-8000-000000000001", "event_type": "machine.registered", "source": "floor",
                  "timestamp": datetime.now(timezone.utc).isoformat(), "machine_id": "M-1", "name": "Press"}
    assert planned.post("/v1/events", {"events": [registered]}, headers=KEY).json()["applied"] == 1
    planned.model.behave(*plans(COUNT, {"entity": "reading", "select": "count"}))
    bounded = ask(planned, max_event_age="1h")
    assert bounded.status_code == 200, bounded.text
    assert len(planned.model.heard) == 1
    assert bounded.json()["rows"] == [{"count": 1}] and bounded.json()["metadata"]["engine"] == "llm"
    assert bounded.json()["interpretation"] == plain.json()["interpretation"]
