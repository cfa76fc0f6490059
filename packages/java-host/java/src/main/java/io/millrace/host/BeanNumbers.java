package io.millrace.host;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

/**
 * The numbers in attributes of MBeans: the attribute itself, members of composite data, rows of tables and maps.
 * Texts are left out: they may be anything, e.g. a statement with a password.
 */
final class BeanNumbers {
  /** Of one table or map: e.g. each table of a database has a row. */
  static final int MAX_ROWS = 1000;
  private static final int MAX_LABEL = 1000;
  private static final int DEEPEST = 4;

  private int left;

  BeanNumbers(int most) {
    left = most;
  }

  /** How many more are taken. */
  int left() {
    return left;
  }

  /** A boolean, a number, a map of members, a list of rows: [labels, members]. Null: there is no number in it. */
  Object of(Object value) {
    return of(value, 0);
  }

  private Object of(Object value, int depth) {
    if (left <= 0 || depth > DEEPEST) return null;
    if (value instanceof Boolean || value instanceof Number) {
      left--;
      return plain(value);
    }
    if (value instanceof CompositeData data) {
      Map<String, Object> members = new LinkedHashMap<>();
      for (String name : data.getCompositeType().keySet()) add(members, name, data.get(name), depth);
      return members.isEmpty() ? null : members;
    }
    List<Object> rows = new ArrayList<>();
    if (value instanceof TabularData table) addRows(rows, table, depth);
    else if (value instanceof Map<?, ?> map) addEntries(rows, map, depth);
    return rows.isEmpty() ? null : rows;
  }

  private void add(Map<String, Object> members, String name, Object value, int depth) {
    Object numbers = of(value, depth + 1);
    if (numbers != null) members.put(name, numbers);
  }

  /** A map of an MXBean is such a table, with the index {@code key} and the member {@code value}. */
  private void addRows(List<Object> rows, TabularData table, int depth) {
    List<String> index = table.getTabularType().getIndexNames();
    for (Object one : table.values()) {
      if (rows.size() >= MAX_ROWS || left <= 0) return;
      if (!(one instanceof CompositeData row)) continue;
      Map<String, Object> labels = new LinkedHashMap<>();
      Map<String, Object> members = new LinkedHashMap<>();
      boolean named = true;
      for (String name : index) named &= label(labels, name, row.get(name));
      if (!named) continue;
      for (String name : row.getCompositeType().keySet())
        if (!index.contains(name)) add(members, name, row.get(name), depth);
      if (!members.isEmpty()) rows.add(List.of(labels, members));
    }
  }

  private void addEntries(List<Object> rows, Map<?, ?> map, int depth) {
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (rows.size() >= MAX_ROWS || left <= 0) return;
      Map<String, Object> labels = new LinkedHashMap<>();
      Map<String, Object> members = new LinkedHashMap<>();
      if (!label(labels, "key", entry.getKey())) continue;
      add(members, "value", entry.getValue(), depth);
      if (!members.isEmpty()) rows.add(List.of(labels, members));
    }
  }

  /** Whether the value names its row: others could not be told apart. */
  private static boolean label(Map<String, Object> labels, String name, Object value) {
    boolean simple = value instanceof String || value instanceof Number || value instanceof Boolean
        || value instanceof Character || value instanceof Enum<?>;
    String text = simple ? value.toString() : null;
    if (text == null || text.length() > MAX_LABEL) return false;
    labels.put(name, text);
    return true;
  }

  private static Object plain(Object value) {
    if (value instanceof Boolean) return value;
    Number number = (Number) value;
    boolean integer =
        value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    return integer ? (Object) number.longValue() : (Object) number.doubleValue();
  }
}
