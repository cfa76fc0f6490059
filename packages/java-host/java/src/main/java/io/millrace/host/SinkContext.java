package io.millrace.host;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.IllegalWorkerStateException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** What a sink task is given. What it asks for is sent at once, so it precedes the result of the call that it is in. */
final class SinkContext extends TaskContext implements SinkTaskContext {
  private final ErrantRecordReporter reporter;
  private final Set<TopicPartition> assignment = ConcurrentHashMap.newKeySet();

  private volatile boolean asked;

  /** @param reports null: there is no reporter */
  SinkContext(Connection connection, ErrantRecordReporter reports, PluginMeters meters) {
    super(connection, meters);
    this.reporter = reports == null ? null : (record, error) -> {
      asked = true;
      return reports.report(record, error);
    };
  }

  /** Whether the task has asked for something since the last call: Node.js does it before the next put. */
  boolean takeAsked() {
    boolean was = asked;
    asked = false;
    return was;
  }

  private void ask(String what, Object... arguments) {
    asked = true;
    connection.event(what, arguments);
  }

  void assigned(Collection<TopicPartition> partitions) {
    assignment.addAll(partitions);
  }

  void revoked(Collection<TopicPartition> partitions) {
    assignment.removeAll(partitions);
  }

  @Override
  public void offset(Map<TopicPartition, Long> offsets) {
    offsets.forEach(this::offset);
  }

  @Override
  public void offset(TopicPartition partition, long offset) {
    ask("seek", partition.topic(), (long) partition.partition(), offset);
  }

  @Override
  public void timeout(long ms) {
    ask("timeout", ms);
  }

  @Override
  public Set<TopicPartition> assignment() {
    return Set.copyOf(assignment);
  }

  @Override
  public void pause(TopicPartition... partitions) {
    ask("pause", own(partitions, "pause"));
  }

  @Override
  public void resume(TopicPartition... partitions) {
    ask("resume", own(partitions, "resume"));
  }

  private List<Object> own(TopicPartition[] partitions, String what) {
    List<Object> list = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      if (!assignment.contains(partition))
        throw new IllegalWorkerStateException("The task may not " + what + " " + partition + ", which is not assigned to it");
      list.add(Args.from(partition));
    }
    return list;
  }

  @Override
  public void requestCommit() {
    ask("requestCommit");
  }

  @Override
  public ErrantRecordReporter errantRecordReporter() {
    return reporter;
  }
}
