import { silentLogger, type Logger } from '../../../src/logging/logger';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { Admin, ClientConfig, SendPermission } from '../../../packages/kafka-client/src/port';
import type { LogRecord } from '../../../src/storage/log/compacted-log';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { MemoryKafka } from '../../cluster/memory-kafka';

const open: KafkaCompactedLog[] = [];
afterEach(async () => {
  for (const log of open.splice(0)) await log.stop();
});

function create(
  kafka: MemoryKafka,
  {
    partitions = 3,
    admin = kafka.admin(),
    permission,
    logger = silentLogger,
  }: { partitions?: number; admin?: Admin; permission?: SendPermission; logger?: Logger } = {},
): { log: KafkaCompactedLog; records: string[]; start: () => Promise<void> } {
  const log = new KafkaCompactedLog({
    topic: storageTopic('offset', { topic: 't', partitions, replicationFactor: 1, topicConfigs: {} }),
    clients: kafka,
    admin,
    client: {},
    clientId: 'g-offsets',
    permission,
    logger,
  });
  open.push(log);
  const records: string[] = [];
  const listener = ({ partition, offset, key, value }: LogRecord): void => {
    records.push(`${partition}/${offset} ${key?.toString()}=${value?.toString() ?? '∅'}`);
  };
  return { log, records, start: async () => await log.start(listener) };
}
const bytes = (text: string): Buffer => Buffer.from(text);

test('everything in the topic is read before start resolves, and followed afterwards', async () => {
  const kafka = new MemoryKafka();
  kafka.createTopic('t', 3);
  kafka.append('t', 1, bytes('a'), bytes('1'));
  kafka.append('t', 1, bytes('a'), null);
  const { log, records, start } = create(kafka);
  await start();
  expect(log.partitions).toBe(3);
  expect(records).toEqual(['1/0 a=1', '1/1 a=∅']);
  kafka.append('t', 0, bytes('b'), bytes('2'));
  await log.readToEnd();
  expect(records).toContain('0/0 b=2');
});

test('written records are read back, keys in order', async () => {
  const { log, records, start } = create(new MemoryKafka());
  await start();
  await log.write([
    [bytes('k'), bytes('1')],
    [bytes('k'), bytes('2')],
    [bytes('k'), null],
  ]);
  await log.write([]);
  await log.readToEnd();
  expect(records.map((record) => record.split('=')[1])).toEqual(['1', '2', '∅']);
});

test('connect-runtime 25: a log that ends in a marker or in a compacted record is read to its end', async () => {
  const kafka = new MemoryKafka();
  kafka.createTopic('t', 3);
  kafka.append('t', 2, bytes('a'), bytes('1'));
  kafka.appendHole('t', 2);
  kafka.appendHole('t', 0);
  const { log, records, start } = create(kafka);
  await start();
  kafka.appendHole('t', 1);
  await log.readToEnd();
  expect(records).toEqual(['2/0 a=1']);
});

test('requests during a round wait for the next one', async () => {
  const kafka = new MemoryKafka();
  const admin = kafka.admin();
  let rounds = 0;
  let late: Promise<void> | undefined;
  const { log, start } = create(kafka, {
    admin: {
      ...admin,
      listOffsets: async (partitions, at) => {
        if (++rounds === 2) late = log.readToEnd();
        return await admin.listOffsets(partitions, at);
      },
    },
  });
  await start();
  await Promise.all([log.readToEnd(), log.readToEnd()]);
  await late;
  expect(rounds).toBe(3);
});

test('end offsets are requested again after a retriable error; another error rejects only that round', async () => {
  jest.useFakeTimers();
  try {
    const kafka = new MemoryKafka();
    const admin = kafka.admin();
    const errors: KafkaError[] = [];
    const { log, start } = create(kafka, {
      admin: {
        ...admin,
        listOffsets: async (partitions, at) => {
          const error = errors.shift();
          if (error) throw error;
          return await admin.listOffsets(partitions, at);
        },
      },
    });
    await start();
    errors.push(new KafkaError('REQUEST_TIMED_OUT', 'slow', { retriable: true }));
    const patient = log.readToEnd();
    await jest.advanceTimersByTimeAsync(1_000);
    await patient;
    errors.push(new KafkaError('TOPIC_AUTHORIZATION_FAILED', 'no'));
    const refused = expect(log.readToEnd()).rejects.toThrow('no');
    await jest.advanceTimersByTimeAsync(1_000);
    await refused;
    await log.readToEnd();
  } finally {
    jest.useRealTimers();
  }
});

