package com.acme;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;

/** Knows its parameters, and under the path `pid` its process. */
public class VaultConfigProvider implements ConfigProvider {
  private Map<String, ?> settings;

  @Override
  public void configure(Map<String, ?> settings) {
    this.settings = settings;
  }

  @Override
  public ConfigData get(String path) {
    throw new ConfigException("only with keys");
  }

  @Override
  public ConfigData get(String path, Set<String> keys) {
    if (path.equals("denied")) throw new ConfigException("access to " + path + " is denied");
    Map<String, String> values = new HashMap<>();
    for (String key : keys) {
      if (path.equals("pid")) values.put(key, Long.toString(ProcessHandle.current().pid()));
      else if (settings.containsKey(key)) values.put(key, settings.get(key).toString());
    }
    return new ConfigData(values, 3_600_000L);
  }

  @Override
  public void close() {}
}
