package probe;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.apache.kafka.connect.transforms.Transformation;

/** A source and a sink that write each call of the runtime to the file `calls`. */
public class Probe {
  static final ConfigDef CONFIG = new ConfigDef()
      .define("calls", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "The file.")
      .define("topic", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "Of the source.")
      .define("batches", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "Values, as a,b;c,d.")
      .define("secret", ConfigDef.Type.PASSWORD, null, ConfigDef.Importance.LOW, "Is not shown.");

  static synchronized void call(Map<String, String> config, String text) {
    try {
      Files.writeString(Path.of(config.get("calls")), text + "\n", StandardCharsets.UTF_8,
          StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException error) {
      throw new ConnectException(error);
    }
  }

  static String text(ConnectRecord<?> record) {
    List<String> headers = new ArrayList<>();
    for (Header header : record.headers()) headers.add(header.key() + "=" + header.value() + ":" + header.schema());
    return record.topic() + "/" + record.kafkaPartition() + " " + record.keySchema() + ":" + record.key() + " "
        + record.valueSchema() + ":" + record.value() + " " + headers;
  }

  public static class Source extends SourceConnector {
    private Map<String, String> config;

    @Override public void start(Map<String, String> props) {
      config = props;
      call(config, "connector start " + new TreeMap<>(props).keySet() + " reader "
          + (context().offsetStorageReader() != null));
    }

    @Override public List<Map<String, String>> taskConfigs(int max) {
      call(config, "taskConfigs " + max);
      Map<String, String> task = new HashMap<>(config);
      task.put("number", "0");
      return List.of(task);
    }

    @Override public void stop() {
      call(config, "connector stop");
    }

    @Override public Config validate(Map<String, String> props) {
      Config config = super.validate(props);
      config.configValues().stream().filter(value -> value.name().equals("batches") && "bad".equals(value.value()))
          .forEach(value -> value.addErrorMessage("bad batches ü"));
      return config;
    }

    @Override public boolean alterOffsets(Map<String, String> props, Map<Map<String, ?>, Map<String, ?>> offsets) {
      call(props, "alterOffsets " + offsets);
      for (Map<String, ?> offset : offsets.values())
        if (offset != null && !(offset.get("batch") instanceof Long)) throw new ConnectException("batch must be a number");
      return true;
    }

    @Override public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> props) {
      return ExactlyOnceSupport.SUPPORTED;
    }

    @Override public ConnectorTransactionBoundaries canDefineTransactionBoundaries(Map<String, String> props) {
      return ConnectorTransactionBoundaries.SUPPORTED;
    }

    @Override public Class<? extends Task> taskClass() {
      return Records.class;
    }

    @Override public ConfigDef config() {
      return CONFIG;
    }

    @Override public String version() {
      return "2.0";
    }
  }

  public static class Records extends SourceTask {
    private Map<String, String> config;
    private String[] batches;
    private int next;

    @Override public void start(Map<String, String> props) {
      config = props;
      Map<String, Object> offset = context.offsetStorageReader().offset(Map.of("probe", "p"));
      next = offset == null ? 0 : ((Long) offset.get("batch")).intValue();
      batches = config.get("batches").split(";");
      call(config, "task start at " + offset + " transactions " + (context.transactionContext() != null));
    }

    @Override public List<SourceRecord> poll() throws InterruptedException {
      if (next >= batches.length) {
        Thread.sleep(50);
        return null;
      }
      List<SourceRecord> records = new ArrayList<>();
      String[] values = batches[next++].split(",");
      for (int i = 0; i < values.length; i++) {
        String value = values[i];
        ConnectHeaders headers = new ConnectHeaders();
        headers.addInt("i", i).addString("s", "ü");
        headers.add("null", null, null);
        SourceRecord record = new SourceRecord(Map.of("probe", "p"), Map.of("batch", (long) next), config.get("topic"), 0,
            i % 2 == 0 ? null : Schema.STRING_SCHEMA, i % 2 == 0 ? null : value,
            Schema.OPTIONAL_STRING_SCHEMA, value.equals("null") ? null : value, 1_700_000_000_000L + i, headers);
        if (context.transactionContext() != null && value.startsWith("commit"))
          context.transactionContext().commitTransaction(record);
        if (context.transactionContext() != null && value.startsWith("abort"))
          context.transactionContext().abortTransaction(record);
        records.add(record);
      }
      return records;
    }

