"""What the parts about Kafka share: a service of experiments with a bridge of its own, and records to send."""

import json
import os
import random
import subprocess

from confluent_kafka import Producer

from live_test import KEYS, design
from project_fixtures import Store, create, expect
from wait import wait_for

KINDS = ("exposures", "conversions", "identities", "exclusions", "holdout", "pre-period", "strata")
METRICS = ("purchase", "basket", "visit")
START = 1_700_000_000
BATCH = 1000


def records(count, experiments, seed):
    """(kind, experiment, record) in the order of sending: users who are exposed, often twice, and convert; some
    with keys that come again; a few of every other kind."""
    chance = random.Random(seed)
    users = max(10, count // 6)
    for number in range(count):
        user, experiment = f"user-{chance.randrange(users)}", chance.choice(experiments)
        kind = chance.choices(KINDS, (40, 55, 1, .2, .5, 2, 1.3))[0]
        yield kind, experiment, record_of(kind, user, number, chance)


def record_of(kind, user, number, chance):
    at = START + number % 86400
    if kind == "exposures":
        return {"user_id": user, "variation_index": hash_of(user) % 2, "occurred_at": at,
                "dimensions": [{"name": "platform", "value": ("web", "app")[hash_of(user) // 2 % 2]}]}
    if kind == "conversions":
        key = {"idempotency_key": f"{user}-{chance.randrange(3)}"} if number % 5 == 0 else {}
        return {"user_id": user, "metric": chance.choice(METRICS), "value": chance.randrange(100) / 4, "occurred_at": at, **key}
    if kind == "identities":
        return {"anonymous_id": f"cookie-{user}", "canonical_id": user}
    if kind == "pre-period":
        return {"user_id": user, "value": hash_of(user) % 50}
    if kind == "strata":
        return {"user_id": user, "stratum": ("new", "old")[hash_of(user) % 2]}
    if kind == "holdout":
        return {"user_id": f"kept-out-{user}"}
    return {"user_id": user}


def hash_of(user):
    return int(user.rsplit("-", 1)[1])


def user_of(record):
    return record.get("user_id") or record["canonical_id"]


def bucket_of(user, buckets):
    """As docs/operate/kafka.md says."""
    value = 14695981039346656037
    for byte in user.encode():
        value = ((value ^ byte) * 1099511628211) % 2**64
    return (value ^ value >> 32) % buckets


def publish(kafka, sent, prefix="experiments."):
    """All of them, acknowledged by all replicas; the broker may die meanwhile."""
    problems = []
    producer = Producer({"bootstrap.servers": kafka.address, "enable.idempotence": True, "acks": "all", "linger.ms": 20,
                         "message.timeout.ms": 600_000, "compression.type": "lz4", "log_level": 0})
    for kind, experiment, record in sent:
        value = json.dumps({"experiment_id": experiment, **record})
        while True:
            try:
                producer.produce(prefix + kind, value, key=user_of(record),
                                 on_delivery=lambda error, _: problems.append(error) if error else None)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    assert producer.flush(600) == 0 and not problems, problems[:3]


def batches(sent):
    """The same in batches of one kind for one experiment, each kind in its order."""
    held = {}
    for kind, experiment, record in sent:
        held.setdefault((experiment, kind), []).append(record)
        if len(held[experiment, kind]) == BATCH:
            yield experiment, kind, held.pop((experiment, kind))
    for (experiment, kind), some in held.items():
        yield experiment, kind, some


def load(store, sent):
    """By POST, batch by batch."""
    for experiment, kind, some in batches(sent):
        path = f"/api/v1/experiments/{experiment}/{kind}"
        answer = store.client.session.post(store.client.url + path, json={KEYS.get(kind, kind.replace("-", "_")): some}, timeout=60)
        assert answer.status_code == 200, answer.text


class Bridge:
    """The program beside a stack, which does not run it itself; a victim of chaos."""

    def __init__(self, store, kafka, program="experiments-bridge", **settings):
        self.name = program
        self.store = store
        self.environment = {**store.program_environment(), "KAFKA_BOOTSTRAP_SERVERS": kafka.address, **settings}
        self.program = store.stack.build / "cron-bin" / program
        self.process = None
        self.log = store.stack.directory / f"{program}.log"

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([self.program], env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, cwd=self.store.stack.directory)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """By SIGTERM; its exit status."""
        self.process.terminate()
        return self.process.wait(60)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()


def offsets(store):
    """(topic, partition) -> next offset, as the table says."""
    rows = store.database.rows("SELECT topic, partition_number, next_offset FROM kafka_offsets")
    return {(row["topic"], row["partition_number"]): row["next_offset"] for row in rows}


def applied(store):
    return sum(offsets(store).values())


def wait_applied(store, count, bridge, seconds=600):
    def is_done():
        assert bridge.process.poll() is None, f"the bridge has ended: {bridge.process.poll()} {bridge.log.read_text()[-2000:]}"
        return applied(store) >= count
    wait_for(is_done, lambda: f"{applied(store)} of {count}; {bridge.log.read_text()[-2000:]}", seconds)


def shown(store, experiments):
    """What the service says of each experiment; times of computing left out."""
    found = []
    for experiment in experiments:
        answer = expect(store.client.get(f"/api/v1/experiments/{experiment}/ingestion"))
        stats = expect(store.client.get(f"/api/v1/experiments/{experiment}/live-stats"))
        found.append((without(answer), without(stats)))
    return found


VARYING = {"experiment_id", "project_id", "generated_at", "computed_at", "id", "last_event_at", "received_at"}


def without(value):
    """Without ids and times that differ between two services; sums of doubles depend on their order in the last digit."""
    if isinstance(value, dict):
        return {name: without(member) for name, member in value.items() if name not in VARYING}
    if isinstance(value, list):
        return [without(member) for member in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def new_store(engine="sqlite", **settings):
    return Store(engine, {"AB_RATE_LIMIT_ENABLED": "false", "AB_LLM_BASE_URL": "", **settings})


def new_experiments(store, count):
    return [create(store.client, design())["id"] for _ in range(count)]


def environment_seed():
    """What ASSAY_SCALE_SEED says, or chance."""
    return int(os.environ.get("ASSAY_SCALE_SEED") or random.randrange(2**31))
