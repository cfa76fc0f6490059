package io.millrace.host;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;

/** Hands records that a sink task reports to Node.js, as they were consumed. From any thread of the task. */
final class ErrantReports implements ErrantRecordReporter {
  private static final long UNKNOWN = -1;

  private final Connection connection;
  private final Processing<SinkRecord> processing;
  private final Out out = new Out(1024);
  private final DataWriter data = new DataWriter();

  ErrantReports(Connection connection, Processing<SinkRecord> processing) {
    this.connection = connection;
    this.processing = processing;
  }

  @Override
  public Future<Void> report(SinkRecord record, Throwable error) {
    try {
      Consumed consumed = record instanceof HostSinkRecord own ? own.consumed() : null;
      if (consumed == null) consumed = madeByTheTask(record);
      Consumed reported = consumed;
      CompletableFuture<Object> answer =
          connection.call("report", () -> encode(reported), error == null ? null : Errors.toMap(error));
      return answer.thenApply(done -> null);
    } catch (Exception failed) {
      throw failed instanceof ConnectException connect ? connect : new ConnectException("Could not report a record", failed);
    }
  }

  private Consumed madeByTheTask(SinkRecord record) {
    Long time = record.timestamp();
    int partition = record.kafkaPartition() == null ? 0 : record.kafkaPartition();
    byte[] key = null;
    byte[] value = null;
    RecordHeaders headers = null;
    Converters converters = processing.converters;
    if (converters != null) {
      try {
        headers = converters.headersOf(record);
        key = converters.keyOf(record, headers);
        value = converters.valueOf(record, headers);
      } catch (Failure failure) {
        throw failure.getCause() instanceof RuntimeException cause ? cause : new ConnectException(failure.getCause());
      }
    }
    return new Consumed(UNKNOWN, record.topic(), partition, record.kafkaOffset(), time == null ? -1 : time,
        record.timestampType(), key, value, headers, converters == null ? record : null);
  }

  /** In the form of `convert`. */
  private Bytes encode(Consumed record) {
    long mark = data.mark();
    out.reset(64 * 1024);
    out.limit(TooLargeException.MOST, "The reported record");
    try {
      return encoded(record);
    } catch (RuntimeException failed) {
      data.rollBack(mark);
      throw failed;
    }
  }

  private Bytes encoded(Consumed record) {
    out.i32(1).string(record.topic()).i32(record.partition());
    out.i32(1).i64(record.number()).i16(0).i64(record.offset()).i64(record.timestamp()).u8(record.typeNumber());
    SinkRecord decoded = record.data();
    if (decoded == null) {
      out.bytes(record.key()).bytes(record.value());
      org.apache.kafka.common.header.Header[] headers = record.headers().toArray();
      out.i32(headers.length);
      for (org.apache.kafka.common.header.Header header : headers) out.string(header.key()).bytes(header.value());
    } else {
      data.write(out, decoded.keySchema(), decoded.key());
      data.write(out, decoded.valueSchema(), decoded.value());
      out.i32(decoded.headers().size());
      for (Header header : decoded.headers()) {
        out.string(header.key());
        data.write(out, header.schema(), header.value());
      }
    }
    return out.bytes();
  }
}
