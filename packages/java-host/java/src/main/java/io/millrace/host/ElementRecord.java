package io.millrace.host;

import java.util.Map;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;

/** The record of a Node.js task for a transformation or predicate, and what becomes of it. */
final class ElementRecord {
  private static final SchemaAndValue NOTHING = new SchemaAndValue(null, null);

  private final In in;
  private final DataReader reader;
  /** Of the first data that does not fit: all of it is read, because it defines schemas. */
  private DataException problem;

  private ElementRecord(In in, DataReader reader) {
    this.in = in;
    this.reader = reader;
  }

  static ConnectRecord<?> read(byte[] bytes, DataReader reader, boolean ofSource) throws ProtocolException {
    return new ElementRecord(new In(bytes), reader).read(ofSource);
  }

  private ConnectRecord<?> read(boolean ofSource) throws ProtocolException {
    String topic = (String) Values.read(in);
    Long partition = (Long) Values.read(in);
    Long timestamp = (Long) Values.read(in);
    SchemaAndValue key = data();
    SchemaAndValue value = data();
    ConnectHeaders headers = new ConnectHeaders();
    int count = in.count(8);
    for (int index = 0; index < count; index++) {
      String name = in.string();
      SchemaAndValue header = data();
      if (problem == null) headers.add(name, header);
    }
    Integer kafkaPartition = partition == null ? null : Integer.valueOf(partition.intValue());
    ConnectRecord<?> record =
        ofSource
            ? source(topic, kafkaPartition, timestamp, key, value, headers)
            : sink(topic, kafkaPartition, timestamp, key, value, headers);
    in.end();
    if (problem != null) throw problem;
    return record;
  }

  private SchemaAndValue data() throws ProtocolException {
    try {
      return reader.read(in);
    } catch (DataException error) {
      if (problem == null) problem = error;
      return NOTHING;
    }
  }

  private SourceRecord source(
      String topic, Integer partition, Long timestamp, SchemaAndValue key, SchemaAndValue value, ConnectHeaders headers)
      throws ProtocolException {
    Map<?, ?> sourcePartition = (Map<?, ?>) Values.read(in);
    Map<?, ?> sourceOffset = (Map<?, ?>) Values.read(in);
    return new SourceRecord(
        named(sourcePartition),
        named(sourceOffset),
        topic,
        partition,
        key.schema(),
        key.value(),
        value.schema(),
        value.value(),
        timestamp,
        headers);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, ?> named(Map<?, ?> map) {
    return (Map<String, ?>) map;
  }

  private SinkRecord sink(
      String topic, Integer partition, Long timestamp, SchemaAndValue key, SchemaAndValue value, ConnectHeaders headers)
      throws ProtocolException {
    long offset = in.i64();
    TimestampType type =
        switch (in.u8()) {
          case 1 -> TimestampType.CREATE_TIME;
          case 2 -> TimestampType.LOG_APPEND_TIME;
          default -> TimestampType.NO_TIMESTAMP_TYPE;
        };
    String originalTopic = in.string();
    int originalPartition = in.i32();
    long originalOffset = in.i64();
    return new SinkRecord(
        topic,
        partition == null ? 0 : partition,
        key.schema(),
        key.value(),
        value.schema(),
        value.value(),
        offset,
        timestamp,
        type,
        headers,
        originalTopic,
        originalPartition,
        originalOffset);
  }

  /** What a transformation may have changed. */
  static void write(Out out, DataWriter writer, ConnectRecord<?> record) {
    Values.write(out, record.topic());
    Values.write(out, record.kafkaPartition());
    Values.write(out, record.timestamp());
    writer.write(out, record.keySchema(), record.key());
    writer.write(out, record.valueSchema(), record.value());
    out.i32(record.headers().size());
    for (Header header : record.headers()) {
      out.string(header.key());
      writer.write(out, header.schema(), header.value());
    }
  }
}
