package io.millrace.host;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The supervisor's session: the JVM's log, figures and end. */
final class ControlSession implements Session {
  private static final String LONG = "long";
  private static final int MAX_GRACE_MS = 600_000;

  private final Connection connection;
  private volatile Thread sender;

  ControlSession(Connection connection) {
    this.connection = connection;
  }

  @Override
  public Map<String, Object> open(Map<String, Object> session) {
    if (session.get("levels") instanceof Map<?, ?> levels)
      levels.forEach((logger, level) -> Logging.INSTANCE.level(text(logger), text(level)));
    Map<String, Object> opened = new LinkedHashMap<>();
    opened.put("pid", ProcessHandle.current().pid());
    opened.put("java", Runtime.version().toString());
    opened.put("vm", ManagementFactory.getRuntimeMXBean().getVmName());
    String version = Main.class.getPackage().getImplementationVersion();
    opened.put("host", version == null ? "unknown" : version);
    Sessions.onCount((count) -> connection.event("sessions", (long) count));
    EndedThreads.reportTo((event) -> connection.event("hung", event));
    connection.event("sessions", (long) Sessions.count());
    Thread thread = new Thread(this::send, "millrace-log");
    thread.setDaemon(true);
    sender = thread;
    thread.start();
    return opened;
  }

  @Override
  public String lane(String method) {
    return switch (method) {
      // What plug-ins' MBeans do may take long, and must not keep the JVM from ending.
      case "mbeans" -> LONG;
      // The supervisor's sign of life.
      case "memory", "exit" -> method;
      default -> Lanes.MAIN;
    };
  }

  @Override
  public Object call(String method, List<Object> arguments) {
    switch (method) {
      case "level" -> Logging.INSTANCE.level(text(arguments.get(0)), arguments.get(1) == null ? null : text(arguments.get(1)));
      case "loggers" -> {
        return Logging.INSTANCE.names();
      }
      case "mbeans" -> {
        List<String> domains = new ArrayList<>();
        for (Object domain : (List<?>) arguments.get(0)) domains.add(text(domain));
        return Beans.read(domains);
      }
      case "memory" -> {
        return Vitals.memory();
      }
      case "exit" -> {
        long grace = Math.max(0, Math.min(MAX_GRACE_MS, (Long) arguments.get(0)));
        // The answer is that the process ends; whoever waits for it sees the end of the connection.
        Ending.begin(Duration.ofMillis(grace));
      }
      default -> throw new UnknownMethodException(method);
    }
    return null;
  }

  @Override
  public int longestAnswer() {
    return 16 * 1024 * 1024;
  }

  @Override
  public void close() {
    Thread thread = sender;
    if (thread != null) thread.interrupt();
  }

  /** Lines that cannot be sent any more stay for the next control session. */
  private void send() {
    try {
      while (!connection.ended()) {
        List<Object> lines = new ArrayList<>();
        for (LogLine line : Logging.INSTANCE.queue.take()) lines.add(line.toMap());
        connection.event("log", lines);
      }
    } catch (InterruptedException ended) {
      // The session has ended.
    } catch (RuntimeException ended) {
      // The connection cannot be written any more.
    }
  }

  private static String text(Object value) {
    if (value instanceof String text) return text;
    throw new IllegalArgumentException("A text is expected");
  }
}
