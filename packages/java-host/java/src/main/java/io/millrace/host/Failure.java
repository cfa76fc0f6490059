package io.millrace.host;

import java.util.LinkedHashMap;
import java.util.Map;

/** A record that a transformation or a converter did not take. The runtime decides what becomes of it. */
final class Failure extends Exception {
  private static final long serialVersionUID = 1L;

  final String stage;
  final String className;

  Failure(String stage, String className, Exception cause) {
    super(null, cause, false, false);
    this.stage = stage;
    this.className = className;
  }

  Map<String, Object> toMap() {
    return toMap(Errors.toMap(getCause()));
  }

  /** Without stack and causes. */
  Map<String, Object> toShortMap() {
    return toMap(Errors.toShortMap(getCause()));
  }

  private Map<String, Object> toMap(Map<String, Object> error) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("stage", stage);
    map.put("class", className);
    map.put("error", error);
    return map;
  }
}
