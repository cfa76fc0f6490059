/**
 * Counters of a task's loops when records are skipped, rejected or repeated. Source: connect-runtime §9 "Accounting
 * details".
 */
import { RetriableError, type SinkTask, type SourceTask } from '@millrace/sdk';
import { KafkaError } from '../../packages/kafka-client/src/errors';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../../src/metrics/task-metrics';
import { TaskRunner } from '../../src/tasks/task-runner';
import { batch, eventually, record, RecordingListener, ScriptedSource, sinkOf, sourceOf, spec, world } from './fakes';
import type { World } from './fakes';

const T0 = { topic: 't', partition: 0 };

interface Running {
  readonly metrics: TaskMetrics;
  readonly w: World;
  readonly runner: TaskRunner;
  stop(): Promise<void>;
}

function run(type: 'source' | 'sink', w: World, config: Record<string, string>): Running {
  const memory = TaskMetrics.allocate(type, DEFAULT_SAMPLE_WINDOWS);
  const runner = new TaskRunner(spec(type, config, { metrics: memory }), w, new RecordingListener());
  const stop = async (): Promise<void> => {
    runner.stop();
    await runner.done;
  };
  return { metrics: TaskMetrics.in(memory), w, runner, stop };
}

function runSource(task: SourceTask, config = {}, prepare: (w: World) => void = () => undefined): Running {
  const w = world(sourceOf(task));
  prepare(w);
  const running = run('source', w, config);
  running.runner.start();
  return running;
}

function runSink(task: SinkTask, config = {}, worker: Record<string, string> = {}): Running {
  const w = world(sinkOf(task), { 'offset.flush.interval.ms': '60000', ...worker });
  w.consumer.positions.set('t-0', 0);
  const running = run('sink', w, config);
  w.consumer.assign(T0);
  running.runner.start();
  return running;
}

/** Fails the first puts with these. */
function sink(...errors: Error[]): SinkTask & { readonly puts: number[] } {
  const puts: number[] = [];
  return {
    puts,
    start: () => undefined,
    stop: () => undefined,
    put: (records) => {
      if (records.length === 0) return;
      puts.push(records.length);
      const error = errors.shift();
      if (error) throw error;
    },
  };
}

test('connect-runtime §9: records are active from the poll until Kafka has acknowledged them', async () => {
  const { metrics, w, stop } = runSource(new ScriptedSource([[record(1), record(2), record(3)]]), {}, (made) => {
    made.producer.autoAck = false;
  });
  await eventually(() => w.producer.sent.length === 3);
  expect([metrics.source.polled.value, metrics.source.written.value, metrics.source.active.value]).toEqual([3, 0, 3]);
  w.producer.sent[0]?.ack();
  w.producer.sent[1]?.ack();
  await eventually(() => metrics.source.active.value === 1);
  expect(metrics.source.written.value).toBe(2);
  w.producer.sent[2]?.ack();
  await stop();
  await eventually(() => metrics.source.written.value === 3);
  expect([metrics.source.active.value, metrics.source.actives.maximum(Date.now())]).toEqual([0, 3]);
  expect(metrics.batches.maximum(Date.now())).toBe(3);
  expect(metrics.commitOutcomes.successes(Date.now())).toBe(1);
});

test('connect-runtime §9: skipped or rejected records are not written, and no longer active', async () => {
  const bad = record(2, { value: Symbol('no') });
  const config = {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
    'errors.tolerance': 'all',
    'errors.log.enable': 'true',
  };
  const { metrics, stop } = runSource(new ScriptedSource([[record(1), bad, record(3)]]), config, (made) => {
    made.producer.sendErrors = [null, new KafkaError('MESSAGE_TOO_LARGE', 'too large')];
  });
  await eventually(() => metrics.source.polled.value === 3 && metrics.source.active.value === 0);
  expect(metrics.source.written.value).toBe(1);
  const { errors } = metrics;
  // A record that Kafka rejected is a failure, but as in Java neither an error nor skipped.
  expect([errors.failures.value, errors.errors.value, errors.skipped.value, errors.logged.value]).toEqual([2, 1, 1, 2]);
  await stop();
});

test('connect-runtime §9: a batch that is put again is read once and sent once', async () => {
  const task = sink(new RetriableError('busy'));
  const { metrics, w, stop } = runSink(task);
  w.consumer.next([batch('t', 0, 5, ['a', 'b'])]);
  await eventually(() => task.puts.length === 1);
  expect([metrics.sink.read.value, metrics.sink.sent.value]).toEqual([2, 0]);
  await eventually(() => task.puts.length === 2);
  await eventually(() => metrics.sink.sent.value === 2);
  expect(metrics.sink.read.value).toBe(2);
  await stop();
});

test('connect-runtime §9: active are the offsets consumed and not committed, gaps included; none once the partition is revoked', async () => {
  const { metrics, w, stop } = runSink(sink());
  w.consumer.next([batch('t', 0, 5, ['a', 'b'])]);
  await eventually(() => metrics.sink.sent.value === 2);
  expect([metrics.sink.partitions.value, metrics.sink.active.value]).toEqual([1, 7]);
  await stop();
  expect([metrics.sink.partitions.value, metrics.sink.active.value]).toEqual([0, 0]);
  expect([metrics.sink.commits.value, metrics.sink.commitsCompleted.value]).toEqual([1, 1]);
});

test('connect-runtime §9: a commit without changes succeeds; one that Kafka or the task rejects fails', async () => {
  const task = sink();
  let refuse = false;
  task.flush = () => {
    if (refuse) throw new Error('not now');
  };
  const { metrics, w, stop } = runSink(task, {}, { 'offset.flush.interval.ms': '10' });
  await eventually(() => metrics.sink.commitsCompleted.value > 1);
  expect(w.consumer.commits).toEqual([]);
  expect(metrics.commitOutcomes.failures(Date.now())).toBe(0);
  w.consumer.commitError = new KafkaError('REBALANCE_IN_PROGRESS', 'later');
  w.consumer.next([batch('t', 0, 0, ['a'])]);
  await eventually(() => metrics.commitOutcomes.failures(Date.now()) > 0);
  expect(metrics.sink.active.value).toBe(1);
  w.consumer.commitError = null;
  await eventually(() => metrics.sink.active.value === 0);
  const { value: begun } = metrics.sink.commits;
  const failures = metrics.commitOutcomes.failures(Date.now());
  refuse = true;
  await eventually(() => metrics.sink.commits.value > begun + 1);
  expect(metrics.commitOutcomes.failures(Date.now())).toBeGreaterThan(0);
  expect(failures).toBeGreaterThan(0);
  await stop();
  expect(metrics.sink.commits.value).toBeGreaterThan(metrics.sink.commitsCompleted.value);
});
