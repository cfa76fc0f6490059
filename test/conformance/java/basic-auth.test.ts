/** HTTP Basic on Millrace and on Java's worker with the extension that Apache Kafka ships: the same bytes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import { startJavaConnect } from '../../../dev/services/java-connect';
import { basicAuthJar } from '../../../dev/services/java-connect-jars';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { basic, EXTENSION, jvmFlag, writeLogins } from '../../helpers/basic-auth';
import { rawRequest, type RawAnswer } from '../../helpers/raw-http';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { describeWithJava } from './fixtures';

const ALICE = `Authorization: ${basic('alice', 'secret')}`;
const JSON_BODY = ['Content-Type: application/json', 'Content-Length: 2'];
const authorization = (text: string): string => `Authorization: ${text}`;

/** Title, request line, headers and body. */
type Case = readonly [title: string, line: string, headers?: readonly string[], body?: string];

const byTitle = (cases: readonly Case[]): [string, Case][] => cases.map((given) => [given[0], given]);

const SAME: readonly Case[] = [
  ['no credentials', 'GET /'],
  ['a wrong password', 'GET /connectors', [authorization(basic('alice', 'wrong'))]],
  ['an unknown user', 'GET /connectors', [authorization(basic('mallory', 'secret'))]],
  ['the right password', 'GET /connectors', [ALICE]],
  ['the scheme in any case', 'GET /connectors', [ALICE.replace('Basic', 'bAsIc')]],
  ['a blank at the end', 'GET /connectors', [`${ALICE} `]],
  ['no padding', 'GET /connectors', [authorization(basic('bob', 'with:colon').replace(/=+$/, ''))]],
  ['a colon in the password', 'GET /connectors', [authorization(basic('bob', 'with:colon'))]],
  ['an empty password', 'GET /connectors', [authorization(basic('empty', ''))]],
  ['an empty user', 'GET /connectors', [authorization(basic('', 'secret'))]],
  ['no colon', 'GET /connectors', [authorization(`Basic ${Buffer.from('alice').toString('base64')}`)]],
  ['UTF-8 credentials', 'GET /connectors', [authorization(basic('umläut', 'päss'))]],
  ['a tab after the scheme', 'GET /connectors', [ALICE.replace('Basic ', 'Basic\t')]],
  ['only the scheme', 'GET /connectors', [authorization('Basic')]],
  ['another scheme', 'GET /connectors', [authorization('Bearer abc')]],
  ['health without credentials', 'GET /health'],
  ['health with credentials', 'GET /health', [ALICE]],
  ['HEAD without credentials', 'HEAD /connectors'],
  ['HEAD with credentials', 'HEAD /connectors', [ALICE]],
  ['a trailing slash', 'GET /connectors/'],
  ['OPTIONS without credentials', 'OPTIONS /connectors'],
  ['OPTIONS with credentials', 'OPTIONS /connectors', [ALICE]],
  ['a media type with a parameter', 'GET /connectors', ['Accept: application/json;charset=utf-8']],
  ['an unknown path', 'GET /nope'],
  ['a wrong method', 'DELETE /connectors'],
  ['a wrong media type', 'POST /connectors', ['Content-Type: text/plain', 'Content-Length: 0']],
  ['an unacceptable Accept', 'GET /connectors', ['Accept: text/html']],
  ['a malformed task number', 'GET /connectors/x/tasks/zz/status'],
  ['creation, before its body is read', 'POST /connectors', JSON_BODY, '{}'],
  ['validation', 'PUT /connector-plugins/FileStreamSink/config/validate', JSON_BODY, '{}'],
  ['loggers', 'GET /admin/loggers'],
  ['reading the tasks', 'GET /connectors/x/tasks'],
  ['task configs without a signature', 'POST /connectors/x/tasks', JSON_BODY, '[]'],
  ['fencing without a signature', 'PUT /connectors/x/fence', ['Content-Length: 0']],
  ['fencing with a trailing slash', 'PUT /connectors/x/fence/', ['Content-Length: 0']],
];
const PREFLIGHT: Case = [
  'a preflight request',
  'OPTIONS /connectors',
  ['Origin: http://page.example', 'Access-Control-Request-Method: POST'],
];
/** Malformed credentials are an internal error in Java. */
const REFUSED_BETTER: readonly Case[] = [
  ['two blanks', 'GET /', [ALICE.replace('Basic ', 'Basic  ')]],
  ['malformed Base64', 'GET /', [authorization('Basic !!!')]],
  ['a wrong padding', 'GET /', [`${authorization('Basic YWxpY2U6c2VjcmV0')}=`]],
  ['two headers', 'GET /', [ALICE, ALICE]],
];

