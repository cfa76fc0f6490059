package org.apache.kafka.connect.runtime;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.runtime.errors.ProcessingContext;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Stands in for the class of this name in connect-runtime. Sinks such as Debezium's JDBC ask their records for it, to
 * learn which topic they were consumed from, and do without connect-runtime in their folders.
 */
public abstract class InternalSinkRecord extends SinkRecord {
  protected InternalSinkRecord(String topic, int partition, Schema keySchema, Object key, Schema valueSchema, Object value,
      long offset, Long timestamp, TimestampType timestampType, Iterable<Header> headers, String originalTopic,
      Integer originalPartition, long originalOffset) {
    super(topic, partition, keySchema, key, valueSchema, value, offset, timestamp, timestampType, headers, originalTopic,
        originalPartition, originalOffset);
  }

  public abstract ProcessingContext<ConsumerRecord<byte[], byte[]>> context();
}
