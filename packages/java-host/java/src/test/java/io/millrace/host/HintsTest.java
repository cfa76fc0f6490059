package io.millrace.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HintsTest {
  private static final class Loader extends ClassLoader {
    Class<?> define(byte[] bytes) {
      return defineClass(TestSink.class.getName(), bytes, 0, bytes.length);
    }
  }

  @Test
  void aClassOfANewerJavaNamesTheJavaThatItNeeds() throws Exception {
    byte[] bytes;
    try (InputStream file = TestSink.class.getResourceAsStream("TestSink.class")) {
      bytes = file.readAllBytes();
    }
    // The major version.
    bytes[7] = 99;
    LinkageError error = assertThrows(UnsupportedClassVersionError.class, () -> new Loader().define(bytes));
    String expected =
        "it needs Java 55 or newer, and this JVM has " + System.getProperty("java.version") + ": set java.home to a newer Java";
    assertEquals(expected, Hints.of(error));
    String message = (String) Errors.toMap(error).get("message");
    assertTrue(message.startsWith("io/millrace/host/TestSink has been compiled") && message.endsWith(" (" + expected + ")"));
  }

  @ParameterizedTest
  @CsvSource({
    "org/acme/Lib$Part, the jar that has it",
    "Lorg/acme/Lib;, the jar that has it",
    "Top, the jar that has it",
    "org/apache/kafka/connect/json/JsonConverter, the jar that has it",
    "org/apache/kafka/connect/runtime/WorkerConfig, connect-runtime-4.3.1.jar",
    "org/apache/kafka/connect/util/ConnectUtils, connect-runtime-4.3.1.jar",
  })
  void aClassThatIsMissingNamesWhatToCopy(String name, String jar) {
    assertEquals(
        "this class is in no jar of the plugin's folder: copy " + jar + " into it",
        Hints.of(new NoClassDefFoundError(name)));
  }

  @Test
  void otherFailuresHaveNone() {
    assertNull(Hints.of(new NoClassDefFoundError("Could not initialize class org.acme.Lib")));
    assertNull(Hints.of(new NoClassDefFoundError()));
    assertNull(Hints.of(new NoSuchMethodError("org.acme.Lib.part()")));
    assertNull(Hints.of(new IllegalStateException("org/acme/Lib")));
    assertEquals("org/acme/Lib", Errors.toMap(new IllegalStateException("org/acme/Lib")).get("message"));
  }
}
