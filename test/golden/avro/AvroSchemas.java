import io.confluent.connect.avro.AvroData;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;

/**
 * The Avro schemas of Confluent's AvroData 7.7.0 for Connect schemas that JsonConverter cannot express; for the class
 * path see AvroAnswers.java.
 */
public class AvroSchemas {
  private static final String UNION = "io.confluent.connect.avro.Union";

  public static void main(String[] args) {
    SchemaBuilder struct = parts(SchemaBuilder.struct().name("S"));
    print("struct default", field(struct.defaultValue(new Struct(struct).put("a", 1)).build()));
    SchemaBuilder optional = parts(SchemaBuilder.struct().name("S").optional());
    Schema built = optional.defaultValue(new Struct(optional).put("a", 1).put("b", "x")).build();
    print("optional struct default", field(built));
    print("optional struct default at the top", built);
    print("NaN", field(SchemaBuilder.float64().defaultValue(Double.NaN).build()));
    print("-Infinity", field(SchemaBuilder.float32().defaultValue(Float.NEGATIVE_INFINITY).build()));
    print("-0 float", field(SchemaBuilder.float32().defaultValue(-0.0f).build()));
    print("-0 double", field(SchemaBuilder.float64().defaultValue(-0.0).build()));
    print("small float", field(SchemaBuilder.float32().defaultValue(1.0e-10f).build()));
    print("long", field(SchemaBuilder.int64().defaultValue(1L << 60).build()));
    print("null within an array", field(list(Schema.OPTIONAL_INT32_SCHEMA, Arrays.asList(1, null))));
    print("only null within an array", field(list(Schema.OPTIONAL_INT32_SCHEMA, Arrays.asList((Object) null))));
    print("floats", field(list(Schema.FLOAT32_SCHEMA, List.of(1.1f))));
    print("date", field(Date.builder().defaultValue(new java.util.Date(86400000L)).build()));
    print("map of integers", field(map(Schema.INT32_SCHEMA, Map.of(1, 1)).build()));
    print("empty map of integers", field(map(Schema.INT32_SCHEMA, Map.of()).build()));
    SchemaBuilder union = members(SchemaBuilder.struct().name(UNION));
    print("union default", field(union.defaultValue(new Struct(union).put("int", 3)).build()));
    SchemaBuilder nullable = members(SchemaBuilder.struct().name(UNION).optional());
    print("optional union default", field(nullable.defaultValue(new Struct(nullable).put("string", "q")).build()));
    print("named map", field(SchemaBuilder.map(Schema.INT32_SCHEMA, Schema.INT32_SCHEMA).name("x.M").version(3).build()));
    print("two maps", two(entry(Schema.INT32_SCHEMA), entry(Schema.INT64_SCHEMA)));
    print("two equal maps", two(entry(Schema.INT32_SCHEMA), entry(Schema.INT32_SCHEMA)));
    print("two structs", two(named("S", "q"), named("S", "r")));
    print("names of types", two(named("a.int", "q"), named("a.int", "q")));
    print("no namespace", SchemaBuilder.struct().name("a.R").field("a", named("S", "q")).build());
    print("empty name", SchemaBuilder.struct().name("").build());
    print("dots", SchemaBuilder.struct().name("..a..b..").build());
    print("decimal of int", SchemaBuilder.int32().name("org.apache.kafka.connect.data.Decimal").parameter("scale", "2").build());
    print("date of string", SchemaBuilder.string().name("org.apache.kafka.connect.data.Date").build());
    print("lower case", SchemaBuilder.bytes().name("org.apache.kafka.connect.data.decimal").parameter("scale", "2").build());
    print("escapes", SchemaBuilder.string().doc("\u007f\u2028/\ud83d\ude00\b\t\u001f\\\"").build());
  }

  private static SchemaBuilder parts(SchemaBuilder builder) {
    return builder
        .field("a", Schema.INT32_SCHEMA)
        .field("b", Schema.OPTIONAL_STRING_SCHEMA)
        .field("c", SchemaBuilder.float32().optional().defaultValue(1.1f).build());
  }

  private static SchemaBuilder members(SchemaBuilder builder) {
    return builder.field("int", Schema.OPTIONAL_INT32_SCHEMA).field("string", Schema.OPTIONAL_STRING_SCHEMA);
  }

  private static Schema list(Schema items, Object value) {
    return SchemaBuilder.array(items).defaultValue(value).build();
  }

  private static SchemaBuilder map(Schema values, Object value) {
    return SchemaBuilder.map(Schema.INT32_SCHEMA, values).defaultValue(value);
  }

  private static Schema entry(Schema values) {
    return SchemaBuilder.map(Schema.INT32_SCHEMA, values).build();
  }

  private static Schema named(String name, String parameter) {
    return SchemaBuilder.struct().name(name).parameter("p", parameter).field("x", Schema.INT32_SCHEMA).build();
  }

  private static Schema two(Schema one, Schema other) {
    return SchemaBuilder.struct().name("R").field("a", one).field("b", other).build();
  }

  private static Schema field(Schema schema) {
    return SchemaBuilder.struct().name("R").field("o", schema).build();
  }

  private static void print(String name, Schema schema) {
    String text;
    try {
      text = new AvroData(10).fromConnectSchema(schema).toString();
    } catch (RuntimeException error) {
      text = "error";
    }
    System.out.println(name + ": " + text);
  }
}
