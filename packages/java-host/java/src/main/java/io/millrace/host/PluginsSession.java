package io.millrace.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.storage.ConverterConfig;

/** Answers questions about classes. */
final class PluginsSession implements Session {
  PluginsSession(Connection connection) {}

  @Override
  public Map<String, Object> open(Map<String, Object> session) {
    return Map.of();
  }

  @Override
  public Object call(String method, List<Object> arguments) throws Exception {
    Object first = Args.at(arguments, 0);
    Object second = Args.at(arguments, 1);
    Object third = Args.at(arguments, 2);
    return switch (method) {
      case "describe" -> describe(Args.string(first), Args.string(second));
      case "validate" -> validate(Args.string(first), Args.string(second), Args.config(third));
      case "exactlyOnceSupport" -> name(source(first).exactlyOnceSupport(Args.config(second)));
      case "canDefineTransactionBoundaries" -> name(source(first).canDefineTransactionBoundaries(Args.config(second)));
      case "alterOffsets" -> alterOffsets(Args.string(first), Args.config(second), Args.list(third));
      case "scan" -> Scan.scan(Args.list(first).stream().map(Args::string).toList());
      default -> throw new UnknownMethodException(method);
    };
  }

  @Override
  public int longestAnswer() {
    return 8 * 1024 * 1024;
  }

  private static Object describe(String type, String className) {
    Object plugin = Classes.named(className, PluginTypes.base(type));
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("class", plugin.getClass().getName());
    result.put("version", PluginTypes.version(plugin));
    result.put("type", type);
    result.put("taskClass", plugin instanceof Connector connector ? taskClass(connector) : null);
    result.put("keys", ConfigKeys.keys(PluginTypes.config(plugin)));
    result.put("overrides", overrides(plugin));
    return result;
  }

  private static String taskClass(Connector connector) {
    Class<?> type = connector.taskClass();
    return type == null ? null : type.getName();
  }

  private static List<Object> overrides(Object plugin) {
    List<Object> overrides = new ArrayList<>();
    Class<?> type = plugin.getClass();
    Class<?> base = plugin instanceof SourceConnector ? SourceConnector.class : SinkConnector.class;
    if (!base.isInstance(plugin)) return overrides;
    if (Classes.overrides(type, base, "alterOffsets", Map.class, Map.class)) overrides.add("alterOffsets");
    for (String method : List.of("exactlyOnceSupport", "canDefineTransactionBoundaries"))
      if (Classes.overrides(type, base, method, Map.class)) overrides.add(method);
    if (Classes.overrides(type, Connector.class, "validate", Map.class)) overrides.add("validate");
    return overrides;
  }

  private static Object validate(String type, String className, Map<String, String> config) {
    Object plugin = Classes.named(className, PluginTypes.base(type));
    ConfigDef definition = PluginTypes.config(plugin);
    if (!(plugin instanceof Connector connector)) {
      // Connect sets it for every converter.
      if (type.equals("converter")) config.putIfAbsent(ConverterConfig.TYPE_CONFIG, "value");
      if (type.equals("header_converter")) config.putIfAbsent(ConverterConfig.TYPE_CONFIG, "header");
      return ConfigKeys.values(definition, definition.validate(config));
    }
    Config result = connector.validate(config);
    if (result == null)
      throw new ConnectException(className + ".validate() must return a Config that is not null.");
    return ConfigKeys.values(definition, result.configValues());
  }

  private static SourceConnector source(Object className) {
    return Classes.named(Args.string(className), SourceConnector.class);
  }

  private static String name(Enum<?> answer) {
    return answer == null ? null : answer.name();
  }

  private static boolean alterOffsets(String className, Map<String, String> config, List<?> offsets) {
    Connector connector = Classes.named(className, Connector.class);
    if (connector instanceof SourceConnector source) {
      Map<Map<String, ?>, Map<String, ?>> altered = new HashMap<>();
      for (Object one : offsets) {
        List<?> pair = Args.list(one);
        altered.put(mapOrNull(pair.get(0)), mapOrNull(pair.get(1)));
      }
      return source.alterOffsets(config, altered);
    }
    if (!(connector instanceof SinkConnector sink)) return false;
    Map<TopicPartition, Long> altered = new HashMap<>();
    for (Object one : offsets) {
      Object offset = Args.list(one).get(2);
      altered.put(Args.partition(one), offset == null ? null : Args.integer(offset));
    }
    return sink.alterOffsets(config, altered);
  }

  /** A request may have null for either: what that means is the connector's. */
  private static Map<String, Object> mapOrNull(Object value) {
    return value == null ? null : Args.map(value);
  }
}
