package io.millrace.host;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.SchemaAndValue;

/** A decoded batch of a source. */
record Batch(int number, int transaction, List<Row> rows) {
  record Row(int index, int flags, String topic, Object partition, Object offset, Integer kafkaPartition, Long timestamp,
      String stage, String failedClass, Map<String, Object> error, Object key, Object value, Map<String, Object> headers) {}

  /** @param data null: bytes */
  @SuppressWarnings("unchecked")
  static Batch read(Object bytes, DataReader data) throws ProtocolException {
    In in = new In((byte[]) bytes);
    int number = in.i32();
    int transaction = in.u8();
    String[] topics = new String[in.count(4)];
    for (int index = 0; index < topics.length; index++) topics[index] = in.string();
    Object[] partitions = new Object[in.count(1)];
    for (int index = 0; index < partitions.length; index++) partitions[index] = Values.read(in);
    List<Row> rows = new ArrayList<>();
    for (int left = in.count(9); left > 0; left--) {
      int index = in.i32();
      int flags = in.u8();
      int topic = in.u16();
      int partition = in.u16();
      Object offset = Values.read(in);
      Integer kafkaPartition = (flags & 4) != 0 ? in.i32() : null;
      Long timestamp = (flags & 8) != 0 ? in.i64() : null;
      String stage = null;
      String failed = null;
      Map<String, Object> error = null;
      Object key = null;
      Object value = null;
      Map<String, Object> headers = new LinkedHashMap<>();
      if ((flags & 2) != 0) {
        stage = in.string();
        failed = in.string();
        error = (Map<String, Object>) Values.read(in);
      } else if ((flags & 1) == 0) {
        key = field(in, data);
        value = field(in, data);
        for (int header = in.i32(); header > 0; header--) headers.put(in.string(), field(in, data));
      }
      rows.add(new Row(index, flags, topic == 65535 ? null : topics[topic], partition == 65535 ? null : partitions[partition],
          offset, kafkaPartition, timestamp, stage, failed, error, key, value, headers));
    }
    in.end();
    return new Batch(number, transaction, rows);
  }

  private static Object field(In in, DataReader data) throws ProtocolException {
    if (data == null) {
      byte[] bytes = in.nullableBytes();
      return bytes == null ? null : new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
    }
    SchemaAndValue value = data.read(in);
    return value.value();
  }
}
