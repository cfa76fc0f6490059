/** A REST API in memory: configs, and statuses that a test may replace. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Config = Record<string, string>;
interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export class ScriptedCluster {
  readonly configs = new Map<string, Config>();
  /** Requests that change something, e.g. `PUT /connectors/a/config`. */
  readonly changes: string[] = [];
  readonly posted: unknown[] = [];
  /** Answers in place of the cluster. */
  script: (request: string, body: unknown) => Answer | 'cut' | undefined = () => undefined;
  status: (name: string) => unknown = () => ({
    connector: { state: 'RUNNING', worker_id: 'w:1' },
    tasks: [{ id: 0, state: 'RUNNING', worker_id: 'w:1' }],
  });
  url = '';
  private server?: Server;

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      let text = '';
      request
        .on('data', (part) => (text += part))
        .on('end', () => {
          const body = text === '' ? undefined : (JSON.parse(text) as Config);
          const line = `${request.method} ${decodeURIComponent(request.url ?? '')}`;
          if (request.method !== 'GET' && !line.includes('/validate')) this.changes.push(line);
          const answer = this.script(line, body) ?? this.answer(line, body);
          if (answer === 'cut') return void request.socket.destroy();
          response
            .writeHead(answer.status, answer.headers)
            .end(answer.body === undefined ? '' : JSON.stringify(answer.body));
        });
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private answer(line: string, body: Config | undefined): Answer {
    const name = /^\w+ \/connectors\/([^/]+)/.exec(line)?.[1] ?? '';
    if (line === 'GET /connectors?expand=info')
      return ok(Object.fromEntries([...this.configs].map(([key, config]) => [key, { info: { name: key, config } }])));
    if (line === 'GET /connectors?expand=status')
      return ok(Object.fromEntries([...this.configs].map(([key]) => [key, { status: this.status(key) }])));
    if (line.endsWith('/validate')) return ok({ error_count: 0, configs: [] });
    if (line === 'POST /connectors') {
      const posted = body as unknown as { name: string; config: Config };
      this.posted.push(posted);
      this.configs.set(posted.name, posted.config);
      return { status: 201, body: {} };
    }
    if (line.startsWith('PUT')) this.configs.set(name, { ...body, name });
    else this.configs.delete(name);
    return line.startsWith('PUT') ? ok({}) : { status: 204 };
  }
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}
