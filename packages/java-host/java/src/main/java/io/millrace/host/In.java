package io.millrace.host;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads big-endian numbers. Never beyond its end. */
public final class In {
  private final byte[] buffer;
  private final int end;
  private int at;

  public In(byte[] buffer) {
    this(buffer, 0, buffer.length);
  }

  public In(byte[] buffer, int start, int end) {
    this.buffer = buffer;
    this.at = start;
    this.end = end;
  }

  public int left() {
    return end - at;
  }

  public int position() {
    return at;
  }

  public int u8() throws ProtocolException {
    need(1);
    return buffer[at++] & 0xff;
  }

  public int u16() throws ProtocolException {
    need(2);
    int value = (buffer[at] & 0xff) << 8 | buffer[at + 1] & 0xff;
    at += 2;
    return value;
  }

  public int i32() throws ProtocolException {
    need(4);
    int value = get32(at);
    at += 4;
    return value;
  }

  public long i64() throws ProtocolException {
    need(8);
    long value = (long) get32(at) << 32 | get32(at + 4) & 0xffffffffL;
    at += 8;
    return value;
  }

  public float f32() throws ProtocolException {
    return Float.intBitsToFloat(i32());
  }

  public double f64() throws ProtocolException {
    return Double.longBitsToDouble(i64());
  }

  /** A count of things that take at least `least` bytes each. */
  public int count(int least) throws ProtocolException {
    int count = i32();
    if (count < 0 || (long) count * least > left()) throw new ProtocolException("A count exceeds its frame");
    return count;
  }

  /** Length, then the bytes; -1: null. */
  public byte[] nullableBytes() throws ProtocolException {
    int length = i32();
    if (length == -1) return null;
    return raw(length);
  }

  public byte[] bytes() throws ProtocolException {
    return raw(i32());
  }

  public byte[] raw(int length) throws ProtocolException {
    need(length);
    byte[] bytes = Arrays.copyOfRange(buffer, at, at + length);
    at += length;
    return bytes;
  }

  public String string() throws ProtocolException {
    int length = i32();
    need(length);
    String text = new String(buffer, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  public void end() throws ProtocolException {
    if (at != end) throw new ProtocolException("A frame is longer than its content");
  }

  private int get32(int index) {
    return (buffer[index] & 0xff) << 24 | (buffer[index + 1] & 0xff) << 16 | (buffer[index + 2] & 0xff) << 8
        | buffer[index + 3] & 0xff;
  }

  private void need(int length) throws ProtocolException {
    if (length < 0 || length > end - at) throw new ProtocolException("A frame is shorter than its content");
  }
}
