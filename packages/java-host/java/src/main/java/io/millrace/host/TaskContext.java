package io.millrace.host;

import java.util.Map;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.errors.ConnectException;

/** What tasks of either kind are given. */
abstract class TaskContext {
  final Connection connection;
  private final PluginMeters meters;

  TaskContext(Connection connection, PluginMeters meters) {
    this.connection = connection;
    this.meters = meters;
  }

  public Map<String, String> configs() {
    try {
      return Args.config(connection.ask("configs"));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ConnectException("Interrupted while the config was read", interrupted);
    }
  }

  public PluginMetrics pluginMetrics() {
    return meters.plugin();
  }
}
