package io.millrace.host;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** The end of the JVM: nothing in it may outlive its worker. */
final class Ending {
  private static final Duration GRACE = Duration.ofSeconds(5);
  /** Beyond the time that the sessions have. A shutdown hook of a plug-in may never return. */
  private static final Duration MORE = Duration.ofSeconds(1);

  private Ending() {}

  /** Ends the JVM once standard input ends: the worker holds its other end, and is gone then, however it ended. */
  static void withStandardInput() {
    InputStream input = System.in;
    // A plug-in that reads from it must not take the end away.
    System.setIn(InputStream.nullInputStream());
    daemon("millrace-end", () -> {
      try {
        byte[] ignored = new byte[256];
        while (input.read(ignored) >= 0) continue;
      } catch (IOException error) {
        // It is gone just as well.
      }
      begin(GRACE);
    });
  }

  /** Ends the sessions, then the JVM, whatever its threads do. Returns at once. */
  static void begin(Duration grace) {
    daemon("millrace-halt", () -> {
      try {
        Thread.sleep(grace.plus(MORE).toMillis());
      } catch (InterruptedException error) {
        // It halts all the earlier.
      }
      Runtime.getRuntime().halt(0);
    });
    daemon("millrace-exit", () -> {
      Sessions.closeAll(grace);
      // With the hooks of plug-ins.
      System.exit(0);
    });
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
