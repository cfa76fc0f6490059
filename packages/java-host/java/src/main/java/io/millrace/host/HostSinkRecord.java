package io.millrace.host;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.runtime.InternalSinkRecord;
import org.apache.kafka.connect.runtime.errors.ProcessingContext;
import org.apache.kafka.connect.sink.SinkRecord;

/** What `put` gets. It and its copies know what they were consumed as, for reports. */
final class HostSinkRecord extends InternalSinkRecord {
  private final Consumed consumed;

  HostSinkRecord(Consumed consumed, SinkRecord record) {
    this(consumed, record.topic(), record.kafkaPartition(), record.keySchema(), record.key(), record.valueSchema(),
        record.value(), record.kafkaOffset(), record.timestamp(), record.timestampType(), record.headers());
  }

  HostSinkRecord(Consumed consumed, SchemaAndValue key, SchemaAndValue value, Iterable<Header> headers) {
    this(consumed, consumed.topic(), consumed.partition(), key.schema(), key.value(), value.schema(), value.value(),
        consumed.offset(), consumed.time(), consumed.timestampType(), headers);
  }

  private HostSinkRecord(Consumed consumed, String topic, int partition, Schema keySchema, Object key, Schema valueSchema,
      Object value, long offset, Long timestamp, TimestampType timestampType, Iterable<Header> headers) {
    super(topic, partition, keySchema, key, valueSchema, value, offset, timestamp, timestampType, headers,
        consumed.topic(), consumed.partition(), consumed.offset());
    this.consumed = consumed;
  }

  Consumed consumed() {
    return consumed;
  }

  @Override
  public ProcessingContext<ConsumerRecord<byte[], byte[]>> context() {
    return new ProcessingContext<>(consumed.toConsumerRecord());
  }

  @Override
  public SinkRecord newRecord(String topic, Integer partition, Schema keySchema, Object key, Schema valueSchema,
      Object value, Long timestamp, Iterable<Header> headers) {
    return new HostSinkRecord(consumed, topic, partition, keySchema, key, valueSchema, value, kafkaOffset(), timestamp,
        timestampType(), headers);
  }

  // As SinkRecord's: what it was consumed as is no part of it.
  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
