package io.millrace.host;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Lines of java.util.logging, which JDBC drivers and others use, go the way of SLF4J's. */
final class JulHandler extends Handler {
  private final LogLevels levels;
  private final LogQueue queue;
  /** Those whose level was set: the log manager itself forgets loggers that nobody else keeps. */
  private final Map<String, Logger> kept = new HashMap<>();

  private JulHandler(LogLevels levels, LogQueue queue) {
    this.levels = levels;
    this.queue = queue;
    setFormatter(new SimpleFormatter());
  }

  static JulHandler install(LogLevels levels, LogQueue queue) {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) root.removeHandler(handler);
    JulHandler handler = new JulHandler(levels, queue);
    root.addHandler(handler);
    handler.levelsChanged();
    return handler;
  }

  /** Gives java.util.logging the same levels, so that lines that nobody wants are not made. */
  synchronized void levelsChanged() {
    Map<String, Integer> own = levels.own();
    kept.entrySet().removeIf((entry) -> {
      boolean gone = !own.containsKey(entry.getKey());
      if (gone) entry.getValue().setLevel(null);
      return gone;
    });
    own.forEach((name, level) -> {
      Logger logger = kept.computeIfAbsent(name, (one) -> Logger.getLogger(one.equals("root") ? "" : one));
      logger.setLevel(julLevel(level));
    });
  }

  List<String> names() {
    return Collections.list(LogManager.getLogManager().getLoggerNames()).stream()
        .filter((name) -> !name.isEmpty())
        .toList();
  }

  @Override
  public void publish(LogRecord record) {
    if (record == null) return;
    String logger = record.getLoggerName() == null ? "root" : record.getLoggerName();
    org.slf4j.event.Level level = slf4jLevel(record.getLevel());
    if (level.toInt() < levels.of(logger)) return;
    String message;
    try {
      message = getFormatter().formatMessage(record);
    } catch (RuntimeException error) {
      message = record.getMessage();
    }
    queue.add(LogLine.of(level.name(), logger, message, record.getThrown()));
  }

  private static org.slf4j.event.Level slf4jLevel(Level level) {
    int value = level.intValue();
    if (value >= Level.SEVERE.intValue()) return org.slf4j.event.Level.ERROR;
    if (value >= Level.WARNING.intValue()) return org.slf4j.event.Level.WARN;
    if (value >= Level.INFO.intValue()) return org.slf4j.event.Level.INFO;
    return value >= Level.FINE.intValue() ? org.slf4j.event.Level.DEBUG : org.slf4j.event.Level.TRACE;
  }

  private static Level julLevel(int level) {
    if (level >= LogLevels.OFF) return Level.OFF;
    if (level >= org.slf4j.event.Level.ERROR.toInt()) return Level.SEVERE;
    if (level >= org.slf4j.event.Level.WARN.toInt()) return Level.WARNING;
    if (level >= org.slf4j.event.Level.INFO.toInt()) return Level.INFO;
    return level >= org.slf4j.event.Level.DEBUG.toInt() ? Level.FINE : Level.ALL;
  }

  @Override
  public void flush() {
    // Lines are sent as soon as there is a connection.
  }

  @Override
  public void close() {
    // A LogManager.reset() of a plug-in comes here; nothing is to be closed.
  }
}
