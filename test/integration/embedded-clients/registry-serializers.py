"""Confluent's serializers for Python, with the schema registry at the second argument.

`write` prints records in hex, by format; `read` gets such records on standard input and prints what they hold.
"""

import base64
import json
import sys
import warnings

import requests
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, timestamp_pb2

warnings.simplefilter("ignore")
command, url = sys.argv[1:]
client = SchemaRegistryClient({"url": url})
# Message indexes as other clients write them.
PLAIN = {"use.deprecated.format": False}


def context(kind):
    return SerializationContext(f"{command}-{kind}", MessageField.VALUE)


def pool_of(*files):
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    # Of options only; newer versions of the client have it.
    pool.Add(descriptor_pb2.FileDescriptorProto(name="confluent/meta.proto", package="confluent"))
    for file in files:
        pool.Add(file)
    return pool


def message_of(pool, name):
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def field(name, number, kind, type_name=None, **more):
    return dict(name=name, number=number, type=kind, label=1, type_name=type_name, **more)


def messages():
    part = dict(name="Part", field=[field("x", 1, 9)])
    other = descriptor_pb2.FileDescriptorProto(
        name="part.proto", package="parts", syntax="proto3", message_type=[part]
    )
    entry = dict(name="CountsEntry", field=[field("key", 1, 9), field("value", 2, 5)], options={"map_entry": True})
    order = dict(
        name="Order",
        field=[
            field("id", 1, 3),
            field("note", 2, 9, proto3_optional=True, oneof_index=1),
            dict(field("v", 3, 1), label=3),
            dict(field("counts", 4, 11, ".shop.Order.CountsEntry"), label=3),
            field("at", 5, 11, ".google.protobuf.Timestamp"),
            field("cash", 6, 9, oneof_index=0),
            field("card", 7, 5, oneof_index=0),
            field("part", 8, 11, ".parts.Part"),
            field("state", 9, 14, ".shop.Order.State"),
        ],
        oneof_decl=[dict(name="pay"), dict(name="_note")],
        nested_type=[entry],
        enum_type=[dict(name="State", value=[dict(name="OPEN", number=0), dict(name="SENT", number=1)])],
    )
    file = descriptor_pb2.FileDescriptorProto(
        name="order.proto",
        package="shop",
        syntax="proto3",
        dependency=["google/protobuf/timestamp.proto", "part.proto"],
        message_type=[dict(name="First", field=[field("a", 1, 8)]), order],
    )
    return pool_of(other, file)


AVRO = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "note", "type": ["null", "string"], "default": None}],
}
JSON = {
    "title": "Order",
    "type": "object",
    "properties": {"id": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["id"],
}


def write():
    order = message_of(messages(), "shop.Order")
    value = order(id=2**60, note="hé", v=[1.5, 2], counts={"k": 5}, card=7, state=1)
    value.at.FromJsonString("2024-02-29T12:34:56.789Z")
    value.part.x = "y"
    protobuf = ProtobufSerializer(order, client, PLAIN)
    records = {
        "avro": AvroSerializer(client, json.dumps(AVRO))({"id": 2**60, "note": "hé"}, context("avro")),
        "json": JSONSerializer(json.dumps(JSON), client)({"id": 7, "note": "hé"}, context("json")),
        "protobuf": protobuf(value, context("protobuf")),
    }
    first = dict(schema=client.get_latest_version("write-protobuf-value"))
    # A client that starts later finds the same schema.
    again = ProtobufSerializer(order, SchemaRegistryClient({"url": url}), dict(PLAIN, **{"auto.register.schemas": False}))
    return {
        **{kind: data.hex() for kind, data in records.items()},
        "again": again(value, context("protobuf")).hex() == records["protobuf"].hex(),
        "references": [one.name for one in first["schema"].schema.references],
    }


def file_of(name, schema):
    """As newer versions of the client build a schema's types: from its descriptor."""
    files = [one for ref in schema.get("references", []) for one in file_of(ref["name"], version(ref))]
    file = descriptor_pb2.FileDescriptorProto.FromString(base64.standard_b64decode(schema["schema"]))
    file.name = name
    return [*files, file]


def version(reference):
    path = f"{url}/subjects/{reference['subject']}/versions/{reference['version']}"
    return requests.get(path, params={"format": "serialized"}).json()


def read(records):
    data = {kind: bytes.fromhex(text) for kind, text in records.items() if kind != "message"}
    number = int.from_bytes(data["protobuf"][1:5], "big")
    schema = requests.get(f"{url}/schemas/ids/{number}", params={"format": "serialized"}).json()
    order = message_of(pool_of(*file_of("default", schema)), records["message"])
    json_schema = client.get_latest_version("read-json-value").schema.schema_str
    return {
        "avro": AvroDeserializer(client)(data["avro"], context("avro")),
        "json": JSONDeserializer(json_schema)(data["json"], context("json")),
        "protobuf": json_format.MessageToDict(
            ProtobufDeserializer(order, PLAIN)(data["protobuf"], context("protobuf")), preserving_proto_field_name=True
        ),
    }


print(json.dumps(write() if command == "write" else read(json.load(sys.stdin))))
