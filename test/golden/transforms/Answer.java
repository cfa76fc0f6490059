import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;

/** What Java's transformations make of records: a list of cases on stdin, answers on stdout. notation.ts describes the notation. */
public class Answer {
  private static final ObjectMapper JSON = new ObjectMapper();
  /** JavaScript's; what is beyond comes as text. */
  private static final long MAX_SAFE_INTEGER = (1L << 53) - 1;

  public static void main(String[] args) throws Exception {
    ArrayNode answers = JSON.createArrayNode();
    for (JsonNode question : JSON.readTree(System.in)) {
      answers.add(question.has("definitions") ? definitions(create(question.get("definitions").asText())) : records(question));
    }
    System.out.println(JSON.writeValueAsString(answers));
  }

  @SuppressWarnings("rawtypes")
  private static Transformation create(String name) throws Exception {
    return (Transformation) Class.forName(name).getDeclaredConstructor().newInstance();
  }

  private static JsonNode definitions(Transformation<?> transformation) {
    ArrayNode list = JSON.createArrayNode();
    ConfigDef definition = transformation.config();
    for (ConfigDef.ConfigKey key : definition.configKeys().values()) {
      ObjectNode node = list.addObject();
      node.put("name", key.name);
      node.put("type", key.type.name());
      node.put("required", !key.hasDefault());
      node.put("default", key.hasDefault() ? ConfigDef.convertToString(key.defaultValue, key.type) : null);
      node.put("importance", key.importance.name());
      node.put("group", key.group);
      node.put("order", key.orderInGroup);
      node.put("width", key.width.name());
      node.put("displayName", key.displayName);
      node.put("validator", key.validator == null ? null : key.validator.toString());
    }
    return list;
  }

  @SuppressWarnings({"rawtypes", "unchecked"})
  private static JsonNode records(JsonNode question) throws Exception {
    ObjectNode answer = JSON.createObjectNode();
    Transformation transformation = create(question.get("class").asText());
    Map<String, String> config = new LinkedHashMap<>();
    question.get("config").fields().forEachRemaining(entry -> config.put(entry.getKey(), entry.getValue().asText()));
    try {
      transformation.configure(config);
    } catch (Throwable error) {
      answer.set("error", error(error));
      return answer;
    }
    ArrayNode results = answer.putArray("results");
    for (JsonNode input : question.get("records")) {
      ConnectRecord<?> record = record(input);
      // Before, because Debezium adds headers to the record that it is given.
      ObjectNode before = dump(record);
      try {
        ConnectRecord result = transformation.apply(record);
        if (result == null) results.addNull();
        else if (result == record && dump(record).equals(before)) results.add("same");
        else results.add(changes(before, dump(result)));
      } catch (Throwable error) {
        results.addObject().set("error", error(error));
      }
    }
    return answer;
  }

  /** What is not as before; `=` stands for the schema when the value alone has changed. */
  private static ObjectNode changes(ObjectNode before, ObjectNode after) {
    for (String side : new String[] {"key", "value"}) {
      JsonNode schema = after.get(side).get(0);
      if (!schema.isNull() && schema.equals(before.get(side).get(0)) && !after.get(side).equals(before.get(side)))
        ((ArrayNode) after.get(side)).set(0, JSON.getNodeFactory().textNode("="));
    }
    before.fieldNames().forEachRemaining(name -> {
      if (after.get(name).equals(before.get(name))) after.remove(name);
    });
    return after;
  }

  private static ArrayNode error(Throwable error) {
    return JSON.createArrayNode().add(error.getClass().getName()).add(error.getMessage());
  }

  // Notation to Connect

  private static ConnectRecord<?> record(JsonNode node) {
    ConnectHeaders headers = new ConnectHeaders();
    if (node.has("headers"))
      for (JsonNode header : node.get("headers")) {
        Schema schema = schema(header.get(1));
        headers.add(header.get(0).asText(), value(schema, header.get(2)), schema);
      }
    Schema keySchema = node.has("key") ? schema(node.get("key").get(0)) : null;
    Object key = node.has("key") ? value(keySchema, node.get("key").get(1)) : null;
    Schema valueSchema = node.has("value") ? schema(node.get("value").get(0)) : null;
    Object value = node.has("value") ? value(valueSchema, node.get("value").get(1)) : null;
    Integer partition = node.path("partition").isNull() ? null : Integer.valueOf(node.path("partition").asInt(3));
    Long timestamp = node.path("timestamp").isNull() ? null : Long.valueOf(node.path("timestamp").asLong(1700000000123L));
    String topic = node.path("topic").asText("orders");
    if (node.path("source").asBoolean(false))
      return new SourceRecord(Map.of("p", 1), Map.of("o", 2), topic, partition, keySchema, key, valueSchema, value, timestamp, headers);
    return new SinkRecord(topic, partition == null ? 0 : partition, keySchema, key, valueSchema, value, 42L, timestamp, TimestampType.CREATE_TIME, headers);
  }

