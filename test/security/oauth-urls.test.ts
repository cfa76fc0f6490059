/** A connector config must not make the worker fetch OAUTHBEARER tokens where its administrator has not allowed it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { uniqueName } from '../helpers/unique-name';

const ALLOWED_URLS = 'org.apache.kafka.sasl.oauthbearer.allowed.urls';
const REFUSAL = `The URL cannot be accessed due to restrictions. Update the worker setting '${ALLOWED_URLS}' to allow`;

let worker: StartedWorker;
let folder: string;
let server: Server;
let base: string;
const asked: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-oauth-urls-'));
  await writeFile(join(folder, 'in.txt'), 'a line\n');
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(401).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  worker = await startWorker({
    group: uniqueName('oauth-urls'),
    settings: { 'errors.restart.max': '0' },
    // As in images of Java's worker.
    env: { KAFKA_OPTS: `-Xmx1g -D${ALLOWED_URLS}=http://idp.example/token,${base}/allowed` },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  server.close().closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

/** The trace of a task whose producer logs in with a token of `url`. */
async function traceWith(url: string, more: Record<string, string> = {}): Promise<string> {
  const name = uniqueName('source');
  await worker.register({
    name,
    config: {
      'connector.class': 'FileStreamSource',
      file: join(folder, 'in.txt'),
      topic: name,
      'producer.override.security.protocol': 'SASL_PLAINTEXT',
      'producer.override.sasl.mechanism': 'OAUTHBEARER',
      'producer.override.sasl.jaas.config':
        'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="c" clientSecret="s";',
      'producer.override.sasl.oauthbearer.token.endpoint.url': url,
      ...more,
    },
  });
  const { tasks } = await worker.statusWhen(name, ({ tasks: [task] }) => task?.state === 'FAILED');
  return tasks[0]?.trace ?? '';
}

test.each(['/metadata/identity', '/allowed?more', '/ALLOWED'])(
  'a token URL that is not listed is not requested: %s',
  async (path) => {
    expect(await traceWith(`${base}${path}`)).toContain(REFUSAL);
    expect(asked).toEqual([]);
  },
);

test('a connector config cannot allow it for itself', async () => {
  const url = `${base}/own`;
  const own = {
    [ALLOWED_URLS]: url,
    [`producer.override.${ALLOWED_URLS}`]: url,
    [`consumer.override.${ALLOWED_URLS}`]: url,
  };
  expect(await traceWith(url, own)).toContain(REFUSAL);
  expect(asked).toEqual([]);
});

test('a listed URL may be used', async () => {
  const trace = await traceWith(`${base}/allowed`);
  expect(trace).not.toContain('restrictions');
  // The embedded broker expects no authentication, Apache Kafka's listener of these tests neither.
  expect(trace).toMatch(/SASL|authenticat/i);
});
