package io.millrace.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;

class DataTest {
  /** What the tests of the other side write and read, too. */
  private static final Path GOLDEN = Path.of("../../../test/java-host/golden/data.txt");

  private final DataWriter writer = new DataWriter();
  private final DataReader reader = new DataReader();
  private final Out out = new Out(16);

  private static Schema row() {
    return SchemaBuilder.struct()
        .name("Row")
        .version(2)
        .optional()
        .field("i8", Schema.INT8_SCHEMA)
        .field("i16", Schema.INT16_SCHEMA)
        .field("i32", SchemaBuilder.int32().defaultValue(-7).required().build())
        .field("i64", Schema.INT64_SCHEMA)
        .field("f32", Schema.FLOAT32_SCHEMA)
        .field("f64", Schema.FLOAT64_SCHEMA)
        .field("flag", Schema.BOOLEAN_SCHEMA)
        .field("text", SchemaBuilder.string().optional().doc("a doc").parameter("b", "1").parameter("a", "2").build())
        .field("bytes", Schema.BYTES_SCHEMA)
        .field("again", Schema.INT8_SCHEMA)
        .field("nothing", SchemaBuilder.string().optional().name("Named").version(3).build())
        .build();
  }

  private static Map<String, SchemaAndValue> cases() {
    Map<String, SchemaAndValue> cases = new LinkedHashMap<>();
    cases.put("null", new SchemaAndValue(null, null));
    Map<String, Object> free = new LinkedHashMap<>();
    free.put("a", 1L);
    free.put("b", "x");
    free.put("c", Arrays.asList(true, null, 1.5));
    free.put("d", Map.of("e", new byte[] {1}));
    cases.put("schemaless", new SchemaAndValue(null, free));
    Schema row = row();
    Struct value =
        new Struct(row)
            .put("i8", (byte) -1)
            .put("i16", (short) 300)
            .put("i32", 70_000)
            .put("i64", 1L << 62)
            .put("f32", 1.5f)
            .put("f64", -0.1)
            .put("flag", true)
            .put("text", "grüße")
            .put("bytes", new byte[] {0, -1})
            .put("again", (byte) 127);
    cases.put("row", new SchemaAndValue(row, value));
    cases.put("null-row", new SchemaAndValue(row, null));
    Schema logical =
        SchemaBuilder.struct()
            .field("decimal", Decimal.schema(2))
            .field("date", org.apache.kafka.connect.data.Date.SCHEMA)
            .field("time", Time.SCHEMA)
            .field("timestamp", Timestamp.SCHEMA)
            .build();
    cases.put("logical", new SchemaAndValue(logical,
        new Struct(logical)
            .put("decimal", new BigDecimal("-123.45"))
            .put("date", new Date(86_400_000))
            .put("time", new Date(1_000))
            .put("timestamp", new Date(-1))));
    Schema nested =
        SchemaBuilder.struct()
            .field("list", SchemaBuilder.array(Schema.OPTIONAL_INT32_SCHEMA).defaultValue(List.of(1, 2)).build())
            .field("map", SchemaBuilder.map(Schema.STRING_SCHEMA, SchemaBuilder.array(Schema.STRING_SCHEMA).build()).build())
            .build();
    cases.put("nested", new SchemaAndValue(nested,
        new Struct(nested).put("list", Arrays.asList(1, null)).put("map", Map.of("k", List.of("v", "")))));
    cases.put("string", new SchemaAndValue(Schema.STRING_SCHEMA, "text"));
    return cases;
  }

  private byte[] written(Schema schema, Object value) {
    out.truncate(0);
    writer.write(out, schema, value);
    return out.toByteArray();
  }

  private SchemaAndValue copied(Schema schema, Object value) throws Exception {
    In in = new In(written(schema, value));
    SchemaAndValue read = reader.read(in);
    in.end();
    return read;
  }

  @Test
  void theGoldenBytesAreWrittenAndRead() throws Exception {
    Map<String, String> golden = new LinkedHashMap<>();
    for (String line : Files.readAllLines(GOLDEN))
      if (!line.startsWith("#") && !line.isEmpty()) golden.put(line.split(" ")[0], line.split(" ")[1]);
    Map<String, SchemaAndValue> cases = cases();
    assertEquals(List.copyOf(golden.keySet()), List.copyOf(cases.keySet()));
    for (Map.Entry<String, SchemaAndValue> one : cases.entrySet()) {
      SchemaAndValue data = one.getValue();
      byte[] bytes = written(data.schema(), data.value());
      assertEquals(golden.get(one.getKey()), HexFormat.of().formatHex(bytes), one.getKey());
      In in = new In(bytes);
      SchemaAndValue read = reader.read(in);
      in.end();
      assertEquals(data.schema(), read.schema(), one.getKey());
      assertEquals(String.valueOf(data.value()).replaceAll("\\[B@\\w+", ""), String.valueOf(read.value()).replaceAll("\\[B@\\w+", ""));
    }
  }

  @Test
  void equalSchemasShareANumberAndAnObject() throws Exception {
    Schema first = copied(row(), null).schema();
    assertSame(first, copied(row(), null).schema());
    assertEquals(5, written(row(), null).length);
  }

  @Test
  void aValueThatDoesNotFitLeavesNothingBehind() throws Exception {
    Schema list = SchemaBuilder.array(Schema.INT32_SCHEMA).build();
    out.truncate(0);
    DataException error = assertThrows(DataException.class, () -> writer.write(out, list, List.of(1, "x")));
    assertTrue(error.getMessage().contains("java.lang.String"), error.getMessage());
    assertEquals(0, out.size());
    assertEquals(List.of(1), copied(list, List.of(1)).value());
  }

