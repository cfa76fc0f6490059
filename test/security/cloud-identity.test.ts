/**
 * The worker's own cloud identity is not available to the author of a connector config: not for another resource, not
 * for another host, not through a proxy of theirs.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { uniqueName } from '../helpers/unique-name';

const TOKEN = 'token-of-the-machine';
const servers: Server[] = [];
const workers: StartedWorker[] = [];
/** Requests to each server, by its name. */
const asked: Record<string, string[]> = {};

async function serve(
  name: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  asked[name] = [];
  const server = createServer((request, response) => {
    const token = String(request.headers.authorization).includes(TOKEN) ? ' with the token' : '';
    asked[name]?.push(`${request.method} ${request.url}${token}`);
    request.resume();
    answer(request, response);
  });
  server.on('connect', (request, socket) => {
    asked[name]?.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 No\r\n\r\n');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let metadata: string;
let elsewhere: string;
let attacker: string;
let cluster: string;
let resource: string;

async function start(settings: Record<string, string>): Promise<StartedWorker> {
  const worker = await startWorker({
    group: uniqueName('cloud-identity'),
    settings: { 'errors.restart.max': '0', ...settings },
    env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata },
  });
  workers.push(worker);
  await worker.ready();
  return worker;
}

beforeAll(async () => {
  metadata = await serve('metadata', (_request, response) => {
    response.end(JSON.stringify({ access_token: TOKEN, expires_in: 3600 }));
  });
  elsewhere = await serve('elsewhere', (_request, response) => response.end('{}'));
  // A server that poses as the service, as cluster or as proxy.
  const hostile = (request: IncomingMessage, response: ServerResponse): void => {
    if (String(request.url).endsWith('/v1/rest/auth/metadata'))
      response.end(JSON.stringify({ AzureAD: { KustoServiceResourceId: resource } }));
    else response.writeHead(307, { Location: `${elsewhere}/taken` }).end();
  };
  attacker = await serve('proxy', hostile);
  cluster = await serve('cluster', hostile);
});
beforeEach(() => {
  resource = 'https://management.azure.com';
  for (const name of Object.keys(asked)) asked[name] = [];
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  for (const server of servers) server.close().closeAllConnections();
});

function config(more: Record<string, string>): Record<string, string> {
  const { hostname, port } = new URL(attacker);
  return {
    'connector.class': 'AnalyticsSinkConnector',
    topics: 'cloud-identity',
    'analytics.url': cluster,
    'analytics.tables.topics.mapping': `[{'topic':'*','db':'d','table':'T'}]`,
    'idp.auth.strategy': 'managed_identity',
    'errors.retry.max.time.ms': '0',
    'proxy.host': hostname,
    'proxy.port': port,
    ...more,
  };
}

async function failureOf(worker: StartedWorker, more: Record<string, string> = {}): Promise<string> {
  const name = uniqueName('identity');
  await worker.register({ name, config: config(more) });
  const { tasks } = await worker.statusWhen(name, ({ tasks: [task] }) => task?.state === 'FAILED');
  await worker.request('DELETE', `/connectors/${name}`);
  return tasks[0]?.trace ?? '';
}

describe('in a worker’s default config', () => {
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await start({});
  });

  test.each([
    ['managed_identity', {}],
    ['workload_identity', {}],
    [
      'managed_identity',
      { 'analytics.query.url': 'http://localhost:1', 'analytics.url': 'https://c.kusto.windows.net' },
    ],
    ['managed_identity', { 'analytics.allow.insecure.endpoints': 'true', 'analytics.trusted.hosts': '127.0.0.1' }],
  ])('%s at an endpoint of the caller is rejected, with %j', async (strategy, more) => {
    const answer = await worker.request('POST', '/connectors', {
      name: uniqueName('identity'),
      config: config({ 'idp.auth.strategy': strategy, ...more }),
    });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(
      `Authentication strategy ${strategy} sends tokens of this machine only to HTTPS`,
    );
    expect(asked).toEqual({ metadata: [], elsewhere: [], proxy: [], cluster: [] });
  });

  test('the proxy of a config is used only for tunnels to known hosts', async () => {
    const trace = await failureOf(worker, { 'analytics.url': 'https://c.kusto.windows.net' });
    expect(trace).toContain('the proxy answers 502');
    expect(asked.metadata).toEqual([]);
    expect(new Set(asked.proxy)).toEqual(new Set(['CONNECT c.kusto.windows.net:443']));
  });
});

describe('with the administrator’s analytics.allow.insecure.endpoints', () => {
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await start({ 'analytics.allow.insecure.endpoints': 'true' });
  });

  test('no token for a resource outside the service', async () => {
    expect(await failureOf(worker)).toContain('names "https://management.azure.com" as the resource of its tokens');
    expect(asked).toEqual({ metadata: [], elsewhere: [], proxy: [], cluster: ['GET /v1/rest/auth/metadata'] });
  });

  test('a token is sent only to the cluster: past the proxy, and not where the cluster redirects to', async () => {
    resource = 'https://kusto.kusto.windows.net';
    expect(await failureOf(worker)).toContain('answers 307');
    expect(asked.metadata).toHaveLength(1);
    expect(asked.metadata?.[0]).toContain(`resource=${encodeURIComponent(resource)}`);
    expect(asked.cluster).toContain('POST /v1/rest/mgmt with the token');
    expect({ proxy: asked.proxy, elsewhere: asked.elsewhere }).toEqual({ proxy: [], elsewhere: [] });
  });
});
