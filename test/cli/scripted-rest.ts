/** A scripted REST API, and a command that asks it. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCli } from '../../src/cli/cli';
import { FakeIo } from './fake-io';

/** The reply to a request: a body that is sent as JSON, a text that is sent as it is, or a status with a message. */
export type Scripted = (request: string, response: ServerResponse, body: string) => unknown;

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

export async function serve(script: Scripted): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      const reply = script(`${request.method} ${request.url}`, response, body);
      if (response.writableEnded || response.headersSent) return;
      if (reply === undefined) response.writeHead(404).end('{"error_code":404,"message":"HTTP 404 Not Found"}');
      else response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A worker that accepts requests and does not answer. */
export async function serveSilence(): Promise<string> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function cli(url: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = new FakeIo('/', { MILLRACE_CONTEXTS: '/nowhere', MILLRACE_URL: url });
  const code = await runCli(args, io);
  return { code, out: io.out, err: io.err };
}

export const TRACE =
  'org.apache.kafka.connect.errors.DataException: No table orders, password=hunter2 [code: PG_TABLE, table: orders]\n\tat x\n';

/** An entry of `/connectors?expand=status&expand=info`. */
export function entry(name: string, state = 'RUNNING', ...tasks: string[]): [string, unknown] {
  const part = (of: string) => ({ state: of, worker_id: 'w:8083', ...(of === 'FAILED' && { trace: TRACE }) });
  return [
    name,
    {
      status: { name, connector: part(state), tasks: tasks.map((of, id) => ({ id, ...part(of) })), type: 'sink' },
      info: { name, config: { 'connector.class': 'Sink', password: 'hunter2' }, tasks: [], type: 'sink' },
    },
  ];
}
