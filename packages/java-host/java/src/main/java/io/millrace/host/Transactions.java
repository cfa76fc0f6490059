package io.millrace.host;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.TransactionContext;

/** Where a source task wants its transactions to end. */
final class Transactions implements TransactionContext {
  static final int COMMIT = 1;
  static final int ABORT = 2;

  private final Set<SourceRecord> committed = new HashSet<>();
  private final Set<SourceRecord> aborted = new HashSet<>();
  private int batch;

  @Override
  public synchronized void commitTransaction() {
    batch |= COMMIT;
  }

  @Override
  public synchronized void commitTransaction(SourceRecord record) {
    committed.add(Objects.requireNonNull(record, "The record of a transaction's end is null"));
  }

  @Override
  public synchronized void abortTransaction() {
    batch |= ABORT;
  }

  @Override
  public synchronized void abortTransaction(SourceRecord record) {
    aborted.add(Objects.requireNonNull(record, "The record of a transaction's end is null"));
  }

  /** What follows the batch. Asked once. Throws IllegalStateException for both. */
  synchronized int takeBatch() {
    int result = batch;
    batch = 0;
    return one(result, "batch");
  }

  /** What follows the record. Asked once. Throws IllegalStateException for both. */
  synchronized int take(SourceRecord record) {
    if (committed.isEmpty() && aborted.isEmpty()) return 0;
    return one((committed.remove(record) ? COMMIT : 0) | (aborted.remove(record) ? ABORT : 0), "record");
  }

  /** A connector may swallow an exception of its own call, so the task fails here, as Connect's does. */
  private static int one(int boundary, String of) {
    if (boundary == (COMMIT | ABORT))
      throw new IllegalStateException("The connector asked for both commit and abort of the transaction of one " + of);
    return boundary;
  }
}
