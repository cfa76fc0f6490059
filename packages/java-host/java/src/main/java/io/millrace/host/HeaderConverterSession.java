package io.millrace.host;

import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.storage.HeaderConverter;

/** A converter of headers. */
final class HeaderConverterSession extends ElementSession<HeaderConverter> {
  HeaderConverterSession(Connection connection) {
    super(connection, HeaderConverter.class);
  }

  @Override
  void configure(
      HeaderConverter converter, Map<String, Object> settings, Map<String, Object> session, PluginMeters meters) {
    settings.put("converter.type", "header");
    converter.configure(settings);
    meters.headerConverter(converter);
  }

  @Override
  Object call(HeaderConverter converter, String method, List<Object> arguments) throws Exception {
    String topic = (String) Args.at(arguments, 0);
    String key = Args.string(Args.at(arguments, 1));
    switch (method) {
      case "fromConnectHeader":
        SchemaAndValue data = reader.read(new In(Args.bytes(Args.at(arguments, 2))));
        return converter.fromConnectHeader(topic, key, data.schema(), data.value());
      case "toConnectHeader":
        SchemaAndValue read = converter.toConnectHeader(topic, key, (byte[]) Args.at(arguments, 2));
        SchemaAndValue result = read == null ? SchemaAndValue.NULL : read;
        return bytes((out) -> writer.write(out, result.schema(), result.value()));
      default:
        throw new UnknownMethodException(method);
    }
  }
}
