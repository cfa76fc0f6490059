import { ConnectError, RetriableError, type SourceRecord, type SourceTask } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { SessionLease } from '../../../src/tasks/session-lease';
import { TaskRunner } from '../../../src/tasks/task-runner';
import {
  eventually,
  PARTITION,
  record,
  RecordingListener,
  ScriptedSource,
  sourceOf,
  spec,
  world,
  type World,
} from '../fakes';

const tooLarge = new KafkaError('MESSAGE_TOO_LARGE', 'the record is larger than the topic takes');
const away = (): KafkaError => new KafkaError('CONNECTION_FAILED', 'no broker', { retriable: true });

function start(
  task: SourceTask,
  config: Record<string, string> = {},
  worker: Record<string, string> = {},
  prepare: (w: World) => void = () => undefined,
): { runner: TaskRunner; listener: RecordingListener; w: World } {
  const w = world(sourceOf(task), worker);
  prepare(w);
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec('source', config), w, listener);
  runner.start();
  return { runner, listener, w };
}
async function stop(runner: TaskRunner): Promise<void> {
  runner.stop();
  await runner.done;
}

test('connect-runtime 78: records reach Kafka in order; a stop stores everything acknowledged, notifies the task, then stops it', async () => {
  const task = new ScriptedSource([[record(1), record(2)], [record(3)]]);
  const { runner, listener, w } = start(task);
  await eventually(() => w.producer.sent.length === 3);
  await stop(runner);
  expect(w.producer.values()).toEqual(['v1', 'v2', 'v3']);
  expect(w.producer.sent.map((s) => s.key)).toEqual(['k1', 'k2', 'k3']);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
  expect(task.log).toEqual(['start', 'commit', 'stop']);
  expect(task.commits[0]?.get(PARTITION)).toEqual({ n: 3 });
  expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  expect(listener.topics).toEqual(['t']);
  expect(task.signal?.aborted).toBe(true);
  expect(w.producer.closed).toBe(true);
});

test('records are pushed once the source waits for more, not while it has them at hand', async () => {
  const { runner, w } = start(new ScriptedSource([[record(1)], [record(2)], [record(3)]]), {}, {}, ({ producer }) => {
    producer.autoAck = false;
    producer.onSend = () => (producer.bufferedBytes = 1);
  });
  await eventually(() => w.producer.pushedAfter.length > 0);
  expect(w.producer.pushedAfter[0]).toBe(3);
  for (const sent of w.producer.sent) sent.ack();
  w.producer.bufferedBytes = 0;
  await stop(runner);
});

test('client settings: Java defaults, worker producer.*, then producer.override.*', async () => {
  const { runner, listener, w } = start(
    new ScriptedSource([]),
    { 'producer.override.linger.ms': '7', 'producer.override.acks': '1' },
    { 'producer.linger.ms': '5', 'producer.batch.size': '9' },
  );
  await listener.until('running c-0');
  await stop(runner);
  expect(w.clientConfigs).toEqual([
    {
      acks: '1',
      'buffer.memory': '8388608',
      'max.in.flight.requests.per.connection': '1',
      'enable.idempotence': 'false',
      'delivery.timeout.ms': '2147483647',
      'max.block.ms': '9223372036854775807',
      'client.id': 'connector-producer-c-0',
      'bootstrap.servers': 'localhost:9092',
      'linger.ms': '7',
      'batch.size': '9',
    },
  ]);
});

test('the bytes of rows end with the next poll, unless records are kept for commitRecord or for the log', async () => {
  const told = async (config: Record<string, string>, task = new ScriptedSource([])): Promise<unknown> => {
    let given: unknown;
    const { start: started } = task;
    task.start = (own, context) => {
      given = context.rowsEndAtPoll;
      return started(own, context);
    };
    const { runner, listener } = start(task, config);
    await listener.until('running c-0');
    await stop(runner);
    return given;
  };
  expect(await told({})).toBe(true);
  expect(await told({ 'errors.tolerance': 'all', 'errors.log.enable': 'true' })).toBe(true);
  const logged = { 'errors.log.enable': 'true', 'errors.log.include.messages': 'true' };
  expect(await told(logged)).toBe(false);
  const notified = new ScriptedSource([]);
  notified.commitRecord = () => undefined;
  expect(await told({}, notified)).toBe(false);
});

