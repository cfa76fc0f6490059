"""Uses the broker at the first argument as an application would, and prints what it has read as JSON."""

import json
import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

RECORDS = 100
SERVERS = {"bootstrap_servers": sys.argv[1]}


def produce(values, **settings):
    producer = KafkaProducer(**SERVERS, **settings)
    for sent in [producer.send("t", value.encode()) for value in values]:
        sent.get(timeout=60)
    producer.close()


def produce_in_transactions():
    producer = KafkaProducer(**SERVERS, transactional_id="python")
    producer.init_transactions()
    for value, end in (("dropped", producer.abort_transaction), ("kept", producer.commit_transaction)):
        producer.begin_transaction()
        producer.send("x", value.encode()).get(timeout=60)
        end()
    producer.close()


def read(topic, count, **settings):
    """The values of `count` records, in order; their offsets are committed if there is a group."""
    consumer = KafkaConsumer(topic, **SERVERS, auto_offset_reset="earliest", **settings)
    values = [next(consumer).value.decode() for _ in range(count)]
    if "group_id" in settings:
        consumer.commit()
    consumer.close()
    return values


values = [f"value {i}" for i in range(RECORDS)]
produce(values[:50], enable_idempotence=False)
produce(values[50:], enable_idempotence=True, compression_type="gzip")
produce_in_transactions()
in_group = read("t", RECORDS, group_id="g", enable_auto_commit=False)
in_transaction = read("x", 1, isolation_level="read_committed")

asker = KafkaConsumer(**SERVERS, group_id="g")
print(
    json.dumps(
        {
            "topics": sorted(asker.topics()),
            "consumedInGroup": in_group,
            "committedOffset": asker.committed(TopicPartition("t", 0)),
            "committedRecords": in_transaction,
        }
    )
)
asker.close()
