package io.millrace.host;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;

/**
 * Writes and reads the values of one schema. Writing throws ClassCastException for a value of another class.
 */
abstract class ValueCodec {
  private static final int ABSENT = 0;
  private static final int PRESENT = 1;
  private static final long DAY_MS = 86_400_000;

  /** What does not fit its schema in a value that is read. The rest is read all the same. */
  static final class Problems {
    private DataException first;

    /** Throws the first one. */
    void raise() {
      if (first != null) throw first;
    }

    void add(DataException problem) {
      if (first == null) first = problem;
    }
  }

  final void write(Out out, Object value) {
    if (value == null) {
      out.u8(ABSENT);
    } else {
      out.u8(PRESENT);
      writePresent(out, value);
    }
  }

  /** A default was checked when its schema was not complete. */
  void writeDefault(Out out, Object value) {
    write(out, value);
  }

  final Object read(In in, Problems problems) throws ProtocolException {
    int present = in.u8();
    if (present == ABSENT) return null;
    if (present != PRESENT) throw new ProtocolException("A value says neither that it is null nor that it is not");
    return readPresent(in, problems);
  }

  abstract void writePresent(Out out, Object value);

  abstract Object readPresent(In in, Problems problems) throws ProtocolException;

  private interface Write {
    void to(Out out, Object value);
  }

  private interface Read {
    Object from(In in) throws ProtocolException;
  }

  private static ValueCodec of(Write write, Read read) {
    return new ValueCodec() {
      @Override
      void writePresent(Out out, Object value) {
        write.to(out, value);
      }

      @Override
      Object readPresent(In in, Problems problems) throws ProtocolException {
        return read.from(in);
      }
    };
  }

  /** Without a schema. */
  static final ValueCodec FREE = of(Values::write, Values::read);

  private static final ValueCodec INT8 = of((out, value) -> out.u8((Byte) value), (in) -> (byte) in.u8());
  private static final ValueCodec INT16 = of((out, value) -> out.i16((Short) value), (in) -> (short) in.u16());
  private static final ValueCodec INT32 = of((out, value) -> out.i32((Integer) value), In::i32);
  private static final ValueCodec INT64 = of((out, value) -> out.i64((Long) value), In::i64);
  private static final ValueCodec FLOAT32 = of((out, value) -> out.f32((Float) value), In::f32);
  private static final ValueCodec FLOAT64 = of((out, value) -> out.f64((Double) value), In::f64);
  private static final ValueCodec BOOLEAN =
      of((out, value) -> out.u8((Boolean) value ? 1 : 0), (in) -> in.u8() != 0);
  private static final ValueCodec STRING = of((out, value) -> out.string((String) value), In::string);
  private static final ValueCodec BYTES = of(ValueCodec::writeBytes, In::bytes);
  private static final ValueCodec DATE =
      of(
          (out, value) -> out.i32(Date.fromLogical(Date.SCHEMA, (java.util.Date) value)),
          (in) -> new java.util.Date(in.i32() * DAY_MS));
  private static final ValueCodec TIME =
      of(
          (out, value) -> out.i32(Time.fromLogical(Time.SCHEMA, (java.util.Date) value)),
          (in) -> new java.util.Date(in.i32()));
  private static final ValueCodec TIMESTAMP =
      of((out, value) -> out.i64(((java.util.Date) value).getTime()), (in) -> new java.util.Date(in.i64()));

  /** @param parts the codecs of the schemas in it, in the order of the protocol */
  static ValueCodec of(Schema schema, List<ValueCodec> parts) {
    ValueCodec logical = schema.name() == null ? null : logical(schema);
    if (logical != null) return logical;
    return switch (schema.type()) {
      case INT8 -> INT8;
      case INT16 -> INT16;
      case INT32 -> INT32;
      case INT64 -> INT64;
      case FLOAT32 -> FLOAT32;
      case FLOAT64 -> FLOAT64;
      case BOOLEAN -> BOOLEAN;
      case STRING -> STRING;
      case BYTES -> BYTES;
      case ARRAY -> new OfArray(parts.get(0));
      case MAP -> new OfMap(parts.get(0), parts.get(1));
      case STRUCT -> new OfStruct(schema, parts);
    };
  }

  /** Null: a schema of another type is no logical one, whatever its name. */
  private static ValueCodec logical(Schema schema) {
    return switch (schema.name()) {
      case Decimal.LOGICAL_NAME -> schema.type() == Schema.Type.BYTES ? decimal(schema) : null;
      case Date.LOGICAL_NAME -> schema.type() == Schema.Type.INT32 ? DATE : null;
      case Time.LOGICAL_NAME -> schema.type() == Schema.Type.INT32 ? TIME : null;
      case Timestamp.LOGICAL_NAME -> schema.type() == Schema.Type.INT64 ? TIMESTAMP : null;
      default -> null;
    };
  }

