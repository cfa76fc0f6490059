package io.millrace.host;

import static io.millrace.host.HostClient.map;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

class ElementSessionsTest {
  private final DataWriter writer = new DataWriter();
  private final DataReader reader = new DataReader();

  /** Tells what it was asked for. */
  public static final class Provider implements ConfigProvider {
    private Map<String, ?> settings;

    @Override
    public void configure(Map<String, ?> configs) {
      settings = configs;
    }

    @Override
    public ConfigData get(String path) {
      return new ConfigData(Map.of("all", path + settings.get("s")), 5L);
    }

    @Override
    public ConfigData get(String path, java.util.Set<String> keys) {
      return new ConfigData(Map.of("keys", keys.toString()));
    }

    @Override
    public void close() {}
  }

  private byte[] data(Schema schema, Object value) {
    Out out = new Out(64);
    writer.write(out, schema, value);
    return out.toByteArray();
  }

  private SchemaAndValue data(Object answer) throws Exception {
    return reader.read(new In((byte[]) answer));
  }

  private byte[] sourceRecord(String topic, Schema schema, Object value) {
    Out out = new Out(64);
    Values.write(out, topic);
    Values.write(out, null);
    Values.write(out, 5L);
    writer.write(out, null, "key");
    writer.write(out, schema, value);
    out.i32(1).string("h");
    writer.write(out, Schema.INT32_SCHEMA, 7);
    Values.write(out, Map.of("p", 1L));
    Values.write(out, null);
    return out.toByteArray();
  }

