package io.millrace.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.sink.SinkRecord;

/** Decodes, converts and transforms what a sink consumes. */
final class SinkInput {
  /** In place of a record that is not to be put. */
  static final Object FILTERED = new Object();

  /** Characters of stacks in one answer: when all records of a large part fail, the later ones come without. */
  static final int MOST_TRACES = 16 * 1024 * 1024;

  private final Processing<SinkRecord> processing;
  private final RecordWindow window;
  private final DataReader data = new DataReader();
  private int traces;

  SinkInput(Processing<SinkRecord> processing, RecordWindow window) {
    this.processing = processing;
    this.window = window;
  }

  /** Takes a record that is to be put, its input for a retry, or FILTERED. */
  interface Keeper {
    void keep(long number, Object record);
  }

  /** The records that are not to be put: [index, outcome]. */
  List<Object> convert(byte[] bytes) throws ProtocolException {
    Records records = read(new In(bytes));
    return records.convert(records.left(), window::add);
  }

  Records read(In in) throws ProtocolException {
    TopicPartition[] partitions = new TopicPartition[in.count(8)];
    for (int index = 0; index < partitions.length; index++)
      partitions[index] = new TopicPartition(in.string(), in.i32());
    return new Records(in, partitions, in.count(35));
  }

  /** The records of one call, which are converted as they are read. */
  final class Records {
    private final In in;
    private final TopicPartition[] partitions;
    private int left;

    private Records(In in, TopicPartition[] partitions, int count) {
      this.in = in;
      this.partitions = partitions;
      this.left = count;
    }

    int left() {
      return left;
    }

    /** The next ones. Those that are not to be put: [index, outcome]. */
    List<Object> convert(int most, Keeper keeper) throws ProtocolException {
      int count = Math.min(left, most);
      List<Object> outcomes = new ArrayList<>();
      traces = 0;
      for (int index = 0; index < count; index++) {
        Consumed consumed = processing.converters == null ? readData(in, partitions) : readBytes(in, partitions);
        Object outcome = process(consumed, keeper);
        if (outcome != SinkInput.this) outcomes.add(Arrays.asList((long) index, outcome));
      }
      left -= count;
      if (left == 0) in.end();
      return outcomes;
    }
  }

  /** Null: it is to be put now. False: filtered. Otherwise its failure. */
  Object retry(long number) {
    traces = 0;
    if (!(window.get(number) instanceof Consumed consumed))
      throw new IllegalArgumentException("Record " + number + " is not kept");
    Object outcome = process(consumed, window::set);
    return outcome == this ? null : outcome == null ? Boolean.FALSE : outcome;
  }

  /** The outcome; itself: to be put. */
  private Object process(Consumed consumed, Keeper keeper) {
    Object kept;
    Object outcome = this;
    try {
      SinkRecord record = processing.chain.apply(consumed.data() == null ? converted(consumed) : consumed.data());
      kept = record == null ? FILTERED : record instanceof HostSinkRecord ? record : new HostSinkRecord(consumed, record);
      if (record == null) outcome = null;
    } catch (Failure failure) {
      // For a retry.
      kept = consumed;
      outcome = outcomeOf(failure);
    }
    keeper.keep(consumed.number(), kept);
    return outcome;
  }

  private Map<String, Object> outcomeOf(Failure failure) {
    if (traces >= MOST_TRACES) return failure.toShortMap();
    Map<String, Object> outcome = failure.toMap();
    traces += Errors.lengthOf(Args.map(outcome.get("error")));
    return outcome;
  }

  private SinkRecord converted(Consumed consumed) throws Failure {
    Converters converters = processing.converters;
    SchemaAndValue key = converters.toKey(consumed.topic(), consumed.headers(), consumed.key());
    SchemaAndValue value = converters.toValue(consumed.topic(), consumed.headers(), consumed.value());
    ConnectHeaders headers = converters.toHeaders(consumed.topic(), consumed.headers());
    // Transformations get what they get in Connect; without them, one object is enough.
    if (processing.chain.size() == 0) return new HostSinkRecord(consumed, key, value, headers);
    return new SinkRecord(consumed.topic(), consumed.partition(), key.schema(), key.value(), value.schema(), value.value(),
        consumed.offset(), consumed.time(), consumed.timestampType(), headers);
  }

  private static Consumed readBytes(In in, TopicPartition[] partitions) throws ProtocolException {
    long number = in.i64();
    TopicPartition of = partition(partitions, in.u16());
    long offset = in.i64();
    long timestamp = in.i64();
    TimestampType type = Consumed.type(in.u8());
    byte[] key = in.nullableBytes();
    byte[] value = in.nullableBytes();
    RecordHeaders headers = new RecordHeaders();
    for (int left = in.count(8); left > 0; left--) headers.add(in.string(), in.nullableBytes());
    return new Consumed(number, of.topic(), of.partition(), offset, timestamp, type, key, value, headers, null);
  }

  private Consumed readData(In in, TopicPartition[] partitions) throws ProtocolException {
    long number = in.i64();
    TopicPartition of = partition(partitions, in.u16());
    // Steps of Node.js may have changed it.
    TopicPartition now = partition(partitions, in.u16());
    long offset = in.i64();
    long timestamp = in.i64();
    TimestampType type = Consumed.type(in.u8());
    SchemaAndValue key = data.read(in);
    SchemaAndValue value = data.read(in);
    ConnectHeaders headers = new ConnectHeaders();
    for (int left = in.count(5); left > 0; left--) headers.add(in.string(), data.read(in));
    SinkRecord record = new SinkRecord(now.topic(), now.partition(), key.schema(), key.value(), value.schema(),
        value.value(), offset, timestamp < 0 ? null : timestamp, type, headers, of.topic(), of.partition(), offset);
    return new Consumed(number, of.topic(), of.partition(), offset, timestamp, type, null, null, null, record);
  }

  private static TopicPartition partition(TopicPartition[] partitions, int number) throws ProtocolException {
    if (number >= partitions.length) throw new ProtocolException("Unknown partition " + number);
    return partitions[number];
  }
}
