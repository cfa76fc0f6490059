package io.millrace.host;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing buffer of big-endian numbers. */
public final class Out {
  /** Of an array. */
  private static final int LONGEST = Integer.MAX_VALUE - 16;

  private byte[] buffer;
  private int size;
  private int from;
  private int most = LONGEST;
  private String what = "A message";

  public Out(int capacity) {
    buffer = new byte[capacity];
  }

  /**
   * What is written from here on throws TooLargeException if it has more bytes, until the next limit.
   *
   * @param name begins a sentence
   */
  public Out limit(int bytes, String name) {
    from = size;
    most = bytes;
    what = name;
    return this;
  }

  public Out unlimited() {
    return limit(LONGEST, "A message");
  }

  public int size() {
    return size;
  }

  public byte[] array() {
    return buffer;
  }

  public Bytes bytes() {
    return new Bytes(buffer, 0, size);
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(buffer, size);
  }

  /** Forgets what was written after `length`. */
  public void truncate(int length) {
    size = length;
  }

  /** Empties it. Memory of one large content is given back. */
  public void reset(int keep) {
    size = 0;
    if (buffer.length > keep) buffer = new byte[keep];
  }

  public Out u8(int value) {
    ensure(1);
    buffer[size++] = (byte) value;
    return this;
  }

  public Out i16(int value) {
    ensure(2);
    buffer[size++] = (byte) (value >>> 8);
    buffer[size++] = (byte) value;
    return this;
  }

  public Out i32(int value) {
    ensure(4);
    put32(size, value);
    size += 4;
    return this;
  }

  public Out i64(long value) {
    ensure(8);
    put32(size, (int) (value >>> 32));
    put32(size + 4, (int) value);
    size += 8;
    return this;
  }

  public Out f32(float value) {
    return i32(Float.floatToRawIntBits(value));
  }

  public Out f64(double value) {
    return i64(Double.doubleToRawLongBits(value));
  }

  public Out raw(byte[] bytes, int offset, int length) {
    ensure(length);
    System.arraycopy(bytes, offset, buffer, size, length);
    size += length;
    return this;
  }

  /** Length, then the bytes; -1: null. */
  public Out bytes(byte[] bytes) {
    if (bytes == null) return i32(-1);
    return i32(bytes.length).raw(bytes, 0, bytes.length);
  }

  public Out string(String text) {
    int length = text.length();
    ensure(4 + length);
    int start = size + 4;
    int at = start;
    for (int index = 0; index < length; index++) {
      char unit = text.charAt(index);
      if (unit >= 0x80) return encoded(text);
      buffer[at++] = (byte) unit;
    }
    put32(size, length);
    size = at;
    return this;
  }

  /** Replaces four bytes that were written before. */
  public void patch32(int at, int value) {
    put32(at, value);
  }

  public void patch8(int at, int value) {
    buffer[at] = (byte) value;
  }

  private Out encoded(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return i32(bytes.length).raw(bytes, 0, bytes.length);
  }

  private void put32(int at, int value) {
    buffer[at] = (byte) (value >>> 24);
    buffer[at + 1] = (byte) (value >>> 16);
    buffer[at + 2] = (byte) (value >>> 8);
    buffer[at + 3] = (byte) value;
  }

  private void ensure(int more) {
    long needed = (long) size + more;
    if (needed <= buffer.length) return;
    long end = Math.min((long) from + most, LONGEST);
    if (needed > end) throw new TooLargeException(what, needed - from, most);
    // Never beyond the limit, so that only growing looks at it.
    buffer = Arrays.copyOf(buffer, (int) Math.max(needed, Math.min(buffer.length * 2L, end)));
  }
}
