package io.millrace.host;

import java.util.LinkedHashMap;
import java.util.Map;

/** One line of a plug-in's log. */
record LogLine(
    long time, String level, String logger, String message, String thread, Owner owner, String trace) {
  static final int MAX_CHARS = 16_384;

  static LogLine of(String level, String logger, String message, Throwable error) {
    return new LogLine(
        System.currentTimeMillis(),
        level,
        logger,
        cut(message),
        Thread.currentThread().getName(),
        Owner.current(),
        error == null ? null : traceOf(error));
  }

  /** As the protocol has it. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("time", time);
    map.put("level", level);
    map.put("logger", logger);
    map.put("message", message);
    map.put("thread", thread);
    map.put("connector", owner.connector());
    map.put("task", owner.task());
    map.put("trace", trace);
    return map;
  }

  private static String cut(String text) {
    if (text == null) return "null";
    return text.length() <= MAX_CHARS ? text : text.substring(0, MAX_CHARS) + "…";
  }

  /** An exception of a plug-in may throw one itself when it is printed. */
  private static String traceOf(Throwable error) {
    try {
      java.io.StringWriter text = new java.io.StringWriter();
      error.printStackTrace(new java.io.PrintWriter(text));
      return cut(text.toString());
    } catch (RuntimeException | StackOverflowError other) {
      return error.getClass().getName();
    }
  }
}
