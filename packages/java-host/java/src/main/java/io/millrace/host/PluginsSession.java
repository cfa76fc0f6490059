package io.millrace.host;

import java.util.List;
import java.util.Map;

/** Answers questions about classes. */
final class PluginsSession implements Session {
  PluginsSession(Connection connection) {}

  @Override
  public Map<String, Object> open(Map<String, Object> session) {
    return Map.of();
  }

  @Override
  public Object call(String method, List<Object> arguments) {
    throw new UnknownMethodException(method);
  }
}
