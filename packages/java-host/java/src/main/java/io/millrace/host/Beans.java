package io.millrace.host;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The MBeans of plug-ins, for the worker's metrics. */
final class Beans {
  /** Of all MBeans together. */
  static final int MAX_ATTRIBUTES = 5000;
  private static final int MAX_NAME = 1000;

  private Beans() {}

  /** @param domains patterns of JMX, e.g. {@code debezium.*} */
  static List<Object> read(List<String> domains) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Set<ObjectName> names = new TreeSet<>();
    for (String domain : domains) {
      try {
        names.addAll(server.queryNames(new ObjectName(domain + ":*"), null));
      } catch (JMException error) {
        throw new IllegalArgumentException(domain + " is not a domain of MBeans", error);
      }
    }
    List<Object> beans = new ArrayList<>();
    int left = MAX_ATTRIBUTES;
    for (ObjectName name : names) {
      if (left <= 0) break;
      if (name.getCanonicalName().length() > MAX_NAME) continue;
      Map<String, Object> attributes = attributes(server, name, left);
      left -= attributes.size();
      if (attributes.isEmpty()) continue;
      Map<String, Object> bean = new LinkedHashMap<>();
      bean.put("name", name.toString());
      bean.put("attributes", attributes);
      beans.add(bean);
    }
    return beans;
  }

  /** An MBean that cannot be read, or goes away meanwhile, has none. */
  private static Map<String, Object> attributes(MBeanServer server, ObjectName name, int most) {
    Map<String, Object> attributes = new LinkedHashMap<>();
    MBeanAttributeInfo[] infos;
    try {
      infos = server.getMBeanInfo(name).getAttributes();
    } catch (JMException | RuntimeException | LinkageError error) {
      return attributes;
    }
    for (MBeanAttributeInfo info : infos) {
      if (attributes.size() >= most) break;
      if (!info.isReadable() || !mayBeNumber(info.getType())) continue;
      try {
        Object value = server.getAttribute(name, info.getName());
        if (value instanceof Boolean || value instanceof Number) attributes.put(info.getName(), plain(value));
      } catch (JMException | RuntimeException | LinkageError error) {
        // The others are of use.
      }
    }
    return attributes;
  }

  private static Object plain(Object value) {
    if (value instanceof Boolean) return value;
    Number number = (Number) value;
    boolean integer =
        value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    return integer ? (Object) number.longValue() : (Object) number.doubleValue();
  }

  /** Kafka's MBeans declare all their attributes as {@code double}, Debezium's as what they are. */
  private static boolean mayBeNumber(String type) {
    return switch (type) {
      case "boolean", "byte", "short", "int", "long", "float", "double" -> true;
      default -> type.startsWith("java.lang.") || type.startsWith("java.math.");
    };
  }
}
