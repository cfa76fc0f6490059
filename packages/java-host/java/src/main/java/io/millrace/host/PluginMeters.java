package io.millrace.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Monitorable;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.common.utils.Time;

/**
 * The metrics that the plug-ins of one session register (KIP-877): MBeans in Connect's domain, with its tags. They end
 * with the session.
 */
final class PluginMeters implements AutoCloseable {
  private static final String DOMAIN = "kafka.connect";

  /** Of the JVM. Made for the first plug-in that has metrics. */
  private static final class Shared {
    static final Metrics METRICS =
        new Metrics(
            new MetricConfig(), List.of(new JmxReporter()), Time.SYSTEM, new KafkaMetricsContext(DOMAIN));
  }

  private final Map<String, String> tags = new LinkedHashMap<>();
  private final List<PluginMetricsImpl> open = new ArrayList<>();
  private PluginMetrics own;

  /**
   * @param connector null: unknown
   * @param task null: of a connector
   */
  PluginMeters(String connector, Integer task) {
    if (connector != null) tags.put("connector", connector);
    if (task != null) tags.put("task", String.valueOf(task));
  }

  /** What the context of the connector or task returns. */
  synchronized PluginMetrics plugin() {
    if (own == null) own = metrics(tags);
    return own;
  }

  /** Gives a converter its metrics, if it wants any. After its {@code configure}, as Connect does. */
  <T> T converter(T converter, boolean isKey) {
    return monitored(converter, "converter", isKey ? "key" : "value");
  }

  <T> T headerConverter(T converter) {
    return monitored(converter, "converter", "header");
  }

  <T> T transformation(T transformation, String alias) {
    return monitored(transformation, "transformation", alias);
  }

  <T> T predicate(T predicate, String alias) {
    return monitored(predicate, "predicate", alias);
  }

  private <T> T monitored(T plugin, String tag, String value) {
    if (plugin instanceof Monitorable monitorable) {
      Map<String, String> all = new LinkedHashMap<>(tags);
      all.put(tag, value);
      monitorable.withPluginMetrics(metrics(all));
    }
    return plugin;
  }

  private synchronized PluginMetricsImpl metrics(Map<String, String> all) {
    PluginMetricsImpl metrics = new PluginMetricsImpl(Shared.METRICS, all);
    open.add(metrics);
    return metrics;
  }

  @Override
  public synchronized void close() {
    for (PluginMetricsImpl metrics : open) {
      try {
        metrics.close();
      } catch (IOException | RuntimeException error) {
        // The others end all the same.
      }
    }
    open.clear();
    own = null;
  }
}
