package io.millrace.host;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.transforms.Transformation;

/** Fails as often as it is told. */
public class FailOnce<R extends ConnectRecord<R>> implements Transformation<R> {
  static final AtomicInteger failures = new AtomicInteger();

  @Override
  public R apply(R record) {
    if (failures.getAndUpdate(count -> Math.max(0, count - 1)) > 0) throw new RetriableException("not yet");
    return record;
  }

  @Override
  public ConfigDef config() {
    return new ConfigDef();
  }

  @Override
  public void configure(Map<String, ?> settings) {}

  @Override
  public void close() {}
}
