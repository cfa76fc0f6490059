/** Ten thousand random requests against a worker as users start it. The seed is fixed: a failure can be seen again. */
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { fuzzRequests, type FuzzRequest } from './fuzz-requests';

const SEED = 20_260_821;
const REQUESTS = 10_000;
/** After these, memory is what it stays at. */
const WARM_UP = 3_000;
const AT_ONCE = 8;
/** Room for what the garbage collector has not come to yet. */
const MAY_GROW_MIB = 160;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Texts of Java's JSON reader, of its null dereferences, and of its validation endpoint, all of which it sends as 500. */
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

describe('random requests', () => {
  let worker: StartedWorker;
  let agent: Agent;
  beforeAll(async () => {
    agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    worker = await startWorker({ group: uniqueName('fuzz') });
    await worker.ready();
  });
  afterAll(async () => {
    agent?.destroy();
    await worker?.stop();
  });

  async function throughClient({ method, path, headers, body }: FuzzRequest): Promise<Answer> {
    const { hostname, port } = new URL(worker.url);
    return await new Promise((resolve, reject) => {
      const outgoing = request({ agent, hostname, port, method, path, headers: length(headers, body) }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body ?? undefined);
    });
  }

  async function throughSocket({ method, path, headers, body }: FuzzRequest): Promise<Answer> {
    const { hostname, port } = new URL(worker.url);
    const lines = Object.entries({ Host: 'w', ...length(headers, body ?? Buffer.of()) });
    const head = [`${method} ${path} HTTP/1.1`, 'Connection: close', ...lines.map(([k, v]) => `${k}: ${v}`), '', ''];
    return await new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect(Number(port), hostname, () => {
        socket.write(head.join('\r\n'), 'latin1');
        if (body) socket.write(body);
      });
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      // The server hangs up on what is no HTTP, which may overtake its answer.
      socket.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' || error.code === 'EPIPE' ? socket.destroy() : reject(error),
      );
      socket.on('close', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 400);
        resolve({ status, text: text.slice(text.indexOf('\r\n\r\n') + 4) });
      });
    });
  }

  /** Linux says; elsewhere memory is not looked at. */
  const residentMib = (): number => {
    const file = `/proc/${worker.pid}/status`;
    return existsSync(file) ? Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1]) / 1024 : 0;
  };

  test(`${REQUESTS} of them: no 5xx that Java would not give, no crash, memory flat`, async () => {
    const requests = fuzzRequests(SEED, REQUESTS);
    const statuses = new Map<number, number>();
    const wrong: string[] = [];
    let answered = 0;
    let warmMib = 0;

    async function client(): Promise<void> {
      for (const sent of requests) {
        const shown = `${sent.method} ${sent.path.slice(0, 200)} ${JSON.stringify(sent.headers).slice(0, 200)} ${sent.body?.toString('latin1').slice(0, 300)}`;
        let answer: Answer;
        try {
          answer = await (sent.raw ? throughSocket(sent) : throughClient(sent));
        } catch (error) {
          wrong.push(`${shown}: ${(error as Error).message}`);
          continue;
        }
        const { status, text } = answer;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500) {
          const { error_code: code, message, status: health } = parsed(text);
          // So Java's worker says, too, that a rebalance takes long.
          const isBusy = status === 500 && health === 'unhealthy';
          const known = sent.method === 'HEAD' || isBusy || (status === 500 && code === 500 && isJavas(message));
          if (!known) wrong.push(`${shown}: ${status} ${text.slice(0, 300)}`);
        }
        if (++answered === WARM_UP) warmMib = residentMib();
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client));

    const log = worker.process.log().slice(-3000);
    expect([wrong.length, wrong.slice(0, 10), wrong.length === 0 ? '' : log]).toEqual([0, [], '']);
    // The cases are no empty ones: most kinds of answers came.
    expect([...statuses.keys()].sort()).toEqual(
      expect.arrayContaining([200, 201, 202, 400, 404, 405, 406, 414, 415, 431, 500]),
    );
    expect(worker.process.exitCode).toBeUndefined();
    expect(worker.process.log()).not.toMatch(/unhandled|nobody caught|UnhandledPromiseRejection|heap out of memory/i);
    // What was asked last may still be under way.
    await worker.ready();
    // Whatever was made can be taken away again.
    const made = (await worker.request('GET', '/connectors')).json as string[];
    expect(made).not.toEqual([]);
    for (const name of made) {
      const path = `/connectors/${encodeURIComponent(name)}`;
      const { status } = await throughClient({ method: 'DELETE', path, headers: {}, body: null, raw: false });
      expect([name, status]).toEqual([name, 204]);
    }
    expect(residentMib()).toBeLessThan(warmMib + MAY_GROW_MIB);
  });
});

/** Without it, a client of Node's sends the body of a GET as if it were the next request. */
function length(headers: FuzzRequest['headers'], body: Buffer | null): Record<string, string> {
  return body === null ? headers : { ...headers, 'Content-Length': String(body.length) };
}

interface Failure {
  readonly error_code?: number;
  readonly message?: string;
  /** Of `/health` alone. */
  readonly status?: string;
}

function parsed(text: string): Failure {
  try {
    return JSON.parse(text) as Failure;
  } catch {
    return {};
  }
}

function isJavas(message: string | undefined): boolean {
  return message !== undefined && JAVAS_500.some((pattern) => pattern.test(message));
}