    @Override public void commitRecord(SourceRecord record, RecordMetadata metadata) {
      call(config, "commitRecord " + record.topic() + " " + record.value() + " "
          + (metadata == null ? null : metadata.topic() + "/" + metadata.partition() + "@" + metadata.offset()));
    }

    @Override public void commit() {
      call(config, "commit");
    }

    @Override public void stop() {
      call(config, "task stop");
    }

    @Override public String version() {
      return "2.0";
    }
  }

  public static class Sink extends SinkConnector {
    private Map<String, String> config;

    @Override public void start(Map<String, String> props) {
      config = props;
      call(config, "connector start");
    }

    @Override public List<Map<String, String>> taskConfigs(int max) {
      return java.util.Collections.nCopies(1, config);
    }

    @Override public void stop() {
      call(config, "connector stop");
    }

    @Override public boolean alterOffsets(Map<String, String> props, Map<TopicPartition, Long> offsets) {
      call(props, "alterOffsets " + new TreeMap<>(offsets.entrySet().stream()
          .collect(Collectors.toMap(entry -> entry.getKey().toString(), entry -> String.valueOf(entry.getValue())))));
      return true;
    }

    @Override public Class<? extends Task> taskClass() {
      return Writer.class;
    }

    @Override public ConfigDef config() {
      return CONFIG;
    }

    @Override public String version() {
      return "2.0";
    }
  }

  public static class Writer extends SinkTask {
    private Map<String, String> config;
    private boolean again;
    private final Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
    private int retries;

    @Override public void start(Map<String, String> props) {
      config = props;
      call(config, "task start reporter " + (context.errantRecordReporter() != null));
    }

    @Override public void open(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) call(config, "open " + partitions + " of " + context.assignment());
    }

    @Override public void put(Collection<SinkRecord> records) {
      for (SinkRecord record : records) {
        TopicPartition partition = new TopicPartition(record.topic(), record.kafkaPartition());
        String value = String.valueOf(record.value());
        if (value.equals("retry") && retries++ < 2) {
          call(config, "put throws");
          context.timeout(10);
          throw new RetriableException("again");
        }
        call(config, "put " + text(record) + " @" + record.kafkaOffset() + " " + record.timestampType() + " "
            + record.timestamp() + " from " + record.originalTopic() + "/" + record.originalKafkaPartition() + "@"
            + record.originalKafkaOffset());
        if (value.equals("seek") && !again) {
          again = true;
          context.offset(partition, record.kafkaOffset() - 1);
        }
        if (value.equals("request")) context.requestCommit();
        if (value.equals("pause")) {
          context.pause(partition);
          context.resume(partition);
        }
        if (value.equals("report")) {
          try {
            context.errantRecordReporter().report(record, new ConnectException("reported", new IOException("cause"))).get();
          } catch (Exception error) {
            throw new ConnectException(error);
          }
          call(config, "reported");
        }
        if (value.equals("fail")) throw new ConnectException("failed ü");
        done.put(partition, new OffsetAndMetadata(record.kafkaOffset() + 1));
      }
    }

    @Override public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> current) {
      return new HashMap<>(done);
    }

    @Override public void close(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) call(config, "close " + partitions);
    }

    @Override public void stop() {
      call(config, "task stop");
    }

    @Override public String version() {
      return "2.0";
    }
  }

  /** Fails for the value `broken`, drops `dropped`, and changes all others. */
  public static class Upper<R extends ConnectRecord<R>> implements Transformation<R> {
    private String suffix;

    @Override public R apply(R record) {
      if ("broken".equals(record.value())) throw new ConnectException("is broken ü");
      if ("dropped".equals(record.value())) return null;
      if (record.value() == null) return record;
      return record.newRecord(record.topic(), record.kafkaPartition(), record.keySchema(), record.key(),
          record.valueSchema(), record.value() + suffix, record.timestamp());
    }

    @Override public ConfigDef config() {
      return new ConfigDef().define("suffix", ConfigDef.Type.STRING, "!", ConfigDef.Importance.LOW, "Is added.");
    }

    @Override public void configure(Map<String, ?> configs) {
      suffix = configs.containsKey("suffix") ? String.valueOf(configs.get("suffix")) : "!";
    }

    @Override public void close() {}
  }
}
