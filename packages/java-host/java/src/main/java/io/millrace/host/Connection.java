package io.millrace.host;

import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.LoggerFactory;

/** One accepted socket and its session. */
public final class Connection {
  private static final Set<String> OWNING = Set.of("connector", "plugins", "source-task", "sink-task");
  private static final String ENDED = "The connection to the worker has ended";

  private final ByteChannel channel;
  private final FrameWriter writer;
  private final Lanes lanes = new Lanes();
  private final Map<Integer, CompletableFuture<Object>> calls = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final Object order = new Object();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Owner owner = Owner.HOST;
  private volatile String kind = "";
  private volatile boolean ended;
  private volatile Session session;

  public Connection(ByteChannel channel) {
    this.channel = channel;
    this.writer = new FrameWriter(channel);
  }

  public void start() {
    thread("millrace-writer", writer::run).start();
    thread("millrace-reader", this::read).start();
  }

  public Owner owner() {
    return owner;
  }

  String kind() {
    return kind;
  }

  public boolean ended() {
    return ended;
  }

  /**
   * Sets it before a plug-in's `start` is called. After the end of the session nobody would stop what it starts.
   *
   * @throws ConnectException the session has ended
   */
  void starts(AtomicBoolean started) {
    started.set(true);
    if (ended && started.compareAndSet(true, false)) throw new ConnectException(ENDED);
  }

  public Lanes lanes() {
    return lanes;
  }

  public void event(String method, Object... arguments) {
    writer.call(FrameWriter.EVENT, 0, method, Arrays.asList(arguments));
  }

  /** Completes with the answer, or with a RemoteException. */
  public CompletableFuture<Object> call(String method, Object... arguments) {
    int number = numbers.incrementAndGet();
    CompletableFuture<Object> result = new CompletableFuture<>();
    calls.put(number, result);
    try {
      writer.call(FrameWriter.CALL, number, method, Arrays.asList(arguments));
    } catch (RuntimeException failed) {
      calls.remove(number);
      throw failed;
    }
    if (ended) failCalls();
    return result;
  }

  /** As `call`, with one argument that is made when it is written. */
  CompletableFuture<Object> call(String method, Late first, Object second) throws Exception {
    synchronized (order) {
      return call(method, first.make(), second);
    }
  }

