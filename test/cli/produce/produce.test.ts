/** `millrace produce` with a producer that fails on demand. The real one: test/integration/cli/produce.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { runCli } from '../../../src/cli/cli';
import { fail } from '../../../packages/cli/src/output/fail';
import { type OpenProducer, run as produce } from '../../../src/cli/verbs/produce';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { DeliveryCallback, Producer, ProducerRecord } from '../../../packages/kafka-client/src/port';
import { FakeIo, invocationOf } from '../fake-io';
import { whilePending } from '../../helpers/while-pending';

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'millrace-produce-'))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

class ProduceIo extends FakeIo {
  constructor(stdin: Readable = Readable.from([])) {
    super(cwd, {}, stdin);
  }
}

/** Acknowledges flushed records, unless `reject` returns a reason. */
class FakeProducer {
  readonly values: string[] = [];
  bufferedBytes = 0;
  mostBuffered = 0;
  closed = 0;
  capacity = Infinity;
  refuse: (value: string) => KafkaError | null = () => null;
  reject: (value: string) => KafkaError | null = () => null;
  private waiting: [ProducerRecord, DeliveryCallback, number][] = [];

  known = false;
  prepare = async (): Promise<void> => {
    this.known = true;
  };
  isPrepared(): boolean {
    return this.known;
  }
  send(record: ProducerRecord, onDelivery: DeliveryCallback, token: number): void {
    if (!this.known) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'not known yet', { retriable: true });
    const refused = this.refuse(String(record.value));
    if (refused) throw refused;
    this.waiting.push([record, onDelivery, token]);
    this.bufferedBytes += record.value?.length ?? 0;
    this.mostBuffered = Math.max(this.mostBuffered, this.bufferedBytes);
  }
  whenReady(): Promise<void> | null {
    return this.bufferedBytes < this.capacity ? null : this.flush();
  }
  async flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.settle(null);
  }
  async close(): Promise<void> {
    this.closed++;
    this.settle(new KafkaError('PRODUCER_CLOSED', 'The producer was closed.'));
  }
  private settle(failure: KafkaError | null): void {
    for (const [{ topic, value }, onDelivery, token] of this.waiting.splice(0)) {
      this.bufferedBytes -= value?.length ?? 0;
      const error = failure ?? this.reject(String(value));
      if (!error) this.values.push(String(value));
      onDelivery(error, token, topic, 0, error ? -1 : this.values.length - 1);
    }
  }
}

let producer: FakeProducer;
beforeEach(() => (producer = new FakeProducer()));
let unreachable: KafkaError | null = null;
beforeEach(() => (unreachable = null));
const open: OpenProducer = async () => {
  if (unreachable) throw unreachable;
  return producer as unknown as Producer;
};
const run = async (io: ProduceIo, ...args: string[]) =>
  await produce(invocationOf(['produce', ...args, '--topic', 't'], io), open).catch((error: unknown) =>
    fail(io, error),
  );

test('each line is a message, its offset is reported, the summary goes to stderr', async () => {
  writeFileSync(join(cwd, 's.csv'), 'a,1\r\n\nb,2');
  const io = new ProduceIo();
  expect(await run(io, 's.csv')).toBe(0);
  expect(producer.values).toEqual(['a,1', '', 'b,2']);
  expect(io.out).toBe('s.csv:1 partition 0 offset 0\ns.csv:2 partition 0 offset 1\ns.csv:3 partition 0 offset 2\n');
  expect(io.err).toBe('s.csv: 3 messages to topic t (partition 0: 3, offsets 0 to 2)\n');
  expect(producer.closed).toBe(1);
});

test('standard input, quiet; an empty input is not a failure', async () => {
  const io = new ProduceIo(Readable.from([Buffer.from('x\ny'), Buffer.from('z\n')]));
  expect(await run(io, '-', '--quiet')).toBe(0);
  expect([producer.values, io.out]).toEqual([['x', 'yz'], '']);
  expect(io.err).toBe('stdin: 2 messages to topic t (partition 0: 2, offsets 0 to 1)\n');
  const empty = new ProduceIo();
  expect(await run(empty, '-')).toBe(0);
  expect(empty.err).toBe('stdin: 0 messages to topic t\n');
});

