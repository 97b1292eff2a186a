"""Kafka in: what lies in its topics is applied exactly once, whoever dies meanwhile; what is wrong is laid aside."""

import itertools
import json
import threading
import time

import pytest
import requests
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from chaos import QUICK, Chaos
from engine_kafka import Kafka
from flag_fixtures import Flag
from kafka_experiments import (KINDS, Bridge, applied, batches, bucket_of, environment_seed, load, new_experiments, new_store, offsets, publish,
                               records, shown, wait_applied)
from project_fixtures import expect
from stack import CHECKOUT, Stack
from wait import wait_for

EVENTS = 10_000 if QUICK else 1_000_000
RATE_EVENTS = 10_000 if QUICK else 200_000
EXPERIMENTS = 4


@pytest.fixture(scope="module")
def kafka():
    with Kafka() as engine:
        yield engine


def read(kafka, topic, count, partitions=6):
    """So many messages of a topic."""
    consumer = Consumer({"bootstrap.servers": kafka.address, "group.id": "reader", "log_level": 0})
    found, end = [], time.monotonic() + 60
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(partitions)])
    while len(found) < count and time.monotonic() < end:
        found += [message for message in consumer.consume(count, 1) if not message.error()]
    consumer.close()
    return found


def of(sent, names):
    """The records for experiments of other ids: of another service."""
    return ((kind, names[experiment], record) for kind, experiment, record in sent)


def test_kills_of_bridge_and_broker_change_no_sum(kafka):
    """A million events, published while the bridge applies them and both are killed at random: the same as when they
    are posted to another service."""
    seed = environment_seed()
    print(f"seed {seed}", flush=True)
    with new_store() as store, new_store() as other:
        mine, theirs = new_experiments(store, EXPERIMENTS), new_experiments(other, EXPERIMENTS)
        with Bridge(store, kafka) as bridge, Chaos([bridge, kafka], seed=seed) as chaos:
            publish(kafka, of(records(EVENTS, range(EXPERIMENTS), seed), mine))
            chaos.wait()
            wait_applied(store, EVENTS, bridge)
            assert all(chaos.kills.values()), chaos.kills
        assert applied(store) == EVENTS
        load(other, of(records(EVENTS, range(EXPERIMENTS), seed), theirs))
        assert shown(store, mine) == shown(other, theirs)
        done = store.program("live-rebuild", "--verify", *mine[:1])
        assert done.returncode == 0 and "differences=0" in done.stdout, done.stdout


def counts(store, experiment):
    answer = expect(store.client.get(f"/api/v1/experiments/{experiment}/ingestion"))
    return answer["exposures_total"], answer["conversions_total"]


@pytest.fixture
def fresh():
    """A prefix of topics that nobody else has."""
    return f"t{time.monotonic_ns()}."


@pytest.fixture(scope="module")
def store():
    with new_store() as store:
        yield store


def test_a_wrong_record_is_laid_aside_and_the_others_count(kafka, store, fresh):
    """One that is too large for a letter keeps no other out of the dead letters."""
    (mine,) = new_experiments(store, 1)
    producer = Producer({"bootstrap.servers": kafka.address, "log_level": 0, "message.max.bytes": 1_040_000})
    good = {"experiment_id": mine, "user_id": "u", "variation_index": 1}
    wrong = [b"no JSON", json.dumps({**good, "variation_index": 99}).encode(),
             json.dumps({**good, "experiment_id": "none", "user_id": "v"}).encode()]
    for value in (json.dumps(good), b"x" * 1_020_000, *wrong, json.dumps({**good, "user_id": "w"})):
        producer.produce(f"{fresh}exposures", value, key="u")
    assert producer.flush(60) == 0
    with Bridge(store, kafka, AB_KAFKA_TOPIC_PREFIX=fresh, AB_BRIDGE_GROUP_ID=fresh) as bridge:
        wait_for(lambda: counts(store, mine) == (2, 0), lambda: bridge.log.read_text()[-2000:])
        letters = read(kafka, f"{fresh}exposures.dead", 3)
        assert bridge.stop() == 0
        assert "dead_letter_refused" in bridge.log.read_text()
    assert sorted(letter.value() for letter in letters) == sorted(wrong)
    for letter in letters:
        headers = dict(letter.headers())
        assert headers["assay.topic"].decode() == f"{fresh}exposures" and headers["assay.reason"]
        assert wrong[int(headers["assay.offset"]) - 2] == letter.value()


