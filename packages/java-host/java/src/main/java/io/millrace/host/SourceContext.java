package io.millrace.host;

import java.util.Map;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.source.TransactionContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/** What a source task is given. */
final class SourceContext implements SourceTaskContext {
  private final Connection connection;
  private final OffsetStorageReader offsets;
  private final Transactions transactions;
  private final PluginMeters meters;

  /** @param transactions null: the task does not end transactions */
  SourceContext(Connection connection, Transactions transactions, PluginMeters meters) {
    this.connection = connection;
    this.offsets = new OffsetReader(connection);
    this.transactions = transactions;
    this.meters = meters;
  }

  @Override
  public Map<String, String> configs() {
    try {
      return Args.config(connection.ask("configs"));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ConnectException("Interrupted while the config was read", interrupted);
    }
  }

  @Override
  public OffsetStorageReader offsetStorageReader() {
    return offsets;
  }

  @Override
  public TransactionContext transactionContext() {
    return transactions;
  }

  @Override
  public PluginMetrics pluginMetrics() {
    return meters.plugin();
  }
}
