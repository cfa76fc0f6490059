package io.millrace.host;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Lines that wait to be sent. A flood drops the oldest ones and never makes a plug-in wait. */
final class LogQueue {
  static final int CAPACITY = 1000;
  private static final int MOST_AT_ONCE = 200;
  /** Of messages and traces, in characters: the lines that wait cannot fill the heap. */
  private static final int MAX_WAITING_CHARS = 4 << 20;

  private final ArrayDeque<LogLine> waiting = new ArrayDeque<>();
  private int chars;
  private long dropped;

  synchronized void add(LogLine line) {
    waiting.add(line);
    chars += size(line);
    while (waiting.size() > CAPACITY || chars > MAX_WAITING_CHARS) {
      chars -= size(waiting.remove());
      dropped++;
    }
    notifyAll();
  }

  /** Waits for the next lines. One of them says how many were dropped, if any. */
  synchronized List<LogLine> take() throws InterruptedException {
    while (waiting.isEmpty()) wait();
    return poll();
  }

  /** The next lines, none if none wait. */
  synchronized List<LogLine> poll() {
    List<LogLine> lines = new ArrayList<>(Math.min(waiting.size(), MOST_AT_ONCE) + 1);
    if (dropped > 0) {
      String message = dropped + " lines of this JVM were dropped: it logs faster than they can be sent";
      lines.add(
          new LogLine(
              System.currentTimeMillis(), "WARN", "io.millrace.host", message, "host", Owner.HOST, null));
      dropped = 0;
    }
    while (!waiting.isEmpty() && lines.size() < MOST_AT_ONCE) {
      LogLine line = waiting.remove();
      chars -= size(line);
      lines.add(line);
    }
    return lines;
  }

  private static int size(LogLine line) {
    return line.message().length() + (line.trace() == null ? 0 : line.trace().length());
  }
}
