package io.millrace.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Attributes that are not a number but have some in them. */
class BeansTest {
  public interface ScanMXBean {
    Map<String, Long> getRows();

    Map<String, String> getPosition();

    MemoryUsage getHeap();

    Map<String, MemoryUsage> getPools();
  }

  public static final class Scan implements ScanMXBean {
    @Override
    public Map<String, Long> getRows() {
      return new TreeMap<>(Map.of("shop.a", 3L, "shop.b", 4L));
    }

    @Override
    public Map<String, String> getPosition() {
      return Map.of("password", "secret");
    }

    @Override
    public MemoryUsage getHeap() {
      return new MemoryUsage(1, 2, 3, 4);
    }

    @Override
    public Map<String, MemoryUsage> getPools() {
      return Map.of("old", getHeap());
    }
  }

  public interface PlainMBean {
    Map<Object, Object> getMap();

    int getNumber();
  }

  public record Plain(Map<Object, Object> getMap) implements PlainMBean {
    @Override
    public Map<Object, Object> getMap() {
      return getMap;
    }

    @Override
    public int getNumber() {
      return 7;
    }
  }

  private static Map<?, ?> attributes(Object bean) throws Exception {
    ObjectName name = new ObjectName("debezium.beans:type=test");
    ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
    try {
      return (Map<?, ?>) ((Map<?, ?>) Beans.read(List.of("debezium.beans")).get(0)).get("attributes");
    } finally {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }
  }

  private static List<Object> row(String key, Object value) {
    return List.of(Map.of("key", key), Map.of("value", value));
  }

  @Test
  void mapsAreRowsAndCompositeDataTheirNumericMembers() throws Exception {
    Map<String, Long> usage = Map.of("committed", 3L, "init", 1L, "max", 4L, "used", 2L);
    assertEquals(Map.of("Rows", List.of(row("shop.a", 3L), row("shop.b", 4L)), "Heap", usage,
        "Pools", List.of(row("old", usage))), attributes(new Scan()));
  }

  @Test
  void aMapOfAPlainMBeanIsRowsToo() throws Exception {
    Map<Object, Object> map = new LinkedHashMap<>();
    map.put("flag", true);
    map.put(2, 1.5f);
    map.put(null, 1);
    map.put(new Object(), 1);
    map.put("text", "secret");
    map.put("x".repeat(1001), 1);
    map.put("inner", Map.of("deep", 3));
    assertEquals(Map.of("Map", List.of(row("flag", true), row("2", 1.5), row("inner", List.of(row("deep", 3L)))),
        "Number", 7L), attributes(new Plain(map)));
  }

  @Test
  void aMapOfItselfOrWithManyEntriesLeavesRoomForOthers() throws Exception {
    Map<Object, Object> endless = new LinkedHashMap<>();
    endless.put("again", endless);
    assertEquals(Map.of("Number", 7L), attributes(new Plain(endless)));
    Map<Object, Object> large = new LinkedHashMap<>();
    for (int i = 0; i < 100_000; i++) large.put(i, i);
    Map<?, ?> attributes = attributes(new Plain(large));
    assertEquals(BeanNumbers.MAX_ROWS, ((List<?>) attributes.get("Map")).size());
    assertEquals(7L, attributes.get("Number"));
  }
}
