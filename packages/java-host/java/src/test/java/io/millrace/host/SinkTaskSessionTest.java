package io.millrace.host;

import static io.millrace.host.HostClient.map;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.runtime.InternalSinkRecord;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.apache.kafka.connect.storage.StringConverter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SinkTaskSessionTest {
  private static final Map<String, Object> STRINGS = map("name", "StringConverter", "settings", map());
  private static final Map<String, Object> LONGS =
      map("name", "org.apache.kafka.connect.converters.LongConverter", "settings", map());
  private static final Map<String, Object> HEADERS = map("name", "SimpleHeaderConverter", "settings", map());

  private HostClient client;

  @BeforeEach
  void open() throws Exception {
    TestSink.CALLS.clear();
    TestSink.PUTS.clear();
    client = HostClient.open(map("kind", "sink-task", "connector", "c", "task", 0L, "class", TestSink.class.getName(),
        "config", map("a", "b")));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  private void start(Map<String, Object> value, Object... steps) throws Exception {
    client.call("process", map("steps", Arrays.asList(steps), "key", STRINGS, "value", value, "header", HEADERS));
    client.call("start", map("assignment", List.of(List.of("t", 0L)), "errantRecords", true));
  }

  /** Records of t-0, numbered from `first`; offsets are 100 more. */
  static byte[] records(int first, String... values) {
    Out out = new Out(64);
    out.i32(1).string("t").i32(0).i32(values.length);
    for (int index = 0; index < values.length; index++) {
      out.i64(first + index).i16(0).i64(100 + first + index).i64(77).u8(1).bytes(utf8("k")).bytes(utf8(values[index]));
      out.i32(1).string("h").bytes(utf8("v"));
    }
    return out.toByteArray();
  }

  private static byte[] utf8(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<Object> range(long first, long last) {
    return List.of(List.of(first, last));
  }

  @Test
  void convertedRecordsArePutByNumber() throws Exception {
    start(STRINGS);
    assertEquals(List.of(), client.call("convert", (Object) records(0, "a", "b", null)));
    AtomicReference<SinkRecord> got = new AtomicReference<>();
    TestSink.PUTS.add((context, records) -> got.set(records.get(0)));
    assertNull(client.call("put", List.of(List.of(0L, 0L), List.of(1L, 2L))));
    assertEquals(List.of("start [t-0]", "put [a, b, null]"), new ArrayList<>(TestSink.CALLS));
    SinkRecord record = got.get();
    assertEquals(100, record.kafkaOffset());
    assertEquals(77L, record.timestamp());
    assertEquals(TimestampType.CREATE_TIME, record.timestampType());
    assertEquals("k", record.key());
    assertEquals("v", record.headers().lastWithName("h").value());
    assertEquals("t", record.originalTopic());
    // Debezium's JDBC sink looks there.
    SinkRecord routed = record.newRecord("other", 5, null, null, null, null, null);
    ConsumerRecord<byte[], byte[]> consumed = ((InternalSinkRecord) routed).context().original();
    assertEquals("t", consumed.topic());
    assertEquals(0, consumed.partition());
    assertEquals(100, consumed.offset());
    assertArrayEquals(utf8("a"), consumed.value());
  }

  @Test
  void anErrorKeepsTheRecordsUntilTheyAreDiscarded() throws Exception {
    start(STRINGS);
    client.call("convert", (Object) records(0, "a"));
    TestSink.PUTS.add((context, records) -> {
      throw new RetriableException("later");
    });
    HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("put", range(0, 0)));
    assertEquals("retriable", error.error.get("kind"));
    client.call("put", range(0, 0));
    client.event("discard", range(0, 0));
    error = assertThrows(HostClient.HostError.class, () -> client.call("put", range(0, 0)));
    assertEquals("java.lang.IllegalArgumentException", error.error.get("class"));
    assertEquals(List.of("start [t-0]", "put [a]", "put [a]"), new ArrayList<>(TestSink.CALLS));
  }

  private static byte[] ahead(int first, String... values) {
    byte[] records = records(first, values);
    return new Out(64).i64(first).raw(records, 0, records.length).toByteArray();
  }

  private Map<String, Object> putAhead(int first, int most, String... values) throws Exception {
    client.event("ahead", (Object) ahead(first, values));
    return Args.map(client.call("putAhead", (long) first, (long) most, 10_000L));
  }

  private static Map<String, Object> tombstonesAreFiltered() {
    Map<String, Object> tombstones = map("alias", "p", "name", "RecordIsTombstone", "settings", map());
    return map("alias", "f", "name", "Filter", "settings", map(), "predicate", tombstones, "negate", false);
  }

  private static List<Object> countsOf(Map<String, Object> result) {
    List<Object> counts = new ArrayList<>();
    for (Object put : Args.list(result.get("puts"))) counts.add(Args.list(put).get(0));
    return counts;
  }

  @Test
  void recordsThatCameAheadAreConvertedAndPut() throws Exception {
    start(STRINGS, tombstonesAreFiltered());
    Map<String, Object> result = putAhead(0, 2, "a", null, "b", "c", "d");
    assertEquals(5L, result.get("taken"));
    assertEquals(0L, result.get("left"));
    assertEquals(List.of(1L, 2L, 1L), countsOf(result));
    assertEquals(List.of("start [t-0]", "put [a]", "put [b, c]", "put [d]"), new ArrayList<>(TestSink.CALLS));
    // Nothing is kept.
    HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("put", range(0, 4)));
    assertEquals("java.lang.IllegalArgumentException", error.error.get("class"));
  }

  @Test
  void recordsThatAnotherCallPutsAreDropped() throws Exception {
    start(STRINGS);
    client.event("ahead", (Object) ahead(0, "unwanted"));
    putAhead(1, 9, "a");
    assertEquals(List.of("start [t-0]", "put [a]"), new ArrayList<>(TestSink.CALLS));
    HostClient.HostError error =
        assertThrows(HostClient.HostError.class, () -> client.call("putAhead", 0L, 9L, 10_000L));
    assertEquals("Record 0 has not come ahead", error.error.get("message"));
  }

  @Test
  void nothingIsPutOfARecordThatFailsAndOfThoseAfterIt() throws Exception {
    start(STRINGS, map("alias", "f", "name", FailOnce.class.getName(), "settings", map()));
    TestSink.PUTS.add((context, records) -> FailOnce.failures.set(1));
    Map<String, Object> result = putAhead(0, 2, "a", "b", "c", "d", "e");
    assertEquals(2L, result.get("taken"));
    assertEquals(2L, result.get("left"));
    List<?> outcomes = Args.list(result.get("outcomes"));
    assertEquals(1, outcomes.size());
    assertEquals(0L, Args.list(outcomes.get(0)).get(0));
    assertNull(client.call("retry", 2L));
    client.call("put", range(2, 3));
    assertEquals(List.of("start [t-0]", "put [a, b]", "put [c, d]"), new ArrayList<>(TestSink.CALLS));
  }

  @Test
  void afterARetriableErrorTheRecordsOfThatPutAreKept() throws Exception {
    start(STRINGS, tombstonesAreFiltered());
    TestSink.PUTS.add((context, records) -> {});
    TestSink.PUTS.add((context, records) -> {
      throw new RetriableException("later");
    });
    Map<String, Object> result = putAhead(0, 2, "a", "b", "c", null, "d");
    assertEquals(2L, result.get("taken"));
    assertEquals(2L, result.get("left"));
    assertEquals(List.of(Arrays.asList(1L, null)), result.get("outcomes"));
    assertEquals("retriable", Args.map(result.get("error")).get("kind"));
    client.call("put", range(2, 3));
    assertEquals(List.of("start [t-0]", "put [a, b]", "put [c]", "put [c]"), new ArrayList<>(TestSink.CALLS));
    TestSink.PUTS.add((context, records) -> {
      throw new IllegalStateException("broken");
    });
    HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> putAhead(4, 2, "d"));
    assertEquals("other", error.error.get("kind"));
  }

  @Test
  void nothingMoreIsPutOnceTheTaskHasAskedForSomething() throws Exception {
    start(STRINGS);
    List<BiConsumer<SinkTaskContext, List<SinkRecord>>> requests = List.of(
        (context, records) -> context.offset(new TopicPartition("t", 0), 7),
        (context, records) -> context.timeout(5),
        (context, records) -> context.pause(new TopicPartition("t", 0)),
        (context, records) -> context.resume(new TopicPartition("t", 0)),
        (context, records) -> context.requestCommit(),
        (context, records) -> context.errantRecordReporter().report(records.get(0), new DataException("no")));
    int first = 0;
    for (BiConsumer<SinkTaskContext, List<SinkRecord>> request : requests) {
      TestSink.PUTS.add(request);
      assertEquals(1L, putAhead(first, 1, "a", "b").get("taken"));
      first += 2;
    }
    assertEquals(2L, putAhead(first, 1, "a", "b").get("taken"));
  }

  @Test
  void nothingMoreIsPutAfterTheTime() throws Exception {
    start(STRINGS);
    client.event("ahead", (Object) ahead(0, "a", "b"));
    assertEquals(1L, Args.map(client.call("putAhead", 0L, 1L, 0L)).get("taken"));
  }

  @Test
  void whenManyRecordsFailTheLaterOnesComeWithoutStack() throws Exception {
    start(map("name", LongMessages.class.getName(), "settings", map()));
    int count = SinkInput.MOST_TRACES / LongMessages.LENGTH + 100;
    List<?> outcomes = (List<?>) client.call("convert", (Object) records(0, Collections.nCopies(count, "x").toArray(new String[0])));
    assertEquals(count, outcomes.size());
    List<Map<String, Object>> errors =
        outcomes.stream().map(one -> Args.map(Args.map(((List<?>) one).get(1)).get("error"))).toList();
    assertTrue(errors.get(0).get("trace").toString().contains("LongMessages.toConnectData"));
    assertEquals(LongMessages.LENGTH, errors.get(0).get("message").toString().length());
    Map<String, Object> last = errors.get(count - 1);
    assertEquals("", last.get("trace"));
    assertEquals(1024, last.get("message").toString().length());
    assertEquals("data", last.get("kind"));
  }

  /** Refuses every record. */
  public static final class LongMessages extends StringConverter {
    static final int LENGTH = 20_000;

    @Override
    public SchemaAndValue toConnectData(String topic, byte[] value) {
      throw new DataException("m".repeat(LENGTH));
    }
  }

  @Test
  void filteredAndFailedRecordsHaveOutcomes() throws Exception {
    Map<String, Object> tombstones = map("alias", "p", "name", "RecordIsTombstone", "settings", map());
    FailOnce.failures.set(1);
    start(STRINGS,
        map("alias", "f", "name", "Filter", "settings", map(), "predicate", tombstones, "negate", false),
        map("alias", "g", "name", FailOnce.class.getName(), "settings", map(), "predicate", null, "negate", false));
    List<?> outcomes = (List<?>) client.call("convert", (Object) records(0, null, "a", "b"));
    assertEquals(Arrays.asList(0L, null), outcomes.get(0));
    Map<?, ?> failure = (Map<?, ?>) ((List<?>) outcomes.get(1)).get(1);
    assertEquals("TRANSFORMATION", failure.get("stage"));
    assertEquals(FailOnce.class.getName(), failure.get("class"));
    assertEquals("retriable", ((Map<?, ?>) failure.get("error")).get("kind"));
    assertThrows(HostClient.HostError.class, () -> client.call("put", range(0, 2)));
    assertNull(client.call("retry", 1L));
    client.call("put", range(0, 2));
    assertEquals(List.of("start [t-0]", "put [a, b]"), new ArrayList<>(TestSink.CALLS));
  }

  @Test
  void aConverterThatFailsNamesItsStage() throws Exception {
    start(LONGS);
    List<?> outcomes = (List<?>) client.call("convert", (Object) records(0, "a"));
    Map<?, ?> failure = (Map<?, ?>) ((List<?>) outcomes.get(0)).get(1);
    assertEquals("VALUE_CONVERTER", failure.get("stage"));
    assertEquals("org.apache.kafka.connect.converters.LongConverter", failure.get("class"));
    assertEquals("data", ((Map<?, ?>) failure.get("error")).get("kind"));
    assertTrue(client.call("retry", 0L) instanceof Map);
  }

  @Test
  void recordsAreConvertedWhileOthersArePut() throws Exception {
    start(STRINGS);
    client.call("convert", (Object) records(0, "a"));
    CountDownLatch putting = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    TestSink.PUTS.add((context, records) -> {
      putting.countDown();
      try {
        go.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    });
    CompletableFuture<Object> put = client.start("put", range(0, 0));
    putting.await();
    assertEquals(List.of(), client.call("convert", (Object) records(1, "b")));
    go.countDown();
    HostClient.await(put);
  }

  @Test
  void whatTheTaskAsksForPrecedesTheResult() throws Exception {
    start(STRINGS);
    client.call("convert", (Object) records(0, "a"));
    TopicPartition partition = new TopicPartition("t", 0);
    TestSink.PUTS.add((context, records) -> {
      context.offset(partition, 5);
      context.pause(partition);
      context.resume(partition);
      context.timeout(250);
      context.requestCommit();
    });
    client.call("put", range(0, 0));
    assertEquals(5, client.events.size());
    assertEquals(new HostClient.Event("seek", List.of("t", 0L, 5L)), client.nextEvent());
    assertEquals(new HostClient.Event("pause", List.of(List.of(List.of("t", 0L)))), client.nextEvent());
    assertEquals(new HostClient.Event("resume", List.of(List.of(List.of("t", 0L)))), client.nextEvent());
    assertEquals(new HostClient.Event("timeout", List.of(250L)), client.nextEvent());
    assertEquals(new HostClient.Event("requestCommit", List.of()), client.nextEvent());
  }

  @Test
  void partitionsOfOthersCannotBePaused() throws Exception {
    start(STRINGS);
    client.call("open", List.of(List.of("t", 1L)));
    client.call("close", List.of(List.of("t", 0L)));
    TestSink.PUTS.add((context, records) -> context.pause(new TopicPartition("t", 1)));
    client.call("put", List.of());
    TestSink.PUTS.add((context, records) -> context.pause(new TopicPartition("t", 0)));
    HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call("put", List.of()));
    assertEquals("org.apache.kafka.connect.errors.IllegalWorkerStateException", error.error.get("class"));
  }

  @Test
  void preCommitReturnsOffsets() throws Exception {
    start(STRINGS);
    assertEquals(List.of(List.of("t", 0L, 3L)), client.call("preCommit", List.of(List.of("t", 0L, 9L))));
  }

  @Test
  void reportedRecordsComeAsTheyWereConsumed() throws Exception {
    start(STRINGS, map("alias", "v", "name", "org.apache.kafka.connect.transforms.HoistField$Value", "settings",
        map("field", "f"), "predicate", null, "negate", false));
    List<Object> reported = new ArrayList<>();
    client.handlers.put("report", arguments -> reported.addAll(arguments));
    byte[] records = records(0, "a");
    client.call("convert", (Object) records);
    AtomicReference<Future<Void>> future = new AtomicReference<>();
    TestSink.PUTS.add((context, got) -> {
      SinkRecord copy = got.get(0).newRecord("other", 9, null, null, null, "changed", null);
      future.set(context.errantRecordReporter().report(copy, new IllegalStateException("no")));
    });
    client.call("put", range(0, 0));
    assertNull(future.get().get());
    assertArrayEquals(records, (byte[]) reported.get(0));
    assertEquals("no", ((Map<?, ?>) reported.get(1)).get("message"));
  }

  @Test
  void aReportThatFailsFailsItsFuture() throws Exception {
    start(STRINGS);
    client.handlers.put("report", arguments -> {
      throw new IllegalStateException("the topic is gone");
    });
    AtomicReference<Future<Void>> future = new AtomicReference<>();
    TestSink.PUTS.add((context, got) -> future.set(context.errantRecordReporter()
        .report(new SinkRecord("own", 0, null, null, Schema.STRING_SCHEMA, "made", 1), new IllegalStateException("no"))));
    client.call("put", List.of());
    Exception failed = assertThrows(java.util.concurrent.ExecutionException.class, () -> future.get().get());
    assertTrue(failed.getCause().getMessage().contains("the topic is gone"));
  }

  @Test
  void withAClassThatIsNotHereRecordsAreData() throws Exception {
    start(map("name", "org.example.NodeOnly", "settings", map()));
    Out out = new Out(64);
    DataWriter data = new DataWriter();
    out.i32(2).string("t").i32(0).string("routed").i32(4).i32(1).i64(0).i16(0).i16(1).i64(100).i64(-1).u8(0);
    data.write(out, Schema.STRING_SCHEMA, "k");
    data.write(out, Schema.INT32_SCHEMA, 5);
    out.i32(0);
    assertEquals(List.of(), client.call("convert", (Object) out.toByteArray()));
    AtomicReference<SinkRecord> got = new AtomicReference<>();
    TestSink.PUTS.add((context, records) -> got.set(records.get(0)));
    client.call("put", range(0, 0));
    assertEquals(List.of("start [t-0]", "put [5]"), new ArrayList<>(TestSink.CALLS));
    assertEquals("routed", got.get().topic());
    assertEquals(4, got.get().kafkaPartition());
    assertEquals("t", got.get().originalTopic());
    assertEquals(0, got.get().originalKafkaPartition());
  }

  @Test
  void numbersMustRiseAndFramesMustFit() throws Exception {
    start(STRINGS);
    client.call("convert", (Object) records(5, "a"));
    assertThrows(HostClient.HostError.class, () -> client.call("convert", (Object) records(5, "a")));
    assertThrows(HostClient.HostError.class, () -> client.call("convert", (Object) new byte[] {127, 0, 0, 0}));
    assertThrows(HostClient.HostError.class, () -> client.call("convert", "text"));
  }
}
