package io.millrace.host;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lines that wait to be sent. A flood drops the oldest ones and never makes a plug-in wait; nor does it keep the worker
 * busy, which reads what is sent.
 */
final class LogQueue {
  static final int CAPACITY = 1000;
  private static final int MOST_AT_ONCE = 200;
  /** Of messages and traces, in characters: the lines that wait cannot fill the heap. */
  private static final int MAX_WAITING_CHARS = 4 << 20;

  /** Lines that are sent at once, and a second from then on. */
  private static final int RATE = 1000;

  private final LongSupplier nanoTime;
  private double allowed = RATE;
  private long allowedAt;
  private final ArrayDeque<LogLine> waiting = new ArrayDeque<>();
  private int chars;
  private long dropped;

  LogQueue() {
    this(System::nanoTime);
  }

  LogQueue(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    allowedAt = nanoTime.getAsLong();
  }

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
    while (true) {
      long pause = pauseMs();
      if (waiting.isEmpty()) wait();
      else if (pause > 0) wait(pause);
      else break;
    }
    List<LogLine> lines = poll();
    allowed -= lines.size();
    return lines;
  }

  /** How long to wait before the next lines are sent; 0: not at all. */
  synchronized long pauseMs() {
    long now = nanoTime.getAsLong();
    double seconds = (now - allowedAt) / (double) TimeUnit.SECONDS.toNanos(1);
    allowed = Math.min(RATE, allowed + seconds * RATE);
    allowedAt = now;
    return allowed >= 1 ? 0 : 1 + (long) ((MOST_AT_ONCE - allowed) * 1000 / RATE);
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
