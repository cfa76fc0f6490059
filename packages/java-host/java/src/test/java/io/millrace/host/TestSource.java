package io.millrace.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.apache.kafka.connect.source.SourceTaskContext;

/** A source that does what a test gives it. */
public class TestSource extends SourceConnector {
  static final ConcurrentLinkedQueue<String> CALLS = new ConcurrentLinkedQueue<>();

  @Override
  public String version() {
    return "1.2.3";
  }

  @Override
  public void start(Map<String, String> config) {
    CALLS.add("start");
    if (config.containsKey("fail")) context().raiseError(new IllegalStateException(config.get("fail")));
    context().requestTaskReconfiguration();
    CALLS.add("offset " + context().offsetStorageReader().offset(Map.of("file", "a")));
  }

  @Override
  public Class<? extends Task> taskClass() {
    return TestSourceTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int max) {
    List<Map<String, String>> configs = new ArrayList<>();
    for (int task = 0; task < max; task++) configs.add(Map.of("task", "" + task));
    return configs;
  }

  @Override
  public void stop() {
    CALLS.add("stop");
  }

  @Override
  public ConfigDef config() {
    return new ConfigDef()
        .define("topic", Type.STRING, Importance.HIGH, "Where to.")
        .define("secret", Type.PASSWORD, "hush", Importance.LOW, "Not to be shown.")
        .define("count", Type.INT, 5, ConfigDef.Range.between(1, 9), Importance.MEDIUM, "How many.")
        .define("names", Type.LIST, List.of("a", "b"), Importance.LOW, "Which.");
  }

  @Override
  public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> config) {
    return ExactlyOnceSupport.SUPPORTED;
  }

  @Override
  public ConnectorTransactionBoundaries canDefineTransactionBoundaries(Map<String, String> config) {
    return ConnectorTransactionBoundaries.SUPPORTED;
  }

  @Override
  public boolean alterOffsets(Map<String, String> config, Map<Map<String, ?>, Map<String, ?>> offsets) {
    CALLS.add("alter " + offsets);
    return true;
  }

  /** Polls what is offered; null ends. */
  public static class TestSourceTask extends SourceTask {
    static final LinkedBlockingQueue<Function<SourceTaskContext, List<SourceRecord>>> POLLS = new LinkedBlockingQueue<>();

    @Override
    public String version() {
      return "1.2.3";
    }

    @Override
    public void start(Map<String, String> config) {
      CALLS.add("start " + config.get("task"));
    }

    @Override
    public List<SourceRecord> poll() throws InterruptedException {
      Function<SourceTaskContext, List<SourceRecord>> next = POLLS.poll(HostClient.WAIT_S, TimeUnit.SECONDS);
      return next == null ? null : next.apply(context);
    }

    @Override
    public void commitRecord(SourceRecord record, RecordMetadata metadata) {
      CALLS.add("commitRecord " + record.value() + " " + (metadata == null ? null : metadata.toString()));
      if ("bad".equals(record.value())) throw new IllegalStateException("refused");
    }

    @Override
    public void commit() {
      CALLS.add("commit");
    }

    @Override
    public void stop() {
      CALLS.add("stop");
    }
  }
}
