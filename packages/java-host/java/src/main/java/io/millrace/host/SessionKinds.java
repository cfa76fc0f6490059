package io.millrace.host;

import java.util.Map;
import java.util.function.Function;

/** Which class serves a kind of session. */
final class SessionKinds {
  private static final Map<String, Function<Connection, Session>> KINDS =
      Map.ofEntries(
          Map.entry("control", ControlSession::new),
          Map.entry("plugins", PluginsSession::new),
          Map.entry("connector", ConnectorSession::new),
          Map.entry("source-task", SourceTaskSession::new),
          Map.entry("sink-task", SinkTaskSession::new),
          Map.entry("converter", ConverterSession::new),
          Map.entry("header-converter", HeaderConverterSession::new),
          Map.entry("transformation", TransformationSession::new),
          Map.entry("predicate", PredicateSession::new),
          Map.entry("config-provider", ConfigProviderSession::new));

  private SessionKinds() {}

  static Session create(String kind, Connection connection) {
    Function<Connection, Session> create = KINDS.get(kind);
    if (create == null) throw new IllegalArgumentException("Unknown kind of session " + kind);
    return create.apply(connection);
  }
}
