package io.millrace.host;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;

/** Encodes the records of one batch, or of a part of it. Used again for the next one. */
final class SourceBatch {
  static final int FILTERED = 1;
  static final int FAILED = 2;
  static final int PARTITION = 4;
  static final int TIMESTAMP = 8;
  static final int COMMIT = 16;
  static final int ABORT = 32;

  private static final int KEEP = 4 * 1024 * 1024;
  private static final int NONE = 65_535;

  private final Processing<SourceRecord> processing;
  private final Out body = new Out(64 * 1024);
  private final Out whole = new Out(64 * 1024);
  private final DataWriter data = new DataWriter();
  private final Dictionary<String> topics = new Dictionary<>();
  private final Dictionary<Map<String, ?>> partitions = new Dictionary<>();
  private int count;

  SourceBatch(Processing<SourceRecord> processing) {
    this.processing = processing;
  }

  /** Numbers in the order of their first use. */
  private static final class Dictionary<T> {
    private final Map<T, Integer> numbers = new HashMap<>();
    private final java.util.List<T> values = new java.util.ArrayList<>();
    private T last;
    private int lastNumber;

    int number(T value) {
      if (value == null) return NONE;
      // Most records have the partition and topic of the one before, often the same object.
      if (value == last) return lastNumber;
      Integer known = numbers.get(value);
      if (known == null) {
        known = values.size();
        numbers.put(value, known);
        values.add(value);
      }
      last = value;
      lastNumber = known;
      return known;
    }

    void clear() {
      numbers.clear();
      values.clear();
      last = null;
    }
  }

  void start() {
    body.reset(KEEP);
    whole.reset(KEEP);
    whole.limit(FrameReader.LONGEST, "The batch");
    topics.clear();
    partitions.clear();
    count = 0;
  }

  int size() {
    return body.size();
  }

  /** Whether one more record fits its numbers. */
  boolean isFull(int most) {
    return body.size() >= most || topics.values.size() >= NONE - 1 || partitions.values.size() >= NONE - 1;
  }

  /**
   * Transforms and converts the record.
   *
   * @param boundary what `Transactions` has for it
   */
  void add(int index, SourceRecord record, int boundary) {
    int start = body.size();
    int flags = ((boundary & Transactions.COMMIT) != 0 ? COMMIT : 0) | ((boundary & Transactions.ABORT) != 0 ? ABORT : 0);
    count++;
    SourceRecord current = record;
    body.limit(TooLargeException.MOST, "The record");
    try {
      current = processing.chain.apply(record);
      if (current == null) {
        head(index, flags | FILTERED, record, record);
        return;
      }
      if (processing.converters == null) addData(index, flags, record, current);
      else addBytes(index, flags, record, current, processing.converters);
    } catch (Failure failure) {
      body.truncate(start);
      body.limit(TooLargeException.MOST, "The record's failure");
      head(index, flags | FAILED, record, current);
      body.string(failure.stage).string(failure.className);
      Values.write(body, Errors.toMap(failure.getCause()));
    }
  }

  private void addBytes(int index, int flags, SourceRecord record, SourceRecord current, Converters converters)
      throws Failure {
    RecordHeaders headers = converters.headersOf(current);
    byte[] key = converters.keyOf(current, headers);
    byte[] value = converters.valueOf(current, headers);
    head(index, flags, record, current);
    String stage = "KEY_CONVERTER";
    try {
      body.bytes(key);
      stage = "VALUE_CONVERTER";
      body.bytes(value);
      stage = "HEADER_CONVERTER";
      writeHeaders(headers);
    } catch (TooLargeException failed) {
      throw new Failure(stage, SourceBatch.class.getName(), failed);
    }
  }

  private void writeHeaders(RecordHeaders headers) {
    int at = body.size();
    int written = 0;
    body.i32(0);
    for (org.apache.kafka.common.header.Header header : headers) {
      body.string(header.key()).bytes(header.value());
      written++;
    }
    body.patch32(at, written);
  }

  private void addData(int index, int flags, SourceRecord record, SourceRecord current) throws Failure {
    long mark = data.mark();
    String stage = "KEY_CONVERTER";
    try {
      head(index, flags, record, current);
      data.write(body, current.keySchema(), current.key());
      stage = "VALUE_CONVERTER";
      data.write(body, current.valueSchema(), current.value());
      stage = "HEADER_CONVERTER";
      body.i32(current.headers().size());
      for (Header header : current.headers()) {
        body.string(header.key());
        data.write(body, header.schema(), header.value());
      }
    } catch (DataException failed) {
      data.rollBack(mark);
      throw new Failure(stage, DataWriter.class.getName(), failed);
    }
  }

  private void head(int index, int flags, SourceRecord record, SourceRecord current) {
    Integer partition = current.kafkaPartition();
    Long timestamp = current.timestamp();
    // Those that are not delivered have none.
    boolean delivered = (flags & (FILTERED | FAILED)) == 0;
    if (delivered && partition != null) flags |= PARTITION;
    if (delivered && timestamp != null) flags |= TIMESTAMP;
    body.i32(index).u8(flags).i16(topics.number(current.topic())).i16(partitions.number(record.sourcePartition()));
    Values.write(body, record.sourceOffset());
    if ((flags & PARTITION) != 0) body.i32(partition);
    if ((flags & TIMESTAMP) != 0) body.i64(timestamp);
  }

  /** Valid until the next `start`. */
  Bytes finish(int number, int transaction) {
    whole.i32(number).u8(transaction).i32(topics.values.size());
    for (String topic : topics.values) whole.string(topic);
    whole.i32(partitions.values.size());
    for (Map<String, ?> partition : partitions.values) Values.write(whole, partition);
    whole.i32(count).raw(body.array(), 0, body.size());
    return whole.bytes();
  }
}
