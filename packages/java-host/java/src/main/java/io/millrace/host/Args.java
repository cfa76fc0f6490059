package io.millrace.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Reads the arguments of calls. What does not fit is an IllegalArgumentException or a ClassCastException. */
final class Args {
  private Args() {}

  static Object at(List<Object> arguments, int index) {
    return index < arguments.size() ? arguments.get(index) : null;
  }

  static String string(Object value) {
    if (value instanceof String text) return text;
    throw new IllegalArgumentException("Expected a string");
  }

  static long integer(Object value) {
    if (value instanceof Long number) return number;
    throw new IllegalArgumentException("Expected an integer");
  }

  static int small(Object value) {
    return Math.toIntExact(integer(value));
  }

  static List<?> list(Object value) {
    if (value instanceof List<?> list) return list;
    throw new IllegalArgumentException("Expected a list");
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    if (value instanceof Map<?, ?> map) return (Map<String, Object>) map;
    throw new IllegalArgumentException("Expected a map");
  }

  static byte[] bytes(Object value) {
    if (value instanceof byte[] bytes) return bytes;
    throw new IllegalArgumentException("Expected bytes");
  }

  /** A config. Plug-ins may change it. */
  static Map<String, String> config(Object value) {
    Map<String, String> config = new HashMap<>();
    for (Map.Entry<String, Object> entry : map(value).entrySet())
      config.put(entry.getKey(), entry.getValue() == null ? null : string(entry.getValue()));
    return config;
  }

  /** Of a list of [topic, partition, …]. */
  static TopicPartition partition(Object value) {
    List<?> list = list(value);
    return new TopicPartition(string(list.get(0)), small(list.get(1)));
  }

  static List<TopicPartition> partitions(Object value) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (Object partition : list(value)) partitions.add(partition(partition));
    return partitions;
  }

  static List<Object> from(TopicPartition partition) {
    return List.of(partition.topic(), (long) partition.partition());
  }
}