  @Test
  void whatIsTakenBackIsDefinedAgain() throws Exception {
    long mark = writer.mark();
    written(Schema.STRING_SCHEMA, "lost");
    writer.rollBack(mark);
    assertEquals(5, copied(Schema.INT32_SCHEMA, 5).value());
    assertEquals("kept", copied(Schema.STRING_SCHEMA, "kept").value());
  }

  @Test
  void schemasAreForgottenWhenThereAreTooMany() throws Exception {
    for (int index = 0; index < DataWriter.MOST_SCHEMAS; index++)
      assertEquals(index, copied(SchemaBuilder.int32().name("n" + index).build(), index).value());
    long mark = writer.mark();
    written(Schema.STRING_SCHEMA, "lost");
    writer.rollBack(mark);
    assertEquals("kept", copied(Schema.STRING_SCHEMA, "kept").value());
    assertEquals(1, copied(SchemaBuilder.int32().name("n1").build(), 1).value());
  }

  @Test
  void defaultsStayDefaults() throws Exception {
    Schema inner = SchemaBuilder.struct().field("a", SchemaBuilder.int32().optional().defaultValue(3).build()).build();
    Struct read = (Struct) copied(inner, new Struct(inner)).value();
    assertNull(read.getWithoutDefault("a"));
    assertEquals(3, read.get("a"));
    SchemaBuilder builder = SchemaBuilder.struct().field("a", Schema.INT32_SCHEMA).optional();
    Schema withDefault = builder.defaultValue(new Struct(builder).put("a", 1)).build();
    Struct value = (Struct) copied(withDefault, null).schema().defaultValue();
    assertEquals(1, value.get("a"));
  }

  @Test
  void buffersAndBuildersAreTaken() throws Exception {
    assertArrayEquals(new byte[] {2}, (byte[]) copied(Schema.BYTES_SCHEMA, ByteBuffer.wrap(new byte[] {1, 2}, 1, 1)).value());
    assertEquals(Schema.STRING_SCHEMA, copied(SchemaBuilder.string(), "x").schema());
  }

  @Test
  void whatCannotBeSentIsTheRecordsError() {
    assertThrows(DataException.class, () -> written(null, new Object()));
    assertThrows(DataException.class, () -> written(Decimal.schema(2), new BigDecimal("1.234")));
    assertThrows(DataException.class, () -> written(org.apache.kafka.connect.data.Date.SCHEMA, new Date(1)));
    assertThrows(DataException.class, () -> written(Schema.INT32_SCHEMA, "x"));
    Schema deep = Schema.INT8_SCHEMA;
    for (int level = 0; level < 101; level++) deep = SchemaBuilder.array(deep).build();
    Schema deepest = deep;
    assertThrows(DataException.class, () -> written(deepest, null));
  }

  private byte[] withNullAtItsEnd(Schema schema, Struct value) {
    byte[] full = written(schema, value);
    byte[] bytes = Arrays.copyOf(full, full.length - 5);
    bytes[bytes.length - 1] = 0;
    return bytes;
  }

  @Test
  void whatDoesNotFitIsReadToItsEnd() throws Exception {
    Schema inner = SchemaBuilder.struct().field("a", Schema.STRING_SCHEMA).build();
    Schema outer = SchemaBuilder.struct().field("inner", inner).build();
    Struct value = new Struct(outer).put("inner", new Struct(inner).put("a", "x"));
    In in = new In(withNullAtItsEnd(outer, value));
    assertThrows(DataException.class, () -> reader.read(in));
    assertEquals(0, in.left());
    assertEquals(value, copied(outer, value).value());
  }

  @Test
  void nullsAreForThePluginToFindOut() throws Exception {
    Schema required = SchemaBuilder.struct().field("a", Schema.STRING_SCHEMA).build();
    assertNull(copied(required, null).value());
    In in = new In(withNullAtItsEnd(required, new Struct(required).put("a", "x")));
    assertNull(((Struct) reader.read(in).value()).get("a"));
  }

  @Test
  void mapsMayHaveValuesWithoutSchema() throws Exception {
    Schema map = new org.apache.kafka.connect.data.ConnectSchema(Schema.Type.MAP, false, null, null, null, null, null, null, Schema.STRING_SCHEMA, null);
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("a", 1L);
    value.put("b", null);
    value.put("c", List.of("x"));
    SchemaAndValue read = copied(map, value);
    assertEquals(map, read.schema());
    assertEquals(value, read.value());
  }

  @Test
  void hostileBytesAreRefused() {
    List<String> hostile =
        List.of(
            "00000002",
            "00000001" + "0900" + "00000000" + "00000001",
            "00000001" + "0c00",
            "00000001" + "0b00" + "00000000" + "7fffffff",
            "00000001" + "0000" + "00000000" + "00" + "02",
            "");
    for (String hex : hostile)
      assertThrows(ProtocolException.class, () -> new DataReader().read(new In(HexFormat.of().parseHex(hex))), hex);
    Out deep = new Out(1000);
    for (int number = 1; number < 100_000; number++) deep.i32(number).u8(9).u8(0).i32(0);
    assertThrows(ProtocolException.class, () -> new DataReader().read(new In(deep.toByteArray())));
  }
}
