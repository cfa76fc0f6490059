import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HexFormat;
import java.util.Map;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.json.JsonConverter;

/**
 * What JsonConverter reads from bytes. A line of stdin is `schemas.enable` and the bytes in hex; the answer is the value
 * written again, in hex, `null` for null, or `error`.
 */
public class JsonBytes {
  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split(" ", 2);
      System.out.println(answer(parts[0], HexFormat.of().parseHex(parts[1])));
    }
  }

  private static String answer(String schemas, byte[] bytes) {
    try (JsonConverter converter = new JsonConverter()) {
      converter.configure(Map.of("schemas.enable", schemas), false);
      SchemaAndValue read = converter.toConnectData("t", bytes);
      byte[] written = converter.fromConnectData("t", read.schema(), read.value());
      return written == null ? "null" : HexFormat.of().formatHex(written);
    } catch (RuntimeException error) {
      return "error";
    }
  }
}
