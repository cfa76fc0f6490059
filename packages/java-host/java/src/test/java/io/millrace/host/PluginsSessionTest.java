package io.millrace.host;

import static io.millrace.host.HostClient.map;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.storage.StringConverter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluginsSessionTest {
  private static final String SOURCE = TestSource.class.getName();

  private HostClient client;

  @BeforeEach
  void open() throws Exception {
    client = HostClient.open(map("kind", "plugins"));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  @Test
  void connectorsAreDescribedAsJavaDoes() throws Exception {
    Map<?, ?> description = (Map<?, ?>) client.call("describe", "source", SOURCE);
    assertEquals("1.2.3", description.get("version"));
    assertEquals("io.millrace.host.TestSource$TestSourceTask", description.get("taskClass"));
    assertEquals(List.of("alterOffsets", "exactlyOnceSupport", "canDefineTransactionBoundaries"), description.get("overrides"));
    List<?> keys = (List<?>) description.get("keys");
    assertEquals(List.of("topic", "secret", "count", "names"), keys.stream().map(key -> ((Map<?, ?>) key).get("name")).toList());
    Map<?, ?> topic = (Map<?, ?>) keys.get(0);
    assertEquals(true, topic.get("required"));
    assertNull(topic.get("default_value"));
    assertEquals("HIGH", topic.get("importance"));
    assertEquals(-1L, topic.get("order_in_group"));
    Map<?, ?> secret = (Map<?, ?>) keys.get(1);
    assertEquals("[hidden]", secret.get("default_value"));
    assertNull(secret.get("default"));
    assertEquals(5L, ((Map<?, ?>) keys.get(2)).get("default"));
    assertEquals("a,b", ((Map<?, ?>) keys.get(3)).get("default_value"));
  }

  /** Says more than anybody reads. */
  public static class Talkative extends TestSource {
    @Override
    public ConfigDef config() {
      ConfigDef definition = new ConfigDef();
      for (int key = 0; key < 1_000; key++)
        definition.define("key" + key, ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "x".repeat(10_000));
      return definition;
    }

    @Override
    public Config validate(Map<String, String> config) {
      ConfigValue value = new ConfigValue("key0");
      for (int index = 0; index < 1_000; index++) value.addErrorMessage("x".repeat(10_000));
      return new Config(List.of(value));
    }
  }

  @Test
  void anAnswerAboutAClassIsBounded() throws Exception {
    String name = Talkative.class.getName();
    for (Object[] call : List.of(new Object[] {"describe", "source", name}, new Object[] {"validate", "source", name, map()})) {
      HostClient.HostError error = assertThrows(HostClient.HostError.class,
          () -> client.call((String) call[0], Arrays.copyOfRange(call, 1, call.length)));
      assertEquals("JAVA_TOO_LARGE", error.error.get("code"));
      String message = (String) error.error.get("message");
      assertTrue(message.matches("The answer of " + call[0] + "\\(\\) needs at least \\d+ bytes .* 8388608 at once\\."), message);
    }
    assertEquals("1.2.3", ((Map<?, ?>) client.call("describe", "source", SOURCE)).get("version"));
  }

  @Test
  void theConnectorValidates() throws Exception {
    List<?> values = (List<?>) client.call("validate", "source", SOURCE, map("secret", "x", "count", "12", "names", "c"));
    assertEquals(Arrays.asList(
        map("name", "topic", "value", null, "recommended", List.of(), "errors",
            List.of("Missing required configuration \"topic\" which has no default value."), "visible", true),
        map("name", "secret", "value", null, "recommended", List.of(), "errors", List.of(), "visible", true, "hidden", true),
        map("name", "count", "value", "12", "recommended", List.of(), "errors",
            List.of("Invalid value 12 for configuration count: Value must be no more than 9"), "visible", true),
        map("name", "names", "value", "c", "recommended", List.of(), "errors", List.of(), "visible", true)), values);
  }

  @Test
  void otherPluginsAreValidatedByTheirDefinition() throws Exception {
    List<?> values = (List<?>) client.call("validate", "transformation",
        "org.apache.kafka.connect.transforms.HoistField$Value", map());
    assertEquals("field", ((Map<?, ?>) values.get(0)).get("name"));
    Map<?, ?> json = (Map<?, ?>) client.call("describe", "converter", "org.apache.kafka.connect.json.JsonConverter");
    assertEquals(true, ((List<?>) json.get("keys")).size() > 2);
    for (Object value : (List<?>) client.call("validate", "converter", "org.apache.kafka.connect.json.JsonConverter", map()))
      assertEquals(List.of(), ((Map<?, ?>) value).get("errors"));
  }

  @Test
  void classesThatAreMissingOrOfAnotherTypeAreRefused() throws Exception {
    HostClient.HostError error =
        assertThrows(HostClient.HostError.class, () -> client.call("describe", "sink", SOURCE));
    assertEquals("config", error.error.get("kind"));
    assertThrows(HostClient.HostError.class, () -> client.call("describe", "source", "no.Such"));
    assertThrows(HostClient.HostError.class, () -> client.call("describe", "nothing", SOURCE));
    assertThrows(HostClient.HostError.class, () -> client.call("unknown"));
  }

  public static class Unready extends StringConverter {
    static final String LIBRARY = missing();

    private static String missing() {
      throw new NoClassDefFoundError("org/acme/Library");
    }
  }

  public static class Uninitialized extends StringConverter {
    static final String LIBRARY = missing();

    private static String missing() {
      throw new IllegalStateException("no library");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "org.apache.kafka.connect.UnlinkedConverter, java.lang.NoSuchFieldError: ALLOW_RS_CONTROL_CHAR",
    "io.millrace.host.PluginsSessionTest$Uninitialized, java.lang.IllegalStateException: no library",
    "io.millrace.host.PluginsSessionTest$Unready, java.lang.NoClassDefFoundError: org/acme/Library (*)",
  })
  void aClassThatCannotBeCreatedSaysWhy(String name, String why) {
    HostClient.HostError error =
        assertThrows(HostClient.HostError.class, () -> client.call("describe", "converter", name));
    String hint = "this class is in no jar of the plugin's folder: copy the jar that has it into it";
    assertEquals("Could not create an instance of " + name + ": " + why.replace("*", hint), error.error.get("message"));
  }

  @Test
  void offsetsAreAlteredAndAbilitiesAsked() throws Exception {
    TestSource.CALLS.clear();
    assertEquals("SUPPORTED", client.call("exactlyOnceSupport", SOURCE, map()));
    assertEquals("SUPPORTED", client.call("canDefineTransactionBoundaries", SOURCE, map()));
    assertEquals(true, client.call("alterOffsets", SOURCE, map(), List.of(List.of(map("file", "a"), map("line", 3L)))));
    assertEquals(true, client.call("alterOffsets", SOURCE, map(), List.of(Arrays.asList(map("file", "a"), null))));
    assertEquals(true, client.call("alterOffsets", SOURCE, map(), List.of(Arrays.asList(null, null))));
    assertEquals(List.of("alter {{file=a}={line=3}}", "alter {{file=a}=null}", "alter {null=null}"), new ArrayList<>(TestSource.CALLS));
  }
}
