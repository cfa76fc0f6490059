package io.millrace.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** One sink task. */
final class SinkTaskSession extends TaskSession<SinkTask, SinkRecord> {
  private final RecordWindow window = new RecordWindow();
  private final SinkInput input = new SinkInput(processing, window);
  private final ConsumedPuts puts = new ConsumedPuts(input, window);
  private SinkContext context;

  SinkTaskSession(Connection connection) {
    super(connection, SinkTask.class);
  }

  @Override
  public String lane(String method) {
    return switch (method) {
      // While the task puts the ones before.
      case "convert", "retry" -> "convert";
      // It only keeps them, while the task puts the ones before.
      case "ahead" -> null;
      default -> Lanes.MAIN;
    };
  }

  @Override
  List<String> overrides(Class<?> taskClass) {
    List<String> overrides = new ArrayList<>();
    for (String method : List.of("preCommit", "flush"))
      if (Classes.overrides(taskClass, SinkTask.class, method, Map.class)) overrides.add(method);
    return overrides;
  }

  @Override
  public Object call(String method, List<Object> arguments) throws Exception {
    Object argument = Args.at(arguments, 0);
    switch (method) {
      case "process":
        return processing.takeLast(Args.map(argument), meters);
      case "convert":
        return input.convert(Args.bytes(argument));
      case "putAhead":
        int most = Args.small(Args.at(arguments, 1));
        return puts.put(Args.integer(argument), most, Args.integer(Args.at(arguments, 2)), task, context);
      case "retry":
        return input.retry(Args.integer(argument));
      case "preCommit":
        return list(task.preCommit(offsets(argument)));
      default:
        run(method, argument);
        return null;
    }
  }

  private void run(String method, Object argument) {
    switch (method) {
      case "start" -> start(Args.map(argument));
      case "put" -> task.put(records(Args.list(argument)));
      case "open" -> {
        List<TopicPartition> partitions = Args.partitions(argument);
        context.assigned(partitions);
        task.open(partitions);
      }
      case "close" -> {
        List<TopicPartition> partitions = Args.partitions(argument);
        try {
          task.close(partitions);
        } finally {
          context.revoked(partitions);
        }
      }
      case "stop" -> stop();
      default -> throw new UnknownMethodException(method);
    }
  }

  @Override
  public void event(String method, List<Object> arguments) {
    if (method.equals("ahead")) puts.ahead(Args.bytes(Args.at(arguments, 0)));
    if (!method.equals("discard")) return;
    for (Object range : Args.list(Args.at(arguments, 0))) {
      List<?> ends = Args.list(range);
      window.discard(Args.integer(ends.get(0)), Args.integer(ends.get(1)));
    }
  }

  private void start(Map<String, Object> options) {
    boolean reports = Boolean.TRUE.equals(options.get("errantRecords"));
    context = new SinkContext(connection, reports ? new ErrantReports(connection, processing) : null, meters);
    if (options.get("assignment") != null) context.assigned(Args.partitions(options.get("assignment")));
    task.initialize(context);
    startTask();
  }

  private List<SinkRecord> records(List<?> ranges) {
    List<SinkRecord> records = new ArrayList<>();
    for (Object range : ranges) {
      List<?> ends = Args.list(range);
      long last = Args.integer(ends.get(1));
      for (long number = Args.integer(ends.get(0)); number <= last; number++) {
        Object kept = window.get(number);
        if (kept instanceof SinkRecord record) records.add(record);
        else if (kept != SinkInput.FILTERED) throw new IllegalArgumentException("Record " + number + " is not kept");
      }
    }
    return records;
  }

  private static Map<TopicPartition, OffsetAndMetadata> offsets(Object argument) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (Object one : Args.list(argument))
      offsets.put(Args.partition(one), new OffsetAndMetadata(Args.integer(Args.list(one).get(2))));
    return offsets;
  }

  /** Connect takes null for no offsets. */
  private static List<Object> list(Map<TopicPartition, OffsetAndMetadata> offsets) {
    List<Object> list = new ArrayList<>();
    if (offsets == null) return list;
    offsets.forEach((partition, offset) -> {
      if (partition != null && offset != null)
        list.add(List.of(partition.topic(), (long) partition.partition(), offset.offset()));
    });
    return list;
  }
}
