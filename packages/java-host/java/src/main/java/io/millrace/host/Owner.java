package io.millrace.host;

import org.slf4j.MDC;

/**
 * Whose work a thread does. Threads inherit it, so lines of threads that a plug-in starts have it too.
 *
 * @param connector null: the host itself
 * @param task null: the connector's own, or that of no task
 */
record Owner(String connector, Integer task) {
  static final Owner HOST = new Owner(null, null);

  private static final InheritableThreadLocal<Owner> CURRENT = new InheritableThreadLocal<>();

  /** Of the thread that calls. */
  static Owner current() {
    Owner owner = CURRENT.get();
    return owner == null ? HOST : owner;
  }

  /** The thread that calls works for it from now on. */
  static void set(String connector, Integer task) {
    CURRENT.set(new Owner(connector, task));
    if (connector == null) return;
    // As Connect has it: patterns of plug-ins' own logging may show it.
    MDC.put("connector.context", "[" + connector + (task == null ? "|worker] " : "|task-" + task + "] "));
  }
}
