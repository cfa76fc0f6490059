package io.millrace.host;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.ConfigProvider;

/** A config provider of the worker. Its values are secrets: they appear in no error and no log. */
final class ConfigProviderSession extends ElementSession<ConfigProvider> {
  ConfigProviderSession(Connection connection) {
    super(connection, ConfigProvider.class);
  }

  @Override
  public int longestAnswer() {
    return 8 * 1024 * 1024;
  }

  @Override
  void configure(ConfigProvider provider, Map<String, Object> settings, Map<String, Object> session, PluginMeters meters) {
    provider.configure(settings);
  }

  @Override
  Object call(ConfigProvider provider, String method, List<Object> arguments) {
    if (!method.equals("get")) throw new UnknownMethodException(method);
    String path = Args.string(Args.at(arguments, 0));
    ConfigData data;
    if (Args.at(arguments, 1) == null) {
      data = provider.get(path);
    } else {
      Set<String> keys = new LinkedHashSet<>();
      for (Object key : Args.list(Args.at(arguments, 1))) keys.add(Args.string(key));
      data = provider.get(path, keys);
    }
    Map<String, Object> values = new LinkedHashMap<>();
    if (data != null) values.putAll(data.data());
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("values", values);
    result.put("ttlMs", data == null ? null : data.ttl());
    return result;
  }
}
