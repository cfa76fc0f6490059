package com.acme;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.log4j.Logger;

/** Logs as old plugins do, with the logger that a Java worker brings, and reads the first line of a file. */
public class LogsWithLog4j<R extends ConnectRecord<R>> implements Transformation<R> {
  private static final Logger LOG = Logger.getLogger(LogsWithLog4j.class);
  private String line;

  @Override
  public void configure(Map<String, ?> config) {
    try {
      line = Files.readString(Path.of((String) config.get("file")));
    } catch (java.io.IOException missing) {
      throw new java.io.UncheckedIOException(missing);
    }
    LOG.warn("has read " + line);
  }

  @Override
  public R apply(R record) {
    return record.newRecord(line, null, null, null, null, null, null);
  }

  @Override
  public ConfigDef config() {
    return new ConfigDef();
  }

  @Override
  public void close() {}
}
