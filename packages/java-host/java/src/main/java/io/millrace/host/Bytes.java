package io.millrace.host;

/** A part of an array. Not copied: it must be written before the array changes. */
public record Bytes(byte[] array, int offset, int length) {
  public static Bytes of(byte[] array) {
    return new Bytes(array, 0, array.length);
  }

  public byte[] copy() {
    return java.util.Arrays.copyOfRange(array, offset, offset + length);
  }
}
