import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.confluent.connect.avro.AvroData;
import io.confluent.connect.avro.AvroDataConfig;
import io.confluent.kafka.schemaregistry.avro.AvroSchema;
import io.confluent.kafka.serializers.NonRecordContainer;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.json.JsonConverter;

/**
 * What Confluent's AvroData 7.7.0 makes of data and of Avro schemas. Needs the jars of Kafka Connect 4.3.1, Jackson,
 * and after them com.snowflake:snowflake-kafka-connector:2.5.0, which contains AvroData, on the class path.
 *
 * <p>A line of stdin is a question; stdout has the question and, in the next line, the answer. Questions have either a
 * `record`, an envelope of JsonConverter; the answer then has the schema's text, the bytes and what is read of them. Or
 * they have the text of an Avro schema, with bytes, perhaps with a version; or without, for its Connect schema alone.
 */
public class AvroAnswers {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      out.println(line);
      out.println(MAPPER.writeValueAsString(answer(MAPPER.readTree(line))));
    }
    out.flush();
  }

  private static ObjectNode answer(JsonNode question) {
    ObjectNode answer = MAPPER.createObjectNode();
    try (JsonConverter json = new JsonConverter()) {
      json.configure(Map.of("schemas.enable", "true", "replace.null.with.default", "false"), false);
      Map<String, Object> config = new HashMap<>();
      question.path("config").fields().forEachRemaining(one -> config.put(one.getKey(), one.getValue().asText()));
      AvroData data = new AvroData(new AvroDataConfig(config));
      if (question.has("record")) write(question.get("record"), json, data, answer);
      else read(question, json, data, answer);
    } catch (Exception error) {
      answer.put("error", error.toString());
    }
    return answer;
  }

  private static void write(JsonNode record, JsonConverter json, AvroData data, ObjectNode answer) throws Exception {
    SchemaAndValue connect = json.toConnectData("t", MAPPER.writeValueAsBytes(record));
    Schema schema = data.fromConnectSchema(connect.schema());
    answer.put("text", schema.toString());
    Object value = data.fromConnectData(connect.schema(), connect.value());
    byte[] bytes = value == null ? null : bytesOf(schema, value);
    answer.put("hex", bytes == null ? null : HexFormat.of().formatHex(bytes));
    if (bytes != null) readBack(new Schema.Parser().parse(schema.toString()), bytes, null, json, data, answer);
  }

  private static void read(JsonNode question, JsonConverter json, AvroData data, ObjectNode answer) throws Exception {
    Schema schema = new AvroSchema(question.get("avro").asText()).rawSchema();
    if (question.has("hex")) {
      byte[] bytes = HexFormat.of().parseHex(question.get("hex").asText());
      Integer version = question.has("version") ? question.get("version").asInt() : null;
      readBack(schema, bytes, version, json, data, answer);
    } else {
      org.apache.kafka.connect.data.Schema list = SchemaBuilder.array(data.toConnectSchema(schema)).build();
      answer.put("schema", text(json.fromConnectData("t", list, List.of())));
    }
  }

  private static void readBack(
      Schema schema, byte[] bytes, Integer version, JsonConverter json, AvroData data, ObjectNode answer)
      throws Exception {
    Object value = bytes;
    if (schema.getType() != Schema.Type.BYTES)
      value = new GenericDatumReader<>(schema).read(null, DecoderFactory.get().binaryDecoder(bytes, null));
    if (schema.getType() == Schema.Type.STRING) value = value.toString();
    SchemaAndValue back = data.toConnectData(schema, value, version);
    answer.put("back", back == null ? null : text(json.fromConnectData("t", back.schema(), back.value())));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** As AbstractKafkaAvroSerializer writes it after the id. */
  private static byte[] bytesOf(Schema schema, Object object) throws Exception {
    Object value = object instanceof NonRecordContainer container ? container.getValue() : object;
    if (schema.getType() == Schema.Type.BYTES)
      return value instanceof byte[] bytes ? bytes : ((ByteBuffer) value).array();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
    new GenericDatumWriter<>(schema).write(value, encoder);
    encoder.flush();
    return out.toByteArray();
  }
}
