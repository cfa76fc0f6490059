package io.millrace.host;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.connector.ConnectRecord;

/** What of the transformations and converters between a task and Kafka runs here. */
final class Processing<R extends ConnectRecord<R>> {
  final Chain<R> chain = new Chain<>();
  /** Null: records cross the socket as data. */
  Converters converters;

  /** Of a source: the first steps, and the converters after all steps. */
  Map<String, Object> takeFirst(Map<String, Object> processing, PluginMeters meters) {
    List<?> steps = Args.list(processing.get("steps"));
    for (Object step : steps) {
      Map<String, Object> one = Args.map(step);
      if (!Chain.has(one)) break;
      chain.add(one, meters);
    }
    if (chain.size() == steps.size()) converters = Converters.create(processing, meters);
    return taken();
  }

  /** Of a sink: the last steps, and the converters before all steps. */
  Map<String, Object> takeLast(Map<String, Object> processing, PluginMeters meters) {
    List<?> steps = Args.list(processing.get("steps"));
    int first = steps.size();
    while (first > 0 && Chain.has(Args.map(steps.get(first - 1)))) first--;
    for (Object step : steps.subList(first, steps.size())) chain.add(Args.map(step), meters);
    if (first == 0) converters = Converters.create(processing, meters);
    return taken();
  }

  private Map<String, Object> taken() {
    Map<String, Object> taken = new LinkedHashMap<>();
    taken.put("steps", chain.size());
    taken.put("converters", converters != null);
    return taken;
  }

  void close() {
    chain.close();
    if (converters != null) converters.close();
    converters = null;
  }
}
