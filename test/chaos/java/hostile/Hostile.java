package hostile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A source of numbered lines and a sink into a file, which misbehave as their config says: `misdeed` at the method
 * `misdeed.at` while the file `misdeed.file` exists. `misdeed.once` removes the file first.
 */
public class Hostile {
  private static final Logger LOG = LoggerFactory.getLogger(Hostile.class);
  static final ConfigDef CONFIG = new ConfigDef()
      .define("misdeed", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "What it does.")
      .define("misdeed.at", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "Where it does it.")
      .define("misdeed.file", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "It does it while the file exists.")
      .define("misdeed.once", ConfigDef.Type.BOOLEAN, false, ConfigDef.Importance.LOW, "Whether the file is removed.")
      .define("topic", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "Of the source.")
      .define("pause.ms", ConfigDef.Type.LONG, 10, ConfigDef.Importance.LOW, "Between two polls of the source.")
      .define("batch", ConfigDef.Type.INT, 10, ConfigDef.Importance.LOW, "Records of a poll.")
      .define("file", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "Of the sink.");

  static void maybe(String at, Map<String, String> config) {
    if (config == null || !at.equals(config.get("misdeed.at"))) return;
    Path file = Path.of(config.getOrDefault("misdeed.file", ""));
    if (!Files.exists(file)) return;
    try {
      if (Boolean.parseBoolean(config.get("misdeed.once"))) Files.deleteIfExists(file);
    } catch (java.io.IOException error) {
      throw new ConnectException(error);
    }
    perform(config.getOrDefault("misdeed", ""));
  }

  @SuppressWarnings("InfiniteLoopStatement")
  private static void perform(String misdeed) {
    LOG.warn("misdeed: {}", misdeed);
    switch (misdeed) {
      case "exit" -> System.exit(3);
      case "crash" -> {
        try {
          new ProcessBuilder("kill", "-SEGV", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
          Thread.sleep(3_600_000);
        } catch (java.io.IOException | InterruptedException error) {
          throw new ConnectException(error);
        }
      }
      case "memory" -> {
        List<byte[]> all = new ArrayList<>();
        while (true) all.add(new byte[16 << 20]);
      }
      case "hang" -> {
        // Neither an interrupt nor anything else ends it.
        while (true) LockSupport.parkNanos(1_000_000_000L);
      }
      case "sleep" -> {
        try {
          Thread.sleep(3_600_000);
        } catch (InterruptedException error) {
          throw new ConnectException("interrupted", error);
        }
      }
      case "flood" -> {
        String line = "x".repeat(1000);
        for (int i = 0; i < 200_000; i++) LOG.warn("{} {}", i, line);
      }
      case "print" -> {
        for (int i = 0; i < 200_000; i++) System.out.println("y".repeat(1000));
      }
      case "error" -> throw new NoClassDefFoundError("hostile/Missing");
      case "stack" -> perform0(0);
      case "throw" -> throw new ConnectException("the misdeed");
      default -> throw new IllegalArgumentException(misdeed);
    }
  }

  private static int perform0(int depth) {
    return perform0(depth + 1) + 1;
  }

  public static class Source extends SourceConnector {
    private Map<String, String> config;

    @Override public void start(Map<String, String> props) {
      config = props;
      maybe("connector.start", config);
    }

    @Override public void stop() {
      maybe("connector.stop", config);
    }

    @Override public List<Map<String, String>> taskConfigs(int max) {
      maybe("taskConfigs", config);
      return List.of(config);
    }

    @Override public Class<? extends Task> taskClass() {
      return Lines.class;
    }

    @Override public ConfigDef config() {
      return CONFIG;
    }

    @Override public String version() {
      return "1.0";
    }
  }

  public static class Lines extends SourceTask {
    private Map<String, String> config;
    private long next;

    @Override public void start(Map<String, String> props) {
      config = props;
      Map<String, Object> offset = context.offsetStorageReader().offset(Map.of("source", "lines"));
      next = offset == null ? 0 : (Long) offset.get("next");
      maybe("start", config);
    }

    @Override public List<SourceRecord> poll() throws InterruptedException {
      Thread.sleep(Long.parseLong(config.getOrDefault("pause.ms", "10")));
      maybe("poll", config);
      List<SourceRecord> records = new ArrayList<>();
      for (int i = Integer.parseInt(config.getOrDefault("batch", "10")); i > 0; i--) {
        long number = next++;
        records.add(new SourceRecord(
            Map.of("source", "lines"), Map.of("next", next), config.get("topic"), Schema.STRING_SCHEMA, "line " + number));
      }
      return records;
    }

    @Override public void commit() {
      maybe("commit", config);
    }

    @Override public void stop() {
      maybe("stop", config);
    }

    @Override public String version() {
      return "1.0";
    }
  }

  public static class Sink extends SinkConnector {
    private Map<String, String> config;

    @Override public void start(Map<String, String> props) {
      config = props;
      maybe("connector.start", config);
    }

    @Override public void stop() {
      maybe("connector.stop", config);
    }

    @Override public List<Map<String, String>> taskConfigs(int max) {
      return java.util.Collections.nCopies(max, config);
    }

    @Override public Class<? extends Task> taskClass() {
      return Writer.class;
    }

    @Override public ConfigDef config() {
      return CONFIG;
    }

    @Override public String version() {
      return "1.0";
    }
  }

  public static class Writer extends SinkTask {
    private Map<String, String> config;

    @Override public void start(Map<String, String> props) {
      config = props;
      maybe("start", config);
    }

    @Override public void put(Collection<SinkRecord> records) {
      if (records.isEmpty()) return;
      maybe("put", config);
      StringBuilder lines = new StringBuilder();
      for (SinkRecord record : records) lines.append(record.value()).append('\n');
      try {
        Files.writeString(Path.of(config.get("file")), lines, StandardCharsets.UTF_8,
            StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (java.io.IOException error) {
        throw new ConnectException(error);
      }
    }

    @Override public void flush(Map<TopicPartition, OffsetAndMetadata> offsets) {
      maybe("flush", config);
    }

    @Override public void stop() {
      maybe("stop", config);
    }

    @Override public String version() {
      return "1.0";
    }
  }
}
