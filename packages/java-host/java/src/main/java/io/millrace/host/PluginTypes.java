package io.millrace.host;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.policy.ConnectorClientConfigOverridePolicy;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/** The types of plug-ins by the names of manifests. */
final class PluginTypes {
  private static final String UNDEFINED_VERSION = "undefined";
  private static final Map<String, Class<?>> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("source", SourceConnector.class);
    TYPES.put("sink", SinkConnector.class);
    TYPES.put("converter", Converter.class);
    TYPES.put("header_converter", HeaderConverter.class);
    TYPES.put("transformation", Transformation.class);
    TYPES.put("predicate", Predicate.class);
    TYPES.put("config_provider", ConfigProvider.class);
    TYPES.put("override_policy", ConnectorClientConfigOverridePolicy.class);
  }

  private PluginTypes() {}

  static Class<?> base(String type) {
    Class<?> base = TYPES.get(type);
    if (base == null) throw new IllegalArgumentException("Unknown type of plug-in " + type);
    return base;
  }

  static ConfigDef config(Object plugin) {
    ConfigDef config =
        plugin instanceof Connector connector ? connector.config()
        : plugin instanceof Converter converter ? converter.config()
        : plugin instanceof HeaderConverter converter ? converter.config()
        : plugin instanceof Transformation<?> transformation ? transformation.config()
        : plugin instanceof Predicate<?> predicate ? predicate.config()
        : new ConfigDef();
    if (config == null)
      throw new ConnectException(plugin.getClass().getName() + ".config() must return a ConfigDef that is not null.");
    return config;
  }

  static String version(Object plugin) {
    String version = plugin instanceof Versioned versioned ? versioned.version() : null;
    return version == null ? UNDEFINED_VERSION : version;
  }
}