def test_two_bridges_share_the_partitions_and_one_that_leaves_leaves_them(kafka, store, fresh):
    mine, settings = new_experiments(store, 1), {"AB_KAFKA_TOPIC_PREFIX": fresh, "AB_BRIDGE_GROUP_ID": fresh}
    sent = list(of(records(3000, range(1), 1), mine))
    publish(kafka, sent[:1000], fresh)
    with Bridge(store, kafka, **settings) as first, Bridge(store, kafka, **settings) as second:
        done = lambda: sum(at for (topic, _), at in offsets(store).items() if topic.startswith(fresh))  # noqa: E731
        wait_for(lambda: done() == 1000)
        publish(kafka, sent[1000:2000], fresh)
        wait_for(lambda: done() == 2000)
        assert first.stop() == 0
        publish(kafka, sent[2000:], fresh)
        wait_for(lambda: done() == 3000, lambda: second.log.read_text()[-2000:])
        assert second.stop() == 0
    other = new_experiments(store, 1)
    load(store, of(((kind, 0, record) for kind, _, record in sent), other))
    assert shown(store, mine) == shown(store, other)


def test_a_bridge_that_comes_or_goes_while_records_flow_changes_no_sum(kafka, store, fresh):
    """The other one has records in hand when its partitions are taken."""
    mine, settings = new_experiments(store, 1), {"AB_KAFKA_TOPIC_PREFIX": fresh, "AB_BRIDGE_GROUP_ID": fresh}
    enough, sent = threading.Event(), list(of(records(1000, range(1), 1), mine))
    assert {kind for kind, _, _ in sent} == set(KINDS)  # a topic that is made later makes the group share anew
    publish(kafka, sent, fresh)

    def flow():
        """So slowly that a batch is being gathered nearly all the time."""
        for record in itertools.takewhile(lambda _: not enough.is_set(), of(records(500_000, range(1), 2), mine)):
            sent.append(record)
            yield record
            time.sleep(0.001)

    publisher = threading.Thread(target=publish, args=(kafka, flow(), fresh))
    with Bridge(store, kafka, **settings) as first:
        given = lambda: first.log.read_text().count("partitions_given")  # noqa: E731
        done = lambda: sum(at for (topic, _), at in offsets(store).items() if topic.startswith(fresh))  # noqa: E731

        def wait_given(before):
            def is_given():
                assert first.process.poll() is None, first.log.read_text()[-2000:]
                return given() > before
            wait_for(is_given, lambda: first.log.read_text()[-2000:], 120)
        publisher.start()
        try:
            wait_for(lambda: done() > 1000, lambda: first.log.read_text()[-2000:], 120)
            for _ in range(2 if QUICK else 6):
                before = given()
                with Bridge(store, kafka, **settings) as second:
                    wait_given(before + 1)  # both
                    before = given()
                    assert second.stop() == 0
                wait_given(before)
        finally:
            enough.set()
            publisher.join()
        wait_for(lambda: done() == len(sent), lambda: f"{done()} of {len(sent)}; {first.log.read_text()[-2000:]}", 120)
        assert first.stop() == 0
    other = new_experiments(store, 1)
    load(store, of(((kind, 0, record) for kind, _, record in sent), other))
    assert shown(store, mine) == shown(store, other)