  @Test
  void aConverterConvertsBothWays() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "converter", "class", "org.apache.kafka.connect.json.JsonConverter",
        "settings", map("schemas.enable", "false"), "isKey", false))) {
      Schema row = SchemaBuilder.struct().field("id", Schema.INT32_SCHEMA).build();
      byte[] json = (byte[]) client.call("fromConnectData", "t", data(row, new Struct(row).put("id", 1)), null);
      assertEquals("{\"id\":1}", new String(json));
      assertEquals(Map.of("id", 2L), data(client.call("toConnectData", "t", "{\"id\":2}".getBytes(), List.of(List.of("h", new byte[0])))).value());
      assertNull(client.call("fromConnectData", "t", data(null, null), null));
      // Its error ends neither the session nor the order of its schemas.
      assertThrows(HostClient.HostError.class, () -> client.call("toConnectData", "t", "{".getBytes(), null));
      assertEquals("{\"id\":3}", new String((byte[]) client.call("fromConnectData", "t", data(row, new Struct(row).put("id", 3)), null)));
    }
  }

  /** The text says how many bytes to return. */
  public static final class Growing extends org.apache.kafka.connect.storage.StringConverter {
    @Override
    public SchemaAndValue toConnectData(String topic, byte[] value) {
      return new SchemaAndValue(Schema.BYTES_SCHEMA, new byte[Integer.parseInt(new String(value))]);
    }

    @Override
    public byte[] fromConnectData(String topic, Schema schema, Object value) {
      return new byte[Integer.parseInt((String) value)];
    }
  }

  @Test
  void anAnswerThatIsTooLargeIsTheErrorOfItsRecord() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "converter", "class", Growing.class.getName(), "settings", map(),
        "isKey", false))) {
      HostClient.HostError error = assertThrows(HostClient.HostError.class,
          () -> client.call("toConnectData", "t", ("" + TooLargeException.MOST).getBytes(), null));
      assertEquals(List.of("JAVA_TOO_LARGE", "data"), List.of(error.error.get("code"), error.error.get("kind")));
      // The schema of the first answer was never seen.
      assertEquals(1, ((byte[]) data(client.call("toConnectData", "t", "1".getBytes(), null)).value()).length);
      error = assertThrows(HostClient.HostError.class,
          () -> client.call("fromConnectData", "t", data(Schema.STRING_SCHEMA, "" + FrameReader.LONGEST), null));
      assertEquals(List.of("JAVA_TOO_LARGE", "data"), List.of(error.error.get("code"), error.error.get("kind")));
      assertEquals(2, ((byte[]) client.call("fromConnectData", "t", data(Schema.STRING_SCHEMA, "2"), null)).length);
    }
  }

  @Test
  void aHeaderConverterConvertsBothWays() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "header-converter", "class",
        "org.apache.kafka.connect.storage.SimpleHeaderConverter", "settings", map()))) {
      assertArrayEquals("7".getBytes(), (byte[]) client.call("fromConnectHeader", "t", "h", data(Schema.INT32_SCHEMA, 7)));
      assertEquals(new SchemaAndValue(Schema.INT8_SCHEMA, (byte) 7), data(client.call("toConnectHeader", "t", "h", "7".getBytes())));
    }
  }

  @Test
  void aTransformationChangesRecords() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "transformation", "class",
        "org.apache.kafka.connect.transforms.InsertField$Value", "settings", map("static.field", "s", "static.value", "x"),
        "records", "source"))) {
      Schema row = SchemaBuilder.struct().field("id", Schema.INT32_SCHEMA).build();
      for (int id = 0; id < 2; id++) {
        In in = new In((byte[]) client.call("apply", sourceRecord("t", row, new Struct(row).put("id", id))));
        assertEquals("t", Values.read(in));
        assertNull(Values.read(in));
        assertEquals(5L, Values.read(in));
        assertEquals("key", reader.read(in).value());
        Struct value = (Struct) reader.read(in).value();
        assertEquals(List.of(id, "x"), List.of(value.get("id"), value.get("s")));
        assertEquals(1, in.i32());
        assertEquals("h", in.string());
        assertEquals(7, reader.read(in).value());
        in.end();
      }
      // A value without the structure that it needs, and the one after it.
      HostClient.HostError error =
          assertThrows(HostClient.HostError.class, () -> client.call("apply", sourceRecord("t", Schema.STRING_SCHEMA, "x")));
      assertEquals("data", error.error.get("kind"));
      assertEquals("org.apache.kafka.connect.errors.DataException", error.error.get("class"));
      client.call("apply", sourceRecord("t", row, new Struct(row).put("id", 3)));
    }
  }

  @Test
  void aFilteredRecordIsNull() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "transformation", "class",
        "org.apache.kafka.connect.transforms.Filter", "settings", map(), "records", "source"))) {
      assertNull(client.call("apply", sourceRecord("t", null, "v")));
    }
  }

  @Test
  void aPredicateTests() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "predicate", "class",
        "org.apache.kafka.connect.transforms.predicates.TopicNameMatches", "settings", map("pattern", "a.*"), "records", "source"))) {
      assertEquals(true, client.call("test", (Object) sourceRecord("ab", null, "v")));
      assertEquals(false, client.call("test", (Object) sourceRecord("b", null, "v")));
    }
  }

  @Test
  void aSinkRecordKnowsWhereItWasConsumed() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "transformation", "class",
        "org.apache.kafka.connect.transforms.InsertField$Value", "settings", map("offset.field", "o", "partition.field", "p"),
        "records", "sink"))) {
      Out out = new Out(64);
      Values.write(out, "t");
      Values.write(out, 3L);
      Values.write(out, 5L);
      writer.write(out, null, null);
      writer.write(out, null, Map.of("id", 1L));
      out.i32(0).i64(77).u8(1).string("t").i32(3).i64(77);
      In in = new In((byte[]) client.call("apply", (Object) out.toByteArray()));
      for (int index = 0; index < 3; index++) Values.read(in);
      reader.read(in);
      assertEquals(Map.of("id", 1L, "o", 77L, "p", 3L), reader.read(in).value());
    }
  }

  @Test
  void settingsThatAreRefusedAreAConfigError() throws Exception {
    try (HostClient client = new HostClient()) {
      HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("open", map("kind", "predicate",
          "class", "org.apache.kafka.connect.transforms.predicates.TopicNameMatches", "settings", map("pattern", "["))));
      assertEquals("config", error.error.get("kind"));
    }
    try (HostClient client = new HostClient()) {
      HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("open",
          map("kind", "transformation", "class", "java.lang.String", "settings", map())));
      assertEquals("config", error.error.get("kind"));
    }
  }

  @Test
  void aConfigProviderAnswersForPathsAndKeys() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "config-provider", "class", Provider.class.getName(),
        "settings", map("s", "!")))) {
      assertEquals(map("values", map("all", "path!"), "ttlMs", 5L), client.call("get", "path", null));
      assertEquals(map("values", map("keys", "[k]"), "ttlMs", null), client.call("get", "path", List.of("k")));
    }
  }
}
