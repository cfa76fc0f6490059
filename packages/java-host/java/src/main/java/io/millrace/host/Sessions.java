package io.millrace.host;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/** The connections of this JVM. */
final class Sessions {
  private static final Set<Connection> OPEN = ConcurrentHashMap.newKeySet();
  /** With those that have ended, until all that they have started is stopped. */
  private static final Set<Connection> RUNNING = ConcurrentHashMap.newKeySet();

  private static volatile IntConsumer listener = count -> {};

  private Sessions() {}

  /** How many are open, without the supervisor's. */
  static int count() {
    return OPEN.size();
  }

  /** Told the count whenever it changes. */
  static void onCount(IntConsumer next) {
    listener = next;
  }

  static void opened(Connection connection) {
    if (connection.kind().equals("control")) return;
    RUNNING.add(connection);
    OPEN.add(connection);
    tell();
  }

  static void ended(Connection connection) {
    if (OPEN.remove(connection)) tell();
  }

  /** One after the other, so that the last count that is told is the true one. */
  private static synchronized void tell() {
    listener.accept(count());
  }

  static void closed(Connection connection) {
    RUNNING.remove(connection);
  }

  /** Ends all but the supervisor's. Returns once they are stopped, or after the time. */
  static void closeAll(Duration most) {
    long deadline = System.nanoTime() + most.toNanos();
    for (Connection connection : RUNNING) connection.close();
    try {
      for (Connection connection : RUNNING)
        if (!connection.awaitClosed((deadline - System.nanoTime()) / 1_000_000)) return;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
