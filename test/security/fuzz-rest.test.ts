/**
 * Random requests to a worker with little memory, as users start it. The seed is printed: a failure can be reproduced
 * with FUZZ_SEED. FUZZ_REQUESTS is their number; the first ones are always the same.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { startMonitoredWorker, type MonitoredWorker, type Period } from '../helpers/monitored-worker';
import { uniqueName } from '../helpers/unique-name';
import { hostileRequests, type FuzzRequest } from './fuzz/hostile-requests';
import { fuzzRun } from '../helpers/seeded';
import { sendRequest, type Answer } from './fuzz/send-request';

const { seed, cases } = fuzzRun('FUZZ_REQUESTS', 5_000, 20_260_821);
const AT_ONCE = 16;
/** Enough to see what is wrong. */
const MANY = 20;
const MAX_TURN_MS = 200;
/** Above the first half's end: memory that collectors, allocators and the readers' buffers keep. */
const MAY_GROW_MIB = { rss: 100, heap: 8 };

/** Texts of Java's JSON reader, its null dereferences, and its validation endpoint, all of which it sends as 500. */
const JAVAS_500 = [
  /^Unexpected (?:character|end-of-input|close marker)/,
  /^Unrecognized (?:token|field|character escape)/,
  /^Cannot (?:coerce|construct|deserialize|invoke|map) /,
  /^Trailing token /,
  /^Illegal /,
  /^Invalid (?:numeric value|UTF-8|white space)/,
  /^Leading zeroes not allowed/,
  /^Non-standard token /,
  /^No content to map due to end-of-input/,
  /^org\.apache\.kafka\.connect\.runtime\.rest\.errors\.BadRequestException: /,
];
/** Millrace's own: code of plugins or an expression that took too long. */
const OURS_500 = [/ did not return within \d+ ms and was terminated \(plugin\.thread\.silence\.ms\)/];
const STACK = /\n\s+at .*:\d+:\d+|node_modules|\/dist\//;