def test_intake_publishes_and_says_where(kafka, fresh):
    """With AB_INTAKE=kafka the stack keeps nothing: 202 when all replicas have it, 503 while the broker is away."""
    with new_store(AB_INTAKE="kafka", AB_KAFKA_TOPIC_PREFIX=fresh, AB_BRIDGE_GROUP_ID=fresh, AB_KAFKA_PUBLISH_SECONDS="2",
                   KAFKA_BOOTSTRAP_SERVERS=kafka.address) as store:
        (mine,) = new_experiments(store, 1)
        path = f"/api/v1/experiments/{mine}/exposures"
        ten = {"exposures": [{"user_id": f"u{n}", "variation_index": 0} for n in range(10)]}
        # The first one makes the topic, which may take longer than it may wait; exposures count once.
        answer = wait_for(lambda: (sent := store.client.send("POST", path, json=ten, may_fail=True)).status == 202 and sent)
        assert sum(at["next_offset"] for at in answer.json()["published"]) >= 10
        lines = "".join(json.dumps({"user_id": f"v{n}", "variation_index": 1}) + "\n" for n in range(5))
        answer = store.client.send("POST", path + "/lines", data=lines.encode(), headers={"Content-Type": "application/x-ndjson"})
        assert answer.status == 202 and answer.json()["received"] == 5
        wait_for(lambda: counts(store, mine) == (15, 0), lambda: store.stack.logs())  # by the stack's own bridge
        assert store.client.post("/api/v1/experiments/none/exposures",
                                 {"exposures": [{"user_id": "u", "variation_index": 0}]}).status == 404
        kafka.stop()
        answer = store.client.send("POST", path, json={"exposures": [{"user_id": "late", "variation_index": 0}]}, may_fail=True)
        assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0 and counts(store, mine) == (15, 0)
        checks = {check["name"]: check for check in store.client.get("/readyz").json()["checks"]}
        assert "lag=0" in checks["kafka"]["detail"]
        assert f'ab_live_lag_records{{topic="{fresh}exposures"}} 0' in store.client.get("/metrics").body.decode()
        kafka.start()
        wait_for(lambda: store.client.send("POST", path, json={"exposures": [{"user_id": "late", "variation_index": 0}]},
                                           may_fail=True).status == 202)
        wait_for(lambda: counts(store, mine) == (16, 0))


def test_intake_publishes_a_divided_experiment_by_bucket(kafka, fresh):
    """By every way in; a user's records of both kinds lie in one partition, and the others where the key says."""
    with new_store(AB_INTAKE="kafka", AB_KAFKA_TOPIC_PREFIX=fresh, AB_BRIDGE_GROUP_ID=fresh, AB_KAFKA_PUBLISH_SECONDS="30",
                   KAFKA_BOOTSTRAP_SERVERS=kafka.address) as store:
        flag = Flag(store.client)
        divided, plain = flag.id, *new_experiments(store, 1)
        expect(store.client.send("PUT", f"/api/v1/experiments/{divided}/buckets", {"buckets": 16}))
        users = [f"u{n}" for n in range(20)] + [f"ผู้ใช้{n}" for n in range(20)]
        for mine in (divided, plain):
            path = f"/api/v1/experiments/{mine}"
            answer = store.client.post(f"{path}/exposures", {"exposures": [{"user_id": user, "variation_index": 0} for user in users]})
            assert answer.status == 202, answer.body
            lines = "".join(json.dumps({"user_id": user, "metric": "purchase"}) + "\n" for user in users)
            answer = store.client.send("POST", f"{path}/conversions/lines", data=lines.encode(),
                                       headers={"Content-Type": "application/x-ndjson"})
            assert answer.status == 202, answer.body
        flagged = [f"f{n}" for n in range(10)]
        for user in flagged[:5]:
            flag.get(user)
        for user in flagged[5:]:
            expect(flag.track(user, events=[{"name": "purchase", "key": user}]))
        wait_for(lambda: (counts(store, divided), counts(store, plain)) == ((50, 45), (40, 40)), lambda: store.stack.logs())
        messages = [(json.loads(message.value()), message.partition())
                    for kind, count in (("exposures", 90), ("conversions", 85)) for message in read(kafka, f"{fresh}{kind}", count)]
        assert len(messages) == 175
        places = {(sent["experiment_id"], sent["user_id"]): set() for sent, _ in messages}
        for sent, partition in messages:
            places[sent["experiment_id"], sent["user_id"]].add(partition)
        assert all(places[divided, user] == {bucket_of(user, 16) % 6} for user in users + flagged), places
        assert all(len(found) == 1 for found in places.values())
        assert any(places[divided, user] != places[plain, user] for user in users)


