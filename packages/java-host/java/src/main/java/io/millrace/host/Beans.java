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
  static final int MAX_NUMBERS = 5000;
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
    BeanNumbers numbers = new BeanNumbers(MAX_NUMBERS);
    for (ObjectName name : names) {
      if (numbers.left() <= 0) break;
      if (name.getCanonicalName().length() > MAX_NAME) continue;
      Map<String, Object> attributes = attributes(server, name, numbers);
      if (attributes.isEmpty()) continue;
      Map<String, Object> bean = new LinkedHashMap<>();
      bean.put("name", name.toString());
      bean.put("attributes", attributes);
      beans.add(bean);
    }
    return beans;
  }

  /** An MBean that cannot be read, or goes away meanwhile, has none. */
  private static Map<String, Object> attributes(MBeanServer server, ObjectName name, BeanNumbers numbers) {
    Map<String, Object> attributes = new LinkedHashMap<>();
    MBeanAttributeInfo[] infos;
    try {
      infos = server.getMBeanInfo(name).getAttributes();
    } catch (JMException | RuntimeException | LinkageError error) {
      return attributes;
    }
    for (MBeanAttributeInfo info : infos) {
      if (numbers.left() <= 0) break;
      if (!info.isReadable() || !mayHaveNumbers(info.getType())) continue;
      try {
        Object found = numbers.of(server.getAttribute(name, info.getName()));
        if (found != null) attributes.put(info.getName(), found);
      } catch (JMException | RuntimeException | LinkageError error) {
        // The others are of use.
      }
    }
    return attributes;
  }

  /** Kafka's MBeans declare all their attributes as {@code double}, Debezium's as what they are. */
  private static boolean mayHaveNumbers(String type) {
    return switch (type) {
      case "boolean", "byte", "short", "int", "long", "float", "double" -> true;
      default -> type.startsWith("java.lang.") || type.startsWith("java.math.")
          || type.startsWith("java.util.") || type.startsWith("javax.management.openmbean.");
    };
  }
}