  private static Schema schema(JsonNode node) {
    if (node.isNull()) return null;
    if (node.isTextual()) {
      boolean optional = node.asText().endsWith("?");
      SchemaBuilder builder = SchemaBuilder.type(Schema.Type.valueOf(node.asText().replace("?", "")));
      return optional ? builder.optional().build() : builder.build();
    }
    Schema.Type type = Schema.Type.valueOf(node.get("type").asText());
    SchemaBuilder builder =
        type == Schema.Type.ARRAY ? SchemaBuilder.array(schema(node.get("values")))
            : type == Schema.Type.MAP ? SchemaBuilder.map(schema(node.get("keys")), schema(node.get("values")))
            : SchemaBuilder.type(type);
    if (node.has("name")) builder.name(node.get("name").asText());
    if (node.has("version")) builder.version(node.get("version").asInt());
    if (node.has("doc")) builder.doc(node.get("doc").asText());
    if (node.has("parameters")) node.get("parameters").fields().forEachRemaining(e -> builder.parameter(e.getKey(), e.getValue().asText()));
    if (node.has("fields")) for (JsonNode field : node.get("fields")) builder.field(field.get(0).asText(), schema(field.get(1)));
    if (node.path("optional").asBoolean(false)) builder.optional();
    if (node.has("default")) builder.defaultValue(value(builder, node.get("default")));
    return builder.build();
  }

  private static Object value(Schema schema, JsonNode node) {
    if (node == null || node.isNull()) return null;
    if (schema == null) return schemaless(node);
    if (node.has("$raw")) return schemaless(node.get("$raw"));
    if (schema.name() != null)
      switch (schema.name()) {
        case "org.apache.kafka.connect.data.Decimal": return new BigDecimal(node.asText());
        case "org.apache.kafka.connect.data.Date":
        case "org.apache.kafka.connect.data.Time":
        case "org.apache.kafka.connect.data.Timestamp": return new Date(node.asLong());
      }
    switch (schema.type()) {
      case INT8: return (byte) node.asInt();
      case INT16: return (short) node.asInt();
      case INT32: return node.asInt();
      case INT64: return node.asLong();
      case FLOAT32: return node.isTextual() ? Float.parseFloat(node.asText()) : (float) node.asDouble();
      case FLOAT64: return node.isTextual() ? Double.parseDouble(node.asText()) : node.asDouble();
      case BOOLEAN: return node.asBoolean();
      case STRING: return node.asText();
      case BYTES: return Base64.getDecoder().decode(node.asText());
      case ARRAY: {
        List<Object> list = new ArrayList<>();
        for (JsonNode element : node) list.add(value(schema.valueSchema(), element));
        return list;
      }
      case MAP: {
        Map<Object, Object> map = new HashMap<>();
        for (JsonNode pair : node) map.put(value(schema.keySchema(), pair.get(0)), value(schema.valueSchema(), pair.get(1)));
        return map;
      }
      default: {
        Struct struct = new Struct(schema);
        node.fields().forEachRemaining(e -> struct.put(e.getKey(), value(schema.field(e.getKey()).schema(), e.getValue())));
        return struct;
      }
    }
  }

  private static Object schemaless(JsonNode node) {
    if (node.isNull()) return null;
    if (node.isBoolean()) return node.asBoolean();
    if (node.isTextual()) return node.asText();
    if (node.isIntegralNumber()) return node.asLong();
    if (node.isNumber()) return node.asDouble();
    if (node.isArray()) {
      List<Object> list = new ArrayList<>();
      for (JsonNode element : node) list.add(schemaless(element));
      return list;
    }
    String tag = node.size() == 1 ? node.fieldNames().next() : "";
    JsonNode of = tag.startsWith("$") ? node.get(tag) : null;
    switch (tag) {
      case "$int8": return (byte) of.asInt();
      case "$int16": return (short) of.asInt();
      case "$int32": return of.asInt();
      case "$float32": return (float) of.asDouble();
      case "$float64": return of.isTextual() ? Double.parseDouble(of.asText()) : of.asDouble();
      case "$bytes": return Base64.getDecoder().decode(of.asText());
      case "$buffer": return ByteBuffer.wrap(Base64.getDecoder().decode(of.asText()));
      case "$date": return new Date(of.asLong());
      case "$decimal": return new BigDecimal(of.asText());
      case "$struct": return value(schema(of.get(0)), of.get(1));
      case "$map": {
        Map<Object, Object> map = new HashMap<>();
        for (JsonNode pair : of) map.put(schemaless(pair.get(0)), schemaless(pair.get(1)));
        return map;
      }
    }
    Map<String, Object> map = new HashMap<>();
    node.fields().forEachRemaining(e -> map.put(e.getKey(), schemaless(e.getValue())));
    return map;
  }

  // Connect to notation

  private static ObjectNode dump(ConnectRecord<?> record) {
    ObjectNode node = JSON.createObjectNode();
    node.put("topic", record.topic());
    node.put("partition", record.kafkaPartition());
    node.put("timestamp", record.timestamp());
    node.set("key", JSON.createArrayNode().add(dump(record.keySchema())).add(dump(record.keySchema(), record.key())));
    node.set("value", JSON.createArrayNode().add(dump(record.valueSchema())).add(dump(record.valueSchema(), record.value())));
    ArrayNode headers = node.putArray("headers");
    for (Header header : record.headers())
      headers.addArray().add(header.key()).add(dump(header.schema())).add(dump(header.schema(), header.value()));
    return node;
  }