def click(number, tenant):
    return {"event_id": f"00000000-0000-4000-8000-{number:012d}", "event_type": "click", "source": "web", "tenant": tenant,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "session_id": f"SES-{tenant}", "user_id": None,
            "page_url": "/", "user_agent": "test"}


KEY = {"X-API-Key": "key-of-the-part-about-kafka-0123456789"}
MILL = {"before": None, "after": {"machine_id": "M-9", "label": "Mill", "site": "west", "cost": "1.5", "installed": None},
        "op": "c", "ts_ms": 1775296800999, "source": {"name": "plant", "schema": "public", "table": "machines",
                                                      "ts_ms": 1775296800000, "lsn": 1}}


def test_events_of_live_data_come_by_kafka(kafka, fresh):
    """Events twice, junk between them, and rows as Debezium writes them, with a tombstone; a
    pattern finds the topics, and leaves dead letters alone."""
    producer = Producer({"bootstrap.servers": kafka.address, "log_level": 0})
    for number in range(40):
        producer.produce(f"{fresh}events", json.dumps(click(number % 20, ("default", "acme")[number % 2])), key=str(number % 20))
    producer.produce(f"{fresh}events", "no JSON")
    producer.produce(f"{fresh}rows", json.dumps(MILL), key="M-9")
    producer.produce(f"{fresh}rows", None, key="M-9")
    producer.produce(f"{fresh}old.dead", json.dumps(click(90, "default")), key="90")
    assert producer.flush(60) == 0
    with Stack(services=("livedata",)) as stack:
        stack.start({"LIVE_API_KEYS": f"{KEY['X-API-Key']}:part", "KAFKA_BOOTSTRAP_SERVERS": kafka.address,
                     "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{CHECKOUT}/config/demo/machines", "LIVE_RATE_LIMIT_RPM": 100_000,
                     "LIVE_BRIDGE_TOPICS": f"^{fresh}", "LIVE_BRIDGE_GROUP_ID": fresh})

        def ask(path):
            return requests.get(stack.base_url + path, headers=KEY, timeout=30).text
        wait_for(lambda: '"event_count":10' in ask("/v1/entity/session/SES-default"), lambda: stack.logs("livedata-bridge")[-3000:])
        wait_for(lambda: "Mill" in ask("/v1/entity/machine/M-9"), lambda: stack.logs("livedata-bridge")[-3000:])
        assert "records behind" in ask("/v1/health"), ask("/v1/health")
        (letter,) = read(kafka, f"{fresh}events.dead", 1)
        assert letter.value() == b"no JSON"


