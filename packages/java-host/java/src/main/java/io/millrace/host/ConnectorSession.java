package io.millrace.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkConnectorContext;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceConnectorContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/** One connector. */
final class ConnectorSession implements Session {
  private final Connection connection;
  private final AtomicBoolean started = new AtomicBoolean();
  private PluginMeters meters;
  private Connector connector;
  private Map<String, String> config;

  ConnectorSession(Connection connection) {
    this.connection = connection;
  }

  private class Context implements ConnectorContext {
    @Override
    public void requestTaskReconfiguration() {
      connection.event("requestTaskReconfiguration");
    }

    @Override
    public void raiseError(Exception error) {
      Exception raised = error == null ? new ConnectException("The connector raised an error without saying which") : error;
      connection.event("raiseError", Errors.toMap(raised));
    }

    @Override
    public PluginMetrics pluginMetrics() {
      return meters.plugin();
    }
  }

  private final class SourceContext extends Context implements SourceConnectorContext {
    private final OffsetStorageReader offsets = new OffsetReader(connection);

    @Override
    public OffsetStorageReader offsetStorageReader() {
      return offsets;
    }
  }

  private final class SinkContext extends Context implements SinkConnectorContext {}

  @Override
  public Map<String, Object> open(Map<String, Object> session) {
    config = Args.config(session.get("config"));
    meters = new PluginMeters(connection.owner().connector(), null);
    connector = Classes.named(Args.string(session.get("class")), Connector.class);
    if (connector instanceof SourceConnector) connector.initialize(new SourceContext());
    else if (connector instanceof SinkConnector) connector.initialize(new SinkContext());
    else throw new ConnectException(connector.getClass().getName() + " is neither a source nor a sink connector");
    return Map.of();
  }

  @Override
  public Object call(String method, List<Object> arguments) {
    switch (method) {
      case "start":
        connection.starts(started);
        connector.start(new java.util.HashMap<>(config));
        return null;
      case "stop":
        stop();
        return null;
      case "taskConfigs":
        return taskConfigs(Args.small(Args.at(arguments, 0)));
      default:
        throw new UnknownMethodException(method);
    }
  }

  /** Of many tasks; Kafka takes about 1 MiB for each. */
  @Override
  public int longestAnswer() {
    return 64 * 1024 * 1024;
  }

  private List<Map<String, String>> taskConfigs(int max) {
    List<Map<String, String>> configs = connector.taskConfigs(max);
    if (configs == null) throw new ConnectException(connector.getClass().getName() + " returned null instead of configs of tasks");
    return new ArrayList<>(configs);
  }

  private void stop() {
    if (started.compareAndSet(true, false)) connector.stop();
  }

  @Override
  public void close() {
    try {
      stop();
    } finally {
      if (meters != null) meters.close();
    }
  }
}
