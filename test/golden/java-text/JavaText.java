import java.math.BigDecimal;
import java.math.BigInteger;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;

/**
 * Java's toString of doubles, floats, decimals and Connect data. One line each: the kind, the value, its text, separated by
 * tabs. Doubles and floats are given by their bits in hex. The Connect data comes as envelopes of JsonConverter on stdin.
 */
public class JavaText {
  private static final int RANDOM_VALUES = 100;
  private static final double[] DOUBLES = {
    0.0, -0.0, 1, -1, 0.1, 0.001, 9.999999999999999E-4, 9999999, 1.0E7, 9999999.999999998, 1.0E21, 1.0E23, 2.0E23, 2.0E-3, 4.9E-324, 1.0E-323,
    2.2250738585072014E-308, 1.7976931348623157E308, 9007199254740993.0, 2.2E-322, 123456789.125, 1.0E-5, 100, 1.0E22, 5.0E-320,
    Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY,
  };
  private static final float[] FLOATS = {
    0.0f, -0.0f, 1f, 0.1f, 3.4f, 0.001f, 9.999999E-4f, 9999999f, 1.0E7f, 16777216f, 1.6777216E10f, 1.4E-45f, 2.8E-45f, 1.17549435E-38f,
    3.4028235E38f, 0.33333334f, 1.0E10f, 100f, 2.0E-3f, 8.41E21f, 2.0000001E-38f, 33554432f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY,
  };
  private static final String[] DECIMALS = {
    "0", "0.00", "0E-7", "0E+3", "1E+3", "-1E+3", "12.340", "-12.340", "0.000001", "0.0000001", "-0.00000012", "1.5E-10", "123E+2", "1E-6", "1E-7",
    "99999999999999999999.99", "-0.5", "10", "100E-2",
  };

  public static void main(String[] args) throws Exception {
    Random random = new Random(4511638);
    for (double value : DOUBLES) print(value);
    for (int i = 0; i < RANDOM_VALUES; i++) {
      print(Double.longBitsToDouble(random.nextLong()));
      print(random.nextInt() / Math.pow(10, random.nextInt(12)));
    }
    for (float value : FLOATS) print(value);
    for (int i = 0; i < RANDOM_VALUES; i++) {
      print(Float.intBitsToFloat(random.nextInt()));
      print((float) (random.nextInt() / Math.pow(10, random.nextInt(12))));
    }
    for (String text : DECIMALS) print(new BigDecimal(text));
    for (int i = 0; i < RANDOM_VALUES; i++) {
      BigInteger unscaled = new BigInteger(random.nextInt(100), random);
      print(new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), random.nextInt(40) - 10));
    }
    JsonConverter converter = new JsonConverter();
    converter.configure(Map.of(), false);
    BufferedReader envelopes = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String envelope = envelopes.readLine(); envelope != null; envelope = envelopes.readLine()) {
      Object value = converter.toConnectData("t", envelope.getBytes(StandardCharsets.UTF_8)).value();
      String text = String.valueOf(value);
      if (comparable(value) && text.indexOf('\n') < 0 && text.indexOf('\t') < 0) line("data", envelope, text);
    }
  }

  /** Without bytes, whose text is their address, and maps of several entries, whose order is that of their hashes. */
  private static boolean comparable(Object value) {
    if (value instanceof Map) return ((Map<?, ?>) value).size() < 2 && comparable(((Map<?, ?>) value).values());
    if (value instanceof Collection) return ((Collection<?>) value).stream().allMatch(JavaText::comparable);
    if (value instanceof Struct) {
      Struct struct = (Struct) value;
      for (Field field : struct.schema().fields()) if (!comparable(struct.get(field))) return false;
      return true;
    }
    return !(value instanceof byte[]) && !(value instanceof java.nio.ByteBuffer);
  }

  private static void print(double value) {
    line("double", Long.toHexString(Double.doubleToLongBits(value)), Double.toString(value));
  }

  private static void print(float value) {
    line("float", Integer.toHexString(Float.floatToIntBits(value)), Float.toString(value));
  }

  private static void print(BigDecimal value) {
    line("decimal", value.unscaledValue() + "/" + value.scale(), value.toString());
  }

  private static void line(String kind, String value, String text) {
    System.out.println(kind + "\t" + value + "\t" + text);
  }
}