def test_live_data_publishes_and_says_where(kafka, fresh, tmp_path):
    """With LIVE_INTAKE=kafka events of two tenants come to each its own, and are neither lost nor doubled by a broker that
    goes and comes."""
    keys = {"default": KEY["X-API-Key"], "acme": KEY["X-API-Key"] + "-acme"}
    entries = "".join(f"- {{key: {key}, name: {tenant}, tenant: {tenant}}}\n" for tenant, key in keys.items())
    (tmp_path / "keys.yaml").write_text("keys:\n" + entries)
    with Stack(services=("livedata",)) as stack:
        stack.start({"LIVE_API_KEYS_FILE": str(tmp_path / "keys.yaml"), "KAFKA_BOOTSTRAP_SERVERS": kafka.address, "LIVE_RATE_LIMIT_RPM": 100_000, "LIVE_INTAKE": "kafka",
                     "LIVE_INTAKE_TOPIC": f"{fresh}events", "LIVE_BRIDGE_TOPICS": f"{fresh}events", "LIVE_BRIDGE_GROUP_ID": fresh,
                     "LIVE_KAFKA_PUBLISH_SECONDS": "2"})

        def send(numbers, tenant):
            events = [{name: value for name, value in click(number, tenant).items() if name != "tenant"} for number in numbers]
            return requests.post(stack.base_url + "/v1/events", json={"events": events}, headers={"X-API-Key": keys[tenant]}, timeout=30)

        def seen(tenant):
            answer = requests.get(f"{stack.base_url}/v1/entity/session/SES-{tenant}", headers={"X-API-Key": keys[tenant]}, timeout=30)
            return answer.json()["data"]["event_count"] if answer.status_code == 200 else 0
        for tenant in keys:
            # The first one makes the topic, which may take longer than it may wait; events count once.
            answer = wait_for(lambda tenant=tenant: (sent := send(range(10), tenant)).status_code == 202 and sent)
            assert answer.json()["accepted"] == 10 and sum(at["next_offset"] for at in answer.json()["published"]) >= 10
            wait_for(lambda tenant=tenant: seen(tenant) == 10, lambda: stack.logs("livedata-bridge")[-3000:])
        kafka.stop()
        answer = send(range(10, 15), "acme")
        assert answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0 and seen("acme") == 10
        kafka.start()
        wait_for(lambda: send(range(10, 15), "acme").status_code == 202)
        wait_for(lambda: seen("acme") == 15, lambda: stack.logs("livedata-bridge")[-3000:])
        assert seen("default") == 10


def test_the_bridge_is_as_fast_as_direct_batches(kafka, fresh):
    """The same records: a topic that was filled before, against POST batches while the broker is stopped."""
    with new_store() as store:
        mine, others = new_experiments(store, EXPERIMENTS), new_experiments(store, EXPERIMENTS)
        sent = list(records(RATE_EVENTS, range(EXPERIMENTS), 1))
        publish(kafka, of(sent, mine), fresh)
        kafka.stop()
        ready = list(batches(of(sent, others)))
        started = time.monotonic()
        load(store, ((kind, experiment, record) for experiment, kind, some in ready for record in some))
        direct = time.monotonic() - started
        kafka.start()
        with Bridge(store, kafka, AB_KAFKA_TOPIC_PREFIX=fresh, AB_BRIDGE_GROUP_ID=fresh) as bridge:
            wait_for(lambda: applied(store) > 0, lambda: bridge.log.read_text()[-2000:])
            started, before = time.monotonic(), applied(store)
            wait_applied(store, RATE_EVENTS, bridge)
            bridged = (time.monotonic() - started) * RATE_EVENTS / max(1, RATE_EVENTS - before)
        ratio = direct / bridged
        print(f"direct {RATE_EVENTS / direct:.0f}/s, bridge {RATE_EVENTS / bridged:.0f}/s: {ratio:.2f}", flush=True)
        assert shown(store, mine) == shown(store, others)
        assert ratio >= 0.6


def test_the_file_of_properties_changes_how_a_bridge_reads_and_a_line_too_long_is_named(kafka, store, fresh, tmp_path):
    (mine,) = new_experiments(store, 1)
    file = tmp_path / "kafka.properties"
    settings = {"AB_KAFKA_TOPIC_PREFIX": fresh, "AB_BRIDGE_GROUP_ID": fresh, "AB_KAFKA_PROPERTIES_FILE": str(file)}
    file.write_text(f"client.rack={'x' * 9000}\n")
    with Bridge(store, kafka, **settings) as bridge:
        assert bridge.process.wait(60) == 1 and "client.rack: its line in" in bridge.log.read_text()
    file.write_text("session.timeout.ms=1\nlog.queue=false\nauto.offset.reset=latest\n")  # the broker refuses the first
    publish(kafka, [("exposures", mine, {"user_id": "u", "variation_index": 0})], fresh)
    with Bridge(store, kafka, **settings) as bridge:
        wait_for(lambda: "session timeout" in bridge.log.read_text(), lambda: bridge.log.read_text()[-2000:], 120)
    file.write_text("# no more\nauto.offset.reset=latest\n")
    with Bridge(store, kafka, **settings) as bridge:
        wait_for(lambda: counts(store, mine) == (1, 0), lambda: bridge.log.read_text()[-2000:], 120)
