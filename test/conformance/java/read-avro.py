"""Reads a topic from its beginning with confluent-kafka and fastavro, and prints each record as a line of JSON.

read-avro.py BOOTSTRAP_SERVERS REGISTRY_URL TOPIC COUNT
"""

import io
import json
import struct
import sys
import urllib.request

import fastavro
from confluent_kafka import Consumer

servers, registry, topic, count = sys.argv[1:]
schemas = {}


def decoded(data):
    if data is None:
        return None
    magic, number = struct.unpack(">bI", data[:5])
    assert magic == 0
    if number not in schemas:
        with urllib.request.urlopen(f"{registry}/schemas/ids/{number}") as answer:
            schemas[number] = fastavro.parse_schema(json.loads(json.load(answer)["schema"]))
    stream = io.BytesIO(data[5:])
    value = fastavro.schemaless_reader(stream, schemas[number])
    assert stream.read() == b""
    return value


def shown(value):
    return value.hex() if isinstance(value, bytes) else str(value)


consumer = Consumer({"bootstrap.servers": servers, "group.id": f"read-{topic}", "auto.offset.reset": "earliest"})
consumer.subscribe([topic])
seen = 0
while seen < int(count):
    message = consumer.poll(30)
    if message is None:
        raise SystemExit(f"{seen} of {count} records came")
    if message.error():
        raise SystemExit(str(message.error()))
    print(json.dumps([decoded(message.key()), decoded(message.value())], default=shown))
    seen += 1
consumer.close()
