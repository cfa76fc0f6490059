package io.millrace.host;

import org.slf4j.LoggerFactory;

/** Closes what must not keep the rest from being closed. */
final class Closing {
  private Closing() {}

  static void quietly(Object plugin) {
    if (!(plugin instanceof AutoCloseable closeable)) return;
    try {
      closeable.close();
    } catch (Throwable failed) {
      LoggerFactory.getLogger(plugin.getClass()).warn("Could not close it", failed);
    }
  }
}
