package io.millrace.host;

import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.source.TransactionContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/** What a source task is given. */
final class SourceContext extends TaskContext implements SourceTaskContext {
  private final OffsetStorageReader offsets;
  private final Transactions transactions;

  /** @param transactions null: the task does not end transactions */
  SourceContext(Connection connection, Transactions transactions, PluginMeters meters) {
    super(connection, meters);
    this.offsets = new OffsetReader(connection);
    this.transactions = transactions;
  }

  @Override
  public OffsetStorageReader offsetStorageReader() {
    return offsets;
  }

  @Override
  public TransactionContext transactionContext() {
    return transactions;
  }
}