test('connect-runtime 78: records not acknowledged in time are not stored', async () => {
  const task = new ScriptedSource([[record(1), record(2), record(3)]]);
  const { runner, w } = start(task, {}, { 'offset.flush.timeout.ms': '300' }, (x) => (x.producer.autoAck = false));
  await eventually(() => w.producer.sent.length === 3);
  w.producer.sent[0]?.ack();
  w.producer.sent[2]?.ack();
  await stop(runner);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
});

test('connect-runtime 67: commitRecord is called for every record, for skipped ones without metadata', async () => {
  const task = new ScriptedSource([[record(1), record(2, { value: Buffer.from('x'), valueSchema: null }), record(3)]]);
  const heard: unknown[] = [];
  task.commitRecord = (r, metadata) => heard.push([r.value, metadata?.offset ?? null]);
  const { runner, w } = start(task, {
    'errors.tolerance': 'all',
    'key.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter',
  });
  // Every key is text, which that converter rejects: all three are skipped.
  await eventually(() => heard.length === 3);
  await stop(runner);
  expect(heard.map((h) => (h as unknown[])[1])).toEqual([null, null, null]);
  expect(w.producer.sent).toEqual([]);
  // Java would not move the offset: docs/compatibility.md.
  expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
});

test('connect-runtime 67: an error thrown by commitRecord or commit is logged and ignored', async () => {
  const task = new ScriptedSource([[record(1)], [record(2)]]);
  task.commitRecord = () => {
    throw new Error('not my day');
  };
  task.commit = () => {
    throw new Error('nor mine');
  };
  const { runner, listener, w } = start(task);
  await eventually(() => w.producer.sent.length === 2);
  await stop(runner);
  expect(listener.events.at(-1)).toBe('stopped c-0');
  expect(w.offsets.of(PARTITION)).toEqual({ n: 2 });
});

test('connect-runtime 69: Kafka unreachable: the batch is held and resumes where it stopped, in order and without a duplicate', async () => {
  const task = new ScriptedSource([[record(1), record(2), record(3)]]);
  const { runner, w } = start(task, {}, {}, (x) => {
    x.producer.connectErrors = [away()];
    x.producer.prepareErrors = [away()];
    x.producer.sendErrors = [null, away(), away()];
  });
  await eventually(() => w.producer.sent.length === 3);
  await stop(runner);
  expect(w.producer.values()).toEqual(['v1', 'v2', 'v3']);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
  expect(w.logger.lines.filter((l) => l.includes('no broker')).length).toBeGreaterThanOrEqual(3);
});

test('a password that Kafka rejects fails the task at once', async () => {
  const { listener, w } = start(
    new ScriptedSource([]),
    {},
    {},
    (x) => (x.producer.connectErrors = [new KafkaError('SASL_AUTHENTICATION_FAILED', 'wrong password')]),
  );
  await listener.until('failed c-0');
  expect(listener.trace).toContain('wrong password [code: SASL_AUTHENTICATION_FAILED]');
  expect(listener.retriable).toBe(false);
  expect(w.producer.closed).toBe(true);
});

