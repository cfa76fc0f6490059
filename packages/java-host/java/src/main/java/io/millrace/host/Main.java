package io.millrace.host;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Started by the worker with the path of the socket to listen at. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws IOException {
    Logging.INSTANCE.install();
    if (arguments.length != 1) {
      System.err.println("The Java host is started by a Millrace worker, with the path of its socket.");
      System.exit(2);
    }
    Ending.withStandardInput();
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    // The path exists once it can be connected to.
    Path made = Path.of(arguments[0] + "~");
    server.bind(UnixDomainSocketAddress.of(made));
    Files.move(made, Path.of(arguments[0]));
    while (true) {
      try {
        new Connection(server.accept()).start();
      } catch (IOException failed) {
        // Too many files are open: the other sessions go on.
        LockSupport.parkNanos(100_000_000);
      }
    }
  }
}
