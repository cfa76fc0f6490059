package io.millrace.host;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.storage.Converter;

/** A converter of keys or values. */
final class ConverterSession extends ElementSession<Converter> {
  ConverterSession(Connection connection) {
    super(connection, Converter.class);
  }

  @Override
  void configure(Converter converter, Map<String, Object> settings, Map<String, Object> session, PluginMeters meters) {
    boolean isKey = Boolean.TRUE.equals(session.get("isKey"));
    converter.configure(settings, isKey);
    meters.converter(converter, isKey);
  }

  @Override
  Object call(Converter converter, String method, List<Object> arguments) throws Exception {
    String topic = (String) Args.at(arguments, 0);
    switch (method) {
      case "fromConnectData":
        SchemaAndValue data = reader.read(new In(Args.bytes(Args.at(arguments, 1))));
        return converter.fromConnectData(topic, new RecordHeaders(), data.schema(), data.value());
      case "toConnectData":
        RecordHeaders headers = new RecordHeaders();
        Object list = Args.at(arguments, 2);
        for (Object header : list == null ? List.of() : Args.list(list)) {
          List<?> pair = Args.list(header);
          headers.add(Args.string(pair.get(0)), (byte[]) pair.get(1));
        }
        SchemaAndValue read = converter.toConnectData(topic, headers, (byte[]) Args.at(arguments, 1));
        SchemaAndValue result = read == null ? SchemaAndValue.NULL : read;
        return bytes((out) -> writer.write(out, result.schema(), result.value()));
      default:
        throw new UnknownMethodException(method);
    }
  }
}
