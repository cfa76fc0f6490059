package io.millrace.host;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Threads of sessions that have ended: those that do not end, too, are reported. */
final class EndedThreads {
  private static final long GRACE_MS = 10_000;
  private static final int MAX_THREADS = 100;

  /** What the control session sends; until it is open, nobody is told. */
  private static volatile Consumer<Map<String, Object>> report = (event) -> {};

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor((run) -> {
        Thread thread = new Thread(run, "ended-threads");
        thread.setDaemon(true);
        return thread;
      });

  private EndedThreads() {}

  static void reportTo(Consumer<Map<String, Object>> next) {
    report = next;
  }

  /** @param threads of the session; they have been told to end */
  static void watch(String connector, Integer task, List<Thread> threads) {
    watch(connector, task, threads, GRACE_MS);
  }

  static void watch(String connector, Integer task, List<Thread> threads, long graceMs) {
    List<Thread> alive = alive(threads);
    if (alive.isEmpty()) return;
    TIMER.schedule(() -> {
      Map<String, Object> event = hung(connector, task, alive(alive));
      if (event != null) report.accept(event);
    }, graceMs, TimeUnit.MILLISECONDS);
  }

  private static List<Thread> alive(List<Thread> threads) {
    return threads.stream().filter(Thread::isAlive).toList();
  }

  /** The event; null: all have ended. */
  private static Map<String, Object> hung(String connector, Integer task, List<Thread> threads) {
    if (threads.isEmpty()) return null;
    List<Object> list = new ArrayList<>();
    for (Thread thread : threads.subList(0, Math.min(threads.size(), MAX_THREADS))) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("name", thread.getName());
      one.put("trace", Vitals.trace(thread.getStackTrace()));
      list.add(one);
    }
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("connector", connector);
    event.put("task", task);
    event.put("threads", list);
    return event;
  }
}
