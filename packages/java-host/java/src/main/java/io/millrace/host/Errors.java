package io.millrace.host;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;

/** Exceptions as the protocol's errors. */
public final class Errors {
  private static final int LONGEST_TRACE = 32 * 1024;
  private static final int LONGEST_MESSAGE = 64 * 1024;
  private static final int SHORT_MESSAGE = 1024;
  private static final int DEEPEST = 10;

  private Errors() {}

  public static Map<String, Object> toMap(Throwable error) {
    return toMap(error, true, DEEPEST);
  }

  /** Without stack and causes: of one of many. */
  static Map<String, Object> toShortMap(Throwable error) {
    Map<String, Object> map = head(error, SHORT_MESSAGE);
    map.put("trace", "");
    map.put("cause", null);
    return map;
  }

  /** Characters of its texts, and of those of its causes. */
  static int lengthOf(Map<String, Object> error) {
    int length = 0;
    for (Object part : error.values()) {
      if (part instanceof String text) length += text.length();
      else if (part instanceof Map<?, ?>) length += lengthOf(Args.map(part));
    }
    return length;
  }

  private static Map<String, Object> head(Throwable error, int longestMessage) {
    Map<String, Object> map = new LinkedHashMap<>();
    boolean ours = error instanceof TooLargeException;
    map.put("class", (ours ? DataException.class : error.getClass()).getName());
    if (ours) map.put("code", "JAVA_TOO_LARGE");
    map.put("message", cut(messageOf(error), longestMessage));
    map.put("kind", kindOf(error));
    return map;
  }

  private static Map<String, Object> toMap(Throwable error, boolean outermost, int depth) {
    Map<String, Object> map = head(error, LONGEST_MESSAGE);
    // That of the outermost has those of its causes.
    map.put("trace", outermost ? cut(traceOf(error), LONGEST_TRACE) : "");
    Throwable cause = error.getCause();
    map.put("cause", cause == null || cause == error || depth <= 1 ? null : toMap(cause, false, depth - 1));
    return map;
  }

  public static String kindOf(Throwable error) {
    if (error instanceof RetriableException) return "retriable";
    if (error instanceof ConfigException) return "config";
    if (error instanceof DataException) return "data";
    if (error instanceof ConnectException) return "connect";
    return "other";
  }

  /** With what to do, if it is known. The plug-in's own exception may fail to describe itself. */
  static String messageOf(Throwable error) {
    try {
      String hint = Hints.of(error);
      return hint == null ? error.getMessage() : error.getMessage() + " (" + hint + ")";
    } catch (RuntimeException | LinkageError | StackOverflowError failed) {
      return null;
    }
  }

  private static String traceOf(Throwable error) {
    try {
      StringWriter text = new StringWriter();
      error.printStackTrace(new PrintWriter(text));
      return text.toString();
    } catch (RuntimeException | LinkageError | StackOverflowError failed) {
      return error.getClass().getName() + "\n";
    }
  }

  private static String cut(String text, int longest) {
    return text == null || text.length() <= longest ? text : text.substring(0, longest);
  }
}
