package io.millrace.host;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the JVM is: memory and threads. */
final class Vitals {
  private static final int MAX_DUMP_CHARS = 256 * 1024;

  private Vitals() {}

  static Map<String, Object> memory() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    MemoryUsage heap = memory.getHeapMemoryUsage();
    long collecting = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans())
      collecting += Math.max(0, collector.getCollectionTime());
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("heapUsed", heap.getUsed());
    result.put("heapMax", heap.getMax());
    result.put("nonHeapUsed", memory.getNonHeapMemoryUsage().getUsed());
    result.put("threads", (long) ManagementFactory.getThreadMXBean().getThreadCount());
    result.put("gcMs", collecting);
    return result;
  }

  /** A thread dump. */
  static String threads() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces().entrySet().stream()
        .sorted(Comparator.comparing((entry) -> entry.getKey().getName()))
        .forEach((entry) -> {
          if (text.length() > MAX_DUMP_CHARS) return;
          Thread thread = entry.getKey();
          text.append('"').append(thread.getName()).append('"');
          if (thread.isDaemon()) text.append(" daemon");
          text.append(' ').append(thread.getState()).append('\n');
          text.append(trace(entry.getValue())).append('\n');
        });
    return text.length() <= MAX_DUMP_CHARS ? text.toString() : text.substring(0, MAX_DUMP_CHARS);
  }

  static String trace(StackTraceElement[] frames) {
    StringBuilder text = new StringBuilder();
    for (StackTraceElement frame : frames) text.append("\tat ").append(frame).append('\n');
    return text.toString();
  }
}
