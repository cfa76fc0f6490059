package io.millrace.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Writes frames in a thread of its own: a channel closes when a thread that writes to it is interrupted, and plug-ins
 * interrupt their threads.
 */
public final class FrameWriter {
  static final int CALL = 1;
  static final int RESULT = 2;
  static final int ERROR = 3;
  static final int EVENT = 4;

  /** Senders wait while more than this is not written. */
  private static final int WAITING = 2 * 1024 * 1024;
  private static final int CHUNK = 128 * 1024;
  private static final int KEEP = 4 * 1024 * 1024;

  private final WritableByteChannel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Out pending = new Out(CHUNK);
  private Out writing = new Out(CHUNK);
  private boolean finishing;
  private boolean ended;

  public FrameWriter(WritableByteChannel channel) {
    this.channel = channel;
  }

  /**
   * Copies its arguments. Does nothing once the connection has ended.
   *
   * @throws TooLargeException nothing is sent
   */
  public void call(int type, int number, String method, List<?> arguments) {
    frame(type, number, FrameReader.LONGEST, "The call " + method, out -> {
      out.string(method);
      Values.write(out, arguments);
    });
  }

  /** @throws TooLargeException nothing is sent */
  public void value(int type, int number, Object value) {
    answer(type, number, value, FrameReader.LONGEST, "The answer");
  }

  /**
   * @param what begins a sentence
   * @throws TooLargeException nothing is sent
   */
  void answer(int type, int number, Object value, int most, String what) {
    frame(type, number, most, what, out -> Values.write(out, value));
  }

  private void frame(int type, int number, int most, String what, Consumer<Out> content) {
    lock.lock();
    try {
      while (!ended && pending.size() > WAITING) changed.awaitUninterruptibly();
      if (ended) return;
      int start = pending.size();
      try {
        pending.unlimited().i32(0).limit(most, what).u8(type).i32(number);
        content.accept(pending);
        pending.patch32(start, pending.size() - start - 4);
      } catch (RuntimeException | Error failed) {
        pending.truncate(start);
        throw failed;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Writes until the connection ends. */
  public void run() {
    try {
      while (swap()) {
        ByteBuffer rest = ByteBuffer.wrap(writing.array(), 0, writing.size());
        int end = rest.limit();
        while (rest.position() < end) {
          // The JDK keeps a direct buffer of the largest size for each thread.
          rest.limit(Math.min(end, rest.position() + CHUNK));
          channel.write(rest);
        }
        writing.reset(KEEP);
      }
    } catch (IOException gone) {
      end();
    }
  }

  /** `run` returns once what waits is written. */
  void finish() {
    lock.lock();
    try {
      finishing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** What waits is dropped. */
  public void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean swap() {
    lock.lock();
    try {
      while (!ended && !finishing && pending.size() == 0) changed.awaitUninterruptibly();
      if (ended || pending.size() == 0) return false;
      Out full = pending;
      pending = writing;
      writing = full;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }
}
