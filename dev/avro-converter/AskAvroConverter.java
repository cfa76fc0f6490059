import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.confluent.connect.avro.AvroConverter;
import io.confluent.kafka.schemaregistry.avro.AvroSchema;
import io.confluent.kafka.schemaregistry.client.MockSchemaRegistryClient;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.ConnectSchema;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;

/**
 * Answers with what Confluent's AvroConverter does. Each line of stdin is a request, `{"settings", "topic", "isKey"}` and
 * either `"schemas"`, `"schema"` and `"value"`, to be written, or `"avro"` and `"bytes"`, to be read. What was written is
 * read again, and what was read is written again. notation.ts describes the JSON of schemas and values.
 */
public class AskAvroConverter {
  private static final ObjectMapper JSON = JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
  private static final HexFormat HEX = HexFormat.of();
  private static final int FRAME = 5;

  private final MockSchemaRegistryClient registry = new MockSchemaRegistryClient();
  private final AvroConverter converter = new AvroConverter(registry);
  private final String topic;
  private final String subject;

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(new java.io.BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
    // Only answers go to stdout.
    System.setOut(System.err);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        JsonNode request = JSON.readTree(line);
        new AskAvroConverter(request).answer(request, answer);
      } catch (Throwable error) {
        answer.set("broken", describe(error));
      }
      out.println(JSON.writeValueAsString(answer));
      if (!in.ready()) out.flush();
    }
    // A JVM whose parent has ended has no reason to stop in an orderly way.
    Runtime.getRuntime().halt(0);
  }

  private AskAvroConverter(JsonNode request) {
    Map<String, String> settings = new HashMap<>();
    settings.put("schema.registry.url", "mock://judge");
    request.get("settings").fields().forEachRemaining(entry -> settings.put(entry.getKey(), entry.getValue().asText()));
    boolean isKey = request.get("isKey").asBoolean();
    converter.configure(settings, isKey);
    topic = request.get("topic").asText();
    subject = topic + (isKey ? "-key" : "-value");
  }

  private void answer(JsonNode request, ObjectNode answer) throws Exception {
    if (request.has("avro")) {
      byte[] data = HEX.parseHex(request.get("bytes").asText());
      int id;
      try {
        id = registry.register(subject, new AvroSchema(request.get("avro").asText()));
      } catch (Exception error) {
        answer.set("invalid", describe(error));
        return;
      }
      SchemaAndValue read = read(ByteBuffer.allocate(FRAME + data.length).put((byte) 0).putInt(id).put(data).array(), answer);
      // By another registry: this one would answer with the text that it was given.
      if (read != null) new AskAvroConverter(request).write(read, answer.putObject("again"));
      return;
    }
    SchemaAndValue given;
    try {
      given = given(request);
    } catch (Exception error) {
      answer.set("invalid", describe(error));
      return;
    }
    byte[] written = write(given, answer);
    if (written != null) read(written, answer.putObject("again"));
  }

  private byte[] write(SchemaAndValue given, ObjectNode answer) throws Exception {
    byte[] bytes;
    String avro = null;
    try {
      bytes = converter.fromConnectData(topic, given.schema(), given.value());
      // A schema that has no text fails here: a registry's client would have asked for it before.
      if (bytes != null) avro = registry.getSchemaById(ByteBuffer.wrap(bytes).getInt(1)).canonicalString();
    } catch (Exception | StackOverflowError error) {
      answer.set("error", describe(error));
      return null;
    }
    if (bytes == null) {
      answer.putNull("bytes");
      return null;
    }
    answer.put("avro", avro);
    answer.put("bytes", HEX.formatHex(bytes, FRAME, bytes.length));
    return bytes;
  }

  private SchemaAndValue read(byte[] bytes, ObjectNode answer) {
    try {
      SchemaAndValue read = converter.toConnectData(topic, bytes);
      answer.set("schema", shown(read.schema(), new ArrayList<>()));
      answer.set("value", shown(read.value()));
      return read;
    } catch (Exception | StackOverflowError error) {
      answer.set("error", describe(error));
      return null;
    }
  }

  private static ArrayNode describe(Throwable error) {
    ArrayNode causes = JSON.createArrayNode();
    for (Throwable cause = error; cause != null && causes.size() < 5; cause = cause.getCause())
      causes.add(String.valueOf(cause).replaceAll("(?s)(.{500}).*", "$1"));
    return causes;
  }

  private static SchemaAndValue given(JsonNode request) {
    List<Schema> schemas = new ArrayList<>();
    for (JsonNode one : request.get("schemas")) schemas.add(schema(one, schemas));
    JsonNode at = request.get("schema");
    Schema schema = at.isNull() ? null : schemas.get(at.asInt());
    return new SchemaAndValue(schema, value(schema, request.get("value")));
  }

  private static Schema schema(JsonNode json, List<Schema> others) {
    Schema.Type type = Schema.Type.valueOf(json.get("type").asText());
    Map<String, String> parameters = json.has("parameters") ? new LinkedHashMap<>() : null;
    if (parameters != null)
      for (JsonNode pair : json.get("parameters")) parameters.put(pair.get(0).asText(), pair.get(1).asText());
    List<Field> fields = type == Schema.Type.STRUCT ? new ArrayList<>() : null;
    if (fields != null)
      for (JsonNode field : json.get("fields"))
        fields.add(new Field(field.get(0).asText(), fields.size(), others.get(field.get(1).asInt())));
    Schema keys = json.has("keys") ? others.get(json.get("keys").asInt()) : null;
    Schema values = json.has("values") ? others.get(json.get("values").asInt()) : null;
    // Names of connectors are constants, by whose identity AvroData finds structs again.
    String name = json.has("name") ? json.get("name").asText().intern() : null;
    Integer version = json.has("version") ? json.get("version").asInt() : null;
    String doc = json.has("doc") ? json.get("doc").asText() : null;
    boolean optional = json.path("optional").asBoolean();
    Schema plain = new ConnectSchema(type, optional, null, name, version, doc, parameters, fields, keys, values);
    if (!json.has("default")) return plain;
    Object fallback = value(plain, json.get("default"));
    ConnectSchema.validateValue(plain, fallback);
    return new ConnectSchema(type, optional, fallback, name, version, doc, parameters, fields, keys, values);
  }

  /** @param schema null: none */
  private static Object value(Schema schema, JsonNode json) {
    if (json.isNull()) return null;
    if (json.isBoolean()) return json.asBoolean();
    if (json.isTextual()) return json.asText();
    JsonNode data = json.get(1);
    switch (json.get(0).asText()) {
      case "i8": return Byte.parseByte(data.asText());
      case "i16": return Short.parseShort(data.asText());
      case "i32": return Integer.parseInt(data.asText());
      case "i64": return Long.parseLong(data.asText());
      case "f32": return Float.intBitsToFloat(Integer.parseUnsignedInt(data.asText(), 16));
      case "f64": return Double.longBitsToDouble(Long.parseUnsignedLong(data.asText(), 16));
      case "bytes": {
        byte[] bytes = HEX.parseHex(data.asText());
        // Without a schema, the converter takes bytes in this class only.
        return schema == null ? ByteBuffer.wrap(bytes) : bytes;
      }
      case "decimal": return new BigDecimal(new BigInteger(data.asText()), json.get(2).asInt());
      case "time": return new Date(Long.parseLong(data.asText()));
      case "array": {
        List<Object> list = new ArrayList<>();
        for (JsonNode item : data) list.add(value(schema == null ? null : schema.valueSchema(), item));
        return list;
      }
      case "map": {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (JsonNode entry : data)
          map.put(value(schema == null ? null : schema.keySchema(), entry.get(0)),
              value(schema == null ? null : schema.valueSchema(), entry.get(1)));
        return map;
      }
      case "struct": {
        Struct struct = new Struct(schema);
        for (Field field : schema.fields()) {
          Object member = value(field.schema(), data.get(field.index()));
          if (member != null) struct.put(field, member);
        }
        return struct;
      }
      default: throw new IllegalArgumentException("unknown value " + json);
    }
  }

  /** As a tree: a struct's schema within itself is shown as its name. */
  private static ObjectNode shown(Schema schema, List<String> around) {
    if (schema == null) return null;
    ObjectNode out = JSON.createObjectNode();
    out.put("type", schema.type().name());
    if (schema.isOptional()) out.put("optional", true);
    if (schema.name() != null) out.put("name", schema.name());
    boolean isStruct = schema.type() == Schema.Type.STRUCT;
    if (isStruct && schema.name() != null && around.contains(schema.name())) return out.put("isRepeated", true);
    if (schema.version() != null) out.put("version", schema.version());
    if (schema.doc() != null) out.put("doc", schema.doc());
    if (schema.parameters() != null) {
      ArrayNode parameters = out.putArray("parameters");
      new java.util.TreeMap<>(schema.parameters()).forEach((name, text) -> parameters.addArray().add(name).add(text));
    }
    if (schema.defaultValue() != null) out.set("default", shown(schema.defaultValue()));
    if (isStruct) {
      List<String> inside = new ArrayList<>(around);
      if (schema.name() != null) inside.add(schema.name());
      ArrayNode fields = out.putArray("fields");
      for (Field field : schema.fields()) fields.addArray().add(field.name()).add(shown(field.schema(), inside));
    } else if (schema.type() == Schema.Type.MAP) {
      out.set("keys", shown(schema.keySchema(), around));
      out.set("values", shown(schema.valueSchema(), around));
    } else if (schema.type() == Schema.Type.ARRAY) {
      out.set("values", shown(schema.valueSchema(), around));
    }
    return out;
  }

  private static JsonNode shown(Object value) {
    if (value == null) return JSON.nullNode();
    if (value instanceof Boolean) return JSON.getNodeFactory().booleanNode((Boolean) value);
    if (value instanceof CharSequence) return JSON.getNodeFactory().textNode(value.toString());
    ArrayNode out = JSON.createArrayNode();
    if (value instanceof Byte) return out.add("i8").add(value.toString());
    if (value instanceof Short) return out.add("i16").add(value.toString());
    if (value instanceof Integer) return out.add("i32").add(value.toString());
    if (value instanceof Long) return out.add("i64").add(value.toString());
    if (value instanceof Float) return out.add("f32").add(HEX.toHexDigits(Float.floatToIntBits((Float) value)));
    if (value instanceof Double) return out.add("f64").add(HEX.toHexDigits(Double.doubleToLongBits((Double) value)));
    if (value instanceof byte[]) return out.add("bytes").add(HEX.formatHex((byte[]) value));
    if (value instanceof ByteBuffer) {
      ByteBuffer view = ((ByteBuffer) value).duplicate();
      byte[] bytes = new byte[view.remaining()];
      view.get(bytes);
      return out.add("bytes").add(HEX.formatHex(bytes));
    }
    if (value instanceof BigDecimal) {
      BigDecimal decimal = (BigDecimal) value;
      return out.add("decimal").add(decimal.unscaledValue().toString()).add(decimal.scale());
    }
    if (value instanceof Date) return out.add("time").add(String.valueOf(((Date) value).getTime()));
    if (value instanceof List) {
      ArrayNode items = out.add("array").addArray();
      for (Object item : (List<?>) value) items.add(shown(item));
      return out;
    }
    if (value instanceof Map) {
      ArrayNode entries = out.add("map").addArray();
      ((Map<?, ?>) value).forEach((key, member) -> entries.addArray().add(shown(key)).add(shown(member)));
      return out;
    }
    if (value instanceof Struct) {
      Struct struct = (Struct) value;
      ArrayNode members = out.add("struct").addArray();
      for (Field field : struct.schema().fields()) members.add(shown(struct.getWithoutDefault(field.name())));
      return out;
    }
    return out.add("other").add(value.getClass().getName()).add(value.toString());
  }
}
