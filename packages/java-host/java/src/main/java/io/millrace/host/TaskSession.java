package io.millrace.host;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.connector.Task;

/** One task, of either kind: from its creation to its end. */
abstract class TaskSession<T extends Task, R extends ConnectRecord<R>> implements Session {
  final Connection connection;
  final Processing<R> processing = new Processing<>();
  /** Null before `open`, as the task. */
  PluginMeters meters;
  T task;
  private final Class<T> type;
  private final AtomicBoolean started = new AtomicBoolean();
  private Map<String, String> config;

  TaskSession(Connection connection, Class<T> type) {
    this.connection = connection;
    this.type = type;
  }

  @Override
  public Map<String, Object> open(Map<String, Object> session) {
    config = Args.config(session.get("config"));
    meters = new PluginMeters(connection.owner().connector(), connection.owner().task());
    task = Classes.named(Args.string(session.get("class")), type);
    return Map.of("overrides", overrides(task.getClass()));
  }

  /** The optional methods that the class has. */
  abstract List<String> overrides(Class<?> taskClass);

  /** After `initialize`. */
  final void startTask() {
    connection.starts(started);
    task.start(config);
  }

  final void stop() {
    if (task != null && started.compareAndSet(true, false)) task.stop();
  }

  @Override
  public void close() {
    try {
      stop();
    } finally {
      processing.close();
      if (meters != null) meters.close();
    }
  }
}
