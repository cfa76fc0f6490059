package io.millrace.host;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.types.Password;

/** Definitions and values of configs as Java's REST API shows them. */
final class ConfigKeys {
  private ConfigKeys() {}

  static List<Object> keys(ConfigDef definition) {
    List<Object> keys = new ArrayList<>();
    for (ConfigKey key : definition.configKeys().values()) keys.add(key(key));
    return keys;
  }

  private static Map<String, Object> key(ConfigKey key) {
    boolean required = ConfigDef.NO_DEFAULT_VALUE.equals(key.defaultValue);
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", key.name);
    map.put("type", key.type.name());
    map.put("required", required);
    map.put("default_value", required ? null : ConfigDef.convertToString(key.defaultValue, key.type));
    map.put("importance", key.importance.name());
    map.put("documentation", key.documentation == null ? "" : key.documentation);
    map.put("group", key.group);
    map.put("order_in_group", (long) key.orderInGroup);
    map.put("width", key.width.name());
    map.put("display_name", key.displayName);
    map.put("dependents", key.dependents == null ? List.of() : new ArrayList<>(key.dependents));
    map.put("default", required ? null : plain(key.defaultValue));
    return map;
  }

  /** As Java answers: those without a definition, then the others in the order of their definitions. */
  static List<Object> values(ConfigDef definition, List<ConfigValue> values) {
    Map<String, ConfigKey> keys = definition.configKeys();
    Map<String, ConfigValue> defined = new LinkedHashMap<>();
    List<Object> list = new ArrayList<>();
    for (ConfigValue value : values) {
      if (keys.containsKey(value.name())) defined.put(value.name(), value);
      else list.add(value(value, null));
    }
    for (ConfigKey key : keys.values())
      if (defined.containsKey(key.name)) list.add(value(defined.get(key.name), key.type));
    return list;
  }

  private static Map<String, Object> value(ConfigValue value, Type type) {
    boolean hidden = value.value() != null && (type == Type.PASSWORD || value.value() instanceof Password);
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", value.name());
    map.put("value", hidden ? null : ConfigDef.convertToString(value.value(), type));
    List<Object> recommended = new ArrayList<>();
    // Recommended are items of a list, not lists.
    for (Object one : value.recommendedValues())
      recommended.add(ConfigDef.convertToString(one, type == Type.LIST ? Type.STRING : type));
    map.put("recommended", recommended);
    map.put("errors", new ArrayList<>(value.errorMessages()));
    map.put("visible", value.visible());
    if (hidden) map.put("hidden", true);
    return map;
  }

  /** What can be sent of a default. */
  private static Object plain(Object value) {
    if (value == null || value instanceof Password) return null;
    if (value instanceof Class<?> type) return type.getName();
    if (value instanceof Collection<?> list) {
      List<Object> items = new ArrayList<>();
      for (Object item : list) items.add(plain(item));
      return items;
    }
    boolean sent = value instanceof Boolean || value instanceof Number && !(value instanceof java.math.BigDecimal);
    return sent ? value : value.toString();
  }
}
