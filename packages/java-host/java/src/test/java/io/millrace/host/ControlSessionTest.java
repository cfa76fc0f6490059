package io.millrace.host;

import static io.millrace.host.HostClient.map;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ObjectName;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.Monitorable;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class ControlSessionTest {
  private HostClient client;

  @BeforeEach
  void open() throws Exception {
    Logging.INSTANCE.install();
    while (!Logging.INSTANCE.queue.poll().isEmpty()) continue;
    client = HostClient.open(map("kind", "control", "levels", map("root", "INFO", "test.debug", "DEBUG")));
  }

  @AfterEach
  void close() throws Exception {
    for (String logger : List.of("test", "test.debug", "test.off")) Logging.INSTANCE.level(logger, null);
    client.close();
  }

  private Map<?, ?> nextLine(String logger) throws InterruptedException {
    while (true) {
      HostClient.Event event = client.nextEvent();
      if (event == null) throw new AssertionError("No line of " + logger);
      if (!event.method().equals("log")) continue;
      for (Object line : (List<?>) event.arguments().get(0))
        if (((Map<?, ?>) line).get("logger").equals(logger)) return (Map<?, ?>) line;
    }
  }

  private static void as(String connector, Integer task, Runnable work) throws InterruptedException {
    Thread thread = new Thread(() -> {
      Owner.set(connector, task);
      work.run();
    }, "worker-of-the-test");
    thread.start();
    thread.join();
  }

  @Test
  void linesHaveTheOwnerOfTheirThreadAlsoInThreadsThatItStarts() throws Exception {
    Logger logger = LoggerFactory.getLogger("test.lines");
    as("orders", 3, () -> {
      Thread inner = new Thread(() -> logger.warn("value {}", 5, new IllegalStateException("why")), "inner");
      inner.start();
      try {
        inner.join();
      } catch (InterruptedException error) {
        throw new AssertionError(error);
      }
    });
    Map<?, ?> line = nextLine("test.lines");
    assertEquals(List.of("WARN", "value 5", "inner", "orders", 3L),
        List.of(line.get("level"), line.get("message"), line.get("thread"), line.get("connector"), line.get("task")));
    assertTrue(((String) line.get("trace")).startsWith("java.lang.IllegalStateException: why\n\tat "));
  }

  @Test
  void levelsAreThoseOfTheNearestPrefixAndChange() throws Exception {
    assertTrue(LoggerFactory.getLogger("test.debug.x").isDebugEnabled());
    assertFalse(LoggerFactory.getLogger("test.debugger").isDebugEnabled());
    client.call("level", "test", "ERROR");
    assertFalse(LoggerFactory.getLogger("test.other").isWarnEnabled());
    assertTrue(LoggerFactory.getLogger("test.debug.x").isDebugEnabled());
    client.call("level", "test", "off");
    assertFalse(LoggerFactory.getLogger("test.other").isErrorEnabled());
    client.call("level", "test", null);
    assertTrue(LoggerFactory.getLogger("test.other").isInfoEnabled());
    assertThrows(HostClient.HostError.class, () -> client.call("level", "test", "LOUD"));
  }

  @Test
  void javaUtilLoggingGoesTheSameWay() throws Exception {
    java.util.logging.Logger logger = java.util.logging.Logger.getLogger("test.jul");
    logger.fine("no");
    logger.log(java.util.logging.Level.SEVERE, "number {0}", 1);
    assertEquals("number 1", nextLine("test.jul").get("message"));
    client.call("level", "test.jul", "DEBUG");
    assertTrue(logger.isLoggable(java.util.logging.Level.FINE));
    logger.fine("yes");
    assertEquals("yes", nextLine("test.jul").get("message"));
    client.call("level", "test.jul", null);
    assertFalse(logger.isLoggable(java.util.logging.Level.FINE));
    List<?> names = (List<?>) client.call("loggers");
    assertTrue(names.contains("test.jul"));
  }

  @Test
  void aFloodOfLinesIsSentAtABoundedRate() throws Exception {
    AtomicLong now = new AtomicLong();
    LogQueue queue = new LogQueue(now::get);
    for (int index = 0; index < LogQueue.CAPACITY; index++) queue.add(LogLine.of("INFO", "flood", String.valueOf(index), null));
    for (int sent = 0; sent < LogQueue.CAPACITY; ) {
      assertEquals(0, queue.pauseMs());
      sent += queue.take().size();
    }
    queue.add(LogLine.of("INFO", "flood", "one more", null));
    assertEquals(201, queue.pauseMs());
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
    assertEquals(0, queue.pauseMs());
    assertEquals("one more", queue.take().get(0).message());
  }

  @Test
  void aFloodDropsTheOldestLinesAndSaysSo() {
    LogQueue queue = new LogQueue();
    for (int index = 0; index < LogQueue.CAPACITY + 5; index++)
      queue.add(LogLine.of("INFO", "flood", String.valueOf(index), null));
    List<LogLine> lines = queue.poll();
    assertTrue(lines.get(0).message().startsWith("5 lines "), lines.get(0).message());
    assertEquals("5", lines.get(1).message());
    int left = 0;
    for (List<LogLine> more = queue.poll(); !more.isEmpty(); more = queue.poll()) left += more.size();
    assertEquals(LogQueue.CAPACITY, left + lines.size() - 1);
  }

  @Test
  void longLinesCannotFillTheHeap() {
    LogQueue queue = new LogQueue();
    String huge = "x".repeat(1 << 20);
    for (int index = 0; index < 900; index++) queue.add(LogLine.of("INFO", "flood", huge, null));
    List<LogLine> all = new ArrayList<>();
    for (List<LogLine> more = queue.poll(); !more.isEmpty(); more = queue.poll()) all.addAll(more);
    assertTrue(all.size() < 300, () -> all.size() + " lines");
    assertEquals(LogLine.MAX_CHARS + 1, all.get(1).message().length());
  }

  public interface FigureMXBean {
    int getCount();

    boolean isFine();

    String getText();

    long getBroken();
  }

  public static final class Figure implements FigureMXBean {
    @Override
    public int getCount() {
      return 5;
    }

    @Override
    public boolean isFine() {
      return true;
    }

    @Override
    public String getText() {
      return "secret";
    }

    @Override
    public long getBroken() {
      throw new IllegalStateException();
    }
  }

  @Test
  void mbeansAreTheirNumbersAndBooleans() throws Exception {
    ObjectName name = new ObjectName("debezium.test:type=figure,name=a");
    ManagementFactory.getPlatformMBeanServer().registerMBean(new Figure(), name);
    try {
      assertEquals(List.of(map("name", "debezium.test:type=figure,name=a", "attributes", map("Count", 5L, "Fine", true))),
          client.call("mbeans", List.of("debezium.*", "nothing")));
    } finally {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }
    assertThrows(HostClient.HostError.class, () -> client.call("mbeans", List.of("\n:")));
  }

  private List<Map<?, ?>> pluginBeans() throws Exception {
    List<Map<?, ?>> beans = new ArrayList<>();
    for (Object bean : (List<?>) client.call("mbeans", List.of("kafka.connect"))) {
      Map<?, ?> one = (Map<?, ?>) bean;
      if (((String) one.get("name")).contains("type=plugins")) beans.add(one);
    }
    return beans;
  }

  /** Registers a metric as soon as it gets any. */
  public static final class Measured implements Monitorable {
    @Override
    public void withPluginMetrics(PluginMetrics metrics) {
      add(metrics, "things");
    }
  }

  private static void add(PluginMetrics metrics, String name) {
    MetricName metric = metrics.metricName(name, "how many", new java.util.LinkedHashMap<>());
    metrics.addMetric(metric, (Gauge<Integer>) (config, now) -> 4);
  }

  @Test
  void metricsOfPluginsAreMBeansWithConnectsTagsUntilTheSessionEnds() throws Exception {
    PluginMeters meters = new PluginMeters("orders", 1);
    meters.transformation(new Measured(), "mask");
    meters.converter(new Measured(), true);
    meters.headerConverter(new Object());
    add(meters.plugin(), "own");
    List<Map<?, ?>> beans = pluginBeans();
    List<Object> names = new ArrayList<>();
    for (Map<?, ?> bean : beans) names.add(bean.get("name"));
    assertTrue(names.contains("kafka.connect:type=plugins,connector=orders,task=1,transformation=mask"), names::toString);
    assertTrue(names.contains("kafka.connect:type=plugins,connector=orders,task=1,converter=key"), names::toString);
    assertTrue(names.contains("kafka.connect:type=plugins,connector=orders,task=1"), names::toString);
    assertEquals(4.0, ((Number) ((Map<?, ?>) beans.get(0).get("attributes")).values().iterator().next()).doubleValue());
    meters.close();
    assertEquals(List.of(), pluginBeans());
  }

  @Test
  void vitalsAreNumbers() throws Exception {
    Map<?, ?> memory = (Map<?, ?>) client.call("memory");
    for (String name : List.of("heapUsed", "heapMax", "nonHeapUsed", "threads", "gcMs"))
      assertTrue(memory.get(name) instanceof Long, name);
  }

  @Test
  void threadsThatDoNotEndAreReported() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread hangs = new Thread(() -> {
      while (end.getCount() > 0) {
        try {
          end.await();
        } catch (InterruptedException again) {
          // It does not listen.
        }
      }
    }, "hangs");
    hangs.start();
    Thread ended = new Thread(() -> {});
    ended.start();
    ended.join();
    EndedThreads.watch("orders", null, List.of(hangs, ended), 1);
    HostClient.Event event = client.nextEvent();
    while (!event.method().equals("hung")) event = client.nextEvent();
    end.countDown();
    Map<?, ?> hung = (Map<?, ?>) event.arguments().get(0);
    assertEquals("orders", hung.get("connector"));
    List<?> threads = (List<?>) hung.get("threads");
    assertEquals(1, threads.size());
    assertEquals("hangs", ((Map<?, ?>) threads.get(0)).get("name"));
    assertTrue(((String) ((Map<?, ?>) threads.get(0)).get("trace")).contains("ControlSessionTest"));
  }

  @Test
  void sessionsAreCounted() throws Exception {
    HostClient.Event first = client.nextEvent();
    assertEquals("sessions", first.method());
    try (HostClient other = HostClient.open(map("kind", "plugins"))) {
      HostClient.Event event = client.nextEvent();
      while (!event.method().equals("sessions")) event = client.nextEvent();
      assertEquals((Long) first.arguments().get(0) + 1, event.arguments().get(0));
    }
  }
}