describe('connect-runtime 110: Kafka becomes unreachable while a worker starts', () => {
  /** Whose producers and consumers fail to connect with these errors first. */
  function unwilling(kafka: MemoryKafka, errors: KafkaError[]): MemoryKafka {
    const connect = async (): Promise<void> => {
      const error = errors.shift();
      if (error) throw error;
    };
    return Object.assign(Object.create(kafka) as MemoryKafka, {
      producer: () => ({ ...kafka.producer(), connect }),
      assignedConsumer: () => ({ ...kafka.assignedConsumer(), connect }),
    });
  }
  const away = (): KafkaError => new KafkaError('CONNECTION_FAILED', 'refused', { retriable: true });

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('the worker waits for it', async () => {
    const kafka = new MemoryKafka();
    const { start } = create(unwilling(kafka, Array.from({ length: 20 }, away)), { admin: kafka.admin() });
    const started = start();
    await jest.advanceTimersByTimeAsync(30_000);
    await started;
  });

  test('for a minute', async () => {
    const kafka = new MemoryKafka();
    const { start } = create(unwilling(kafka, Array.from({ length: 200 }, away)), { admin: kafka.admin() });
    const refused = expect(start()).rejects.toThrow('refused');
    await jest.advanceTimersByTimeAsync(61_000);
    await refused;
  });

  test('wrong credentials are reported at once', async () => {
    const kafka = new MemoryKafka();
    const wrong = new KafkaError('SASL_AUTHENTICATION_FAILED', 'wrong password');
    await expect(create(unwilling(kafka, [wrong]), { admin: kafka.admin() }).start()).rejects.toThrow('wrong password');
  });
});

test('connect-runtime §1.1: settings with fixed values', async () => {
  const kafka = new MemoryKafka();
  const seen: ClientConfig[] = [];
  const spy = Object.assign(Object.create(kafka) as MemoryKafka, {
    producer: (config: ClientConfig) => {
      seen.push(config);
      return kafka.producer();
    },
    assignedConsumer: (config: ClientConfig) => {
      seen.push(config);
      return kafka.assignedConsumer();
    },
  });
  const log = new KafkaCompactedLog({
    topic: storageTopic('config', { topic: 't', partitions: 9, replicationFactor: 1, topicConfigs: {} }),
    clients: spy,
    admin: kafka.admin(),
    client: { 'security.protocol': 'SSL', acks: '0', 'enable.idempotence': 'true', 'auto.offset.reset': 'latest' },
    clientId: 'g-configs',
    logger: silentLogger,
  });
  open.push(log);
  expect(seen[0]).toMatchObject({
    'client.id': 'g-configs',
    'security.protocol': 'SSL',
    acks: 'all',
    'enable.idempotence': 'false',
    'allow.auto.create.topics': 'false',
    'max.in.flight.requests.per.connection': '1',
    'delivery.timeout.ms': '2147483647',
  });
  expect(seen[1]).toMatchObject({ 'auto.offset.reset': 'earliest', 'enable.auto.commit': 'false' });
  await log.start(() => undefined);
  expect(kafka.topics.get('t')?.partitions).toHaveLength(1);
});

test('connect-runtime 14: a config topic with two partitions fails the start', async () => {
  const kafka = new MemoryKafka();
  kafka.createTopic('t', 2);
  const log = new KafkaCompactedLog({
    topic: storageTopic('config', { topic: 't', partitions: 1, replicationFactor: 1, topicConfigs: {} }),
    clients: kafka,
    admin: kafka.admin(),
    client: {},
    clientId: 'c',
    logger: silentLogger,
  });
  open.push(log);
  await expect(log.start(() => undefined)).rejects.toThrow('but found 2 partitions');
});

test('after stop nothing more is read or written', async () => {
  const { log, start } = create(new MemoryKafka());
  await start();
  await log.stop();
  await expect(log.readToEnd()).rejects.toThrow('the worker is stopping');
  await expect(log.write([[bytes('k'), null]])).rejects.toThrow('the worker is stopping');
});

