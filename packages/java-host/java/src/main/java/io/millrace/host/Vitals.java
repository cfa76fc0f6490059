package io.millrace.host;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the JVM is. */
final class Vitals {
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

  static String trace(StackTraceElement[] frames) {
    StringBuilder text = new StringBuilder();
    for (StackTraceElement frame : frames) text.append("\tat ").append(frame).append('\n');
    return text.toString();
  }
}
