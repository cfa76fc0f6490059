package io.millrace.host;

import static io.millrace.host.HostClient.map;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SourceTaskSessionTest {
  private static final Map<String, Object> STRINGS = map("name", "StringConverter", "settings", map());
  private static final Map<String, Object> HEADERS = map("name", "SimpleHeaderConverter", "settings", map());

  private HostClient client;

  @BeforeEach
  void open() throws Exception {
    TestSource.CALLS.clear();
    TestSource.TestSourceTask.POLLS.clear();
    client = HostClient.open(map("kind", "source-task", "connector", "c", "task", 0L, "class",
        TestSource.TestSourceTask.class.getName(), "config", map("task", "0")));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  static Map<String, Object> processing(Map<String, Object> value, Object... steps) {
    return map("steps", Arrays.asList(steps), "key", STRINGS, "value", value, "header", HEADERS);
  }

  static Map<String, Object> step(String name, Map<String, Object> settings, Map<String, Object> predicate, boolean negate) {
    return map("alias", "s", "name", name, "settings", settings, "predicate", predicate, "negate", negate);
  }

  private static SourceRecord row(String topic, Object value) {
    return new SourceRecord(Map.of("file", "a"), Map.of("line", 7L), topic, null, Schema.STRING_SCHEMA, "k",
        value instanceof String ? Schema.STRING_SCHEMA : null, value);
  }

  private static void offer(SourceRecord... records) {
    TestSource.TestSourceTask.POLLS.add(context -> Arrays.asList(records));
  }

  private Batch poll() throws Exception {
    return Batch.read(client.call("poll"), null);
  }

  private void start() throws Exception {
    assertEquals(map("steps", 0L, "converters", true), client.call("process", processing(STRINGS)));
    client.call("start", map("transactions", false));
  }

  @Test
  void recordsArriveAsBytesWithPartitionOffsetAndHeaders() throws Exception {
    start();
    SourceRecord full = new SourceRecord(Map.of("file", "a"), Map.of("line", 8), "t", 3, null, null, null, null, 55L);
    full.headers().addString("h", "x");
    offer(row("t", "one"), full, row("u", "two"));
    Batch batch = poll();
    assertEquals(0, batch.transaction());
    assertEquals(3, batch.rows().size());
    assertEquals(new Batch.Row(0, 0, "t", Map.of("file", "a"), Map.of("line", 7L), null, null, null, null, null, "k", "one", Map.of()),
        batch.rows().get(0));
    assertEquals(new Batch.Row(1, 12, "t", Map.of("file", "a"), Map.of("line", 8L), 3, 55L, null, null, null, null, null, Map.of("h", "x")),
        batch.rows().get(1));
    assertEquals("u", batch.rows().get(2).topic());
  }

  @Test
  void anEmptyPollIsNull() throws Exception {
    start();
    TestSource.TestSourceTask.POLLS.add(context -> null);
    assertNull(client.call("poll"));
    offer();
    assertNull(client.call("poll"));
  }

  @Test
  void largeBatchesComeInPartsAndTheTaskIsNotAskedMeanwhile() throws Exception {
    start();
    String large = "x".repeat(700_000);
    offer(row("t", large), row("t", large), row("t", large), row("t", "end"));
    Batch first = poll();
    assertEquals(4, first.transaction());
    assertEquals(List.of(0, 1), first.rows().stream().map(Batch.Row::index).toList());
    Batch second = poll();
    assertEquals(0, second.transaction());
    assertEquals(List.of(2, 3), second.rows().stream().map(Batch.Row::index).toList());
    assertTrue(second.number() != first.number());
  }

  @Test
  void stepsFilterFailAndAreTriedAgain() throws Exception {
    Map<String, Object> predicate = map("alias", "p", "name", "TopicNameMatches", "settings", map("pattern", "drop"));
    assertEquals(map("steps", 2L, "converters", true),
        client.call("process", processing(STRINGS, step("Filter", map(), predicate, false),
            step(FailOnce.class.getName(), map(), null, false))));
    client.call("start", map());
    FailOnce.failures.set(1);
    offer(row("drop", "gone"), row("t", "one"), row("t", "two"));
    Batch batch = poll();
    assertEquals(List.of(1, 2, 0), batch.rows().stream().map(Batch.Row::flags).toList());
    Batch.Row failed = batch.rows().get(1);
    assertEquals("TRANSFORMATION", failed.stage());
    assertEquals(FailOnce.class.getName(), failed.failedClass());
    assertEquals("retriable", failed.error().get("kind"));
    assertEquals("not yet", failed.error().get("message"));
    // While the task polls for more.
    CompletableFuture<Object> next = client.start("poll");
    Batch again = Batch.read(client.call("retry", batch.number(), 1), null);
    assertEquals(List.of("one"), again.rows().stream().map(Batch.Row::value).toList());
    assertEquals(1, again.rows().get(0).index());
    offer(row("t", "three"));
    assertEquals("three", Batch.read(HostClient.await(next), null).rows().get(0).value());
  }

  @Test
  void aConverterThatFailsNamesItsStage() throws Exception {
    Map<String, Object> longs = map("name", "org.apache.kafka.connect.converters.LongConverter", "settings", map());
    assertEquals(map("steps", 0L, "converters", true), client.call("process", processing(longs)));
    client.call("start", map());
    offer(row("t", "text"));
    Batch.Row row = poll().rows().get(0);
    assertEquals("VALUE_CONVERTER", row.stage());
    assertEquals("org.apache.kafka.connect.converters.LongConverter", row.failedClass());
    assertEquals("data", row.error().get("kind"));
    assertEquals("t", row.topic());
  }

  @Test
  void aRecordThatIsTooLargeFailsAlone() throws Exception {
    Map<String, Object> bytes = map("name", "org.apache.kafka.connect.converters.ByteArrayConverter", "settings", map());
    assertEquals(map("steps", 0L, "converters", true), client.call("process", processing(bytes)));
    client.call("start", map());
    offer(bytesRow(new byte[] {1}), bytesRow(new byte[TooLargeException.MOST]), bytesRow(new byte[] {2}));
    List<Batch.Row> rows = poll().rows();
    assertEquals(List.of(0, SourceBatch.FAILED, 0), rows.stream().map(Batch.Row::flags).toList());
    assertEquals("VALUE_CONVERTER", rows.get(1).stage());
    Map<String, Object> error = rows.get(1).error();
    assertEquals(List.of("JAVA_TOO_LARGE", "data", "org.apache.kafka.connect.errors.DataException"),
        List.of(error.get("code"), error.get("kind"), error.get("class")));
    assertTrue(error.get("message").toString().matches("The record needs at least 25\\d{7} bytes .* 251658240 at once\\."));
  }

  @Test
  void dataThatIsTooLargeFailsAloneAndItsSchemaIsDefinedAgain() throws Exception {
    Map<String, Object> other = map("name", "org.example.NodeOnlyConverter", "settings", map());
    assertEquals(map("steps", 0L, "converters", false), client.call("process", processing(other)));
    client.call("start", map());
    offer(bytesRow(new byte[TooLargeException.MOST]), bytesRow(new byte[] {2}));
    DataReader data = new DataReader();
    List<Batch.Row> rows = Batch.read(client.call("poll"), data).rows();
    assertEquals("JAVA_TOO_LARGE", rows.get(0).error().get("code"));
    assertEquals(2, ((byte[]) rows.get(1).value())[0]);
  }

  private static SourceRecord bytesRow(byte[] value) {
    return new SourceRecord(Map.of("file", "a"), Map.of("line", 7L), "t", null, Schema.STRING_SCHEMA, "k", Schema.BYTES_SCHEMA, value);
  }

  @Test
  void withAClassThatIsNotHereRecordsAreData() throws Exception {
    Map<String, Object> other = map("name", "org.example.NodeOnlyConverter", "settings", map());
    Map<String, Object> known = step("org.apache.kafka.connect.transforms.HoistField$Value", map("field", "f"), null, false);
    assertEquals(map("steps", 1L, "converters", false), client.call("process", processing(other, known)));
    client.call("start", map());
    offer(row("t", 5L));
    DataReader data = new DataReader();
    assertEquals(Map.of("f", 5L), Batch.read(client.call("poll"), data).rows().get(0).value());
  }

  @Test
  void aConverterOfKafkaThatDoesNotLinkIsLeftToTheWorker() throws Exception {
    Map<String, Object> unlinked = map("name", "org.apache.kafka.connect.UnlinkedConverter", "settings", map());
    assertEquals(map("steps", 0L, "converters", false), client.call("process", processing(unlinked)));
  }

  @Test
  void aStepThatIsNotHereEndsWhatIsTaken() throws Exception {
    assertEquals(map("steps", 1L, "converters", false),
        client.call("process", processing(STRINGS, step("Filter", map(), null, false), step("x.Y", map(), null, false))));
  }

  @Test
  void aStepThatCannotBeConfiguredIsAnError() {
    Map<String, Object> hoist = step("org.apache.kafka.connect.transforms.HoistField$Value", map(), null, false);
    HostClient.HostError error =
        assertThrows(HostClient.HostError.class, () -> client.call("process", processing(STRINGS, hoist)));
    assertEquals("org.apache.kafka.connect.errors.ConnectException", error.error.get("class"));
    assertEquals("connect", error.error.get("kind"));
  }

  @Test
  void commitRecordComesInOrderAndItsErrorsStopNothing() throws Exception {
    start();
    offer(row("t", "bad"), row("t", "b"), row("t", "c"));
    Batch batch = poll();
    client.event("release", batch.number());
    Out outcomes = new Out(64);
    outcomes.i32(0).u8(1).i32(2).i64(40).string("t");
    outcomes.i32(1).u8(0);
    client.event("committed", batch.number(), outcomes.toByteArray());
    client.event("committed", batch.number(), new Out(8).i32(2).u8(0).toByteArray());
    client.call("commit");
    assertEquals(List.of("start 0", "commitRecord bad t-2@40", "commitRecord b null", "commitRecord c null", "commit"),
        new ArrayList<>(TestSource.CALLS));
  }

  @Test
  void transactionsEndAtRecordsAndBatches() throws Exception {
    client.call("process", processing(STRINGS));
    client.call("start", map("transactions", true));
    TestSource.TestSourceTask.POLLS.add(context -> {
      SourceRecord first = row("t", "1");
      context.transactionContext().commitTransaction(first);
      context.transactionContext().abortTransaction();
      return List.of(first, row("t", "2"));
    });
    Batch batch = poll();
    assertEquals(2, batch.transaction());
    assertEquals(List.of(16, 0), batch.rows().stream().map(Batch.Row::flags).toList());
    TestSource.TestSourceTask.POLLS.add(context -> {
      context.transactionContext().commitTransaction();
      return null;
    });
    Batch empty = poll();
    assertEquals(1, empty.transaction());
    assertEquals(List.of(), empty.rows());
  }

  @Test
  void aTransactionCannotBothCommitAndAbort() throws Exception {
    client.call("process", processing(STRINGS));
    client.call("start", map("transactions", true));
    TestSource.TestSourceTask.POLLS.add(context -> {
      SourceRecord record = row("t", "1");
      context.transactionContext().commitTransaction(record);
      context.transactionContext().abortTransaction(record);
      return List.of(record);
    });
    HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("poll"));
    assertEquals("java.lang.IllegalStateException", error.error.get("class"));
  }

  @Test
  void offsetsAndConfigsAreAskedFor() throws Exception {
    client.handlers.put("offsets", arguments -> Arrays.asList(Map.of("line", 9L), null));
    client.handlers.put("configs", arguments -> Map.of("a", "b"));
    start();
    TestSource.TestSourceTask.POLLS.add(context -> {
      Map<String, String> known = Map.of("file", "a");
      TestSource.CALLS.add("" + context.offsetStorageReader().offsets(List.of(known, Map.of("file", "b"))));
      TestSource.CALLS.add("" + context.configs());
      return null;
    });
    client.call("poll");
    assertEquals(List.of("start 0", "{{file=a}={line=9}}", "{a=b}"), new ArrayList<>(TestSource.CALLS));
  }

  @Test
  void errorsOfPollKeepTheirClassAndKind() throws Exception {
    start();
    TestSource.TestSourceTask.POLLS.add(context -> {
      throw new org.apache.kafka.common.errors.TimeoutException("slow");
    });
    HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("poll"));
    assertEquals("retriable", error.error.get("kind"));
    TestSource.TestSourceTask.POLLS.add(context -> {
      throw new NoClassDefFoundError("a/B");
    });
    error = assertThrows(HostClient.HostError.class, () -> client.call("poll"));
    assertEquals("java.lang.NoClassDefFoundError", error.error.get("class"));
    assertTrue(((String) error.error.get("trace")).contains("SourceTaskSessionTest"));
  }

  @Test
  void theEndOfTheConnectionInterruptsPollAndStopsOnce() throws Exception {
    start();
    CountDownLatch polling = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    TestSource.TestSourceTask.POLLS.add(context -> {
      polling.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException expected) {
        interrupted.countDown();
      }
      return null;
    });
    client.start("poll");
    polling.await();
    client.close();
    interrupted.await();
    assertEquals(1, Collections.frequency(new ArrayList<>(TestSource.CALLS), "stop"));
  }

  /** Its connection ends while it is initialized. */
  public static class SlowTask extends TestSource.TestSourceTask {
    static final CountDownLatch INITIALIZES = new CountDownLatch(1);
    static final CountDownLatch MAY_GO_ON = new CountDownLatch(1);

    @Override
    public void initialize(SourceTaskContext context) {
      super.initialize(context);
      INITIALIZES.countDown();
      for (boolean waits = true; waits; ) {
        try {
          waits = !MAY_GO_ON.await(HostClient.WAIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
          // As drivers do.
        }
      }
    }
  }

  @Test
  void aTaskIsNotStartedWhenNobodyWouldStopIt() throws Exception {
    try (HostClient other = HostClient.open(Map.of("kind", "source-task", "connector", "c", "task", 0L, "class",
        SlowTask.class.getName(), "config", Map.of("task", "slow")))) {
      other.start("start", Map.of());
      assertTrue(SlowTask.INITIALIZES.await(HostClient.WAIT_S, TimeUnit.SECONDS));
      List<Thread> threads = other.connection.lanes().threads();
      other.channel().close();
      assertTrue(other.connection.awaitClosed(HostClient.WAIT_S * 1000L));
      SlowTask.MAY_GO_ON.countDown();
      for (Thread thread : threads) thread.join(HostClient.WAIT_S * 1000L);
      assertFalse(TestSource.CALLS.contains("start slow"));
    }
  }

  @Test
  void acknowledgementsAreWaitedForWithoutCommit() throws Exception {
    start();
    client.call("commit", false);
    assertFalse(TestSource.CALLS.contains("commit"));
    client.call("commit");
    assertTrue(TestSource.CALLS.contains("commit"));
  }

  @Test
  void stopIsCalledOnce() throws Exception {
    start();
    client.call("stop");
    client.close();
    assertEquals(List.of("start 0", "stop"), new ArrayList<>(TestSource.CALLS));
  }
}
