package io.millrace.host;

import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;

/** The JVM's log: SLF4J's and java.util.logging's loggers write to one queue, with one table of levels. */
final class Logging implements ILoggerFactory {
  static final Logging INSTANCE = new Logging();

  /** A plug-in that makes loggers without end gets an unnamed one. */
  private static final int MAX_LOGGERS = 20_000;
  private static final int MAX_NAME = 300;

  final LogLevels levels = new LogLevels();
  final LogQueue queue = new LogQueue();
  private final ConcurrentMap<String, Logger> loggers = new ConcurrentHashMap<>();
  private JulHandler jul;

  /** Called first of all, before any class has a logger. */
  synchronized void install() {
    // A folder of jars may have a provider of its own.
    System.setProperty("slf4j.provider", LogProvider.class.getName());
    System.setProperty("slf4j.internal.verbosity", "WARN");
    if (jul == null) jul = JulHandler.install(levels, queue);
  }

  @Override
  public Logger getLogger(String name) {
    Logger known = loggers.get(name);
    if (known != null) return known;
    if (loggers.size() >= MAX_LOGGERS || name.length() > MAX_NAME) return new HostLogger("root", levels, queue);
    return loggers.computeIfAbsent(name, (one) -> new HostLogger(one, levels, queue));
  }

  /** The names of the loggers that exist, sorted. */
  List<String> names() {
    TreeSet<String> names = new TreeSet<>(loggers.keySet());
    if (jul != null) names.addAll(jul.names());
    return List.copyOf(names);
  }

  synchronized void level(String logger, String level) {
    levels.set(logger, level);
    if (jul != null) jul.levelsChanged();
  }
}
