import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * The bytes of messages, by the code that Kafka generates from its own message definitions. A line of the input has API
 * key, API name, version, `Request` or `Response`, and the message as JSON, separated by tabs. A line of the output has
 * the bytes in hex, or a tab and the reason why Java does not write them.
 */
public class KafkaMessages {
  public static void main(String[] args) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split("\t");
      short version = Short.parseShort(parts[2]);
      ApiMessageType type = ApiMessageType.fromApiKey(Short.parseShort(parts[0]));
      boolean supported = version >= type.lowestSupportedVersion() && version <= type.highestSupportedVersion(true);
      System.out.println(supported ? hex(parts[1] + parts[3], mapper.readTree(parts[4]), version) : "\tnot supported");
    }
  }

  private static String hex(String name, JsonNode json, short version) throws Exception {
    Class<?> converter = Class.forName("org.apache.kafka.common.message." + name + "DataJsonConverter");
    ApiMessage message;
    try {
      message = (ApiMessage) converter.getMethod("read", JsonNode.class, short.class).invoke(null, json, version);
      ByteBuffer bytes = MessageUtil.toByteBufferAccessor(message, version).buffer();
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return HexFormat.of().formatHex(copy);
    } catch (InvocationTargetException | NullPointerException failure) {
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      return "\t" + cause;
    }
  }
}
