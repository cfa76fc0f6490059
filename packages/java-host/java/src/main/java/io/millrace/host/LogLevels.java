package io.millrace.host;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.event.Level;

/** The levels of loggers: each has that of its nearest prefix, e.g. {@code io.debezium} for its classes. */
final class LogLevels {
  /** Of the logger {@code root}. */
  static final int OFF = 50;
  private static final int ALL = 0;
  private static final int MAX_LEVELS = 1000;

  private final Map<String, Integer> levels = new ConcurrentHashMap<>(Map.of("root", Level.INFO.toInt()));
  /** Changes with the levels: what loggers have looked up is outdated then. */
  private volatile int version = 1;

  int version() {
    return version;
  }

  /** @param level `OFF ERROR WARN INFO DEBUG TRACE` in any case; null: that of the prefix */
  synchronized void set(String logger, String level) {
    String name = logger.isEmpty() || logger.equalsIgnoreCase("root") ? "root" : logger;
    if (level == null) {
      if (!name.equals("root")) levels.remove(name);
    } else {
      if (levels.size() >= MAX_LEVELS && !levels.containsKey(name))
        throw new IllegalArgumentException("More than " + MAX_LEVELS + " loggers have a level");
      levels.put(name, parse(level));
    }
    version++;
  }

  /** The least level that is logged. */
  int of(String logger) {
    for (String name = logger; ; ) {
      Integer level = levels.get(name);
      if (level != null) return level;
      int dot = name.lastIndexOf('.');
      if (dot <= 0) return levels.get("root");
      name = name.substring(0, dot);
    }
  }

  /** Those that are set themselves. */
  Map<String, Integer> own() {
    return Map.copyOf(levels);
  }

  private static int parse(String level) {
    String name = level.toUpperCase(Locale.ROOT);
    if (name.equals("OFF") || name.equals("FATAL")) return OFF;
    if (name.equals("ALL")) return ALL;
    return Level.valueOf(name).toInt();
  }
}
