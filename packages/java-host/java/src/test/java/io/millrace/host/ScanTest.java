package io.millrace.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.transforms.ReplaceField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanTest {
  @TempDir Path folder;

  private static String jarOf(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private static List<String> lines(List<Object> found) {
    return found.stream()
        .map((one) -> (java.util.Map<?, ?>) one)
        .map((one) -> one.get("type") + " " + one.get("class") + " " + one.get("version"))
        .toList();
  }

  @Test
  void concreteClassesOfEachTypeAreFoundWithTheirVersion() throws Exception {
    assertEquals(
        List.of(
            "converter org.apache.kafka.connect.json.JsonConverter 4.3.1",
            "header_converter org.apache.kafka.connect.json.JsonConverter 4.3.1"),
        lines(Scan.scan(List.of(jarOf(JsonConverter.class)))));
    List<String> found = lines(Scan.scan(List.of(jarOf(ReplaceField.class))));
    assertEquals(true, found.contains("transformation org.apache.kafka.connect.transforms.ReplaceField$Value 4.3.1"));
    assertEquals(List.of(), found.stream().filter((line) -> line.contains("ReplaceField ")).toList());
    assertEquals(
        new TreeSet<>(List.of("transformation", "predicate")),
        found.stream().map((line) -> line.split(" ")[0]).collect(Collectors.toCollection(TreeSet::new)));
  }

  public static class ForKeys extends ForEither {
    public ForKeys() {
      super(true);
    }
  }

  public static class ForEither extends org.apache.kafka.connect.transforms.HoistField.Value<org.apache.kafka.connect.sink.SinkRecord> {
    public ForEither(boolean keys) {}
  }

  public static class Hidden extends ForEither {
    protected Hidden() {
      super(false);
    }
  }

  @Test
  void aClassThatNobodyCanCreateIsNoPlugin() throws Exception {
    assertEquals(
        List.of("transformation io.millrace.host.ScanTest$ForKeys 4.3.1"),
        lines(Scan.scan(List.of(jarOf(ScanTest.class)))).stream().filter((line) -> line.contains("ScanTest$")).toList());
  }

  @Test
  void aJarThatIsNoneHasNothing() throws Exception {
    Path broken = Files.writeString(folder.resolve("broken.jar"), "not a jar");
    assertEquals(List.of(), Scan.scan(List.of(broken.toString(), folder.resolve("missing.jar").toString())));
  }
}