test('a storage topic that is missing from the producer’s metadata is looked up, and created as at startup', async () => {
  const kafka = new MemoryKafka();
  const producer = kafka.producer();
  const steps: string[] = [];
  let known = true;
  kafka.producer = () => ({
    ...producer,
    isPrepared: () => known,
    prepare: async () => {
      steps.push('prepared');
      known = true;
    },
    send: (...record) => {
      if (!known) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'not known yet', { retriable: true });
      producer.send(...record);
    },
  });
  const admin = kafka.admin();
  const createTopics = admin.createTopics.bind(admin);
  admin.createTopics = async (topics) => {
    const created = await createTopics(topics);
    steps.push(...created.map((name) => `created ${name} ${kafka.topics.get(name)?.configs['cleanup.policy']}`));
    return created;
  };
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };
  const { log, start } = create(kafka, { partitions: 1, admin, logger });
  await start();
  expect(steps.splice(0)).toEqual(['created t compact', 'prepared']);
  expect(errors).toEqual([]);
  known = false;
  await log.write([[bytes('k'), bytes('0')]]);
  expect(steps.splice(0)).toEqual(['prepared']);
  expect(errors).toEqual([]);
  kafka.topics.delete('t');
  known = false;
  await log.write([[bytes('k'), bytes('1')]]);
  expect(steps).toEqual(['created t compact', 'prepared']);
  expect(kafka.texts('t')).toEqual(['k=1']);
  // An operator must hear of the loss.
  expect(errors).toEqual([
    expect.stringMatching(
      /^Storage topic 't' \(offset\.storage\.topic\) was deleted.*the source connector offsets stored in it are lost/,
    ),
  ]);
});

test('a topic that was deleted is created again by a read, and what is written to it is read from its beginning', async () => {
  const kafka = new MemoryKafka();
  kafka.createTopic('t', 1);
  for (const value of ['1', '2', '3']) kafka.append('t', 0, bytes('k'), bytes(value));
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };
  const { log, records, start } = create(kafka, { partitions: 1, logger });
  await start();
  kafka.topics.delete('t');
  await log.readToEnd();
  expect(errors).toContainEqual(expect.stringContaining('was deleted while the worker was running'));
  records.splice(0);
  await log.write([[bytes('k'), bytes('4')]]);
  await log.readToEnd();
  expect(records).toEqual(['0/0 k=4']);
});

test('a config topic that was deleted is not created again; once it is restored, it is read from its beginning', async () => {
  const kafka = new MemoryKafka();
  const errors: string[] = [];
  const log = new KafkaCompactedLog({
    topic: storageTopic('config', { topic: 't', partitions: 1, replicationFactor: 1, topicConfigs: {} }),
    clients: kafka,
    admin: kafka.admin(),
    client: {},
    clientId: 'c',
    logger: { ...silentLogger, error: (message: string) => void errors.push(message) },
  });
  open.push(log);
  const records: string[] = [];
  await log.start(({ offset, value }) => void records.push(`${offset} ${value?.toString()}`));
  await log.write([[bytes('k'), bytes('1')]]);
  await log.readToEnd();
  expect(log.problem).toBeNull();
  kafka.topics.delete('t');
  await expect(log.readToEnd()).rejects.toMatchObject({ code: 'STORAGE_TOPIC_DELETED', place: { topic: 't' } });
  await expect(log.checkTopic()).rejects.toMatchObject({ code: 'STORAGE_TOPIC_DELETED' });
  expect(kafka.topics.has('t')).toBe(false);
  expect(errors).toContain(log.problem);
  kafka.createTopic('t', 1);
  kafka.append('t', 0, bytes('k'), bytes('restored'));
  await log.readToEnd();
  expect(log.problem).toBeNull();
  expect(records).toEqual(['0 1', '0 restored']);
});

