import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.json.JsonConverterConfig;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/**
 * Runs Debezium's PostgreSQL task without a worker. Each line of stdin is JSON: `{"config": {…}, "offset": {…}}` ends the
 * task before it and starts one that resumes at the offset (null: none is stored), and `{}` only ends it. Prints
 * `{"schema": [id, schema]}` before a schema's first use, and one line per record. java-task.ts reads them.
 */
public class DebeziumTask {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static PrintStream out;

  private final SourceTask task;
  private final Map<Schema, Integer> schemas = new IdentityHashMap<>();
  private final JsonConverter converter = new JsonConverter();
  private volatile boolean stopping;
  private Thread thread;

  public static void main(String[] args) throws Exception {
    out = new PrintStream(new java.io.BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
    // Only records go to stdout.
    System.setOut(System.err);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    DebeziumTask running = null;
    for (String line; (line = in.readLine()) != null; ) {
      if (running != null) running.stop();
      JsonNode request = JSON.readTree(line);
      running = request.has("config") ? new DebeziumTask(request) : null;
      print(JSON.createObjectNode().put("done", true));
      out.flush();
    }
    // A JVM whose parent has ended has no reason to stop in an orderly way.
    Runtime.getRuntime().halt(0);
  }

  private DebeziumTask(JsonNode request) throws Exception {
    Map<String, String> config = new HashMap<>();
    request.get("config").fields().forEachRemaining(entry -> config.put(entry.getKey(), entry.getValue().asText()));
    task = (SourceTask) Class.forName("io.debezium.connector.postgresql.PostgresConnectorTask")
        .getDeclaredConstructor().newInstance();
    Map<String, Object> settings = new HashMap<>();
    settings.put(JsonConverterConfig.SCHEMAS_ENABLE_CONFIG, "false");
    settings.put(JsonConverterConfig.REPLACE_NULL_WITH_DEFAULT_CONFIG, "false");
    converter.configure(settings, false);
    // As a worker reads it: integers become Long.
    byte[] offset = JSON.writeValueAsBytes(request.get("offset"));
    task.initialize(context(config, converter.toConnectData("offsets", offset).value()));
    thread = new Thread(() -> run(config));
    thread.start();
  }

  private void run(Map<String, String> config) {
    try {
      task.start(config);
      while (!stopping) {
        List<SourceRecord> records;
        try {
          records = task.poll();
        } catch (RetriableException retriable) {
          print(JSON.createObjectNode().put("retried", String.valueOf(retriable)));
          Thread.sleep(100);
          continue;
        }
        if (records == null) continue;
        for (SourceRecord record : records) print(record);
        out.flush();
      }
    } catch (Throwable error) {
      if (!stopping) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = error; cause != null; cause = cause.getCause()) text.append(cause).append("; ");
        print(JSON.createObjectNode().put("error", text.toString()));
        out.flush();
      }
    }
  }

  private void stop() throws Exception {
    stopping = true;
    task.stop();
    thread.join();
  }

  private static SourceTaskContext context(Map<String, String> config, Object offset) {
    ClassLoader loader = DebeziumTask.class.getClassLoader();
    Object offsets = Proxy.newProxyInstance(loader, new Class<?>[] {OffsetStorageReader.class}, (self, method, args) -> {
      if (method.getName().equals("offset")) return offset;
      Map<Object, Object> all = new HashMap<>();
      if (method.getName().equals("offsets")) for (Object partition : (Collection<?>) args[0]) all.put(partition, offset);
      return all;
    });
    return (SourceTaskContext) Proxy.newProxyInstance(loader, new Class<?>[] {SourceTaskContext.class}, (self, method, args) -> {
      switch (method.getName()) {
        case "configs": return config;
        case "offsetStorageReader": return offsets;
        case "hashCode": return System.identityHashCode(self);
        case "equals": return self == args[0];
        case "toString": return "context";
        default: return null;
      }
    });
  }

  private void print(SourceRecord record) throws JsonProcessingException {
    ObjectNode line = JSON.createObjectNode();
    line.put("topic", record.topic());
    line.put("partition", record.kafkaPartition());
    line.put("timestamp", record.timestamp());
    line.set("key", data(record.keySchema(), record.key()));
    line.set("value", data(record.valueSchema(), record.value()));
    ArrayNode headers = line.putArray("headers");
    for (Header header : record.headers()) {
      ArrayNode own = data(header.schema(), header.value());
      headers.add(own.insert(0, header.key()));
    }
    line.set("sourcePartition", JSON.valueToTree(new LinkedHashMap<>(record.sourcePartition())));
    line.set("sourceOffset", JSON.valueToTree(new java.util.TreeMap<>(record.sourceOffset())));
    print(line);
  }

  /** `[schema id or null, value as JSON text or null]` */
  private ArrayNode data(Schema schema, Object value) throws JsonProcessingException {
    byte[] json = schema == null && value == null ? null : converter.fromConnectData("t", schema, value);
    return JSON.createArrayNode().add(id(schema)).add(json == null ? null : new String(json, StandardCharsets.UTF_8));
  }

  private Integer id(Schema schema) {
    if (schema == null) return null;
    Integer known = schemas.get(schema);
    if (known != null) return known;
    int id = schemas.size();
    schemas.put(schema, id);
    ObjectNode line = JSON.createObjectNode();
    try {
      line.putArray("schema").add(id).add(JSON.writeValueAsString(converter.asJsonSchema(schema)));
    } catch (JsonProcessingException error) {
      throw new IllegalStateException(error);
    }
    print(line);
    return id;
  }

  private static void print(ObjectNode line) {
    try {
      synchronized (out) {
        out.println(JSON.writeValueAsString(line));
      }
    } catch (JsonProcessingException error) {
      throw new IllegalStateException(error);
    }
  }
}
