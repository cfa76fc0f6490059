package io.millrace.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/** The transformations of a task that run here, in order. */
final class Chain<R extends ConnectRecord<R>> {
  private static final String STAGE = "TRANSFORMATION";

  private final List<Step<R>> steps = new ArrayList<>();

  private record Step<R extends ConnectRecord<R>>(
      Transformation<R> transformation, String className, Predicate<R> predicate, boolean negate) {}

  int size() {
    return steps.size();
  }

  /** Whether this JVM has the classes of a step. */
  static boolean has(Map<String, Object> step) {
    return Classes.find(Args.string(step.get("name")), Transformation.class) != null
        && (step.get("predicate") == null
            || Classes.find(Args.string(Args.map(step.get("predicate")).get("name")), Predicate.class) != null);
  }

  /** Creates and configures a step whose classes exist. */
  @SuppressWarnings("unchecked")
  void add(Map<String, Object> step, PluginMeters meters) {
    try {
      String name = Args.string(step.get("name"));
      Classes.Created<Transformation> transformation = Classes.create(name, Transformation.class);
      Map<String, Object> settings = settings(step, name);
      // Connect takes these two out; everything else, `type` too, is the transformation's.
      settings.remove("predicate");
      settings.remove("negate");
      transformation.plugin().configure(settings);
      meters.transformation(transformation.plugin(), Args.string(step.get("alias")));
      Predicate<R> predicate = null;
      if (step.get("predicate") != null) {
        Map<String, Object> wanted = Args.map(step.get("predicate"));
        String type = Args.string(wanted.get("name"));
        predicate = Classes.create(type, Predicate.class).plugin();
        predicate.configure(settings(wanted, type));
        meters.predicate(predicate, Args.string(wanted.get("alias")));
      }
      steps.add(new Step<>(transformation.plugin(), transformation.className(), predicate, Boolean.TRUE.equals(step.get("negate"))));
    } catch (ConnectException failed) {
      throw failed;
    } catch (Exception failed) {
      throw new ConnectException(failed);
    }
  }

  private static Map<String, Object> settings(Map<String, Object> plugin, String name) {
    Map<String, Object> settings = new HashMap<>(Args.map(plugin.get("settings")));
    settings.putIfAbsent("type", name);
    return settings;
  }

  /** Null: filtered. */
  R apply(R record) throws Failure {
    R current = record;
    for (int index = 0; index < steps.size(); index++) {
      Step<R> step = steps.get(index);
      try {
        if (step.predicate == null || step.negate ^ step.predicate.test(current))
          current = step.transformation.apply(current);
      } catch (Exception failed) {
        throw new Failure(STAGE, step.className, failed);
      }
      if (current == null) return null;
    }
    return current;
  }

  void close() {
    for (Step<R> step : steps) {
      Closing.quietly(step.transformation);
      Closing.quietly(step.predicate);
    }
    steps.clear();
  }
}
