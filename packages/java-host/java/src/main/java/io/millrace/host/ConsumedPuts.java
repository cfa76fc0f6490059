package io.millrace.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Converts records and puts them, so many at a time, as long as Node.js has nothing to decide or to do. */
final class ConsumedPuts {
  private final SinkInput input;
  private final RecordWindow window;
  private final Queue<byte[]> ahead = new ConcurrentLinkedQueue<>();

  ConsumedPuts(SinkInput input, RecordWindow window) {
    this.input = input;
    this.window = window;
  }

  /** Records that may be put next. */
  void ahead(byte[] bytes) {
    ahead.add(bytes);
  }

  /**
   * Puts the records that came ahead with this number, `most` at a time, and drops those before them. What is left is
   * kept, as if it had come with `convert`.
   */
  Map<String, Object> put(long number, int most, long ms, SinkTask task, SinkContext context) throws ProtocolException {
    long until = System.nanoTime() + ms * 1_000_000L;
    SinkInput.Records consumed = input.read(next(number));
    List<Object> puts = new ArrayList<>();
    long taken = 0;
    context.takeAsked();
    do {
      List<Object> kept = new ArrayList<>();
      long[] first = {-1};
      List<Object> outcomes = consumed.convert(most, (of, record) -> {
        if (first[0] < 0) first[0] = of;
        kept.add(record);
      });
      Exception failure = null;
      boolean left = hasFailed(outcomes);
      if (!left) {
        List<SinkRecord> records = recordsOf(kept);
        // The task may change the list.
        long count = records.size();
        long began = System.nanoTime();
        try {
          task.put(records);
          puts.add(List.of(count, (System.nanoTime() - began) / 1e6));
        } catch (RetriableException failed) {
          left = true;
          failure = failed;
        }
      }
      if (left) {
        for (Object record : kept) window.add(first[0]++, record);
        return result(taken, kept.size(), puts, outcomes, failure);
      }
      taken += kept.size();
    } while (consumed.left() > 0 && !context.takeAsked() && System.nanoTime() < until);
    return result(taken, 0, puts, List.of(), null);
  }

  private In next(long number) throws ProtocolException {
    while (true) {
      byte[] bytes = ahead.poll();
      if (bytes == null) throw new IllegalArgumentException("Record " + number + " has not come ahead");
      In in = new In(bytes);
      if (in.i64() == number) return in;
    }
  }

  private static boolean hasFailed(List<Object> outcomes) {
    for (Object outcome : outcomes) if (Args.list(outcome).get(1) != null) return true;
    return false;
  }

  private static List<SinkRecord> recordsOf(List<Object> kept) {
    List<SinkRecord> records = new ArrayList<>(kept.size());
    for (Object record : kept) if (record instanceof SinkRecord one) records.add(one);
    return records;
  }

  private static Map<String, Object> result(
      long taken, long left, List<Object> puts, List<Object> outcomes, Exception failure) {
    Map<String, Object> result = new HashMap<>();
    result.put("taken", taken);
    result.put("left", left);
    result.put("puts", puts);
    result.put("outcomes", outcomes);
    result.put("error", failure == null ? null : Errors.toMap(failure));
    return result;
  }
}
