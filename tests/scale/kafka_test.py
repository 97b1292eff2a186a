"""Kafka: the broker that the part starts."""

import time

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from engine_kafka import Kafka

RECORDS = 1000


@pytest.fixture(scope="module")
def kafka():
    with Kafka() as engine:
        yield engine


def test_acknowledged_records_outlive_a_kill(kafka):
    producer = Producer({"bootstrap.servers": kafka.address, "acks": "all", "enable.idempotence": True})
    for number in range(RECORDS):
        producer.produce("kept", str(number), key=str(number))
        producer.poll(0)
    assert producer.flush(60) == 0
    kafka.kill()
    kafka.start()
    consumer = Consumer({"bootstrap.servers": kafka.address, "group.id": "g"})
    consumer.assign([TopicPartition("kept", partition, OFFSET_BEGINNING) for partition in range(6)])
    seen, end = set(), time.monotonic() + 60
    while len(seen) < RECORDS and time.monotonic() < end:
        seen |= {int(message.value()) for message in consumer.consume(RECORDS, 1) if not message.error()}
    consumer.close()
    assert seen == set(range(RECORDS))
