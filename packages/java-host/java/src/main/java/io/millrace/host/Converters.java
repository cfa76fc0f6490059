package io.millrace.host;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.slf4j.LoggerFactory;

/** The three converters of a task. */
final class Converters {
  private static final String KEY = "KEY_CONVERTER";
  private static final String VALUE = "VALUE_CONVERTER";
  private static final String HEADER = "HEADER_CONVERTER";

  private final Classes.Created<Converter> key;
  private final Classes.Created<Converter> value;
  private final Classes.Created<HeaderConverter> header;

  private Converters(
      Classes.Created<Converter> key, Classes.Created<Converter> value, Classes.Created<HeaderConverter> header) {
    this.key = key;
    this.value = value;
    this.header = header;
  }

  /** Null if this JVM does not have all of them. */
  static Converters create(Map<String, Object> processing, PluginMeters meters) {
    Map<String, Object> ofKey = Args.map(processing.get("key"));
    Map<String, Object> ofValue = Args.map(processing.get("value"));
    Map<String, Object> ofHeader = Args.map(processing.get("header"));
    Classes.Created<Converter> key = find(Args.string(ofKey.get("name")), Converter.class);
    if (key == null) return null;
    Classes.Created<Converter> value = find(Args.string(ofValue.get("name")), Converter.class);
    if (value == null) return null;
    Classes.Created<HeaderConverter> header = find(Args.string(ofHeader.get("name")), HeaderConverter.class);
    if (header == null) return null;
    key.plugin().configure(new HashMap<>(Args.map(ofKey.get("settings"))), true);
    meters.converter(key.plugin(), true);
    value.plugin().configure(new HashMap<>(Args.map(ofValue.get("settings"))), false);
    meters.converter(value.plugin(), false);
    Map<String, Object> settings = new HashMap<>(Args.map(ofHeader.get("settings")));
    settings.put("converter.type", "header");
    header.plugin().configure(settings);
    meters.headerConverter(header.plugin());
    return new Converters(key, value, header);
  }

  /**
   * Null, too, for a converter of Kafka that cannot run with what the plug-in's folder has, such as a Jackson before
   * 2.10: Node.js has converters of these names.
   */
  private static <T> Classes.Created<T> find(String name, Class<T> type) {
    try {
      return Classes.create(name, type);
    } catch (ConnectException failed) {
      if (!(failed.getCause() instanceof LinkageError) || name.contains(".") && !name.startsWith("org.apache.kafka.connect."))
        throw failed;
      LoggerFactory.getLogger(Converters.class)
          .warn("{} does not run beside the plug-in's jars ({}): Node.js converts", name, failed.getCause().toString());
      return null;
    }
  }

  /** The headers of a record for Kafka. Converters of key and value may add to them. */
  RecordHeaders headersOf(ConnectRecord<?> record) throws Failure {
    RecordHeaders result = new RecordHeaders();
    if (record.headers() == null || record.headers().isEmpty()) return result;
    try {
      for (Header one : record.headers())
        result.add(one.key(), header.plugin().fromConnectHeader(record.topic(), one.key(), one.schema(), one.value()));
    } catch (Exception failed) {
      throw new Failure(HEADER, header.className(), failed);
    }
    return result;
  }

  byte[] keyOf(ConnectRecord<?> record, RecordHeaders headers) throws Failure {
    try {
      return key.plugin().fromConnectData(record.topic(), headers, record.keySchema(), record.key());
    } catch (Exception failed) {
      throw new Failure(KEY, key.className(), failed);
    }
  }

  byte[] valueOf(ConnectRecord<?> record, RecordHeaders headers) throws Failure {
    try {
      return value.plugin().fromConnectData(record.topic(), headers, record.valueSchema(), record.value());
    } catch (Exception failed) {
      throw new Failure(VALUE, value.className(), failed);
    }
  }

  SchemaAndValue toKey(String topic, RecordHeaders headers, byte[] bytes) throws Failure {
    try {
      return key.plugin().toConnectData(topic, headers, bytes);
    } catch (Exception failed) {
      throw new Failure(KEY, key.className(), failed);
    }
  }

  SchemaAndValue toValue(String topic, RecordHeaders headers, byte[] bytes) throws Failure {
    try {
      return value.plugin().toConnectData(topic, headers, bytes);
    } catch (Exception failed) {
      throw new Failure(VALUE, value.className(), failed);
    }
  }

  ConnectHeaders toHeaders(String topic, RecordHeaders headers) throws Failure {
    ConnectHeaders result = new ConnectHeaders();
    try {
      for (org.apache.kafka.common.header.Header one : headers)
        result.add(one.key(), header.plugin().toConnectHeader(topic, one.key(), one.value()));
    } catch (Exception failed) {
      throw new Failure(HEADER, header.className(), failed);
    }
    return result;
  }

  void close() {
    Closing.quietly(key.plugin());
    Closing.quietly(value.plugin());
    Closing.quietly(header.plugin());
  }
}
