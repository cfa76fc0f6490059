import io.millrace.host.DataReader;
import io.millrace.host.DataWriter;
import io.millrace.host.In;
import io.millrace.host.Out;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;

/**
 * `echo`: reads data and writes it again. `random SEED COUNT`: writes data of its own, reads what comes back, and prints
 * each difference on standard error. Each piece of data is preceded by its length.
 */
public final class DataEcho {
  private final DataInputStream input = new DataInputStream(System.in);
  private final DataOutputStream output = new DataOutputStream(System.out);
  private final DataReader reader = new DataReader();
  private final DataWriter writer = new DataWriter();
  private final Out out = new Out(1024);

  public static void main(String[] arguments) throws Exception {
    DataEcho echo = new DataEcho();
    if (arguments[0].equals("echo")) echo.echo();
    else echo.random(Long.parseLong(arguments[1]), Integer.parseInt(arguments[2]));
  }

  private void echo() throws Exception {
    for (SchemaAndValue data = read(); data != null; data = read()) write(data);
  }

  private void random(long seed, int count) throws Exception {
    Generator generator = new Generator(new Random(seed));
    for (int index = 0; index < count; index++) {
      SchemaAndValue sent = generator.data();
      write(sent);
      SchemaAndValue back = read();
      if (!java.util.Objects.equals(sent.schema(), back.schema()))
        System.err.println(index + ": schema " + text(sent.schema()) + " became " + text(back.schema()));
      else if (!text(sent.value()).equals(text(back.value())))
        System.err.println(index + ": value " + text(sent.value()) + " became " + text(back.value()));
    }
  }

  private SchemaAndValue read() throws Exception {
    byte[] bytes;
    try {
      bytes = new byte[input.readInt()];
    } catch (EOFException end) {
      return null;
    }
    input.readFully(bytes);
    In in = new In(bytes);
    SchemaAndValue data = reader.read(in);
    in.end();
    return data;
  }

  private void write(SchemaAndValue data) throws Exception {
    out.truncate(0);
    writer.write(out, data.schema(), data.value());
    output.writeInt(out.size());
    output.write(out.array(), 0, out.size());
    output.flush();
  }

  /** With all that `equals` of lists and arrays does not see. */
  private static String text(Object value) {
    if (value instanceof byte[] bytes) return "0x" + HexFormat.of().formatHex(bytes);
    if (value instanceof List<?> list) return list.stream().map(DataEcho::text).toList().toString();
    if (value instanceof Map<?, ?> map) {
      List<String> entries = new ArrayList<>();
      map.forEach((key, one) -> entries.add(text(key) + "=" + text(one)));
      return entries.toString();
    }
    if (value instanceof Struct struct) {
      List<String> members = new ArrayList<>();
      for (Field field : struct.schema().fields())
        members.add(field.name() + "=" + text(struct.getWithoutDefault(field.name())));
      return members.toString();
    }
    if (value instanceof Schema schema)
      return schema.type() + " " + schema.name() + " " + schema.parameters() + " " + text(schema.defaultValue());
    return value == null ? "null" : value.getClass().getSimpleName() + ":" + (value instanceof Date date ? date.getTime() : value);
  }

  private record Generator(Random random, List<Schema> known) {
    Generator(Random random) {
      this(random, new ArrayList<>());
    }

    SchemaAndValue data() {
      if (random.nextInt(5) == 0) return new SchemaAndValue(null, free(3));
      Schema schema;
      if (!known.isEmpty() && random.nextBoolean()) {
        schema = known.get(random.nextInt(known.size()));
      } else {
        schema = schema(3);
        known.add(schema);
      }
      return new SchemaAndValue(schema, value(schema));
    }

