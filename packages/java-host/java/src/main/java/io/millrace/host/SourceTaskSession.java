package io.millrace.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One source task. */
final class SourceTaskSession extends TaskSession<SourceTask, SourceRecord> {
  private static final Logger LOG = LoggerFactory.getLogger(SourceTaskSession.class);
  /** Larger batches are sent in parts. */
  private static final int PART = 1024 * 1024;
  private static final int MORE = 4;
  private static final String COMMIT_RECORD = "commitRecord";

  private final SourceBatch encoder = new SourceBatch(processing);
  private PolledBatches polled;
  private Transactions transactions;
  /** The batch that is being sent; null: none. */
  private List<SourceRecord> batch;
  private int next;
  private int transaction;
  private int number;

  SourceTaskSession(Connection connection) {
    super(connection, SourceTask.class);
  }

  @Override
  public String lane(String method) {
    return switch (method) {
      case "committed", "commit" -> "commit";
      // While the task polls for the next batch.
      case "retry" -> "retry";
      // It only forgets.
      case "release" -> null;
      default -> Lanes.MAIN;
    };
  }

  @Override
  List<String> overrides(Class<?> taskClass) {
    List<String> overrides = new ArrayList<>();
    if (Classes.overrides(taskClass, SourceTask.class, COMMIT_RECORD, SourceRecord.class, RecordMetadata.class))
      overrides.add(COMMIT_RECORD);
    if (Classes.overrides(taskClass, SourceTask.class, "commit")) overrides.add("commit");
    return overrides;
  }

  @Override
  public Object call(String method, List<Object> arguments) throws Exception {
    switch (method) {
      case "process":
        return processing.takeFirst(Args.map(Args.at(arguments, 0)), meters);
      case "start":
        start(Args.map(Args.at(arguments, 0)));
        return null;
      case "poll":
        return poll();
      case "retry":
        return retry(Args.small(Args.at(arguments, 0)), Args.small(Args.at(arguments, 1)));
      case "commit":
        // False: only what comes before it is waited for.
        if (!Boolean.FALSE.equals(Args.at(arguments, 0))) commit();
        return null;
      case "stop":
        stop();
        return null;
      default:
        throw new UnknownMethodException(method);
    }
  }

  @Override
  public void event(String method, List<Object> arguments) throws Exception {
    int of = Args.small(Args.at(arguments, 0));
    if (method.equals("release")) polled.release(of);
    else if (method.equals("committed")) committed(of, new In(Args.bytes(Args.at(arguments, 1))));
  }

  private void start(Map<String, Object> options) {
    polled = new PolledBatches(overrides(task.getClass()).contains(COMMIT_RECORD));
    transactions = Boolean.TRUE.equals(options.get("transactions")) ? new Transactions() : null;
    task.initialize(new SourceContext(connection, transactions, meters));
    startTask();
  }

  private Object poll() throws Exception {
    if (batch == null) {
      List<SourceRecord> records = pollTask();
      transaction = transactions == null ? 0 : transactions.takeBatch();
      if ((records == null || records.isEmpty()) && transaction == 0) return null;
      batch = records == null ? List.of() : records;
      next = 0;
    }
    return (Late) this::nextPart;
  }

  private List<SourceRecord> pollTask() throws Exception {
    try {
      return task.poll();
    } catch (org.apache.kafka.common.errors.RetriableException failed) {
      // Connect polls again after this one, too.
      throw new RetriableException(failed.getMessage(), failed);
    }
  }

  private Bytes nextPart() {
    encoder.start();
    int first = next;
    byte[] boundaries = transactions == null ? null : new byte[batch.size() - first];
    while (next < batch.size() && !encoder.isFull(PART)) {
      SourceRecord record = batch.get(next);
      int boundary = transactions == null ? 0 : transactions.take(record);
      if (boundaries != null) boundaries[next - first] = (byte) boundary;
      encoder.add(next++, record, boundary);
    }
    boolean last = next == batch.size();
    polled.add(++number, first, batch.subList(first, next), boundaries);
    if (last) batch = null;
    return encoder.finish(number, last ? transaction : MORE);
  }

  private Late retry(int of, int index) {
    SourceRecord record = polled.record(of, index);
    return () -> {
      encoder.start();
      encoder.add(index, record, polled.boundary(of, index));
      return encoder.finish(of, 0);
    };
  }

  private void committed(int of, In outcomes) throws ProtocolException {
    while (outcomes.left() > 0) {
      int index = outcomes.i32();
      RecordMetadata metadata = null;
      if (outcomes.u8() == 1) {
        int partition = outcomes.i32();
        long offset = outcomes.i64();
        TopicPartition topic = new TopicPartition(outcomes.string(), partition);
        metadata = new RecordMetadata(topic, offset, 0, -1, -1, -1);
      }
      SourceRecord record = polled.take(of, index);
      try {
        task.commitRecord(record, metadata);
      } catch (Throwable failed) {
        // As Connect does: what is delivered stays so.
        LOG.error("The task's commitRecord failed", failed);
      }
    }
  }

  private void commit() {
    try {
      task.commit();
    } catch (Throwable failed) {
      LOG.error("The task's commit failed", failed);
    }
  }
}
