/**
 * The worker under test: the one at `CONFORMANCE_URL`, whose brokers are `BOOTSTRAP_SERVERS`, or one in this process.
 * With `CONFORMANCE_TARGET=java` the cases of intended differences (docs/compatibility.md) must fail.
 */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { startInProcessWorker, type InProcessWorker } from '../../helpers/in-process-worker';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { CASE_SETTINGS } from './worker-settings';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

export const TARGET = process.env.CONFORMANCE_TARGET ?? 'millrace';

/** Ends the title of a case in which Millrace differs. */
export const DIFFERS = '(differs from Java)';

type Run = () => Promise<void>;

/**
 * Millrace's own answers, where they differ from Java's. Java must fail here, soon: a case must not wait for an event
 * that never happens.
 */
export function ours(title: string, run: Run): void {
  (TARGET === 'java' ? test.failing : test)(`${title} ${DIFFERS}`, run);
}

/** The same where Java differs only occasionally, or only with other settings. */
export function oursAlone(title: string, run: Run): void {
  (TARGET === 'java' ? test.skip : test)(`${title} ${DIFFERS}`, run);
}

export class Target {
  /**
   * Connectors created through this worker, which it may not list yet: a follower reads later what its leader has
   * answered.
   */
  private readonly created = new Set<string>();

  private constructor(
    readonly url: URL,
    readonly bootstrapServers: string,
    private readonly own: InProcessWorker | null,
  ) {}

  /**
   * `settings` are for a worker that the test starts; an external worker must have been started with them, or the cases
   * that need them are skipped.
   */
  static async open(settings: Readonly<Record<string, string>> = {}): Promise<Target> {
    const given = process.env.CONFORMANCE_URL;
    if (given !== undefined) return Target.external(given);
    return await Target.start({ group: uniqueName('conformance'), settings });
  }

  /**
   * Two workers of one group: those at `CONFORMANCE_URL` and `CONFORMANCE_URL_2`, or two that the test starts. Close
   * the second one first.
   */
  static async openTwo(): Promise<[Target, Target]> {
    const given = [process.env.CONFORMANCE_URL, process.env.CONFORMANCE_URL_2];
    if (given[0] !== undefined && given[1] !== undefined) return [Target.external(given[0]), Target.external(given[1])];
    const group = uniqueName('conformance');
    const first = await Target.start({ group });
    try {
      return [first, await Target.start({ group, bootstrapServers: first.bootstrapServers })];
    } catch (error) {
      await first.close();
      throw error;
    }
  }

  static async start(options: Parameters<typeof startInProcessWorker>[0]): Promise<Target> {
    const worker = await startInProcessWorker({ ...options, settings: { ...CASE_SETTINGS, ...options.settings } });
    return new Target(new URL(worker.url), worker.bootstrapServers, worker);
  }

  private static external(url: string): Target {
    return new Target(new URL(url), process.env.BOOTSTRAP_SERVERS ?? '', null);
  }

  async close(): Promise<void> {
    await this.own?.stop();
  }

  /**
   * Sends exactly this: without headers of its own, except a JSON Content-Type for a body without one (`null`: no
   * header).
   */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<Answer> {
    const content = body === undefined ? undefined : bytes(body);
    const all: Record<string, string | null> = {
      ...(content === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(content.length) }),
      ...headers,
    };
    return await new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        {
          host: this.url.hostname,
          port: this.url.port,
          method,
          path,
          agent: false,
          headers: Object.fromEntries(
            Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
          ),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const received = Buffer.concat(chunks).toString('utf8');
            let json: unknown;
            try {
              json = JSON.parse(received);
            } catch {
              json = undefined;
            }
            if (response.statusCode === 201) this.created.add((json as { name: string }).name);
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received, json });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(content);
    });
  }

  /**
   * Sends these exact bytes on a new connection; `<host>` is replaced by the worker's. Resolves to the whole response.
   */
  async raw(text: string): Promise<{ readonly status: number; readonly text: string }> {
    return await new Promise((resolve, reject) => {
      let received = '';
      const socket = connect(Number(this.url.port), this.url.hostname, () => {
        socket.write(text.replaceAll('<host>', this.url.host), 'latin1');
      });
      // Java leaves some of these connections open after its answer.
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('utf8');
        const [head = '', body] = received.split('\r\n\r\n', 2);
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
        if (body !== undefined && length !== undefined && Buffer.byteLength(body) >= Number(length)) socket.end();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve({ status: Number(received.slice(9, 12)), text: received }));
    });
  }

  /** Repeats a GET until `check` is true for the answer. */
  async poll(path: string, check: (answer: Answer) => boolean): Promise<Answer> {
    let last: Answer | undefined;
    return await waitFor(
      `GET ${path}`,
      async () => {
        last = await this.call('GET', path);
        return check(last) && last;
      },
      { detail: () => `last answer: ${last?.status} ${last?.text}` },
    );
  }

  /** A mutation may meet a rebalance on any implementation; clients retry 409. */
  async mutate(method: string, path: string, body?: unknown): Promise<Answer> {
    return await waitFor(`${method} ${path} not to be 409`, async () => {
      const answer = await this.call(method, path, body);
      return (answer.status !== 409 || /already exists/.test(answer.text)) && answer;
    });
  }

  /** Creates a connector and waits until it and `tasks` tasks are RUNNING. */
  async running(name: string, config: Record<string, string>, tasks = 1): Promise<void> {
    const answer = await this.mutate('POST', '/connectors', { name, config });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    await this.poll(
      `/connectors/${encodeURIComponent(name)}/status`,
      (a) =>
        states(a).join() ===
        Array(tasks + 1)
          .fill('RUNNING')
          .join(),
    );
  }

  /** Removes everything that a case has created. */
  async removeAll(): Promise<void> {
    const listed = (await this.call('GET', '/connectors')).json as string[];
    const removed: string[] = [];
    for (const name of new Set([...listed, ...this.created])) {
      const { status } = await this.mutate('DELETE', `/connectors/${encodeURIComponent(name)}`);
      if (status === 204) removed.push(name);
    }
    this.created.clear();
    await this.poll('/connectors', ({ json }) => removed.every((name) => !(json as string[]).includes(name)));
  }
}

/** Texts and bytes unchanged, everything else as JSON. */
function bytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** States of connector and tasks, or nothing while there is no status. */
export function states(answer: Answer): string[] {
  const status = answer.json as { connector?: { state: string }; tasks?: { state: string }[] } | undefined;
  if (answer.status !== 200 || !status?.connector) return [];
  return [status.connector.state, ...(status.tasks ?? []).map(({ state }) => state)];
}

export function expectError(answer: Answer, code: number, message: string | RegExp): void {
  expect([answer.status, answer.json?.error_code]).toEqual([code, code]);
  expect(Object.keys(answer.json as object)).toEqual(['error_code', 'message']);
  if (typeof message === 'string') expect(answer.json.message).toBe(message);
  else expect(answer.json.message).toMatch(message);
}
