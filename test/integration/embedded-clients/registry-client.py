"""Uses the schema registry at the first argument as an application would, and prints what it got as JSON."""

import json
import sys

from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.serialization import MessageField, SerializationContext

client = SchemaRegistryClient({"url": sys.argv[1]})


def record(*fields):
    return json.dumps({"type": "record", "name": "User", "namespace": "n", "fields": list(fields)})


NAME = {"name": "name", "type": "string"}
AGE = {"name": "age", "type": "int"}
CITY = {"name": "city", "type": "string"}
first = Schema(record(NAME), "AVRO")
second = Schema(record(NAME, dict(AGE, default=0)), "AVRO")
without_default = Schema(record(NAME, CITY), "AVRO")


def error_of(call):
    try:
        call()
    except SchemaRegistryError as error:
        return [error.http_status_code, error.error_code]


def round_trip(topic):
    context = SerializationContext(topic, MessageField.VALUE)
    data = AvroSerializer(client, second.schema_str)({"name": "Ann", "age": 7}, context)
    return AvroDeserializer(client, first.schema_str)(data, context)


answers = {
    "registered": [client.register_schema("users", one) for one in (first, second, first)],
    "other subject": client.register_schema("people", first),
    "schema": json.loads(client.get_schema(1).schema_str) == json.loads(first.schema_str),
    "looked up": client.lookup_schema("users", second).version,
    "subjects": client.get_subjects(),
    "versions": client.get_versions("users"),
    "latest": client.get_latest_version("users").schema_id,
    "version 1": client.get_version("users", 1).schema_id,
    "compatible": [client.test_compatibility("users", one) for one in (second, without_default)],
    "levels": [client.set_compatibility("users", "FULL")["compatibility"], client.get_compatibility("users")],
    "incompatible": error_of(lambda: client.register_schema("users", without_default)),
    "invalid": error_of(lambda: client.register_schema("users", Schema("{", "AVRO"))),
    "missing": error_of(lambda: client.get_latest_version("nobody")),
    "record": round_trip("topic"),
}
reference = SchemaReference("n.User", "users", 1)
group = Schema('{"type":"array","items":"n.User"}', "AVRO", [reference])
answers["reference"] = client.get_schema(client.register_schema("groups", group)).references[0].name
answers["JSON Schema"] = client.register_schema("json", Schema('{"type":"object"}', "JSON"))
answers["Protobuf"] = client.register_schema("proto", Schema('syntax = "proto3"; message M { string a = 1; }', "PROTOBUF"))
answers["deleted"] = [client.delete_version("users", 2), client.delete_subject("people", permanent=True)]
print(json.dumps(answers))
