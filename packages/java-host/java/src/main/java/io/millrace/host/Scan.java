package io.millrace.host;

import io.github.classgraph.ClassGraph;
import io.github.classgraph.ClassInfo;
import io.github.classgraph.ScanResult;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the plug-ins in jars that do not say which they have. Only a JVM that scans has ClassGraph. */
final class Scan {
  private static final int MAX_PLUGINS = 10_000;

  /** In the order of {@code PluginType}. A class is of each type that it implements. */
  private static final Map<String, String> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("source", "org.apache.kafka.connect.source.SourceConnector");
    TYPES.put("sink", "org.apache.kafka.connect.sink.SinkConnector");
    TYPES.put("converter", "org.apache.kafka.connect.storage.Converter");
    TYPES.put("header_converter", "org.apache.kafka.connect.storage.HeaderConverter");
    TYPES.put("transformation", "org.apache.kafka.connect.transforms.Transformation");
    TYPES.put("predicate", "org.apache.kafka.connect.transforms.predicates.Predicate");
    TYPES.put("config_provider", "org.apache.kafka.common.config.provider.ConfigProvider");
    TYPES.put("override_policy", "org.apache.kafka.connect.connector.policy.ConnectorClientConfigOverridePolicy");
    TYPES.put("rest_extension", "org.apache.kafka.connect.rest.ConnectRestExtension");
  }

  private Scan() {}

  /** @param jars paths of the jars and folders of classes of one location; not on the class path */
  static List<Object> scan(List<String> jars) throws IOException {
    Set<File> wanted = new LinkedHashSet<>();
    for (String jar : jars) wanted.add(new File(jar).getCanonicalFile());
    List<Object> found = new ArrayList<>();
    // Superclasses may be in other jars.
    Set<String> all = new LinkedHashSet<>(jars);
    all.addAll(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
    ClassGraph graph = new ClassGraph().enableClassInfo().enableMethodInfo().ignoreClassVisibility().overrideClasspath(all);
    List<URL> urls = new ArrayList<>();
    for (File file : wanted) urls.add(file.toURI().toURL());
    try (ScanResult classes = graph.scan(1);
        URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), Scan.class.getClassLoader())) {
      for (Map.Entry<String, String> type : TYPES.entrySet()) {
        for (ClassInfo info : implementing(classes, type.getValue())) {
          if (found.size() >= MAX_PLUGINS) return found;
          if (isConcrete(info) && isIn(info, wanted)) found.add(plugin(info.getName(), type.getKey(), loader));
        }
      }
    }
    return found;
  }

  private static List<ClassInfo> implementing(ScanResult classes, String type) {
    ClassInfo info = classes.getClassInfo(type);
    if (info == null) return List.of();
    return info.isInterface() ? info.getClassesImplementing() : info.getSubclasses();
  }

  /** As Connect loads it. */
  private static boolean isConcrete(ClassInfo info) {
    return info.isPublic()
        && !info.isAbstract()
        && !info.isInterface()
        && (!info.isInnerClass() || Modifier.isStatic(info.getModifiers()))
        // Base classes often need to know whether they are for keys.
        && info.getDeclaredConstructorInfo().stream().anyMatch((one) -> one.isPublic() && one.getParameterInfo().length == 0);
  }

  private static boolean isIn(ClassInfo info, Set<File> wanted) throws IOException {
    File file = info.getClasspathElementFile();
    return file != null && wanted.contains(file.getCanonicalFile());
  }

  private static Map<String, Object> plugin(String name, String type, ClassLoader loader) {
    Map<String, Object> plugin = new LinkedHashMap<>();
    plugin.put("class", name);
    plugin.put("type", type);
    plugin.put("version", versionOf(name, loader));
    return plugin;
  }

  /** What its {@code version()} returns; null: it has none, or needs more than its constructor for it. */
  private static String versionOf(String name, ClassLoader loader) {
    try {
      Class<?> type = Class.forName(name, true, loader);
      Object version = type.getMethod("version").invoke(type.getConstructor().newInstance());
      return version instanceof String text ? text : null;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
      return null;
    }
  }
}