test('backpressure: nothing is polled or sent while the producer is full; a stop is not blocked', async () => {
  let polls = 0;
  const task = new ScriptedSource([]);
  task.poll = async () => {
    polls++;
    return [record(polls)];
  };
  let open = (): void => undefined;
  const { runner, w } = start(task, {}, {}, (x) => {
    x.producer.full = new Promise((resolve) => (open = resolve));
  });
  await eventually(() => polls === 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(polls).toBe(1);
  expect(w.producer.sent).toEqual([]);
  w.producer.full = null;
  open();
  await eventually(() => w.producer.sent.length > 3);
  w.producer.full = new Promise(() => undefined);
  await stop(runner);
  expect(w.offsets.of(PARTITION)).toEqual({ n: w.producer.sent.length });
});

describe('a task that ends amid a batch, with thousands of records in flight', () => {
  const batch = Array.from({ length: 3000 }, (_, n) => record(n + 1));

  test('stop: every record that Kafka acknowledges is stored', async () => {
    const { runner, w } = start(new ScriptedSource([batch]), {}, {}, ({ producer }) => {
      producer.autoAck = false;
      producer.onSend = () => {
        if (producer.sent.length === 2500) producer.full = new Promise(() => undefined);
      };
    });
    await eventually(() => w.producer.sent.length === 2500);
    runner.stop();
    for (const sent of w.producer.sent) sent.ack();
    await runner.done;
    expect(w.offsets.of(PARTITION)).toEqual({ n: 2500 });
  });

  test('failure: every record before the one that Kafka rejects is stored', async () => {
    const { listener, w } = start(new ScriptedSource([batch]), {}, {}, ({ producer }) => {
      producer.autoAck = false;
      producer.sendErrors = [...Array<null>(2500).fill(null), tooLarge];
      producer.onSend = (sent) => void setImmediate(() => sent.ack());
    });
    await listener.until('failed c-0');
    expect(w.offsets.of(PARTITION)).toEqual({ n: 2500 });
  });
});

test('a wake-up from before the wait does not let a record pass a full producer', async () => {
  let deliver = (_records: SourceRecord[]): void => undefined;
  const task = new ScriptedSource([]);
  let polls = 0;
  task.poll = () => (polls++ === 0 ? new Promise((resolve) => (deliver = resolve)) : Promise.resolve([]));
  const { runner, w, listener } = start(task);
  await listener.until('running c-0');
  await eventually(() => polls === 1);
  // Nothing waits in the loop now: the wake-up is kept for its next wait.
  runner.resume();
  let open = (): void => undefined;
  w.producer.full = new Promise((resolve) => (open = resolve));
  deliver([record(1)]);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(w.producer.sent).toEqual([]);
  w.producer.full = null;
  open();
  await eventually(() => w.producer.sent.length === 1);
  await stop(runner);
});

describe('connect-runtime 70: a record that Kafka rejects', () => {
  const batchOf = [record(1), record(2), record(3)];
  test.each(['thrown by send', 'answered later'])(
    '%s, tolerance none: FAILED, offsets acknowledged before it are stored',
    async (how) => {
      const { listener, w } = start(new ScriptedSource([batchOf]), {}, {}, (x) => {
        if (how === 'thrown by send') x.producer.sendErrors = [null, tooLarge];
        else {
          x.producer.autoAck = false;
          x.producer.onSend = (sent) =>
            void setImmediate(() => (sent.value === 'v2' ? sent.fail(tooLarge) : sent.ack()));
        }
      });
      await listener.until('failed c-0');
      expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
      expect(listener.trace).toMatch(
        /^org\.apache\.kafka\.common\.KafkaException: KafkaError: the record is larger than the topic takes \[code: MESSAGE_TOO_LARGE\]\n\tat /,
      );
      expect(listener.retriable).toBe(false);
    },
  );

  test('tolerance all: logged, the offset moves past it', async () => {
    const task = new ScriptedSource([batchOf]);
    const heard: unknown[] = [];
    task.commitRecord = (r, metadata) => heard.push([r.value, metadata !== null]);
    const { runner, w } = start(
      task,
      { 'errors.tolerance': 'all', 'errors.log.enable': 'true' },
      {},
      (x) => (x.producer.sendErrors = [null, tooLarge]),
    );
    await eventually(() => heard.length === 3);
    await stop(runner);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
    expect(heard).toContainEqual(['v2', false]);
    expect(w.logger.lines.join('\n')).toContain(
      "Executing stage 'KAFKA_PRODUCE' with class 'org.apache.kafka.clients.producer.KafkaProducer'.",
    );
  });
});

test('a stop before Kafka answers: no record is reported as rejected or confirmed to its source', async () => {
  const task = new ScriptedSource([[record(1), record(2)]]);
  const heard: unknown[] = [];
  task.commitRecord = (r) => void heard.push(r.value);
  const { runner, w } = start(
    task,
    { 'errors.tolerance': 'all', 'errors.log.enable': 'true' },
    { 'offset.flush.timeout.ms': '10' },
    (x) => (x.producer.autoAck = false),
  );
  await eventually(() => w.producer.sent.length === 2);
  w.producer.sent[0]?.ack();
  await stop(runner);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  expect(heard).toEqual(['v1']);
  expect(w.logger.lines.filter((line) => /^(error|warn)/.test(line))).toEqual([]);
});

describe('connect-runtime 71: errors of poll', () => {
  test('five retriable ones and it continues', async () => {
    const task = new ScriptedSource([...Array.from({ length: 5 }, () => new RetriableError('later')), [record(1)]]);
    const { runner, listener, w } = start(task);
    await eventually(() => w.producer.sent.length === 1);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test('any other: FAILED with the trace, the acknowledged offsets stored, the task stopped', async () => {
    const cause = new Error('disk on fire');
    const error = new ConnectError('The file cannot be read: check its permissions.', {
      code: 'FILE_READ',
      cause,
      place: { file: '/x' },
    });
    const task = new ScriptedSource([[record(1)], error]);
    const { listener, w } = start(task);
    await listener.until('failed c-0');
    expect(listener.trace.split('\n')[0]).toBe(
      'org.apache.kafka.connect.errors.ConnectException: The file cannot be read: check its permissions. [code: FILE_READ, file: /x]',
    );
    expect(listener.trace).toContain(
      '\nCaused by: org.apache.kafka.connect.errors.ConnectException: disk on fire\n\tat ',
    );
    expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
    expect(task.log).toEqual(['start', 'commit', 'stop']);
    expect(listener.retriable).toBe(false);
  });

  test('a programming error keeps its name and may be restarted', async () => {
    const { listener } = start(new ScriptedSource([new TypeError('x is not a function')]));
    await listener.until('failed c-0');
    expect(listener.trace).toMatch(
      /^org\.apache\.kafka\.connect\.errors\.ConnectException: TypeError: x is not a function\n/,
    );
    expect(listener.retriable).toBe(true);
  });

  test('a failing start: FAILED, stop is called', async () => {
    const task = new ScriptedSource([]);
    task.start = () => {
      throw new Error('no');
    };
    const { listener } = start(task);
    await listener.until('failed c-0');
    expect(task.log).toEqual(['commit', 'stop']);
  });

  test('a failure after a stop request is ignored', async () => {
    const task = new ScriptedSource([]);
    let polling = false;
    task.poll = () => {
      polling = true;
      return new Promise((_resolve, reject) =>
        task.signal?.addEventListener('abort', () => reject(new Error('cut off'))),
      );
    };
    const { runner, listener, w } = start(task);
    await eventually(() => polling);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
    expect(w.logger.lines.join()).toContain('The task failed while stopping: cut off');
  });
});

describe('connect-runtime 72: a record that cannot be converted', () => {
  const bad = [record(1), record(2, { valueSchema: null, value: Symbol('no') }), record(3)];
  const json = {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
  };

  test('tolerance none: FAILED with position and hint', async () => {
    const { listener, w } = start(new ScriptedSource([bad]), json);
    await listener.until('failed c-0');
    expect(listener.trace.split('\n')[0]).toBe(
      'org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler: VALUE_CONVERTER failed: Conversion error in the value: symbol is not a Connect value. ' +
        "Correct the record or the connector's settings, or skip such records with errors.tolerance=all, and log them with errors.log.enable=true. [code: TOLERANCE_EXCEEDED, topic: t]",
    );
    expect(listener.trace).toContain('Caused by: org.apache.kafka.connect.errors.DataException: Conversion error');
    expect(listener.retriable).toBe(false);
    // The batch was not sent completely; acknowledged offsets are stored.
    expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  });

  test('tolerance all: skipped, with the exact log line', async () => {
    const { runner, w } = start(new ScriptedSource([bad]), {
      ...json,
      'errors.tolerance': 'all',
      'errors.log.enable': 'true',
      'errors.log.include.messages': 'true',
    });
    await eventually(() => w.producer.sent.length === 2);
    await stop(runner);
    expect(w.producer.values()).toEqual(['"v1"', '"v3"']);
    expect(w.logger.lines).toContain(
      "error Error encountered in task c-0. Executing stage 'VALUE_CONVERTER' with class 'org.apache.kafka.connect.json.JsonConverter', where source record is = " +
        "SourceRecord{sourcePartition={file=a}, sourceOffset={n=2}} ConnectRecord{topic='t', kafkaPartition=null, key=k2, keySchema=null, value=Symbol(no), valueSchema=null, timestamp=null, headers=[]}.",
    );
    expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
  });
});

test('headers and timestamps; a negative timestamp fails the task', async () => {
  const headers = [
    { key: 'a', schema: null, value: 'x' },
    { key: 'b', schema: null, value: null },
  ];
  const { listener, w } = start(
    new ScriptedSource([
      [record(1, { headers, timestamp: 5 }), record(2, { timestamp: -1, partition: 3 })],
      [record(3, { timestamp: -2 })],
    ]),
  );
  await listener.until('failed c-0');
  expect(w.producer.sent.map((s) => [s.headers, s.timestamp, s.partition])).toEqual([
    [
      [
        ['a', 'x'],
        ['b', null],
      ],
      5,
      undefined,
    ],
    [[], null, 3],
  ]);
  expect(listener.trace).toContain('timestamp -2 is invalid');
});

describe('pausing', () => {
  test('starts paused: nothing is called before the resume', async () => {
    const task = new ScriptedSource([[record(1)]]);
    const w = world(sourceOf(task));
    const listener = new RecordingListener();
    const runner = new TaskRunner(spec('source', {}, { targetState: 'PAUSED' }), w, listener);
    runner.start();
    expect(listener.events).toEqual(['paused c-0']);
    expect(task.log).toEqual([]);
    runner.resume();
    await eventually(() => w.producer.sent.length === 1);
    await stop(runner);
    expect(listener.events).toEqual(['paused c-0', 'resumed c-0', 'stopped c-0']);
  });

  test('stopped while it starts paused', async () => {
    const task = new ScriptedSource([]);
    const w = world(sourceOf(task));
    const listener = new RecordingListener();
    const runner = new TaskRunner(spec('source', {}, { targetState: 'PAUSED' }), w, listener);
    runner.start();
    await stop(runner);
    expect(listener.events).toEqual(['paused c-0', 'stopped c-0']);
    expect(task.log).toEqual([]);
  });

  test('while running: no polls between pause and resume', async () => {
    const task = new ScriptedSource([]);
    const { runner, listener, w } = start(task);
    await listener.until('running c-0');
    runner.pause();
    await listener.until('paused c-0');
    task.more([record(1)]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(w.producer.sent).toEqual([]);
    runner.resume();
    await eventually(() => w.producer.sent.length === 1);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'paused c-0', 'resumed c-0', 'stopped c-0']);
  });
});

test('cancelled: no report, no offsets, although the records were acknowledged', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const { runner, listener, w } = start(task);
  await eventually(() => w.producer.sent.length === 1);
  runner.cancel();
  await runner.done;
  expect(listener.events).toEqual(['running c-0']);
  expect(w.offsets.writes).toEqual([]);
});

test('stored offsets are available to the task', async () => {
  const task = new ScriptedSource([]);
  let found: unknown;
  task.start = async (_config, context) => {
    found = [await context.offsets.offset(PARTITION), await context.offsets.offsets([{ file: 'b' }])];
  };
  const { runner, listener } = start(task, {}, {}, (x) => x.offsets.stored.set('c {"file":"a"}', { n: 9 }));
  await listener.until('running c-0');
  await stop(runner);
  expect(found).toEqual([{ n: 9 }, [null]]);
});

test.each([
  [{ transforms: 'a' }, 'transforms.a.type is ""'],
  [{ 'value.converter': 'com.acme.Nope' }, 'Class com.acme.Nope could not be found'],
  [
    { 'topic.creation.default.partitions': '1' },
    'Missing required configuration "topic.creation.default.replication.factor"',
  ],
])('an invalid config fails the task: %p', async (config: Record<string, string>, text) => {
  const { listener } = start(new ScriptedSource([]), config);
  await listener.until('failed c-0');
  expect(listener.trace).toMatch(/^org\.apache\.kafka\.common\.config\.ConfigException: /);
  expect(listener.trace).toContain(text);
  expect(listener.retriable).toBe(false);
});

describe('connect-runtime 109: a worker that may have lost its membership', () => {
  const heard = (agoMs = 0) => ({ monotonic: performance.now() - agoMs, wall: Date.now() - agoMs });

  async function asleep(
    worker: Record<string, string> = {},
  ): Promise<{ lease: SessionLease; runner: TaskRunner; task: ScriptedSource; w: World }> {
    const lease = new SessionLease(10_000);
    lease.renew(heard());
    const task = new ScriptedSource([[record(1)]]);
    const w = world(sourceOf(task), worker);
    w.producer.autoAck = false;
    const runner = new TaskRunner(spec('source', {}, { lease: lease.forWork() }), w, new RecordingListener());
    runner.start();
    await eventually(() => w.producer.sent.length === 1);
    lease.keepFor(0);
    w.producer.sent[0]?.ack();
    task.more([record(2)]);
    return { lease, runner, task, w };
  }

  test('polls and stores nothing until the membership is confirmed, then resumes', async () => {
    const { lease, runner, w } = await asleep({ 'offset.flush.interval.ms': '5' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(w.producer.sent).toHaveLength(1);
    expect(w.offsets.writes).toEqual([]);
    lease.renew(heard());
    await eventually(() => w.producer.sent.length === 2);
    await eventually(() => w.offsets.writes.length > 0);
    w.producer.sent[1]?.ack();
    await stop(runner);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 2 });
  });

  test('stores nothing when it is stopped meanwhile', async () => {
    const { runner, task, w } = await asleep();
    await stop(runner);
    expect(w.offsets.writes).toEqual([]);
    expect(task.log).toEqual(['start', 'stop']);
  });
});

describe('a batch that comes in parts', () => {
  const shared = { n: 9 };
  const last = (value: string): SourceRecord => record(9, { sourceOffset: shared, value });
  const parts = (...answers: (readonly SourceRecord[])[]): ScriptedSource & { isWithinBatch: boolean } => {
    const task = Object.assign(new ScriptedSource([]), { isWithinBatch: false });
    const { poll } = task;
    task.poll = async () => {
      const next = answers.shift();
      if (next === undefined) return await poll.call(task);
      task.isWithinBatch = answers.length > 0;
      return next;
    };
    return task;
  };

  test('the offset that its parts share is stored once the last one is acknowledged', async () => {
    const { runner, w } = start(
      parts([record(1), last('a')], [last('b')]),
      {},
      { 'offset.flush.timeout.ms': '300' },
      (x) => (x.producer.autoAck = false),
    );
    await eventually(() => w.producer.sent.length === 3);
    for (const sent of w.producer.sent.slice(0, 2)) sent.ack();
    await stop(runner);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  });

  test('a stop between its parts does not store the offset that further records may share', async () => {
    const task = parts([record(1), last('a')], []);
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const { poll } = task;
    task.poll = async () => {
      if (!task.isWithinBatch) return await poll.call(task);
      isAsked();
      return null;
    };
    const { runner, w } = start(task);
    await asked;
    await stop(runner);
    expect(w.producer.sent).toHaveLength(2);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  });
});
