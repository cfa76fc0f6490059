package io.millrace.host;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/** Cuts what a channel delivers into frames. */
public final class FrameReader {
  public static final int LONGEST = 256 * 1024 * 1024;
  private static final int CHUNK = 64 * 1024;
  private static final int KEEP = 2 * 1024 * 1024;

  private final ReadableByteChannel channel;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK).limit(0);
  private byte[] frame = new byte[CHUNK];

  public FrameReader(ReadableByteChannel channel) {
    this.channel = channel;
  }

  /** Null at the end. Valid until the next one is read. */
  public In read() throws IOException {
    if (!chunk.hasRemaining() && !fill()) return null;
    int length = 0;
    for (int index = 0; index < 4; index++) {
      if (!chunk.hasRemaining() && !fill()) throw new EOFException("The connection ended within a frame");
      length = length << 8 | chunk.get() & 0xff;
    }
    if (length < 5 || length > LONGEST) throw new ProtocolException("A frame of " + Integer.toUnsignedString(length) + " bytes");
    if (frame.length > KEEP && length <= KEEP) frame = new byte[KEEP];
    int at = 0;
    while (at < length) {
      if (!chunk.hasRemaining() && !fill()) throw new EOFException("The connection ended within a frame");
      int part = Math.min(chunk.remaining(), length - at);
      // Memory follows what has arrived, not what was announced.
      if (at + part > frame.length) frame = Arrays.copyOf(frame, Math.min(length, Math.max(at + part, frame.length * 2)));
      chunk.get(frame, at, part);
      at += part;
    }
    return new In(frame, 0, length);
  }

  private boolean fill() throws IOException {
    chunk.clear();
    int count = channel.read(chunk);
    chunk.flip();
    return count > 0;
  }
}
