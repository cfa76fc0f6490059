package io.millrace.host;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The worker's side of one connection. */
final class HostClient implements AutoCloseable {
  static final int WAIT_S = 20;

  /** An answer that was an error. */
  static final class HostError extends Exception {
    private static final long serialVersionUID = 1L;
    final transient Map<String, Object> error;

    HostError(Map<String, Object> error) {
      super(error.get("class") + ": " + error.get("message"));
      this.error = error;
    }
  }

  record Event(String method, List<?> arguments) {}

  final Connection connection;
  final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
  final Map<String, Function<List<?>, Object>> handlers = new ConcurrentHashMap<>();
  private final SocketChannel channel;
  private final FrameWriter writer;
  private final Map<Integer, CompletableFuture<Object>> calls = new ConcurrentHashMap<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private int number;

  HostClient() throws IOException {
    Path socket = Files.createTempDirectory("host").resolve("s");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
      connection = new Connection(server.accept());
    }
    connection.start();
    writer = new FrameWriter(channel);
    daemon(writer::run);
    daemon(this::read);
  }

  /** Opens a session. */
  static HostClient open(Map<String, Object> session) throws Exception {
    HostClient client = new HostClient();
    client.call("open", session);
    return client;
  }

  SocketChannel channel() {
    return channel;
  }

  synchronized CompletableFuture<Object> start(String method, Object... arguments) {
    CompletableFuture<Object> result = new CompletableFuture<>();
    calls.put(++number, result);
    writer.call(FrameWriter.CALL, number, method, Arrays.asList(arguments));
    return result;
  }

  Object call(String method, Object... arguments) throws Exception {
    return await(start(method, arguments));
  }

  static Object await(CompletableFuture<Object> call) throws Exception {
    try {
      return call.get(WAIT_S, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException failed) {
      throw (Exception) failed.getCause();
    }
  }

  void event(String method, Object... arguments) {
    writer.call(FrameWriter.EVENT, 0, method, Arrays.asList(arguments));
  }

  Event nextEvent() throws InterruptedException {
    return events.poll(WAIT_S, TimeUnit.SECONDS);
  }

  void awaitEnd() throws Exception {
    ended.get(WAIT_S, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws Exception {
    channel.close();
    connection.awaitClosed(TimeUnit.SECONDS.toMillis(WAIT_S));
  }

  @SuppressWarnings("unchecked")
  private void read() {
    FrameReader reader = new FrameReader(channel);
    try {
      for (In in = reader.read(); in != null; in = reader.read()) {
        int type = in.u8();
        int of = in.i32();
        if (type == FrameWriter.RESULT) calls.remove(of).complete(Values.read(in));
        else if (type == FrameWriter.ERROR)
          calls.remove(of).completeExceptionally(new HostError((Map<String, Object>) Values.read(in)));
        else receive(type, of, in.string(), (List<?>) Values.read(in));
      }
    } catch (IOException gone) {
      // The test sees it.
    } finally {
      writer.end();
      ended.complete(null);
    }
  }

  private void receive(int type, int of, String method, List<?> arguments) {
    if (type == FrameWriter.EVENT) {
      events.add(new Event(method, arguments));
      return;
    }
    Function<List<?>, Object> handler = handlers.get(method);
    try {
      writer.value(FrameWriter.RESULT, of, handler == null ? null : handler.apply(arguments));
    } catch (RuntimeException failed) {
      writer.value(FrameWriter.ERROR, of, Errors.toMap(failed));
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "test-client");
    thread.setDaemon(true);
    thread.start();
  }

  static Map<String, Object> map(Object... entries) {
    Map<String, Object> map = new HashMap<>();
    for (int index = 0; index < entries.length; index += 2) map.put((String) entries[index], entries[index + 1]);
    return map;
  }
}
