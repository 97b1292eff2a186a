"""LIVE_INTAKE=kafka: events are published instead of applied, at the broker that librdkafka brings along for tests.
tests/scale has the whole way with a real one."""

import socket
import uuid
from datetime import datetime, timezone

import pytest

from service import Service

KEY, NARROW = {"X-API-Key": "key-of-shop"}, {"X-API-Key": "key-of-orders"}
SETTINGS = {"LIVE_INTAKE": "kafka", "ASSAY_WORKERS_LIVEDATA_EVENTS": "1"}


KEYS = """keys:
- {key: key-of-shop, name: shop, tenant: acme}
- {key: key-of-orders, name: narrow, tenant: acme, allowed_entity_types: [order]}
"""


def click(**members):
    return {"event_id": str(uuid.uuid4()), "event_type": "click", "source": "web", "session_id": "SES-1", "user_id": None,
            "timestamp": datetime.now(timezone.utc).isoformat(), "page_url": "/", "user_agent": "test", **members}


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "keys.yaml"
    file.write_text(KEYS)
    return str(file)


@pytest.fixture(scope="module")
def live(tmp_path_factory, keys):
    properties = tmp_path_factory.mktemp("kafka") / "properties"
    properties.write_text("test.mock.num.brokers=1\n")
    with Service("livedata", {**SETTINGS, "LIVE_API_KEYS_FILE": keys, "LIVE_KAFKA_PROPERTIES_FILE": str(properties),
                              "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:9"}) as service:
        yield service


def send(live, body, **arguments):
    return live.post("/v1/events", body, headers=KEY, **arguments)


def test_events_are_published_and_nothing_is_stored(live):
    answer = send(live, {"events": [click() for _ in range(20)]})
    assert answer.status_code == 202, answer.text
    said = answer.json()
    assert (said["accepted"], said["applied"], said["position"]) == (20, 0, None)
    assert {one["topic"] for one in said["published"]} == {"events.validated"}
    before = sum(one["next_offset"] for one in said["published"])
    assert before == 20
    assert live.get("/v1/entity/session/SES-1", headers=KEY).status_code == 404
    assert send(live, click(tenant="acme")).json()["accepted"] == 1
    assert send(live, {"events": []}).json()["accepted"] == 0


@pytest.mark.parametrize("event", [click(tenant="default"), click(source_metadata={"tenant": "default"})])
def test_an_event_of_another_tenant_is_refused(live, event):
    answer = send(live, {"events": [click(), event]})
    assert answer.status_code == 422 and answer.json()["detail"][0]["loc"] == ["body", "events", 1, "tenant"], answer.text


def test_what_the_bridge_would_pass_over_is_refused(live):
    answer = send(live, {"events": [click(), None]})
    assert answer.status_code == 422 and answer.json()["detail"][0]["loc"] == ["body", "events", 1], answer.text


def test_what_names_no_tenant_by_a_text_is_the_senders(live):
    assert send(live, click(tenant=None)).status_code == 202
    assert send(live, click(tenant=7)).status_code == 202


def test_a_key_of_some_types_cannot_write(live):
    answer = live.post("/v1/events", click(), headers=NARROW)
    assert answer.status_code == 403, answer.text


def test_heartbeats_are_refused(live):
    answer = send(live, {"events": [click()], "heartbeats": [{"source": "web"}]})
    assert answer.status_code == 422 and "heartbeats" in answer.text, answer.text


def test_nothing_is_kept_while_kafka_is_away(keys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and listens to nobody
        with Service("livedata", {**SETTINGS, "LIVE_API_KEYS_FILE": keys, "LIVE_KAFKA_PUBLISH_SECONDS": "0.5",
                                  "KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{taken.getsockname()[1]}"}) as live:
            for _ in range(2):
                answer = send(live, click())
                assert answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0, answer.text
            assert live.get("/v1/entity/session/SES-1", headers=KEY).status_code == 404
