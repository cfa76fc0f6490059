package io.millrace.host;

import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/** A predicate in the chain of a Node.js task. */
@SuppressWarnings({"rawtypes", "unchecked"})
final class PredicateSession extends ElementSession<Predicate> {
  private boolean ofSource;

  PredicateSession(Connection connection) {
    super(connection, Predicate.class);
  }

  @Override
  void configure(Predicate predicate, Map<String, Object> settings, Map<String, Object> session, PluginMeters meters) {
    ofSource = "source".equals(session.get("records"));
    predicate.configure(settings);
    Object alias = session.get("alias");
    meters.predicate(predicate, alias == null ? "" : Args.string(alias));
  }

  @Override
  Object call(Predicate predicate, String method, List<Object> arguments) throws Exception {
    if (!method.equals("test")) throw new UnknownMethodException(method);
    ConnectRecord record = ElementRecord.read(Args.bytes(Args.at(arguments, 0)), reader, ofSource);
    return predicate.test(record);
  }
}