test('a topic whose metadata expires while standard input is idle is found again', async () => {
  const lines = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('x\n');
    // The next chunk is read once this one is sent.
    producer.known = false;
    yield Buffer.from('y\n');
  };
  const io = new ProduceIo(Readable.from(lines(), { highWaterMark: 1 }));
  expect(await run(io, '-', '--quiet')).toBe(0);
  expect(producer.values).toEqual(['x', 'y']);
});

test('a line that the client rejects is reported, nothing after it is sent, exit code 1', async () => {
  writeFileSync(join(cwd, 's.csv'), 'a\ntoo large\nb\n');
  producer.refuse = (value) =>
    value === 'too large' ? new KafkaError('RECORD_TOO_LARGE_CLIENT', 'It takes 9 bytes.') : null;
  const io = new ProduceIo();
  expect(await run(io, 's.csv')).toBe(1);
  expect(producer.values).toEqual(['a']);
  expect(io.out).toBe('s.csv:1 partition 0 offset 0\n');
  expect(io.err).toBe(
    's.csv:2: not delivered: It takes 9 bytes. (RECORD_TOO_LARGE_CLIENT)\n' +
      's.csv: 1 message to topic t (partition 0: 1, offset 0)\n' +
      'Nothing after s.csv:2 was sent.\n',
  );
});

test('lines that the broker rejects are reported, also the last of an input that stays open', async () => {
  const stdin = new PassThrough();
  producer.capacity = 1;
  producer.reject = (value) => (value === 'b' ? new KafkaError('TOPIC_AUTHORIZATION_FAILED', 'Not allowed.') : null);
  const io = new ProduceIo(stdin);
  stdin.write('a\nb\n');
  expect(await run(io, '-')).toBe(1);
  expect(io.err).toContain('stdin:2: not delivered: Not allowed. (TOPIC_AUTHORIZATION_FAILED)\n');
  expect(io.err).toContain('Nothing after stdin:2 was sent.\n');
});

test('memory: at most one chunk is read while the producer is full', async () => {
  const chunk = Buffer.from('0123456789\n'.repeat(100));
  producer.capacity = 1000;
  const io = new ProduceIo(Readable.from(Array.from({ length: 200 }, () => chunk)));
  expect(await run(io, '-', '--quiet')).toBe(0);
  expect(producer.values).toHaveLength(20_000);
  expect(producer.mostBuffered).toBeLessThanOrEqual(2000);
});

test('a signal ends reading; in-flight lines are awaited and reported; exit code 130', async () => {
  const stdin = new PassThrough();
  const io = new ProduceIo(stdin);
  stdin.write('a\nb\nc');
  const sent = new Promise<void>((resolve) => (producer.refuse = (value) => (value === 'b' && resolve(), null)));
  const code = run(io, '-');
  await whilePending(code, sent);
  io.signal('SIGINT');
  expect(await code).toBe(130);
  expect(io.out).toBe('stdin:1 partition 0 offset 0\nstdin:2 partition 0 offset 1\n');
  expect(io.err).toContain('Nothing after stdin:2 was sent.\n');
});

test('a second signal does not wait: in-flight lines are reported as not delivered', async () => {
  const stdin = new PassThrough();
  const io = new ProduceIo(stdin);
  const flushing = new Promise<void>((reached) => {
    producer.flush = () => {
      reached();
      // Nothing is acknowledged; only closing settles it.
      return new Promise((resolve) => {
        const close = producer.close.bind(producer);
        producer.close = async () => {
          await close();
          resolve();
        };
      });
    };
  });
  stdin.write('a\n');
  const sent = new Promise<void>((resolve) => (producer.refuse = () => (resolve(), null)));
  const code = run(io, '-');
  await whilePending(code, sent);
  io.signal('SIGINT');
  await whilePending(code, flushing);
  io.signal('SIGINT');
  expect(await code).toBe(130);
  expect(io.err).toContain('stdin:1: not delivered: The producer was closed. (PRODUCER_CLOSED)\n');
});

