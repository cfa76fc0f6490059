/** Chains of transformations in running tasks: connect-runtime §4.3, §4.6, §5.3, §7.1. */
import {
  DataError,
  RetriableError,
  type ConnectRecord,
  type PredicatePlugin,
  type SinkRecord,
  type SinkTask,
  type SinkTaskContext,
  type SourceTask,
  type TransformationPlugin,
} from '@millrace/sdk';
import { KafkaError } from '../../packages/kafka-client/src/errors';
import type { BuiltInPlugin } from '../../src/plugins/registry';
import { TaskRunner } from '../../src/tasks/task-runner';
import { ThreadLogger, type LogLine } from '../../src/threads/thread-logger';
import {
  batch,
  eventually,
  PARTITION,
  record,
  RecordingListener,
  ScriptedSource,
  sinkOf,
  sourceOf,
  spec,
  world,
  type World,
} from './fakes';

/** Calls of the plugins below, in order. */
let log: string[] = [];
/** Thrown by the next applications of `Moody`. */
let moods: (Error | null)[] = [];
beforeEach(() => {
  log = [];
  moods = [];
});

type Apply = (record: ConnectRecord, settings: Readonly<Record<string, string>>) => ConnectRecord | null;

function transformation(name: string, apply: Apply): BuiltInPlugin {
  const plugin: TransformationPlugin = {
    type: 'transformation',
    config: [
      {
        name: 'text',
        type: 'STRING',
        default: '',
        importance: 'LOW',
        documentation: 'x',
        validator: (value) => (value === 'bad' ? 'Value must be good' : null),
      },
    ],
    create: () => {
      let settings: Readonly<Record<string, string>> = {};
      return {
        configure: (config) => {
          settings = config;
          log.push(`configure ${name} ${JSON.stringify(config)}`);
          if (config.text === 'refused') throw new Error('not with me');
        },
        apply: <R extends ConnectRecord>(given: R) => apply(given, settings) as R | null,
        close: () => {
          log.push(`close ${name}`);
          if (name === 'Append') throw new Error('cannot close');
        },
      };
    },
  };
  return { description: described('transformation', name), plugin };
}
const described = (
  type: 'transformation' | 'predicate',
  name: string,
  aliases: string[] = [],
): BuiltInPlugin['description'] => ({
  type,
  class: `com.acme.${name}`,
  version: '1',
  aliases,
  taskClass: null,
  location: 'test',
});
const startsWith: PredicatePlugin = {
  type: 'predicate',
  config: [{ name: 'text', type: 'STRING', importance: 'HIGH', documentation: 'x' }],
  create: () => {
    let text = '';
    return {
      configure: (config) => void (text = config.text ?? ''),
      test: ({ value }) => {
        if (value === 'explode') throw new DataError('cannot tell');
        return String(value).startsWith(text);
      },
      close: () => void log.push('close StartsWith'),
    };
  },
};
const chatty: readonly BuiltInPlugin[] = [
  {
    description: described('transformation', 'Chatty'),
    plugin: {
      type: 'transformation',
      config: [],
      create: () => ({
        configure: (_, context) => context?.logger.warn('configured', { by: 'Chatty' }),
        apply: (given) => given,
      }),
    },
  },
  {
    description: described('predicate', 'ChattyToo'),
    plugin: {
      type: 'predicate',
      config: [],
      create: () => ({ configure: (_, context) => context?.logger.info('configured, too'), test: () => true }),
    },
  },
];
/** The monotonic clock advances by a second with each record that `Slow` transforms. */
let slowMs = 0;
const INSTALLED: readonly BuiltInPlugin[] = [
  transformation('Slow', (r) => {
    slowMs += 1_000;
    log.push(`slow ${String(r.value)}`);
    setImmediate(() => log.push('turn of the event loop'));
    return r;
  }),
  ...chatty,
  transformation('Append', (r, { text = '!' }) => ({ ...r, value: `${String(r.value)}${text}` })),
  transformation('Route', (r, { text = '' }) => ({ ...r, topic: `${text}${String(r.value)}` })),
  transformation('Drop', () => null),
  transformation('Moody', (r) => {
    const mood = moods.shift();
    if (mood) throw mood;
    return { ...r, value: `${String(r.value)}m` };
  }),
  // Copies only the members that it knows.
  transformation(
    'Rebuild',
    ({ topic, keySchema, key, valueSchema, value }) =>
      ({ topic, partition: 7, offset: 99, keySchema, key, valueSchema, value, headers: [] }) as unknown as SinkRecord,
  ),
  { description: described('predicate', 'StartsWith'), plugin: startsWith },
];
/** `chain('a=Append', 'b=Drop')` */
const chain = (...steps: string[]): Record<string, string> => ({
  transforms: steps.map((step) => step.split('=')[0]).join(', '),
  ...Object.fromEntries(
    steps.map((step) => [`transforms.${step.split('=')[0]}.type`, `com.acme.${step.split('=')[1]}`]),
  ),
});
const predicate = (text: string): Record<string, string> => ({
  predicates: 'p',
  'predicates.p.type': 'com.acme.StartsWith',
  'predicates.p.text': text,
});