  /** Waits for the answer. */
  public Object ask(String method, Object... arguments) throws InterruptedException {
    try {
      return call(method, arguments).get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RemoteException remote) throw new RemoteException(remote.getMessage());
      throw new RemoteException(String.valueOf(failed.getCause()));
    }
  }

  /** Ends the session. Returns at once. */
  public void close() {
    try {
      channel.close();
    } catch (IOException gone) {
      // It has ended already.
    }
  }

  /** Whether the session has ended within the time. */
  public boolean awaitClosed(long ms) throws InterruptedException {
    return closed.await(ms, TimeUnit.MILLISECONDS);
  }

  private void read() {
    FrameReader reader = new FrameReader(channel);
    try {
      for (In frame = reader.read(); frame != null; frame = reader.read()) dispatch(frame);
    } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError broken) {
      // Nothing can be said to the other side; it sees the end.
    } finally {
      end();
    }
  }

  @SuppressWarnings("unchecked")
  private void dispatch(In frame) throws IOException {
    int type = frame.u8();
    int number = frame.i32();
    if (type == FrameWriter.RESULT || type == FrameWriter.ERROR) {
      Object value = Values.read(frame);
      frame.end();
      CompletableFuture<Object> call = calls.remove(number);
      if (call == null) return;
      if (type == FrameWriter.RESULT) call.complete(value);
      else call.completeExceptionally(RemoteException.of(value));
      return;
    }
    if (type != FrameWriter.CALL && type != FrameWriter.EVENT) throw new ProtocolException("Unknown type of frame " + type);
    String method = frame.string();
    if (!(Values.read(frame) instanceof List<?> arguments)) throw new ProtocolException("Arguments are not a list");
    frame.end();
    if (session == null) openSession(type, number, method, arguments);
    else if (type == FrameWriter.CALL) run(method, () -> answer(number, method, () -> session.call(method, (List<Object>) arguments)));
    else run(method, () -> handle(method, (List<Object>) arguments));
  }

  @SuppressWarnings("unchecked")
  private void openSession(int type, int number, String method, List<?> arguments) throws ProtocolException {
    if (type != FrameWriter.CALL || !method.equals("open") || arguments.size() != 1
        || !(arguments.get(0) instanceof Map<?, ?> map) || !(map.get("kind") instanceof String name))
      throw new ProtocolException("The first frame is not the call open");
    Map<String, Object> opening = (Map<String, Object>) map;
    kind = name;
    owner = ownerOf(opening);
    lanes.name(owner, lane -> threadName(name, owner, lane));
    try {
      session = SessionKinds.create(name, this);
    } catch (IllegalArgumentException unknown) {
      writer.value(FrameWriter.ERROR, number, Errors.toMap(unknown));
      return;
    }
    Sessions.opened(this);
    lanes.run(Lanes.MAIN, () -> answer(number, "open", () -> session.open(opening)));
  }

  private static Owner ownerOf(Map<String, Object> opening) {
    Object connector = opening.get("connector");
    Object task = opening.get("task");
    return new Owner(connector instanceof String name ? name : null, task instanceof Long number ? number.intValue() : null);
  }

  /** Tasks and connectors have the names that Java's worker gives their threads. */
  private static String threadName(String kind, Owner owner, String lane) {
    String name = owner.connector() == null ? "millrace-" + kind
        : owner.task() == null ? "connector-thread-" + owner.connector()
        : "task-thread-" + owner.connector() + "-" + owner.task();
    // A task of Node.js may have several of them.
    if (owner.connector() != null && !OWNING.contains(kind)) name += "-" + kind;
    return lane.equals(Lanes.MAIN) ? name : name + "-" + lane;
  }

  private void run(String method, Runnable work) {
    String lane = session.lane(method);
    if (lane == null) work.run();
    else lanes.run(lane, work);
  }

  private interface Work {
    Object run() throws Exception;
  }

  private void answer(int number, String method, Work work) {
    try {
      Object result = work.run();
      if (result instanceof Late late) {
        synchronized (order) {
          answer(number, method, late.make());
        }
      } else answer(number, method, result);
    } catch (Throwable failed) {
      fail(number, failed);
    }
  }

  private void answer(int number, String method, Object result) {
    writer.answer(FrameWriter.RESULT, number, result, session.longestAnswer(), "The answer of " + method + "()");
  }

  private void fail(int number, Throwable failed) {
    try {
      writer.value(FrameWriter.ERROR, number, Errors.toMap(failed));
    } catch (RuntimeException | Error broken) {
      close();
    }
  }

  private void handle(String method, List<Object> arguments) {
    try {
      session.event(method, arguments);
    } catch (Throwable failed) {
      // An event has no answer: the other side learns of it by the end of the connection.
      close();
    }
  }

  private void end() {
    ended = true;
    close();
    writer.end();
    failCalls();
    lanes.end();
    lanes.interrupt();
    Sessions.ended(this);
    Thread closing = thread("millrace-close-" + kind, this::closeSession);
    List<Thread> threads = lanes.threads();
    closing.start();
    threads.add(closing);
    EndedThreads.watch(owner.connector(), owner.task(), threads);
  }

  private void closeSession() {
    Owner.set(owner.connector(), owner.task());
    try {
      if (session != null) session.close();
    } catch (Throwable failed) {
      LoggerFactory.getLogger(Connection.class).warn("A plug-in failed to stop", failed);
    } finally {
      Sessions.closed(this);
      closed.countDown();
    }
  }

  private void failCalls() {
    for (Integer number : calls.keySet()) {
      CompletableFuture<Object> call = calls.remove(number);
      if (call != null) call.completeExceptionally(new RemoteException(ENDED));
    }
  }

  private static Thread thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }
}