  private static ValueCodec decimal(Schema schema) {
    int scale = scaleOf(schema);
    return of(
        (out, value) -> out.bytes(Decimal.fromLogical(schema, (BigDecimal) value)),
        (in) -> {
          byte[] bytes = in.bytes();
          return new BigDecimal(bytes.length == 0 ? BigInteger.ZERO : new BigInteger(bytes), scale);
        });
  }

  private static int scaleOf(Schema schema) {
    String scale = schema.parameters() == null ? null : schema.parameters().get(Decimal.SCALE_FIELD);
    if (scale == null) throw new DataException("Invalid Decimal schema: scale parameter not found.");
    try {
      return Integer.parseInt(scale);
    } catch (NumberFormatException error) {
      throw new DataException("Invalid scale parameter found in Decimal schema: ", error);
    }
  }

  private static void writeBytes(Out out, Object value) {
    if (value instanceof byte[] bytes) {
      out.bytes(bytes);
      return;
    }
    ByteBuffer buffer = ((ByteBuffer) value).duplicate();
    byte[] copy = new byte[buffer.remaining()];
    buffer.get(copy);
    out.bytes(copy);
  }

  private static final class OfArray extends ValueCodec {
    private final ValueCodec element;

    OfArray(ValueCodec element) {
      this.element = element;
    }

    @Override
    void writePresent(Out out, Object value) {
      List<?> list = (List<?>) value;
      out.i32(list.size());
      for (Object one : list) element.write(out, one);
    }

    @Override
    Object readPresent(In in, Problems problems) throws ProtocolException {
      int count = in.count(1);
      List<Object> list = new ArrayList<>(count);
      for (int index = 0; index < count; index++) list.add(element.read(in, problems));
      return list;
    }
  }

  private static final class OfMap extends ValueCodec {
    private final ValueCodec key;
    private final ValueCodec element;

    OfMap(ValueCodec key, ValueCodec element) {
      this.key = key;
      this.element = element;
    }

    @Override
    void writePresent(Out out, Object value) {
      Map<?, ?> map = (Map<?, ?>) value;
      out.i32(map.size());
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        key.write(out, entry.getKey());
        element.write(out, entry.getValue());
      }
    }

    @Override
    Object readPresent(In in, Problems problems) throws ProtocolException {
      int count = in.count(2);
      Map<Object, Object> map = new LinkedHashMap<>(Math.max(4, count * 2));
      for (int index = 0; index < count; index++) {
        Object name = key.read(in, problems);
        map.put(name, element.read(in, problems));
      }
      return map;
    }
  }

  private static final class OfStruct extends ValueCodec {
    private final Schema schema;
    private final Field[] fields;
    private final ValueCodec[] codecs;

    OfStruct(Schema schema, List<ValueCodec> parts) {
      this.schema = schema;
      this.fields = schema.fields().toArray(Field[]::new);
      this.codecs = parts.toArray(ValueCodec[]::new);
    }

    @Override
    void writePresent(Out out, Object value) {
      Struct struct = (Struct) value;
      if (struct.schema() != schema && !struct.schema().equals(schema))
        throw new DataException("Struct schemas do not match.");
      writeFields(out, struct);
    }

    @Override
    void writeDefault(Out out, Object value) {
      Struct struct = (Struct) value;
      if (struct.schema().fields().size() != fields.length) throw new DataException("Struct schemas do not match.");
      out.u8(PRESENT);
      writeFields(out, struct);
    }

    private void writeFields(Out out, Struct struct) {
      for (int index = 0; index < fields.length; index++) {
        Field field = fields[index];
        // The default of a field is the converter's business.
        boolean hasDefault = field.schema().defaultValue() != null;
        codecs[index].write(out, hasDefault ? struct.getWithoutDefault(field.name()) : struct.get(field));
      }
    }

    @Override
    Object readPresent(In in, Problems problems) throws ProtocolException {
      Struct struct = new Struct(schema);
      for (int index = 0; index < fields.length; index++) {
        Object value = codecs[index].read(in, problems);
        Field field = fields[index];
        try {
          // Whether null may stand there is for the plug-in to find out, as in Java: a struct has it from the start.
          if (value != null) struct.put(field, value);
        } catch (DataException problem) {
          problems.add(problem);
        }
      }
      return struct;
    }
  }
}