interface Running {
  runner: TaskRunner;
  listener: RecordingListener;
  w: World;
}
async function stop({ runner }: Pick<Running, 'runner'>): Promise<void> {
  runner.stop();
  await runner.done;
}

/** The event loop has a turn after each record that takes long, so that the thread's heartbeats continue. */
function expectTurns(values: readonly string[]): void {
  const turns = values.flatMap((value) => [`slow ${value}`, 'turn of the event loop']);
  expect(log.filter((line) => turns.includes(line))).toEqual(turns);
}
beforeEach(() => {
  slowMs = 0;
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + slowMs);
});
afterEach(() => jest.restoreAllMocks());

describe('source', () => {
  function start(
    task: SourceTask,
    config: Record<string, string>,
    prepare: (w: World) => void = () => undefined,
    worker: Record<string, string> = {},
  ): Running {
    const w = world(sourceOf(task), worker, INSTALLED);
    prepare(w);
    const listener = new RecordingListener();
    const runner = new TaskRunner(spec('source', config), w, listener);
    runner.start();
    return { runner, listener, w };
  }

  test('connect-runtime 105: records are transformed before they are converted; settings lose their prefix; everything is closed', async () => {
    const running = start(new ScriptedSource([[record(1), record(2)]]), {
      ...chain('a=Append', 'b=Append'),
      'transforms.a.text': '-a',
      'transforms.b.text': '-b',
    });
    await eventually(() => running.w.producer.sent.length === 2);
    await stop(running);
    expect(running.w.producer.values()).toEqual(['v1-a-b', 'v2-a-b']);
    expect(running.w.offsets.of(PARTITION)).toEqual({ n: 2 });
    expect(log).toEqual([
      'configure Append {"type":"com.acme.Append","text":"-a"}',
      'configure Append {"type":"com.acme.Append","text":"-b"}',
      'close Append',
      'close Append',
    ]);
    expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
    expect(running.w.logger.lines).toContain('warn Ignoring an error while closing a transformation: cannot close');
  });

  test('connect-runtime 106: the predicate decides, negated or not, and its keys are not settings of the transformation', async () => {
    const running = start(new ScriptedSource([[record(1), record(2)]]), {
      ...chain('a=Append', 'b=Append'),
      ...predicate('v1'),
      'transforms.a.text': '-a',
      'transforms.a.predicate': 'p',
      'transforms.b.text': '-b',
      'transforms.b.predicate': 'p',
      'transforms.b.negate': 'TRUE',
    });
    await eventually(() => running.w.producer.sent.length === 2);
    await stop(running);
    expect(running.w.producer.values()).toEqual(['v1-a', 'v2-b']);
    expect(log).toEqual([
      'configure Append {"type":"com.acme.Append","text":"-a"}',
      'configure Append {"type":"com.acme.Append","text":"-b"}',
      'close Append',
      'close StartsWith',
      'close Append',
      'close StartsWith',
    ]);
  });

  test('connect-runtime 67: the transformation drops the 2nd of 3: commitRecord gets the polled records, the dropped one without metadata', async () => {
    const task = new ScriptedSource([[record(1), record(2), record(3)]]);
    const heard: unknown[] = [];
    task.commitRecord = (r, metadata) => heard.push([r.value, r.topic, metadata?.topic ?? null]);
    const running = start(task, {
      ...chain('d=Drop', 'r=Route'),
      ...predicate('v2'),
      'transforms.d.predicate': 'p',
      'transforms.r.text': 'to-',
    });
    await eventually(() => heard.length === 3);
    await stop(running);
    expect(running.w.producer.sent.map(({ topic, value }) => [topic, value])).toEqual([
      ['to-v1', 'v1'],
      ['to-v3', 'v3'],
    ]);
    expect([...heard].sort()).toEqual([
      ['v1', 't', 'to-v1'],
      ['v2', 't', null],
      ['v3', 't', 'to-v3'],
    ]);
    expect(running.w.offsets.of(PARTITION)).toEqual({ n: 3 });
  });

  test('all records dropped: their offset is stored and the task notified, but never before earlier records', async () => {
    const task = new ScriptedSource([[record(1), record(2), record(3)]]);
    const running = start(
      task,
      { ...chain('d=Drop'), ...predicate('v1'), 'transforms.d.predicate': 'p', 'transforms.d.negate': 'true' },
      (w) => (w.producer.autoAck = false),
      { 'offset.flush.timeout.ms': '300' },
    );
    await eventually(() => running.w.producer.sent.length === 1);
    await stop(running);
    expect(running.w.offsets.writes).toEqual([]);
    const all = new ScriptedSource([[record(1), record(2)], [record(3)]]);
    let heard = 0;
    all.commitRecord = () => void heard++;
    const dropping = start(all, chain('d=Drop'));
    await eventually(() => heard === 3);
    await stop(dropping);
    expect(dropping.w.producer.sent).toEqual([]);
    expect(dropping.w.offsets.of(PARTITION)).toEqual({ n: 3 });
    expect(all.commits[0]?.get(PARTITION)).toEqual({ n: 3 });
  });

  test('topics: those of the transformed records are created, prepared and tracked', async () => {
    const running = start(new ScriptedSource([[record(1), record(2)]]), {
      ...chain('r=Route'),
      'transforms.r.text': 'new-',
      'topic.creation.default.partitions': '1',
      'topic.creation.default.replication.factor': '1',
    });
    await eventually(() => running.listener.topics.length === 2);
    await stop(running);
    expect(running.w.admin.created.map(({ name }) => name)).toEqual(['new-v1', 'new-v2']);
    expect(running.listener.topics).toEqual(['new-v1', 'new-v2']);
  });

  test('a held batch is transformed again from the polled records', async () => {
    const away = new KafkaError('CONNECTION_FAILED', 'no broker', { retriable: true });
    const running = start(new ScriptedSource([[record(1)]]), chain('m=Moody'), (w) => (w.producer.sendErrors = [away]));
    await eventually(() => running.w.producer.sent.length === 1);
    await stop(running);
    expect(running.w.producer.values()).toEqual(['v1m']);
  });

  test('connect-runtime 72: tolerance none: FAILED, the trace names the transformation; earlier offsets are stored', async () => {
    moods = [null, new DataError('no field of that name')];
    const running = start(new ScriptedSource([[record(1), record(2), record(3)]]), chain('a=Append', 'm=Moody'));
    await running.listener.until('failed c-0');
    expect(running.listener.trace).toContain(
      'Tolerance exceeded in error handler: TRANSFORMATION with com.acme.Moody failed: no field of that name',
    );
    expect(running.listener.trace).toContain('org.apache.kafka.connect.errors.DataException: no field of that name');
    expect(running.listener.retriable).toBe(false);
    expect(running.w.offsets.of(PARTITION)).toEqual({ n: 1 });
    expect(log.slice(-2)).toEqual(['close Append', 'close Moody']);
  });

  test('connect-runtime 72: tolerance all: skipped, with Java’s log line about the polled record', async () => {
    moods = [new DataError('bad')];
    const running = start(new ScriptedSource([[record(1), record(2)]]), {
      ...chain('a=Append', 'm=Moody'),
      'errors.tolerance': 'all',
      'errors.log.enable': 'true',
      'errors.log.include.messages': 'true',
    });
    await eventually(() => running.w.producer.sent.length === 1);
    await stop(running);
    expect(running.w.producer.values()).toEqual(['v2!m']);
    expect(running.w.logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      "error Error encountered in task c-0. Executing stage 'TRANSFORMATION' with class 'com.acme.Moody', where source record is = " +
        "SourceRecord{sourcePartition={file=a}, sourceOffset={n=1}} ConnectRecord{topic='t', kafkaPartition=null, key=k1, keySchema=null, " +
        'value=v1, valueSchema=null, timestamp=null, headers=[]}.',
    ]);
  });

  test('connect-runtime 73: a retriable failure is retried, only that step', async () => {
    moods = [new RetriableError('lookup away'), new RetriableError('lookup away')];
    const running = start(new ScriptedSource([[record(1)]]), {
      ...chain('a=Append', 'm=Moody', 'b=Append'),
      'errors.retry.timeout': '60000',
      'errors.retry.delay.max.ms': '5',
    });
    await eventually(() => running.w.producer.sent.length === 1);
    await stop(running);
    expect(running.w.producer.values()).toEqual(['v1!m!']);
  });

  test('connect-runtime 73: stopped while a retriable failure is retried: the rest of the batch is neither skipped nor stored', async () => {
    const heard: unknown[] = [];
    const task = new ScriptedSource([[record(1), record(2), record(3), record(4)]]);
    task.commitRecord = (r) => void heard.push(r.value);
    moods = [null, ...Array.from({ length: 9 }, () => new RetriableError('lookup away'))];
    const running = start(task, {
      ...chain('m=Moody'),
      'errors.retry.timeout': '-1',
      'errors.tolerance': 'all',
      'errors.log.enable': 'true',
    });
    await eventually(() => moods.length < 9 && running.w.producer.sent.length === 1);
    await stop(running);
    expect(running.w.producer.values()).toEqual(['v1m']);
    expect(running.w.offsets.of(PARTITION)).toEqual({ n: 1 });
    expect(heard).toEqual(['v1']);
    expect(running.w.logger.lines.filter((line) => /^(error|warn)/.test(line))).toEqual([]);
    expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test('transformations and predicates receive a logger named after their class, in task threads, too', async () => {
    const lines: LogLine[] = [];
    const logger = new ThreadLogger((line) => void lines.push(line));
    const config = {
      ...chain('first=Chatty'),
      predicates: 'p',
      'predicates.p.type': 'com.acme.ChattyToo',
      'transforms.first.predicate': 'p',
    };
    const w = world(sourceOf(new ScriptedSource([[record(1)]])), {}, INSTALLED);
    const runner = new TaskRunner(spec('source', config), { ...w, logger }, new RecordingListener());
    runner.start();
    await eventually(() => w.producer.sent.length === 1);
    await stop({ runner });
    const ofTask = { connector: 'c', task: 0 };
    expect(lines.filter(({ name }) => name?.startsWith('com.acme.'))).toEqual([
      {
        type: 'log',
        level: 'info',
        name: 'com.acme.ChattyToo',
        line: { message: 'configured, too', fields: { ...ofTask, predicate: 'p' }, stacks: [] },
      },
      {
        type: 'log',
        level: 'warn',
        name: 'com.acme.Chatty',
        line: { message: 'configured', fields: { ...ofTask, transformation: 'first', by: 'Chatty' }, stacks: [] },
      },
    ]);
  });

  test('a slow transformation does not keep the event loop for a whole batch', async () => {
    const running = start(new ScriptedSource([[record(1), record(2), record(3)]]), chain('s=Slow'));
    await eventually(() => running.w.producer.sent.length === 3);
    await stop(running);
    expectTurns(running.w.producer.sent.map(({ value }) => value as string));
  });

  test('a predicate that throws is a failure of its transformation', async () => {
    const running = start(new ScriptedSource([[record(1, { value: 'explode' })]]), {
      ...chain('a=Append'),
      ...predicate('v'),
      'transforms.a.predicate': 'p',
    });
    await running.listener.until('failed c-0');
    expect(running.listener.trace).toContain('TRANSFORMATION with com.acme.Append failed: cannot tell');
  });

  test.each<[string, Record<string, string>, string]>([
    ['no type', { transforms: 'a' }, 'transforms.a.type is "", but no transformation of that name is installed'],
    ['unknown type', chain('a=Nope'), 'transforms.a.type is "com.acme.Nope"'],
    ['a predicate as type', chain('a=StartsWith'), 'transforms.a.type is "com.acme.StartsWith"'],
    [
      'connect-runtime 106: unknown predicate',
      { ...chain('a=Append'), 'transforms.a.predicate': 'q', ...predicate('v') },
      'transforms.a.predicate names "q", which "predicates" does not list: add it there and set predicates.q.type.',
    ],
    [
      'connect-runtime 106: negate alone',
      { ...chain('a=Append'), 'transforms.a.negate': 'true' },
      'transforms.a.negate needs transforms.a.predicate',
    ],
    [
      'a key of its own',
      { ...chain('a=Append'), 'transforms.a.text': 'bad' },
      'transforms.a (com.acme.Append) cannot be configured: Invalid value bad for configuration text: Value must be good',
    ],
    [
      'a missing key',
      {
        ...chain('a=Append'),
        predicates: 'p',
        'predicates.p.type': 'com.acme.StartsWith',
        'transforms.a.predicate': 'p',
      },
      'predicates.p (com.acme.StartsWith) cannot be configured: Missing required configuration "text" which has no default value.',
    ],
    [
      'configure() throws',
      { ...chain('m=Moody', 'a=Append'), 'transforms.a.text': 'refused' },
      'transforms.a (com.acme.Append) cannot be configured: not with me',
    ],
  ])('%s: the task fails before it starts', async (_what, config, text) => {
    const task = new ScriptedSource([]);
    const { listener } = start(task, config);
    await listener.until('failed c-0');
    expect(listener.trace).toMatch(/^org\.apache\.kafka\.common\.config\.ConfigException: /);
    expect(listener.trace).toContain(text);
    expect(listener.retriable).toBe(false);
    expect(task.log).toEqual([]);
    const configured = log.filter((line) => line.startsWith('configure Moody'));
    expect(log.filter((line) => line === 'close Moody')).toHaveLength(configured.length);
  });
});

describe('sink', () => {
  class Collector implements SinkTask {
    readonly records: SinkRecord[] = [];
    context!: SinkTaskContext;
    putErrors: Error[] = [];
    onPut: ((records: readonly SinkRecord[]) => void) | null = null;
    start(_config: unknown, context: SinkTaskContext): void {
      this.context = context;
    }
    put(records: readonly SinkRecord[]): void {
      const error = records.length > 0 ? this.putErrors.shift() : undefined;
      if (error) throw error;
      if (records.length > 0) this.onPut?.(records);
      this.records.push(...records);
    }
    stop(): void {}
  }

  async function start(task: Collector, config: Record<string, string>): Promise<Running> {
    const w = world(sinkOf(task), { 'offset.flush.interval.ms': '60000' }, INSTALLED);
    w.consumer.positions.set('t-0', 0);
    const listener = new RecordingListener();
    const runner = new TaskRunner(spec('sink', config), w, listener);
    w.consumer.assign({ topic: 't', partition: 0 });
    runner.start();
    await eventually(() => listener.events.length > 0);
    return { runner, listener, w };
  }

  test('a slow transformation does not keep the event loop for a whole batch', async () => {
    const task = new Collector();
    const running = await start(task, chain('s=Slow'));
    running.w.consumer.next([batch('t', 0, 5, ['x', 'y', 'z'])]);
    await eventually(() => task.records.length === 3);
    await stop(running);
    expectTurns(['x', 'y', 'z']);
  });

  test('connect-runtime 105: after the converters; the record has its destination and its consumed position', async () => {
    const task = new Collector();
    const running = await start(task, { ...chain('r=Route', 'a=Append'), 'transforms.r.text': 'to-' });
    running.w.consumer.next([batch('t', 0, 5, ['x'])]);
    await eventually(() => task.records.length === 1);
    await stop(running);
    expect(task.records[0]).toMatchObject({
      topic: 'to-x',
      partition: 0,
      offset: 5,
      originalTopic: 't',
      originalPartition: 0,
      originalOffset: 5,
      value: 'x!',
    });
    expect(running.w.consumer.commits).toEqual([[{ topic: 't', partition: 0, offset: 6 }]]);
    // Active topics are the consumed ones, as in Java.
    expect(running.listener.topics).toEqual(['t']);
    expect(log.slice(-2)).toEqual(['close Route', 'close Append']);
  });

  test('a transformation that creates a new record keeps the consumed position', async () => {
    const task = new Collector();
    const running = await start(task, chain('r=Rebuild'));
    running.w.consumer.next([batch('t', 0, 5, ['x'])]);
    await eventually(() => task.records.length === 1);
    await stop(running);
    expect(task.records[0]).toMatchObject({
      partition: 7,
      originalTopic: 't',
      originalPartition: 0,
      originalOffset: 5,
    });
  });

  test('connect-runtime 97: dropped records are not put, and committed like the others', async () => {
    const task = new Collector();
    const running = await start(task, { ...chain('d=Drop'), ...predicate('x'), 'transforms.d.predicate': 'p' });
    running.w.consumer.next([batch('t', 0, 5, ['x1', 'y', 'x2'])]);
    await eventually(() => task.records.length === 1);
    const { pollTimeouts } = running.w.consumer;
    const begun = pollTimeouts.length;
    running.w.consumer.next([batch('t', 0, 8, ['x3', 'x4'])]);
    // The next poll gets the batch, and the one after it starts when that was put.
    await eventually(() => pollTimeouts.length >= begun + 2);
    await stop(running);
    expect(task.records.map(({ value }) => value)).toEqual(['y']);
    expect(running.w.consumer.commits).toEqual([[{ topic: 't', partition: 0, offset: 10 }]]);
  });

  test('held records of a revoked partition are dropped with it although they have another topic', async () => {
    const task = new Collector();
    task.putErrors = [new RetriableError('not now')];
    const running = await start(task, { ...chain('r=Route'), 'transforms.r.text': 'to-' });
    running.w.consumer.next([batch('t', 0, 5, ['x'])]);
    running.w.consumer.take('onRevoked', { topic: 't', partition: 0 });
    await eventually(() => running.w.consumer.assigned.length === 0);
    await stop(running);
    expect(task.records).toEqual([]);
  });

  test('connect-runtime 98: a failing transformation: consumed bytes and Java’s headers in the dead letter topic', async () => {
    moods = [null, new DataError('bad')];
    const task = new Collector();
    const running = await start(task, {
      ...chain('r=Route', 'm=Moody'),
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': 'dlq',
      'errors.deadletterqueue.context.headers.enable': 'true',
    });
    running.w.consumer.next([batch('t', 0, 5, ['x', 'y', 'z'])]);
    await eventually(() => task.records.length === 2);
    await stop(running);
    expect(task.records.map(({ value }) => value)).toEqual(['xm', 'zm']);
    const [letter] = running.w.deadLetters.sent;
    expect(running.w.deadLetters.sent).toHaveLength(1);
    expect(letter).toMatchObject({ topic: 'dlq', key: 'k6', value: 'y', timestamp: 1001 });
    const headers = Object.fromEntries(letter?.headers ?? []);
    expect(headers).toMatchObject({
      '__connect.errors.topic': 't',
      '__connect.errors.partition': '0',
      '__connect.errors.offset': '6',
      '__connect.errors.stage': 'TRANSFORMATION',
      '__connect.errors.class.name': 'com.acme.Moody',
      '__connect.errors.exception.class.name': 'org.apache.kafka.connect.errors.DataException',
      '__connect.errors.exception.message': 'bad',
    });
    expect(running.w.consumer.commits).toEqual([[{ topic: 't', partition: 0, offset: 8 }]]);
  });

  test('connect-runtime 99: a task’s report about a transformed record contains the consumed one', async () => {
    const task = new Collector();
    const running = await start(task, {
      ...chain('r=Route', 'a=Append'),
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': 'dlq',
      'errors.deadletterqueue.context.headers.enable': 'true',
    });
    task.onPut = ([first]) => {
      void task.context.errantRecordReporter?.report(first as SinkRecord, new Error('bad row'));
      // And one that the task created itself.
      void task.context.errantRecordReporter?.report({ ...(first as SinkRecord), value: 'own' }, new Error('bad row'));
    };
    running.w.consumer.next([batch('t', 0, 5, ['x'])]);
    await eventually(() => running.w.deadLetters.sent.length === 2);
    await stop(running);
    expect(running.w.deadLetters.sent.map(({ value }) => value)).toEqual(['x', 'own']);
    for (const { headers } of running.w.deadLetters.sent) {
      expect(Object.fromEntries(headers)).toMatchObject({
        '__connect.errors.topic': 't',
        '__connect.errors.offset': '5',
        '__connect.errors.stage': 'TASK_PUT',
      });
    }
  });

  test('connect-runtime 73: stopped while a retriable failure is retried: a record that will be delivered again is neither reported nor committed', async () => {
    const task = new Collector();
    const running = await start(task, {
      ...chain('m=Moody'),
      'errors.retry.timeout': '-1',
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': 'dead',
    });
    running.w.consumer.next([batch('t', 0, 5, ['x'])]);
    await eventually(() => task.records.length === 1);
    moods = Array.from({ length: 9 }, () => new RetriableError('lookup away'));
    running.w.consumer.next([batch('t', 0, 6, ['y', 'z'])]);
    await eventually(() => moods.length < 9);
    await stop(running);
    expect(running.w.deadLetters.values()).toEqual([]);
    expect(running.w.consumer.commits).toEqual([[{ topic: 't', partition: 0, offset: 6 }]]);
    expect(running.w.logger.lines.filter((line) => /^(error|warn)/.test(line))).toEqual([]);
    expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test('tolerance none: FAILED; the trace names transformation and position; earlier puts are committed', async () => {
    const task = new Collector();
    const running = await start(task, chain('m=Moody'));
    running.w.consumer.next([batch('t', 0, 5, ['x'])]);
    await eventually(() => task.records.length === 1);
    moods = [new DataError('bad')];
    running.w.consumer.next([batch('t', 0, 6, ['y'])]);
    await running.listener.until('failed c-0');
    expect(running.listener.trace).toMatch(
      /TRANSFORMATION with com\.acme\.Moody failed: bad\. Correct .*\[code: TOLERANCE_EXCEEDED, topic: t, partition: 0, offset: 6\]/,
    );
    expect(running.w.consumer.commits).toEqual([[{ topic: 't', partition: 0, offset: 6 }]]);
    expect(log.at(-1)).toBe('close Moody');
  });
});