  private static JsonNode dump(Schema schema) {
    if (schema == null) return JSON.nullNode();
    boolean plain = schema.type().isPrimitive() && schema.name() == null && schema.version() == null && schema.doc() == null
        && schema.parameters() == null && schema.defaultValue() == null;
    if (plain) return JSON.getNodeFactory().textNode(schema.type() + (schema.isOptional() ? "?" : ""));
    ObjectNode node = JSON.createObjectNode();
    node.put("type", schema.type().name());
    if (schema.isOptional()) node.put("optional", true);
    if (schema.name() != null) node.put("name", schema.name());
    if (schema.version() != null) node.put("version", schema.version());
    if (schema.doc() != null) node.put("doc", schema.doc());
    if (schema.parameters() != null && !schema.parameters().isEmpty()) {
      ObjectNode parameters = node.putObject("parameters");
      schema.parameters().forEach(parameters::put);
    }
    if (schema.type() == Schema.Type.MAP) node.set("keys", dump(schema.keySchema()));
    if (schema.type() == Schema.Type.MAP || schema.type() == Schema.Type.ARRAY) node.set("values", dump(schema.valueSchema()));
    if (schema.type() == Schema.Type.STRUCT) {
      ArrayNode fields = node.putArray("fields");
      for (Field field : schema.fields()) fields.addArray().add(field.name()).add(dump(field.schema()));
    }
    if (schema.defaultValue() != null) node.set("default", dump(schema, schema.defaultValue()));
    return node;
  }

  private static JsonNode dump(Schema schema, Object value) {
    if (value == null) return JSON.nullNode();
    if (value instanceof Boolean) return JSON.getNodeFactory().booleanNode((Boolean) value);
    if (value instanceof String) return JSON.getNodeFactory().textNode((String) value);
    if (value instanceof Float && !Float.isFinite((Float) value)) return tagged("$float64", schema, JSON.valueToTree(value.toString()));
    if (value instanceof Double && !Double.isFinite((Double) value)) return tagged("$float64", schema, JSON.valueToTree(value.toString()));
    if (value instanceof BigDecimal) return tagged("$decimal", schema, JSON.valueToTree(value.toString()));
    if (value instanceof Long && ((Long) value > MAX_SAFE_INTEGER || (Long) value < -MAX_SAFE_INTEGER)) return JSON.getNodeFactory().textNode(value.toString());
    if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      boolean integral = number == Math.rint(number) && Math.abs(number) <= MAX_SAFE_INTEGER;
      return integral ? JSON.getNodeFactory().numberNode((long) number) : JSON.getNodeFactory().numberNode(number);
    }
    if (value instanceof Number) return JSON.getNodeFactory().numberNode(((Number) value).longValue());
    if (value instanceof Date) return tagged("$date", schema, JSON.valueToTree(((Date) value).getTime()));
    if (value instanceof byte[]) return tagged("$bytes", schema, JSON.valueToTree(Base64.getEncoder().encodeToString((byte[]) value)));
    if (value instanceof ByteBuffer)
      return tagged("$bytes", schema, JSON.valueToTree(Base64.getEncoder().encodeToString(((ByteBuffer) value).array())));
    if (value instanceof List) {
      ArrayNode list = JSON.createArrayNode();
      for (Object element : (List<?>) value) list.add(dump(schema == null ? null : schema.valueSchema(), element));
      return list;
    }
    if (value instanceof Struct) {
      Struct struct = (Struct) value;
      ObjectNode node = JSON.createObjectNode();
      for (Field field : struct.schema().fields()) node.set(field.name(), dump(field.schema(), struct.getWithoutDefault(field.name())));
      return schema == null ? JSON.createObjectNode().set("$struct", JSON.createArrayNode().add(dump(struct.schema())).add(node)) : node;
    }
    if (!(value instanceof Map)) throw new IllegalStateException("a result has a " + value.getClass());
    Map<?, ?> map = (Map<?, ?>) value;
    if (schema == null && map.keySet().stream().allMatch(key -> key instanceof String)) {
      ObjectNode node = JSON.createObjectNode();
      map.forEach((key, member) -> node.set((String) key, dump(null, member)));
      return node;
    }
    ArrayNode pairs = JSON.createArrayNode();
    boolean typed = schema != null && schema.type() == Schema.Type.MAP;
    map.forEach((key, member) ->
        pairs.addArray().add(dump(typed ? schema.keySchema() : null, key)).add(dump(typed ? schema.valueSchema() : null, member)));
    return tagged("$map", typed ? schema : null, pairs);
  }

  private static JsonNode tagged(String tag, Schema schema, JsonNode node) {
    return schema != null ? node : JSON.createObjectNode().set(tag, node);
  }
}
