package io.millrace.host;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/** The stored offsets of a source. Node.js has them. */
final class OffsetReader implements OffsetStorageReader {
  private final Connection connection;

  OffsetReader(Connection connection) {
    this.connection = connection;
  }

  @Override
  public <T> Map<String, Object> offset(Map<String, T> partition) {
    return offsets(List.of(partition)).get(partition);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> Map<Map<String, T>, Map<String, Object>> offsets(Collection<Map<String, T>> partitions) {
    List<Map<String, T>> asked = new ArrayList<>(partitions);
    Map<Map<String, T>, Map<String, Object>> result = new HashMap<>();
    if (asked.isEmpty()) return result;
    List<?> offsets;
    try {
      offsets = Args.list(connection.ask("offsets", asked));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ConnectException("Interrupted while the stored offsets were read", interrupted);
    }
    for (int index = 0; index < asked.size(); index++) {
      Object offset = index < offsets.size() ? offsets.get(index) : null;
      if (offset != null) result.put(asked.get(index), (Map<String, Object>) offset);
    }
    return result;
  }
}