test('the reader of the report has closed its pipe', async () => {
  const stdin = new PassThrough();
  const io = new ProduceIo(stdin);
  const code = run(io, '-');
  io.crash(new Error('write EPIPE'));
  expect(await code).toBe(1);
  expect(io.err).toBe('millrace: write EPIPE\n');
  stdin.end();
});

test.each<[string, string[], number, string]>([
  ['no topic', ['f'], 2, "required option '--topic <topic>' not specified"],
  ['no file', ['--topic', 't'], 2, "missing required argument 'file'"],
  ['a missing file', ['no.csv', '--topic', 't'], 1, 'no.csv: it does not exist. (PRODUCE_INPUT)\n'],
  ['a directory', ['.', '--topic', 't'], 1, ': it is a directory. (PRODUCE_INPUT)\n'],
  ['missing settings', ['-', '--topic', 't', '--config', 'no.properties'], 1, 'no.properties: ENOENT'],
])('%s: one sentence, nothing is sent', async (_, args, code, message) => {
  const io = new ProduceIo();
  expect(await runCli(['produce', ...args], io)).toBe(code);
  expect(io.err).toContain(message);
  expect(producer.closed).toBe(0);
});

test('an unreachable broker: one sentence', async () => {
  unreachable = new KafkaError('CONNECTION_FAILED', 'Cannot connect to k:9092: refused.');
  const io = new ProduceIo();
  expect(await run(io, '-')).toBe(3);
  expect(io.err).toBe('millrace: Cannot connect to k:9092: refused. (CONNECTION_FAILED)\n');
});

test('no cluster configured and no embedded broker running: one sentence, none is started', async () => {
  const io = new ProduceIo();
  expect(await runCli(['produce', '-', '--topic', 't'], io)).toBe(3);
  expect(io.err).toBe(
    `millrace: No embedded broker runs on the data folder ${cwd}/.millrace. Start one with "millrace dev", choose its folder with --data-dir, or set bootstrap.servers to a Kafka cluster. (EMBEDDED_BROKER_ABSENT)\n`,
  );
  // Files left by a dead broker are not trusted.
  writeFileSync(
    join(cwd, 'broker.json'),
    JSON.stringify({ pid: 1, bootstrapServers: '127.0.0.1:1', clusterId: 'gone' }),
  );
  const stale = new ProduceIo();
  expect(await runCli(['produce', '-', '--topic', 't', '--data-dir', '.'], stale)).toBe(3);
  expect(stale.err).toContain('(EMBEDDED_BROKER_ABSENT)');
});

test('the worker settings are those of the context, unless a URL names another cluster', async () => {
  writeFileSync(join(cwd, 's.csv'), 'a');
  writeFileSync(join(cwd, 'prod.properties'), 'bootstrap.servers=prod:9092\n');
  writeFileSync(
    join(cwd, 'contexts.yaml'),
    'current: prod\ncontexts: { prod: { url: "http://prod:8083", config: prod.properties } }\n',
  );
  const serversWith = async (env: Record<string, string>, ...args: string[]): Promise<string | undefined> => {
    const io = new FakeIo(cwd, { MILLRACE_CONTEXTS: join(cwd, 'contexts.yaml'), ...env });
    let servers: string | undefined;
    await produce(invocationOf(['produce', 's.csv', '--topic', 't', ...args], io), async ({ config }) => {
      servers = config.bootstrapServers;
      return producer as unknown as Producer;
    });
    return servers;
  };
  expect(await serversWith({})).toBe('prod:9092');
  const other = { MILLRACE_URL: 'http://test:8083', BOOTSTRAP_SERVERS: 'test:9092' };
  expect(await serversWith(other)).toBe('test:9092');
  expect(await serversWith({ MILLRACE_URL: 'http://test:8083' }, '--context', 'prod')).toBe('prod:9092');
});