describeWithJava('HTTP Basic beside Java', () => {
  let folder: string;
  const workers: StartedWorker[] = [];
  let adminPorts: readonly number[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-basic-'));
    const jaas = await writeLogins(
      folder,
      'alice=secret\nbob=with:colon\nempty=\num\\u00e4=x\numl\\u00e4ut=p\\u00e4ss\n',
    );
    adminPorts = [await freePort(), await freePort()];
    const settings = { ...EXTENSION, 'access.control.allow.origin': '*' };
    workers.push(
      await startWorker({ group: uniqueName('basic'), settings, env: { KAFKA_OPTS: `-Xmx1g ${jvmFlag(jaas)}` } }),
      await startJavaConnect({
        group: uniqueName('basic'),
        settings,
        jvmFlags: [jvmFlag(jaas)],
        jars: [await basicAuthJar()],
      }),
      await startWorker({
        group: uniqueName('basic'),
        settings: { ...EXTENSION, 'admin.listeners': `http://127.0.0.1:${adminPorts[0]}` },
        env: { KAFKA_OPTS: jvmFlag(jaas) },
      }),
    );
    for (const { url } of workers)
      await waitFor('the worker to be healthy', async () => {
        const answer = await rawRequest(url, ['GET /health', ALICE]).catch(() => null);
        return answer?.status === 200;
      });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  async function both([, line, headers = [], body]: Case): Promise<RawAnswer[]> {
    const [ours, java] = workers as [StartedWorker, StartedWorker];
    return await Promise.all([ours, java].map(async ({ url }) => await rawRequest(url, [line, ...headers], body)));
  }

  test.each(byTitle(SAME))('%s', async (_title, given) => {
    const [ours, java] = await both(given);
    expect(ours).toEqual(java);
    expect(java?.headers).not.toHaveProperty('www-authenticate');
  });

  test('a preflight request needs credentials, which browsers do not send', async () => {
    const [ours, java] = await both(PREFLIGHT);
    // The order of the allowed methods is that of a hash set in Java.
    const sorted = (answer?: RawAnswer): unknown => ({
      ...answer,
      headers: {
        ...answer?.headers,
        'access-control-allow-methods': answer?.headers['access-control-allow-methods']?.split(',').sort(),
      },
    });
    expect(sorted(ours)).toEqual(sorted(java));
    expect(ours?.status).toBe(401);
  });

  test.each(byTitle(REFUSED_BETTER))('%s: 401, and an internal error in Java', async (_title, given) => {
    const [ours, java] = await both(given);
    expect([ours?.status, ours?.body, java?.status]).toEqual([401, 'User cannot access the resource.', 500]);
  });

  test('a separate admin listener needs credentials, too; Java 4.3.1 leaves it open', async () => {
    const answer = await rawRequest(`http://127.0.0.1:${adminPorts[0]}`, ['GET /admin/loggers']);
    expect([answer.status, answer.body]).toEqual([401, 'User cannot access the resource.']);
  });
});

describeWithJava('HTTP Basic in a group with a Java worker', () => {
  let folder: string;
  let workers: StartedWorker[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-basic-group-'));
    const jaas = await writeLogins(folder, 'alice=secret\n');
    const options = { group: uniqueName('basic-group'), settings: { ...EXTENSION, 'heartbeat.interval.ms': '300' } };
    workers = [
      await startWorker({ ...options, env: { KAFKA_OPTS: jvmFlag(jaas) } }),
      await startJavaConnect({ ...options, jvmFlags: [jvmFlag(jaas)], jars: [await basicAuthJar()] }),
    ];
    await waitFor('one of two workers to lead', async () => {
      const answers = await Promise.all(workers.map(async ({ url }) => await remove(url, '?forward=false')));
      return (
        answers
          .map(({ status }) => status)
          .sort()
          .join() === '404,409'
      );
    });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  const remove = async (url: string, query = ''): Promise<RawAnswer> =>
    await rawRequest(url, [`DELETE /connectors/none${query}`, ALICE]).catch(() => ({
      status: 0,
      headers: {},
      body: '',
    }));

  test('connect-rest 157: each worker forwards the credentials, and task configs need none', async () => {
    for (const [index, { url }] of workers.entries()) {
      expect((await remove(url)).status).toBe(404);
      expect((await rawRequest(url, ['DELETE /connectors/none'])).status).toBe(401);
      const name = `mixed-${index}`;
      const config = {
        'connector.class': 'FileStreamSource',
        topic: name,
        file: join(folder, 'none'),
        'tasks.max': '1',
      };
      const body = JSON.stringify({ name, config });
      const create = ['POST /connectors', ALICE, 'Content-Type: application/json', `Content-Length: ${body.length}`];
      await waitFor('the connector to be created', async () => (await rawRequest(url, create, body)).status === 201);
    }
    // The group has two connectors, so each worker publishes the task configs of one.
    for (const name of ['mixed-0', 'mixed-1'])
      await waitFor(`the task of ${name} to run`, async () => {
        const { body } = await rawRequest((workers[0] as StartedWorker).url, [`GET /connectors/${name}/status`, ALICE]);
        return /"tasks":\[\{"id":0,"state":"RUNNING"/.test(body);
      });
  });
});
