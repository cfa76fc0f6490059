package io.millrace.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.source.SourceRecord;

/** The records that Node.js may still ask about, by the number of their part. From any thread. */
final class PolledBatches {
  private final Map<Integer, Part> parts = new HashMap<>();
  private final boolean committed;

  private static final class Part {
    final int first;
    final SourceRecord[] records;
    final byte[] boundaries;
    int left;
    boolean released;

    Part(int first, SourceRecord[] records, byte[] boundaries) {
      this.first = first;
      this.records = records;
      this.boundaries = boundaries;
      this.left = records.length;
    }
  }

  /** @param committed whether `commitRecord` is called for each */
  PolledBatches(boolean committed) {
    this.committed = committed;
  }

  /** @param first index of the first record in the batch that the task returned */
  synchronized void add(int number, int first, List<SourceRecord> records, byte[] boundaries) {
    parts.put(number, new Part(first, records.toArray(new SourceRecord[0]), boundaries));
  }

  /** @throws IllegalArgumentException it is not kept */
  synchronized SourceRecord record(int number, int index) {
    Part part = parts.get(number);
    int at = part == null ? -1 : index - part.first;
    if (part == null || at < 0 || at >= part.records.length || part.records[at] == null)
      throw new IllegalArgumentException("Record " + index + " of batch " + number + " is not kept");
    return part.records[at];
  }

  synchronized int boundary(int number, int index) {
    Part part = parts.get(number);
    return part == null || part.boundaries == null ? 0 : part.boundaries[index - part.first];
  }

  /** For `commitRecord`: each only once. */
  synchronized SourceRecord take(int number, int index) {
    SourceRecord record = record(number, index);
    Part part = parts.get(number);
    if (part.released) part.records[index - part.first] = null;
    if (--part.left <= 0 && part.released) parts.remove(number);
    return record;
  }

  synchronized void release(int number) {
    Part part = parts.get(number);
    if (part == null) return;
    part.released = true;
    if (!committed || part.left <= 0) parts.remove(number);
  }

  synchronized int size() {
    return parts.size();
  }
}