describe('random requests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'));
  const secrets = join(folder, 'secrets.properties');
  const canary = randomUUID();
  const keyCanary = randomUUID();
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${keyCanary}\n-----END PRIVATE KEY-----\n`;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let monitored: MonitoredWorker;
  let clients: Clients;

  beforeAll(async () => {
    const key = privateKey.replace(keyCanary, canary).replaceAll('\n', '\\n');
    writeFileSync(secrets, `password=${canary}\nkey=${key}\n`);
    clients = new Clients();
    monitored = await startMonitoredWorker({
      group: uniqueName('fuzz'),
      settings: {
        'config.providers': 'file',
        'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
        'errors.restart.max': '0',
        'plugin.thread.silence.ms': '2000',
      },
      nodeFlags: process.env.FUZZ_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.FUZZ_PROFILE}`] : [],
    });
  });
  afterAll(async () => {
    agent.destroy();
    await monitored?.stop();
    await clients?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test(`${cases} of them, seed ${seed}: no crash, no stall, no secret, memory flat`, async () => {
    const { worker } = monitored;
    const { pid } = worker;
    const start = await monitored.period();
    const requests = hostileRequests(seed, cases, { file: secrets, privateKey });
    const statuses = new Map<number, number>();
    const wrong: string[] = [];

    async function client(count: { left: number }): Promise<void> {
      while (count.left-- > 0 && wrong.length < MANY) {
        const sent = requests.next().value as FuzzRequest;
        try {
          for (const answer of await sendRequest(worker.url, agent, sent)) {
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            const problem = problemOf(sent, answer, canary);
            if (problem !== null) wrong.push(`${shown(sent)}: ${problem}`);
          }
        } catch (error) {
          wrong.push(`${shown(sent)}: ${(error as Error).message}`);
        }
      }
    }
    async function half(): Promise<Period> {
      const count = { left: cases / 2 };
      await Promise.all(Array.from({ length: AT_ONCE }, async () => await client(count)));
      // A worker that hangs exports no metrics either.
      const log = wrong.length === 0 ? '' : worker.process.log().slice(-3000);
      expect([wrong.length, wrong.slice(0, 10), log]).toEqual([0, [], '']);
      return await monitored.period();
    }
    const [first, second] = [await half(), await half()];
    console.log(
      JSON.stringify({ seed, cases, source: monitored.source(), statuses: [...statuses], start, first, second }),
    );

    const log = worker.process.log();
    // The cases are effective: most kinds of answers occurred.
    expect([...statuses.keys()].sort()).toEqual(
      expect.arrayContaining([200, 201, 202, 400, 404, 405, 406, 414, 415, 431, 500]),
    );
    expect([worker.process.exitCode, worker.pid]).toEqual([undefined, pid]);
    expect(log).not.toMatch(/unhandled|uncaught error|UnhandledPromiseRejection|heap out of memory/i);
    expect(log).not.toContain(canary);
    // Answers show it to the callers that sent it.
    expect(log).not.toContain(keyCanary);
    // Besides the wall time, which is not meaningful.
    if (monitored.source() !== 'wall') {
      for (const { turns } of [first, second]) for (const { ms } of turns) expect(ms).toBeLessThan(MAX_TURN_MS);
    }
    expect(second.rssMib).toBeLessThan(first.rssMib + MAY_GROW_MIB.rss);
    expect(second.heapMib).toBeLessThan(first.heapMib + MAY_GROW_MIB.heap);
  });

  test('every created connector can be deleted, and a valid connector runs', async () => {
    const { worker } = monitored;
    // The last request may still be in flight.
    await worker.ready();
    const made = (await worker.request('GET', '/connectors')).json as string[];
    expect(made).not.toEqual([]);
    const headers = {};
    for (const name of made) {
      const path = `/connectors/${encodeURIComponent(name)}`;
      const sent: FuzzRequest = { method: 'DELETE', path, headers, body: null, manner: 'client' };
      const [answer] = await sendRequest(worker.url, agent, sent);
      expect([name, answer?.status]).toEqual([name, 204]);
    }
    const topic = await clients.topic();
    await worker.register({ name: 'good', config: fileSinkConfig(topic, join(folder, 'good.txt')) });
    await worker.running('good');
  });
});

function shown({ method, path, headers, body, manner }: FuzzRequest): string {
  const content = body?.toString('latin1').slice(0, 300);
  return `${manner} ${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 200)} ${content}`;
}

interface Failure {
  readonly error_code?: number;
  readonly message?: string;
  /** Of `/health` alone. */
  readonly status?: string;
}

/** Null: an expected answer. */
function problemOf(sent: FuzzRequest, { status, text }: Answer, canary: string): string | null {
  const said = `${status} ${text.slice(0, 300)}`;
  if (text.includes(canary)) return `a secret: ${status} ${text.slice(Math.max(0, text.indexOf(canary) - 200), 300)}`;
  if (status === 0) return sent.manner === 'client' && !sent.body ? 'no answer' : null;
  if (status >= 600 || status < 200) return said;
  if (status < 400 || sent.method === 'HEAD') return null;
  let failure: Failure;
  try {
    failure = (text === '' ? {} : JSON.parse(text)) as Failure;
  } catch {
    return `no JSON: ${said}`;
  }
  const { error_code: code, message, status: health } = failure;
  if (STACK.test(message ?? '')) return `a stack: ${said}`;
  if (status < 500) return null;
  // Java's worker, too, reports that a rebalance takes long.
  if (status === 500 && health === 'unhealthy') return null;
  return status === 500 && code === 500 && isKnown(message) ? null : said;
}

function isKnown(message: string | undefined): boolean {
  return message !== undefined && [...JAVAS_500, ...OURS_500].some((pattern) => pattern.test(message));
}
