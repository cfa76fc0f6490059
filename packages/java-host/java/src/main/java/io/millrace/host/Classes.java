package io.millrace.host;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/** Finds the classes of plug-ins by the names that configs have for them. */
final class Classes {
  private static final String CONVERTERS = "org.apache.kafka.connect.converters.";

  /** Converters of connect-runtime, for folders that do not have it. */
  private static final Map<String, Supplier<PrimitiveConverter>> OWN =
      Map.of(
          CONVERTERS + "ByteArrayConverter", PrimitiveConverter::bytes,
          CONVERTERS + "BooleanConverter", PrimitiveConverter::booleans,
          CONVERTERS + "DoubleConverter", PrimitiveConverter::doubles,
          CONVERTERS + "FloatConverter", PrimitiveConverter::floats,
          CONVERTERS + "IntegerConverter", PrimitiveConverter::integers,
          CONVERTERS + "LongConverter", PrimitiveConverter::longs,
          CONVERTERS + "ShortConverter", PrimitiveConverter::shorts);

  private Classes() {}

  /** A plug-in and the class that Java calls it. */
  record Created<T>(T plugin, String className) {}

  /**
   * By class name, simple name or pruned alias. Null if there is no such class.
   *
   * @throws ConnectException it cannot be created
   */
  static <T> Created<T> create(String name, Class<T> type) {
    Class<? extends T> known = find(name, type);
    if (known != null) return new Created<>(instance(known), known.getName());
    if (type != Converter.class && type != HeaderConverter.class) return null;
    String full = name.contains(".") ? name : CONVERTERS + (name.endsWith("Converter") ? name : name + "Converter");
    Supplier<PrimitiveConverter> own = OWN.get(full);
    return own == null ? null : new Created<>(type.cast(own.get()), full);
  }

  /** Null if there is no such class, or if it is of another type. */
  static <T> Class<? extends T> find(String name, Class<T> type) {
    try {
      Class<?> found = Class.forName(name, false, Classes.class.getClassLoader());
      return type.isAssignableFrom(found) ? found.asSubclass(type) : null;
    } catch (ClassNotFoundException missing) {
      return name.contains(".") ? null : byAlias(name, type);
    } catch (NoClassDefFoundError missing) {
      // File systems that ignore case have a file for the wrong name.
      if (missing.getMessage() != null && missing.getMessage().contains("wrong name")) return null;
      throw failure("Class " + name + " cannot be loaded", missing);
    } catch (LinkageError broken) {
      throw failure("Class " + name + " cannot be loaded", broken);
    }
  }

  /** With the reason: REST shows only the message. */
  private static ConnectException failure(String what, Throwable cause) {
    Throwable told = cause;
    // Failures of static initializers have no message of their own.
    while (Errors.messageOf(told) == null && told.getCause() != null) told = told.getCause();
    String reason = Errors.messageOf(told);
    String named = told.getClass().getName() + (reason == null ? "" : ": " + reason);
    return new ConnectException(what + ": " + named, cause);
  }

  /**
   * @throws ConfigException there is no such class
   * @throws ConnectException it cannot be created
   */
  static <T> T named(String name, Class<T> type) {
    Created<T> created = create(name, type);
    if (created == null)
      throw new ConfigException("Class " + name + " is not a " + type.getName() + " or is not among the jars of this JVM");
    return created.plugin();
  }

  static <T> T instance(Class<T> type) {
    try {
      return type.getDeclaredConstructor().newInstance();
    } catch (java.lang.reflect.InvocationTargetException failed) {
      Throwable cause = failed.getCause();
      if (cause instanceof RuntimeException unchecked) throw unchecked;
      throw failure("Could not create an instance of " + type.getName(), cause);
    } catch (ReflectiveOperationException | LinkageError failed) {
      throw failure("Could not create an instance of " + type.getName(), failed);
    }
  }

  /** Whether the class, or one that it extends below `base`, declares the method. */
  static boolean overrides(Class<?> type, Class<?> base, String method, Class<?>... parameters) {
    try {
      return type.getMethod(method, parameters).getDeclaringClass() != base;
    } catch (NoSuchMethodException | LinkageError missing) {
      return false;
    }
  }

  private static <T> Class<? extends T> byAlias(String name, Class<T> type) {
    Set<Class<? extends T>> found = new HashSet<>();
    Iterator<ServiceLoader.Provider<T>> providers =
        ServiceLoader.load(type, Classes.class.getClassLoader()).stream().iterator();
    while (true) {
      try {
        if (!providers.hasNext()) break;
        Class<? extends T> provider = providers.next().type();
        String simple = provider.getSimpleName();
        if (name.equals(simple) || name.equals(pruned(simple, type))) found.add(provider);
      } catch (ServiceConfigurationError | LinkageError broken) {
        // The others remain.
      }
    }
    // As Java has it, an alias of two classes is none.
    return found.size() == 1 ? found.iterator().next() : null;
  }

  private static String pruned(String simple, Class<?> type) {
    String suffix =
        type == Transformation.class || type == Predicate.class || type == HeaderConverter.class || type == Converter.class
            ? type.getSimpleName()
            : "Connector";
    int at = simple.lastIndexOf(suffix);
    return at > 0 ? simple.substring(0, at) : simple;
  }
}
