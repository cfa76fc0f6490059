package io.millrace.host;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** A sink that does what a test gives it. */
public class TestSink extends SinkTask {
  static final ConcurrentLinkedQueue<String> CALLS = new ConcurrentLinkedQueue<>();
  /** For each `put` one, while there are any. */
  static final LinkedBlockingQueue<BiConsumer<SinkTaskContext, List<SinkRecord>>> PUTS = new LinkedBlockingQueue<>();

  @Override
  public String version() {
    return "1";
  }

  @Override
  public void start(Map<String, String> config) {
    CALLS.add("start " + context.assignment());
  }

  @Override
  public void put(Collection<SinkRecord> records) {
    CALLS.add("put " + records.stream().map(SinkRecord::value).toList());
    BiConsumer<SinkTaskContext, List<SinkRecord>> next = PUTS.poll();
    if (next != null) next.accept(context, new ArrayList<>(records));
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
    CALLS.add("preCommit " + offsets.keySet());
    return Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(3));
  }

  @Override
  public void open(Collection<TopicPartition> partitions) {
    CALLS.add("open " + partitions);
  }

  @Override
  public void stop() {
    CALLS.add("stop");
  }
}
