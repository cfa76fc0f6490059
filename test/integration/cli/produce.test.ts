/** `millrace produce` as a user starts it, on a real broker. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { startBroker } from '../../../dev/services/broker';
import { freePort } from '../../../dev/services/free-port';
import { ROOT } from '../../../dev/services/paths';
import { Clients, readToEnd } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';
import { dev } from '../dev-mode/dev-process';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
const clients = new Clients();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-produce-'));
});
afterAll(async () => {
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

interface Producing {
  readonly stdin: Writable;
  stdout(): string;
  stderr(): string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

/** In an environment with nothing but what is given. */
function start(args: readonly string[], env: Record<string, string>): Producing {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'produce', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  // It may exit before it has read everything.
  child.stdin.on('error', () => undefined);
  return {
    stdin: child.stdin,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

async function produce(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Ended> {
  const child = start(args, env);
  child.stdin.end(input);
  const code = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

const broker = (): Record<string, string> => ({ BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '' });

/** The record at `partition:offset`, for the whole topic. */
async function messagesOf(topic: string, partitions: number): Promise<Map<string, string>> {
  const consumer = await clients.assigned();
  const found = new Map<string, string>();
  for (let partition = 0; partition < partitions; partition++) {
    const [end] = await clients.admin.listOffsets([{ topic, partition }], 'latest');
    consumer.assign([{ topic, partition }]);
    for (const batch of await readToEnd(consumer, { topic, partition }, end?.offset as number))
      for (const { offset, value } of batch.records) found.set(`${partition}:${offset}`, String(value));
  }
  return found;
}

test('every line of a file is a message at the reported offset; the worker’s settings apply', async () => {
  const topic = await clients.topic(3);
  const lines = Array.from({ length: 50_000 }, (_, i) => `${i},"Žluťoučký kůň 😀",${'x'.repeat(i % 50)}`);
  await writeFile(join(folder, 'storms.csv'), `${lines.join('\n')}\n`);
  await writeFile(
    join(folder, 'kafka.properties'),
    `bootstrap.servers=${process.env.BOOTSTRAP_SERVERS}\nproducer.compression.type=gzip\nproducer.batch.size=20000\n`,
  );
  const args = ['storms.csv', '--topic', topic, '--config', 'kafka.properties'];
  const { code, stdout, stderr } = await produce(args);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^storms\.csv: 50000 messages to topic \S+ \(partition /)]);
  const messages = await messagesOf(topic, 3);
  const reported = [...stdout.matchAll(/^storms\.csv:(\d+) partition (\d) offset (\d+)$/gm)];
  expect(reported).toHaveLength(50_000);
  for (const [, line, partition, offset] of reported)
    expect(messages.get(`${partition}:${offset}`)).toBe(lines[Number(line) - 1]);
  expect(messages.size).toBe(50_000);
});

test('a line that is too large is reported, with a nonzero exit code', async () => {
  const topic = await clients.topic();
  const input = `first\n${'x'.repeat(2_000_000)}\nthird\n`;
  const { code, stdout, stderr } = await produce(['-', '--topic', topic], broker(), input);
  expect([code, stdout]).toEqual([1, 'stdin:1 partition 0 offset 0\n']);
  expect(stderr).toMatch(
    /^stdin:2: not delivered: A record for \S+ takes 2\d{6} bytes, more than max\.request\.size=1048576 allows\. \(RECORD_TOO_LARGE_CLIENT\)\n/,
  );
  expect(stderr).toContain('Nothing after stdin:2 was sent.');
  expect([...(await messagesOf(topic, 1)).values()]).toEqual(['first']);
});

test('an unreachable broker: one sentence that names it, exit code 3', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const env = { BOOTSTRAP_SERVERS: address, CONNECT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS: '500' };
  const { code, stdout, stderr } = await produce(['-', '--topic', 't'], env, 'a\n');
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(/^millrace: .*\n$/);
  expect(stderr).toContain(address);
});

test('a broker that dies meanwhile: every line is reported either with its offset or as not delivered', async () => {
  const dying = await startBroker();
  const its = new Clients({ 'bootstrap.servers': dying.bootstrapServers });
  try {
    // A broker that has just started may take seconds for its first record.
    await its.send(await its.topic(), ['warm']);
    await its.topic(1, {}, 'dying');
    const env = {
      BOOTSTRAP_SERVERS: dying.bootstrapServers,
      CONNECT_PRODUCER_DELIVERY_TIMEOUT_MS: '15000',
      CONNECT_PRODUCER_REQUEST_TIMEOUT_MS: '5000',
      CONNECT_PRODUCER_MAX_BLOCK_MS: '60000',
    };
    const child = start(['-', '--topic', 'dying'], env);
    child.stdin.write('first\nsecond\n');
    await waitFor('the first lines to be reported', () => child.stdout().includes('stdin:2 partition 0 offset 1\n'), {
      detail: () => child.stderr(),
    });
    await dying.crash();
    child.stdin.write('third\nfourth\n');
    // Its input stays open: the failure itself ends it.
    expect(await child.ended).toBe(1);
    expect(child.stdout()).toBe('stdin:1 partition 0 offset 0\nstdin:2 partition 0 offset 1\n');
    expect(child.stderr()).toMatch(/^stdin:3-4: not delivered: .*\(DELIVERY_TIMEOUT\)$/m);
    expect(child.stderr()).toContain('Nothing after stdin:4 was sent.\n');
  } finally {
    await its.closeClients();
    await its.admin.close();
    await dying.stop();
  }
});

test('kafka-client 4: the embedded broker that "millrace dev" hosts is joined through its data folder', async () => {
  const data = join(folder, 'data');
  const worker = await dev(['--data-dir', data, '--broker-port', '0']);
  try {
    await worker.ready();
    const { code, stdout, stderr } = await produce(['-', '--topic', 'hello', '--data-dir', 'data'], {}, 'a\nb');
    expect([code, stdout]).toEqual([0, 'stdin:1 partition 0 offset 0\nstdin:2 partition 0 offset 1\n']);
    expect(stderr).toBe('stdin: 2 messages to topic hello (partition 0: 2, offsets 0 to 1)\n');
  } finally {
    await worker.stop();
  }
});
