package io.millrace.host;

import static io.millrace.host.HostClient.map;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectorSessionTest {
  @BeforeEach
  void clear() {
    TestSource.CALLS.clear();
  }

  private static Map<String, Object> session(Map<String, Object> config) {
    return map("kind", "connector", "connector", "c", "class", TestSource.class.getName(), "config", config);
  }

  @Test
  void oneInstanceStartsStopsAndStartsAgain() throws Exception {
    try (HostClient client = HostClient.open(session(map("a", "b")))) {
      client.handlers.put("offsets", arguments -> Arrays.asList(map("line", 4L)));
      client.call("start");
      assertEquals(List.of(map("task", "0"), map("task", "1")), client.call("taskConfigs", 2L));
      assertEquals("requestTaskReconfiguration", client.nextEvent().method());
      client.call("stop");
      client.call("start");
    }
    assertEquals(List.of("start", "offset {line=4}", "stop", "start", "offset {line=4}", "stop"),
        new ArrayList<>(TestSource.CALLS));
  }

  /** Its tasks have too much to do. */
  public static class Large extends TestSource {
    @Override
    public List<Map<String, String>> taskConfigs(int max) {
      return List.of(Map.of("tables", "t".repeat(64 * 1024 * 1024)));
    }
  }

  @Test
  void configsOfTasksAreBounded() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "connector", "connector", "c", "class", Large.class.getName(),
        "config", map()))) {
      HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("taskConfigs", 1L));
      assertEquals("JAVA_TOO_LARGE", error.error.get("code"));
    }
  }

  @Test
  void raisedErrorsArrive() throws Exception {
    try (HostClient client = HostClient.open(session(map("fail", "broken")))) {
      client.handlers.put("offsets", arguments -> Arrays.asList((Object) null));
      client.call("start");
      HostClient.Event event = client.nextEvent();
      assertEquals("raiseError", event.method());
      assertEquals("broken", ((Map<?, ?>) event.arguments().get(0)).get("message"));
      assertEquals("java.lang.IllegalStateException", ((Map<?, ?>) event.arguments().get(0)).get("class"));
    }
  }

  @Test
  void aClassThatIsMissingOrNoConnectorIsAnError() {
    Map<String, Object> session = session(map());
    session.put("class", "no.Such");
    HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> HostClient.open(session));
    assertEquals("config", error.error.get("kind"));
    session.put("class", "java.lang.Object");
    assertThrows(HostClient.HostError.class, () -> HostClient.open(session));
  }
}
