package io.millrace.host;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tagged values: what calls carry, and source partitions, source offsets and data without a schema. */
public final class Values {
  static final int DEEPEST = 100;
  /** Bytes of a decimal's digits: the other side reads no more. */
  static final int LONGEST_DECIMAL = 1024 * 1024;

  private static final int NULL = 0;
  private static final int TRUE = 1;
  private static final int FALSE = 2;
  private static final int INTEGER = 3;
  private static final int DOUBLE = 4;
  private static final int STRING = 5;
  private static final int BYTES = 6;
  private static final int LIST = 7;
  private static final int MAP = 8;
  private static final int OTHER_MAP = 9;
  private static final int DECIMAL = 10;
  private static final int DATE = 11;

  private Values() {}

  /** Throws IllegalArgumentException for a class that has no form here. */
  public static void write(Out out, Object value) {
    write(out, value, 0);
  }

  private static void write(Out out, Object value, int depth) {
    if (value == null) out.u8(NULL);
    else if (value instanceof String text) out.u8(STRING).string(text);
    else if (value instanceof Long number) out.u8(INTEGER).i64(number);
    else if (value instanceof Integer || value instanceof Short || value instanceof Byte)
      out.u8(INTEGER).i64(((Number) value).longValue());
    else if (value instanceof Boolean flag) out.u8(flag ? TRUE : FALSE);
    else if (value instanceof Double || value instanceof Float) out.u8(DOUBLE).f64(((Number) value).doubleValue());
    else if (value instanceof Map<?, ?> map) writeMap(out, map, deeper(depth));
    else if (value instanceof Collection<?> list) writeList(out, list, deeper(depth));
    else if (value instanceof byte[] bytes) out.u8(BYTES).bytes(bytes);
    else if (value instanceof Bytes part)
      out.u8(BYTES).i32(part.length()).raw(part.array(), part.offset(), part.length());
    else if (value instanceof ByteBuffer buffer) writeBuffer(out, buffer.duplicate());
    else if (value instanceof BigDecimal number)
      out.u8(DECIMAL).i32(number.scale()).bytes(digits(number.unscaledValue()));
    else if (value instanceof BigInteger number) out.u8(DECIMAL).i32(0).bytes(digits(number));
    else if (value instanceof Date date) out.u8(DATE).i64(date.getTime());
    else throw new IllegalArgumentException("A value of class " + value.getClass().getName() + " cannot be sent");
  }

  private static byte[] digits(BigInteger number) {
    byte[] digits = number.toByteArray();
    if (digits.length > LONGEST_DECIMAL)
      throw new IllegalArgumentException("A decimal has " + digits.length + " bytes, more than " + LONGEST_DECIMAL);
    return digits;
  }

  private static void writeMap(Out out, Map<?, ?> map, int depth) {
    boolean named = true;
    for (Object key : map.keySet()) named &= key instanceof String;
    out.u8(named ? MAP : OTHER_MAP);
    int start = out.size();
    out.i32(0);
    int count = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (named) out.string((String) entry.getKey());
      else write(out, entry.getKey(), depth);
      write(out, entry.getValue(), depth);
      count++;
    }
    out.patch32(start, count);
  }

  private static void writeList(Out out, Collection<?> list, int depth) {
    out.u8(LIST);
    int start = out.size();
    out.i32(0);
    int count = 0;
    for (Object item : list) {
      write(out, item, depth);
      count++;
    }
    out.patch32(start, count);
  }

  private static void writeBuffer(Out out, ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    out.u8(BYTES).bytes(bytes);
  }

  private static int deeper(int depth) {
    if (depth >= DEEPEST) throw new IllegalArgumentException("A value nests more than " + DEEPEST + " deep");
    return depth + 1;
  }

  /** Integers are `Long`, maps `LinkedHashMap`, lists `ArrayList`. */
  public static Object read(In in) throws ProtocolException {
    return read(in, 0);
  }

  private static Object read(In in, int depth) throws ProtocolException {
    int tag = in.u8();
    if (depth > DEEPEST) throw new ProtocolException("A value nests more than " + DEEPEST + " deep");
    return switch (tag) {
      case NULL -> null;
      case TRUE -> Boolean.TRUE;
      case FALSE -> Boolean.FALSE;
      case INTEGER -> in.i64();
      case DOUBLE -> in.f64();
      case STRING -> in.string();
      case BYTES -> in.bytes();
      case LIST -> {
        int count = in.count(1);
        List<Object> list = new ArrayList<>(count);
        for (int index = 0; index < count; index++) list.add(read(in, depth + 1));
        yield list;
      }
      case MAP -> {
        int count = in.count(5);
        Map<String, Object> map = new LinkedHashMap<>(Math.max(4, count * 2));
        for (int index = 0; index < count; index++) map.put(in.string(), read(in, depth + 1));
        yield map;
      }
      case OTHER_MAP -> {
        int count = in.count(2);
        Map<Object, Object> map = new LinkedHashMap<>(Math.max(4, count * 2));
        for (int index = 0; index < count; index++) map.put(read(in, depth + 1), read(in, depth + 1));
        yield map;
      }
      case DECIMAL -> {
        int scale = in.i32();
        byte[] unscaled = in.bytes();
        if (unscaled.length == 0) throw new ProtocolException("A decimal has no digits");
        yield new BigDecimal(new BigInteger(unscaled), scale);
      }
      case DATE -> new Date(in.i64());
      default -> throw new ProtocolException("Unknown tag " + tag);
    };
  }
}