describe('while the topic is looked up', () => {
  /** A log whose producer does not know the topic; the function adds it to the metadata. */
  async function lost(
    permission?: SendPermission,
  ): Promise<{ log: KafkaCompactedLog; kafka: MemoryKafka; sent: string[]; find: () => void }> {
    const kafka = new MemoryKafka();
    const producer = kafka.producer();
    const sent: string[] = [];
    let known = true;
    let find = (): void => undefined;
    const found = new Promise<void>((resolve) => {
      find = () => {
        known = true;
        resolve();
      };
    });
    kafka.producer = () => ({
      ...producer,
      isPrepared: () => known,
      prepare: async () => await (known ? undefined : found),
      send: (record, ...rest) => {
        sent.push(String(record.value));
        producer.send(record, ...rest);
      },
      flush: async () => void sent.push('flushed'),
    });
    const { log, start } = create(kafka, { partitions: 1, permission });
    await start();
    known = false;
    return { log, kafka, sent, find };
  }

  test('writes keep their order', async () => {
    const { log, kafka, find } = await lost();
    const first = log.write([[bytes('k'), bytes('1')]]);
    const second = log.write([[bytes('k'), bytes('2')]]);
    find();
    const third = log.write([[bytes('k'), bytes('3')]]);
    await Promise.all([first, second, third]);
    expect(kafka.texts('t')).toEqual(['k=1', 'k=2', 'k=3']);
  });

  test('writes of a membership are not sent once it is over', async () => {
    let epoch = 1;
    const permission: SendPermission = {
      get epoch() {
        return epoch;
      },
      check: (of) => (of === epoch ? 'now' : 'never'),
    };
    const { log, kafka, find } = await lost(permission);
    const refused = expect(log.write([[bytes('k'), bytes('1')]])).rejects.toThrow('lost its place in the group');
    epoch++;
    const next = log.write([[bytes('k'), bytes('2')]]);
    find();
    await Promise.all([refused, next]);
    expect(kafka.texts('t')).toEqual(['k=2']);
  });

  test('a write that was partly sent when the membership was lost has an unknown outcome', async () => {
    let epoch = 1;
    let ready: () => void = () => undefined;
    const permission: SendPermission = {
      get epoch() {
        return epoch;
      },
      check: (of) => (of === epoch ? 'now' : 'never'),
    };
    const kafka = new MemoryKafka();
    const producer = kafka.producer();
    let isFull = false;
    kafka.producer = () => ({
      ...producer,
      whenReady: () => (isFull ? new Promise<void>((resolve) => (ready = resolve)) : null),
      send: (...record) => {
        isFull = true;
        producer.send(...record);
      },
    });
    const { log, start } = create(kafka, { partitions: 1, permission });
    await start();
    const half = expect(
      log.write([
        [bytes('k'), bytes('1')],
        [bytes('k'), bytes('2')],
      ]),
    ).rejects.toMatchObject({ code: 'SESSION_LOST', inDoubt: true });
    epoch++;
    ready();
    await half;
    expect(kafka.texts('t')).toEqual(['k=1']);
  });

  test('a flush waits for earlier writes', async () => {
    const { log, sent, find } = await lost();
    const written = log.write([[bytes('k'), bytes('1')]]);
    const flushed = log.flush();
    find();
    await Promise.all([written, flushed]);
    expect(sent).toEqual(['1', 'flushed']);
  });
});

test('a flush covers writes directly before it', async () => {
  const kafka = new MemoryKafka();
  const producer = kafka.producer();
  const steps: string[] = [];
  kafka.producer = () => ({
    ...producer,
    send: (...record) => {
      steps.push('sent');
      producer.send(...record);
    },
    flush: async () => void steps.push('flushed'),
  });
  const { log, start } = create(kafka);
  await start();
  const written = log.write([[bytes('k'), bytes('1')]]);
  await log.flush();
  await written;
  expect(steps).toEqual(['sent', 'flushed']);
});

test('a stop does not wait for writes that Kafka does not accept, and reports what may be missing to the log and its reader', async () => {
  const kafka = new MemoryKafka();
  let close: () => void = () => undefined;
  const flushed = new Promise<void>((resolve) => (close = resolve));
  const away = Object.assign(Object.create(kafka) as MemoryKafka, {
    producer: () => ({
      ...kafka.producer(),
      send: () => undefined,
      flush: () => flushed,
      close: async () => close(),
    }),
  });
  const { log, start } = create(away);
  open.pop();
  await start();
  void log.write([[bytes('k'), bytes('1')]]);
  const reading = expect(log.readToEnd()).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
  await expect(log.stop()).rejects.toMatchObject({ code: 'STORAGE_NOT_WRITTEN', place: { topic: 't' } });
  await reading;
});

