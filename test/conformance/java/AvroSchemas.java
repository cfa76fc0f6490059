import io.confluent.kafka.schemaregistry.avro.AvroSchema;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Answers a line each: "print", "normalize" and a schema, or "compare", a reader's and a writer's schema, with tabs
 * between. An answer is "=" and texts with tabs between, or "!" for a schema that is refused; other lines are logs.
 */
public class AvroSchemas {
  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line; (line = in.readLine()) != null; ) {
      String answer;
      try {
        answer = answer(line.split("\t", -1));
      } catch (Exception refused) {
        answer = "!";
      }
      out.println("=" + answer);
    }
    out.flush();
  }

  private static String answer(String[] question) {
    AvroSchema schema = parse(question[1]);
    switch (question[0]) {
      case "print":
        return schema.canonicalString();
      case "normalize":
        return schema.normalize().canonicalString();
      default:
        return String.join("\t", schema.isBackwardCompatible(parse(question[2])));
    }
  }

  /** As a registry reads one that is new to it: defaults must fit. */
  private static AvroSchema parse(String text) {
    AvroSchema schema = new AvroSchema(text, List.of(), Map.of(), null, true);
    schema.rawSchema();
    return schema;
  }
}
