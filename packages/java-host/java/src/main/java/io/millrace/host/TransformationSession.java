package io.millrace.host;

import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;

/** A transformation in the chain of a Node.js task. */
@SuppressWarnings({"rawtypes", "unchecked"})
final class TransformationSession extends ElementSession<Transformation> {
  private boolean ofSource;

  TransformationSession(Connection connection) {
    super(connection, Transformation.class);
  }

  @Override
  void configure(
      Transformation transformation, Map<String, Object> settings, Map<String, Object> session, PluginMeters meters) {
    ofSource = "source".equals(session.get("records"));
    transformation.configure(settings);
    Object alias = session.get("alias");
    meters.transformation(transformation, alias == null ? "" : Args.string(alias));
  }

  /** The record is always sent back: a transformation may have changed its value in place. */
  @Override
  Object call(Transformation transformation, String method, List<Object> arguments) throws Exception {
    if (!method.equals("apply")) throw new UnknownMethodException(method);
    ConnectRecord record = ElementRecord.read(Args.bytes(Args.at(arguments, 0)), reader, ofSource);
    ConnectRecord<?> result = transformation.apply(record);
    return result == null ? null : bytes((out) -> ElementRecord.write(out, writer, result));
  }
}