    private Schema schema(int depth) {
      int kind = random.nextInt(depth == 0 ? 13 : 16);
      SchemaBuilder builder =
          switch (kind) {
            case 9 -> Decimal.builder(random.nextInt(5) - 1);
            case 10 -> org.apache.kafka.connect.data.Date.builder();
            case 11 -> Time.builder();
            case 12 -> Timestamp.builder();
            case 13 -> SchemaBuilder.array(schema(depth - 1));
            case 14 -> SchemaBuilder.map(schema(0), schema(depth - 1));
            case 15 -> SchemaBuilder.struct();
            default -> new SchemaBuilder(Schema.Type.values()[kind]);
          };
      if (kind == 15) {
        int count = random.nextInt(6);
        for (int index = 0; index < count; index++)
          builder.field(List.of("a", "__proto__", "constructor", "ü", " ", "b.c").get(index), schema(depth - 1));
      }
      if (kind < 9 || kind > 12) {
        if (random.nextInt(3) == 0) builder.name("Name" + random.nextInt(3));
        if (random.nextInt(3) == 0) builder.version(random.nextInt(3));
      }
      if (random.nextInt(4) == 0) builder.doc(string());
      if (random.nextInt(4) == 0) builder.parameter("p" + random.nextInt(3), string());
      if (random.nextInt(2) == 0) builder.optional();
      if (kind < 8 && random.nextInt(3) == 0) builder.defaultValue(present(builder));
      return builder.build();
    }

    private Object value(Schema schema) {
      return schema.isOptional() && random.nextInt(4) == 0 ? null : present(schema);
    }

    private Object present(Schema schema) {
      if (Decimal.LOGICAL_NAME.equals(schema.name()))
        return new BigDecimal(new BigInteger(random.nextInt(120), random).negate().add(BigInteger.valueOf(random.nextInt(9))),
            Integer.parseInt(schema.parameters().get(Decimal.SCALE_FIELD)));
      if (org.apache.kafka.connect.data.Date.LOGICAL_NAME.equals(schema.name()))
        return new Date(random.nextInt() * 86_400_000L);
      if (Time.LOGICAL_NAME.equals(schema.name())) return new Date(random.nextInt(86_400_000));
      if (Timestamp.LOGICAL_NAME.equals(schema.name()))
        return new Date(random.nextInt(4) == 0 ? random.nextLong() : random.nextInt() * 1000L);
      switch (schema.type()) {
        case INT8:
          return (byte) random.nextInt();
        case INT16:
          return (short) random.nextInt();
        case INT32:
          return random.nextInt();
        case INT64:
          return random.nextLong() >> random.nextInt(64);
        case FLOAT32:
          return random.nextInt(9) == 0 ? Float.NaN : random.nextFloat() * random.nextInt();
        case FLOAT64:
          return random.nextInt(9) == 0 ? -0.0 : random.nextDouble() * random.nextLong();
        case BOOLEAN:
          return random.nextBoolean();
        case STRING:
          return string();
        case BYTES:
          return bytes();
        case ARRAY:
          List<Object> list = new ArrayList<>();
          for (int left = random.nextInt(4); left > 0; left--) list.add(value(schema.valueSchema()));
          return list;
        case MAP:
          Map<Object, Object> map = new LinkedHashMap<>();
          // Bytes and NaN are not the same key twice in JavaScript.
          for (int left = random.nextInt(2); left > 0; left--) map.put(value(schema.keySchema()), value(schema.valueSchema()));
          return map;
        default:
          Struct struct = new Struct(schema);
          for (Field field : schema.fields()) struct.put(field, value(field.schema()));
          return struct;
      }
    }

    private Object free(int depth) {
      switch (random.nextInt(depth == 0 ? 7 : 9)) {
        case 0:
          return null;
        case 1:
          return random.nextBoolean();
        case 2:
          return random.nextLong() >> random.nextInt(64);
        case 3:
          return random.nextInt() + 0.5;
        case 4:
          return string();
        case 5:
          return bytes();
        case 6:
          return new BigDecimal(new BigInteger(90, random), random.nextInt(9));
        case 7:
          List<Object> list = new ArrayList<>();
          for (int left = random.nextInt(4); left > 0; left--) list.add(free(depth - 1));
          return list;
        default:
          Map<Object, Object> map = new LinkedHashMap<>();
          boolean named = random.nextInt(4) > 0;
          for (int left = random.nextInt(4); left > 0; left--)
            map.put(named ? string() : (Object) random.nextLong(), free(depth - 1));
          if (!named) map.put(1L, "one");
          return map;
      }
    }

    private byte[] bytes() {
      byte[] bytes = new byte[random.nextInt(5)];
      random.nextBytes(bytes);
      return bytes;
    }

    private String string() {
      return List.of("", "a", "__proto__", "grüße", "日本語", "😀", "x".repeat(40), "\0\n").get(random.nextInt(8));
    }
  }
}
