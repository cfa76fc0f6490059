package io.millrace.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.ConnectSchema;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.errors.DataException;

/** Writes data with its schemas, of one direction of one session: all that it writes has to arrive, in this order. */
public final class DataWriter {
  static final int NO_SCHEMA = 0;
  static final int FORGET = -1;
  static final int MOST_SCHEMAS = 4096;
  static final int DEEPEST_SCHEMA = 100;

  /** Schema objects, also equal ones. */
  private static final int MOST_OBJECTS = 4 * MOST_SCHEMAS;

  private static final class Known {
    final int number;
    /** Null: it is being defined. */
    ValueCodec codec;

    Known(int number) {
      this.number = number;
    }
  }

  private final Map<Schema, Known> objects = new IdentityHashMap<>();
  private final Map<Schema, Known> equal = new HashMap<>();
  /** In the order of their numbers. */
  private final List<Schema> numbered = new ArrayList<>();
  private int generation;
  private boolean forgets;

  /** Throws DataException for a value that does not fit its schema; nothing is written then. */
  public void write(Out out, Schema schema, Object value) {
    int start = out.size();
    long mark = mark();
    try {
      if (forgets || numbered.size() >= MOST_SCHEMAS) forget(out);
      if (objects.size() >= MOST_OBJECTS) objects.clear();
      if (schema == null) {
        out.i32(NO_SCHEMA);
        Values.write(out, value);
      } else {
        define(out, schema, 1).write(out, value);
      }
    } catch (ClassCastException | IllegalArgumentException | NullPointerException error) {
      undo(out, start, mark);
      throw unfit(schema, value, error);
    } catch (StackOverflowError error) {
      undo(out, start, mark);
      throw new DataException("The schema contains itself, or the value nests too deep", error);
    } catch (RuntimeException error) {
      undo(out, start, mark);
      throw error;
    }
  }

  /** For {@code rollBack}. */
  public long mark() {
    return (long) generation << 32 | numbered.size();
  }

  /** What was written since the mark will not be sent. */
  public void rollBack(long mark) {
    int count = (int) mark;
    if ((int) (mark >>> 32) != generation) {
      // It forgot its schemas meanwhile, and the other side has not heard of it.
      forgets = true;
      return;
    }
    if (count >= numbered.size()) return;
    numbered.subList(count, numbered.size()).clear();
    objects.values().removeIf((known) -> known.number > count);
    equal.values().removeIf((known) -> known.number > count);
  }

  private void undo(Out out, int start, long mark) {
    out.truncate(start);
    rollBack(mark);
  }

  private void forget(Out out) {
    out.i32(FORGET);
    objects.clear();
    equal.clear();
    numbered.clear();
    generation++;
    forgets = false;
  }

  /** Writes the schema's number, and what it is if that is new. */
  private ValueCodec define(Out out, Schema given, int depth) {
    Schema schema = given instanceof SchemaBuilder builder ? builder.build() : given;
    Known known = objects.get(schema);
    if (known == null) {
      known = equal.get(schema);
      if (known != null) objects.put(schema, known);
    }
    if (known != null) {
      if (known.codec == null) throw new DataException("The schema contains itself");
      out.i32(known.number);
      return known.codec;
    }
    if (depth > DEEPEST_SCHEMA) throw new DataException("The schema nests more than " + DEEPEST_SCHEMA + " deep");
    numbered.add(schema);
    known = new Known(numbered.size());
    objects.put(schema, known);
    equal.put(schema, known);
    out.i32(known.number);
    out.u8(schema.type().ordinal()).u8(schema.isOptional() ? 1 : 0);
    Values.write(out, schema.name());
    Values.write(out, schema.version());
    Values.write(out, schema.doc());
    Values.write(out, schema.parameters());
    ValueCodec codec = ValueCodec.of(schema, parts(out, schema, depth + 1));
    if (schema.defaultValue() == null) {
      out.u8(0);
    } else {
      out.u8(1);
      codec.writeDefault(out, schema.defaultValue());
    }
    known.codec = codec;
    return codec;
  }

  /** Headers that look like JSON have maps whose values have no schema. */
  private ValueCodec part(Out out, Schema schema, int depth) {
    if (schema != null) return define(out, schema, depth);
    out.i32(NO_SCHEMA);
    return ValueCodec.FREE;
  }

  private List<ValueCodec> parts(Out out, Schema schema, int depth) {
    switch (schema.type()) {
      case ARRAY:
        return List.of(part(out, schema.valueSchema(), depth));
      case MAP:
        ValueCodec key = part(out, schema.keySchema(), depth);
        return List.of(key, part(out, schema.valueSchema(), depth));
      case STRUCT:
        List<ValueCodec> fields = new ArrayList<>(schema.fields().size());
        out.i32(schema.fields().size());
        for (Field field : schema.fields()) {
          out.string(field.name());
          fields.add(define(out, field.schema(), depth));
        }
        return fields;
      default:
        return List.of();
    }
  }

  /** With the message that Java's own check has. */
  private static DataException unfit(Schema schema, Object value, RuntimeException error) {
    try {
      if (schema != null) ConnectSchema.validateValue(schema, value);
    } catch (DataException problem) {
      return problem;
    } catch (RuntimeException other) {
      // The schema itself is wrong.
    }
    return new DataException(error.getMessage(), error);
  }
}
