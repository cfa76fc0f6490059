package io.millrace.host;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.ConnectSchema;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;

/** Reads data of one direction of one session. Equal numbers give the same schema object. */
public final class DataReader {
  private static final Schema.Type[] TYPES = Schema.Type.values();

  private record Known(Schema schema, ValueCodec codec) {}

  private static final Known FREE = new Known(null, ValueCodec.FREE);

  /** By number, from 1. Null: its definition is being read. */
  private final List<Known> known = new ArrayList<>();

  /** Throws DataException for a value that does not fit its schema; what follows the value can be read then. */
  public SchemaAndValue read(In in) throws ProtocolException {
    int number = in.i32();
    if (number == DataWriter.FORGET) {
      known.clear();
      number = in.i32();
    }
    if (number == DataWriter.NO_SCHEMA) return new SchemaAndValue(null, Values.read(in));
    Known of = numbered(in, number, 1);
    ValueCodec.Problems problems = new ValueCodec.Problems();
    Object value = of.codec.read(in, problems);
    problems.raise();
    return new SchemaAndValue(of.schema, value);
  }

  /** The schema of an array's values or of a map may be missing. */
  private Known part(In in, int depth) throws ProtocolException {
    int number = in.i32();
    return number == DataWriter.NO_SCHEMA ? FREE : numbered(in, number, depth);
  }

  private Known numbered(In in, int number, int depth) throws ProtocolException {
    if (number == known.size() + 1) return define(in, depth);
    Known of = number < 1 || number > known.size() ? null : known.get(number - 1);
    if (of == null) throw new ProtocolException("No schema has the number " + number);
    return of;
  }

  private Known define(In in, int depth) throws ProtocolException {
    if (depth > DataWriter.DEEPEST_SCHEMA) throw new ProtocolException("A schema nests too deep");
    int at = known.size();
    known.add(null);
    int type = in.u8();
    if (type >= TYPES.length) throw new ProtocolException("A schema has an unknown type");
    boolean optional = in.u8() != 0;
    String name = text(in);
    Integer version = version(in);
    String doc = text(in);
    Map<String, String> parameters = parameters(in);
    Parts parts = parts(in, TYPES[type], depth + 1);
    Schema schema = parts.schema(TYPES[type], optional, null, name, version, doc, parameters);
    try {
      ValueCodec codec = ValueCodec.of(schema, parts.codecs);
      if (in.u8() != 0) {
        ValueCodec.Problems problems = new ValueCodec.Problems();
        Object value = codec.read(in, problems);
        problems.raise();
        schema = parts.schema(TYPES[type], optional, value, name, version, doc, parameters);
        codec = ValueCodec.of(schema, parts.codecs);
      }
      Known of = new Known(schema, codec);
      known.set(at, of);
      return of;
    } catch (DataException error) {
      throw new ProtocolException("A schema is invalid: " + error.getMessage());
    }
  }

  private record Parts(List<ValueCodec> codecs, List<Field> fields, Schema key, Schema value) {
    Schema schema(
        Schema.Type type,
        boolean optional,
        Object defaultValue,
        String name,
        Integer version,
        String doc,
        Map<String, String> parameters) {
      return new ConnectSchema(
          type, optional, defaultValue, name, version, doc, parameters, fields, key, value);
    }
  }

  private Parts parts(In in, Schema.Type type, int depth) throws ProtocolException {
    switch (type) {
      case ARRAY:
        Known element = part(in, depth);
        return new Parts(List.of(element.codec), null, null, element.schema);
      case MAP:
        Known key = part(in, depth);
        Known value = part(in, depth);
        return new Parts(List.of(key.codec, value.codec), null, key.schema, value.schema);
      case STRUCT:
        int count = in.count(8);
        List<ValueCodec> codecs = new ArrayList<>(count);
        List<Field> fields = new ArrayList<>(count);
        Set<String> names = new HashSet<>();
        for (int index = 0; index < count; index++) {
          String field = in.string();
          if (!names.add(field)) throw new ProtocolException("A schema has two fields of one name");
          Known of = numbered(in, in.i32(), depth);
          codecs.add(of.codec);
          fields.add(new Field(field, index, of.schema));
        }
        return new Parts(codecs, fields, null, null);
      default:
        return new Parts(List.of(), null, null, null);
    }
  }

  private static String text(In in) throws ProtocolException {
    Object value = Values.read(in);
    if (value == null || value instanceof String) return (String) value;
    throw new ProtocolException("A name or doc of a schema is no text");
  }

  private static Integer version(In in) throws ProtocolException {
    Object value = Values.read(in);
    if (value == null) return null;
    if (value instanceof Long number) return number.intValue();
    throw new ProtocolException("A version of a schema is no integer");
  }

  private static Map<String, String> parameters(In in) throws ProtocolException {
    Object value = Values.read(in);
    if (value == null) return null;
    if (!(value instanceof Map<?, ?> map)) throw new ProtocolException("Parameters of a schema are no map");
    Map<String, String> parameters = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (!(entry.getKey() instanceof String name) || !(entry.getValue() instanceof String text))
        throw new ProtocolException("A parameter of a schema is no text");
      parameters.put(name, text);
    }
    return Collections.unmodifiableMap(parameters);
  }
}