describe('what this worker has written', () => {
  /** A log whose admin client counts its requests, and a consumer that reads only while it may. */
  async function started(): Promise<{
    log: KafkaCompactedLog;
    records: string[];
    kafka: MemoryKafka;
    requests: string[];
    /** Resolves when the log waits with its next poll. */
    hold: () => Promise<void>;
    release: () => void;
  }> {
    const kafka = new MemoryKafka();
    const requests: string[] = [];
    const admin = kafka.admin();
    let release = (): void => undefined;
    let held: Promise<void> | null = null;
    let wake = (): void => undefined;
    let parked = (): void => undefined;
    const clients = Object.assign(Object.create(kafka) as MemoryKafka, {
      assignedConsumer: () => {
        const consumer = kafka.assignedConsumer();
        wake = () => consumer.wakeup();
        return {
          ...consumer,
          poll: async (timeoutMs: number) => {
            if (held === null) return await consumer.poll(timeoutMs);
            parked();
            await held;
            return [];
          },
        };
      },
    });
    const { log, records, start } = create(clients, {
      partitions: 2,
      admin: {
        ...admin,
        describeTopics: async (names) => {
          requests.push('describe');
          return await admin.describeTopics(names);
        },
        listOffsets: async (partitions, at) => {
          requests.push('list');
          return await admin.listOffsets(partitions, at);
        },
      },
    });
    await start();
    requests.splice(0);
    return {
      ...{ log, records, kafka, requests },
      hold: async () => {
        held = new Promise((resolve) => (release = resolve));
        const isParked = new Promise<void>((resolve) => (parked = resolve));
        wake();
        await isParked;
      },
      release: () => {
        held = null;
        release();
      },
    };
  }

  test('is read as far as Kafka has acknowledged it, without a request for the end of the topic', async () => {
    const { log, records, kafka, requests } = await started();
    await log.readWritten();
    kafka.append('t', 0, bytes('other'), bytes('before'));
    await log.write([
      [bytes('a'), bytes('1')],
      [bytes('b'), bytes('2')],
    ]);
    await log.readWritten();
    expect(records.map((record) => record.split(' ')[1]).sort()).toEqual(['a=1', 'b=2', 'other=before']);
    await log.readWritten();
    expect(requests).toEqual([]);
  });

  test('is waited for', async () => {
    const { log, records, hold, release } = await started();
    await hold();
    await log.write([[bytes('a'), bytes('1')]]);
    const read = log.readWritten();
    await expect(Promise.race([read, Promise.resolve('not yet')])).resolves.toBe('not yet');
    expect(records).toEqual([]);
    release();
    await read;
    expect(records).toHaveLength(1);
  });

  /** Time passes until the promise settles. */
  async function withTime(promise: Promise<void>): Promise<void> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    while (!isSettled) await jest.advanceTimersByTimeAsync(100);
    await settled;
  }

  test('may be lost: then the topic is read to its end', async () => {
    const { log, records, kafka, requests, hold, release } = await started();
    await hold();
    await log.write([[bytes('a'), bytes('1')]]);
    jest.useFakeTimers();
    try {
      const [partition] = kafka.topics.get('t')?.partitions.filter(({ end }) => end > 0) ?? [];
      // As by an election of a broker that had not replicated it.
      Object.assign(partition ?? {}, { end: 0, records: [] });
      const read = log.readWritten();
      release();
      await withTime(read);
      expect(requests).toContain('list');
      await withTime(log.write([[bytes('a'), bytes('2')]]));
      await withTime(log.readWritten());
      expect(records.map((record) => record.split(' ')[1])).toEqual(['a=2']);
    } finally {
      jest.useRealTimers();
    }
  });

  test('is not waited for by a log that stops', async () => {
    const { log, hold, release } = await started();
    await hold();
    await log.write([[bytes('a'), bytes('1')]]);
    const read = expect(log.readWritten()).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
    const stopped = log.stop();
    release();
    await stopped;
    await read;
  });
});
