package io.millrace.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes that the TypeScript side is tested against, too. */
class GoldenBytesTest {
  private static final JsonNode GOLDEN = read();

  private static JsonNode read() {
    try {
      Path file = Path.of(System.getProperty("basedir", "."), "../../../test/java-host/golden/wire.json");
      return new ObjectMapper().readTree(file.toFile());
    } catch (java.io.IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  /** What the notation of the file means. */
  private static Object value(JsonNode node) {
    if (node.isNull()) return null;
    if (node.isBoolean()) return node.booleanValue();
    if (node.isTextual()) return node.textValue();
    Map.Entry<String, JsonNode> tagged = node.properties().iterator().next();
    JsonNode content = tagged.getValue();
    return switch (tagged.getKey()) {
      case "integer" -> Long.parseLong(content.textValue());
      case "double" -> Double.parseDouble(content.textValue());
      case "bytes" -> HexFormat.of().parseHex(content.textValue());
      case "list" -> {
        List<Object> list = new ArrayList<>();
        for (JsonNode item : content) list.add(value(item));
        yield list;
      }
      case "map", "entries" -> {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (JsonNode pair : content) map.put(value(pair.get(0)), value(pair.get(1)));
        yield map;
      }
      case "decimal" -> new BigDecimal(new BigInteger(content.get(0).textValue()), content.get(1).intValue());
      case "date" -> new Date(content.longValue());
      default -> throw new IllegalArgumentException(tagged.getKey());
    };
  }

  private static String hex(Object value) {
    Out out = new Out(16);
    Values.write(out, value);
    return HexFormat.of().formatHex(out.toByteArray());
  }

  @Test
  void valuesAreWrittenAndRead() throws Exception {
    int count = 0;
    for (JsonNode golden : GOLDEN.get("values")) {
      String name = golden.get("name").textValue();
      String wanted = golden.get("hex").textValue();
      assertEquals(wanted, hex(value(golden.get("value"))), name);
      In in = new In(HexFormat.of().parseHex(wanted));
      Object read = Values.read(in);
      in.end();
      assertEquals(wanted, hex(read), name);
      if (!(read instanceof byte[])) assertEquals(value(golden.get("value")), read, name);
      count++;
    }
    assertTrue(count >= 20);
  }

  @Test
  void framesAreWrittenAndRead() throws Exception {
    for (JsonNode golden : GOLDEN.get("frames")) {
      ByteArrayOutputStream written = new ByteArrayOutputStream();
      FrameWriter writer = new FrameWriter(Channels.newChannel(written));
      int type = golden.get("type").intValue();
      int number = golden.get("number").intValue();
      boolean called = golden.has("method");
      Object content = value(golden.get(called ? "arguments" : "value"));
      if (called) writer.call(type, number, golden.get("method").textValue(), (List<?>) content);
      else writer.value(type, number, content);
      writer.finish();
      writer.run();
      assertEquals(golden.get("hex").textValue(), HexFormat.of().formatHex(written.toByteArray()));
      In in = new FrameReader(Channels.newChannel(new ByteArrayInputStream(written.toByteArray()))).read();
      assertEquals(type, in.u8());
      assertEquals(number, in.i32());
      if (called) assertEquals(golden.get("method").textValue(), in.string());
      assertEquals(content, Values.read(in));
      in.end();
    }
  }
}
