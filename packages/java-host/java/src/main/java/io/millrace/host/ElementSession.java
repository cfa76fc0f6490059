package io.millrace.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * One plug-in that a Node.js task uses. Calls come one after the other; what they carry is read whole before the
 * plug-in sees any of it, because it defines schemas for the calls after it.
 */
abstract class ElementSession<T> implements Session {
  private static final int KEPT = 1 << 20;

  final DataReader reader = new DataReader();
  final DataWriter writer = new DataWriter();
  private final Class<? super T> type;
  private final Owner owner;
  private final Out out = new Out(4096);
  private PluginMeters meters;
  private volatile T plugin;

  ElementSession(Connection connection, Class<? super T> type) {
    this.owner = connection.owner();
    this.type = type;
  }

  @Override
  @SuppressWarnings("unchecked")
  public Map<String, Object> open(Map<String, Object> session) throws Exception {
    String name = Args.string(session.get("class"));
    Classes.Created<?> created = Classes.create(name, type);
    if (created == null)
      throw new ConfigException("Class " + name + " is not a " + type.getName() + " or is not among the jars of this JVM");
    plugin = (T) created.plugin();
    meters = new PluginMeters(owner.connector(), owner.task());
    Map<String, Object> settings =
        session.get("settings") == null ? new HashMap<>() : new HashMap<>(Args.map(session.get("settings")));
    configure(plugin, settings, session, meters);
    return Map.of("class", created.className());
  }

  abstract void configure(T plugin, Map<String, Object> settings, Map<String, Object> session, PluginMeters meters)
      throws Exception;

  abstract Object call(T plugin, String method, List<Object> arguments) throws Exception;

  @Override
  public final Object call(String method, List<Object> arguments) throws Exception {
    T opened = plugin;
    if (opened == null) throw new IllegalStateException("The session has no plug-in");
    return call(opened, method, arguments);
  }

  interface Content {
    void writeTo(Out out) throws Exception;
  }

  /** Data for an answer. If it fails, the other side has not seen the schemas in it. */
  final byte[] bytes(Content content) throws Exception {
    long mark = writer.mark();
    out.limit(TooLargeException.MOST, "The record");
    try {
      content.writeTo(out);
      return out.toByteArray();
    } catch (Exception error) {
      writer.rollBack(mark);
      throw error;
    } finally {
      out.reset(KEPT);
    }
  }

  @Override
  public void close() {
    if (plugin != null) Closing.quietly(plugin);
    if (meters != null) meters.close();
  }
}
