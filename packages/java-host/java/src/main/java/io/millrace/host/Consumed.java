package io.millrace.host;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * A record as it was consumed.
 *
 * @param data null: key, value and headers are bytes; otherwise they are those of this record
 */
record Consumed(
    long number,
    String topic,
    int partition,
    long offset,
    long timestamp,
    TimestampType timestampType,
    byte[] key,
    byte[] value,
    RecordHeaders headers,
    SinkRecord data) {
  private static final TimestampType[] TYPES = {
    TimestampType.NO_TIMESTAMP_TYPE, TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME
  };

  static TimestampType type(int number) throws ProtocolException {
    if (number >= TYPES.length) throw new ProtocolException("Unknown timestamp type " + number);
    return TYPES[number];
  }

  int typeNumber() {
    return timestampType == TimestampType.CREATE_TIME ? 1 : timestampType == TimestampType.LOG_APPEND_TIME ? 2 : 0;
  }

  /** Without bytes and headers if they came as data. */
  ConsumerRecord<byte[], byte[]> toConsumerRecord() {
    return new ConsumerRecord<>(topic, partition, offset, timestamp, timestampType, key == null ? -1 : key.length,
        value == null ? -1 : value.length, key, value, headers == null ? new RecordHeaders() : headers, Optional.empty());
  }

  Long time() {
    return timestamp < 0 ? null : timestamp;
  }
}
