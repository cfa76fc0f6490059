package io.millrace.host;

import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** A logger of SLF4J whose lines go to the worker. */
final class HostLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1L;

  private final transient LogLevels levels;
  private final transient LogQueue queue;
  private transient volatile int known;
  private transient volatile int least;

  HostLogger(String name, LogLevels levels, LogQueue queue) {
    this.name = name;
    this.levels = levels;
    this.queue = queue;
  }

  private boolean logs(Level level) {
    int version = levels.version();
    if (known != version) {
      least = levels.of(name);
      known = version;
    }
    return level.toInt() >= least;
  }

  @Override
  public boolean isTraceEnabled() {
    return logs(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return logs(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return logs(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return logs(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return logs(Level.ERROR);
  }

  @Override
  protected String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level, Marker marker, String pattern, Object[] arguments, Throwable error) {
    queue.add(LogLine.of(level.name(), name, MessageFormatter.basicArrayFormat(pattern, arguments), error));
  }
}
