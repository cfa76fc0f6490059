/** Logins as the machine or the workload, against mock servers of the endpoints that exist only in the cloud. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../../../connectors/analytics/src/config/settings';
import { chooseCloud } from '../../../connectors/analytics/src/service/cloud';
import { Http } from '../../../connectors/analytics/src/service/http';
import { Login } from '../../../connectors/analytics/src/service/login';

interface Asked {
  readonly line: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, unknown>;
  readonly form: Record<string, string>;
}
const asked: Asked[] = [];
const { signal } = new AbortController();
let server: Server;
let url: string;
let folder: string;
let answer: { status: number; body: object };
let cloud: Record<string, unknown>;

beforeEach(async () => {
  asked.length = 0;
  answer = { status: 200, body: { access_token: 'token-1', expires_in: '3599' } };
  folder = await mkdtemp(join(tmpdir(), 'millrace-login-'));
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      if (pathname === '/v1/rest/auth/metadata') {
        response.end(JSON.stringify({ AzureAD: cloud }));
        return;
      }
      asked.push({
        line: `${request.method} ${pathname}`,
        query: Object.fromEntries(searchParams),
        headers: request.headers,
        form: Object.fromEntries(new URLSearchParams(body)),
      });
      response.statusCode = answer.status;
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cloud = { LoginEndpoint: url, KustoServiceResourceId: 'https://kusto.kusto.windows.net' };
});
afterEach(async () => {
  server.close().closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

/** Allows an emulator. Otherwise identities require HTTPS. */
const INSECURE = { 'analytics.allow.insecure.endpoints': 'true' };

async function headers(
  config: Record<string, string>,
  environment: Record<string, string>,
  worker: Record<string, string> = INSECURE,
): Promise<unknown> {
  const mapping = `[{topic:'t',db:'d',table:'T'}]`;
  const { settings } = parseSettings(
    { topics: 't', 'analytics.url': url, 'analytics.tables.topics.mapping': mapping, ...config },
    worker,
  );
  const http = new Http({ proxy: null });
  return await new Login(http, settings.login, url, signal, environment).headers(signal);
}
const MANAGED = { 'idp.auth.strategy': 'managed_identity' };
const WORKLOAD = { 'idp.auth.strategy': 'workload_identity' };

test('managed_identity: the machine’s own identity, for the cluster’s resource', async () => {
  expect(await headers(MANAGED, { AZURE_POD_IDENTITY_AUTHORITY_HOST: `${url}/` })).toEqual({
    Authorization: 'Bearer token-1',
  });
  expect(asked).toMatchObject([
    {
      line: 'GET /metadata/identity/oauth2/token',
      query: { 'api-version': '2018-02-01', resource: 'https://kusto.kusto.windows.net' },
      headers: { metadata: 'true' },
    },
  ]);
  expect(asked[0]?.query).not.toHaveProperty('client_id');
});

test('managed_identity: the one that idp.auth.appid names, from a host with its own endpoint', async () => {
  answer.body = { access_token: 'token-2', expires_on: String(Math.floor(Date.now() / 1_000) + 3_600) };
  const environment = { IDENTITY_ENDPOINT: `${url}/msi/token`, IDENTITY_HEADER: 'secret-of-the-host' };
  expect(await headers({ ...MANAGED, 'idp.auth.appid': 'id-7' }, environment)).toEqual({
    Authorization: 'Bearer token-2',
  });
  expect(asked).toMatchObject([
    {
      line: 'GET /msi/token',
      query: { 'api-version': '2019-08-01', client_id: 'id-7' },
      headers: { 'x-identity-header': 'secret-of-the-host' },
    },
  ]);
});

test('managed_identity: a machine without one is an error', async () => {
  answer = { status: 400, body: { error: 'invalid_request', error_description: 'Identity not found' } };
  await expect(headers(MANAGED, { AZURE_POD_IDENTITY_AUTHORITY_HOST: url })).rejects.toMatchObject({
    code: 'ANALYTICS_LOGIN',
    message: expect.stringMatching(/^This machine has no managed identity: .*Identity not found\. Assign one to it/),
  });
});

test('workload_identity: the token in the file is exchanged for one of the identity provider', async () => {
  const file = join(folder, 'token');
  await writeFile(file, 'signed-by-the-cluster\n');
  const environment = { AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_ID: 'client', AZURE_FEDERATED_TOKEN_FILE: file };
  expect(await headers(WORKLOAD, environment)).toEqual({ Authorization: 'Bearer token-1' });
  expect(asked).toMatchObject([
    {
      line: 'POST /tenant/oauth2/v2.0/token',
      form: {
        grant_type: 'client_credentials',
        client_id: 'client',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: 'signed-by-the-cluster',
        scope: `${url}/.default`,
      },
    },
  ]);
  answer = { status: 401, body: { error: 'invalid_client', error_description: 'No such federation' } };
  const failure = (await headers(WORKLOAD, environment).catch((error: unknown) => error)) as Error;
  expect(failure.message).toMatch(/^The identity provider rejects the workload’s identity: .*No such federation/);
  expect(failure.message).not.toContain('signed-by-the-cluster');
});

test('workload_identity: missing environment variables are named', async () => {
  await expect(headers(WORKLOAD, { AZURE_TENANT_ID: 'tenant' })).rejects.toMatchObject({
    code: 'ANALYTICS_LOGIN',
    message:
      'Authentication strategy workload_identity needs the environment variables AZURE_CLIENT_ID, AZURE_FEDERATED_TOKEN_FILE',
  });
  const environment = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_FEDERATED_TOKEN_FILE: join(folder, 'gone') };
  await expect(headers(WORKLOAD, environment)).rejects.toMatchObject({
    code: 'ANALYTICS_LOGIN',
    message: expect.stringContaining('Cannot read the token file of the workload identity: ENOENT'),
  });
});

test('an unreachable identity provider is reported with the key that sets it', async () => {
  const application = {
    'idp.auth.authority': 'tenant',
    'idp.auth.appid': 'app',
    'idp.auth.appkey': 'key',
    'idp.auth.endpoint': 'http://127.0.0.1:1',
  };
  await expect(headers(application, {})).rejects.toMatchObject({
    retriable: true,
    message:
      'http://127.0.0.1:1/tenant/oauth2/v2.0/token does not answer: connect ECONNREFUSED 127.0.0.1:1. Check "idp.auth.endpoint", and whether this worker may reach that host.',
  });
});

const APPLICATION = { 'idp.auth.authority': 'tenant', 'idp.auth.appid': 'app', 'idp.auth.appkey': 'key' };

test.each([
  ['managed_identity', { KustoServiceResourceId: 'https://management.azure.com' }, 'the resource of its tokens'],
  [
    'managed_identity',
    { KustoServiceResourceId: 'https://kusto.kusto.windows.net.evil.example' },
    'the resource of its tokens',
  ],
  ['managed_identity', { KustoServiceResourceId: { a: 1 } }, 'the resource of its tokens'],
  ['workload_identity', { LoginEndpoint: 'https://login.evil.example' }, 'its identity provider'],
  [
    'workload_identity',
    { LoginEndpoint: 'https://login.microsoftonline.com/../@evil.example' },
    'its identity provider',
  ],
  ['application', { LoginEndpoint: 'http://127.0.0.1:1' }, 'its identity provider'],
  ['application', { KustoServiceResourceId: 'https://graph.microsoft.com' }, 'the resource of its tokens'],
])('%s: a cluster that names %j is given no token', async (strategy, said, what) => {
  Object.assign(cloud, said);
  const file = join(folder, 'token');
  await writeFile(file, 'assertion');
  const environment = {
    AZURE_POD_IDENTITY_AUTHORITY_HOST: url,
    AZURE_TENANT_ID: 't',
    AZURE_CLIENT_ID: 'c',
    AZURE_FEDERATED_TOKEN_FILE: file,
  };
  await expect(headers({ ...APPLICATION, 'idp.auth.strategy': strategy }, environment)).rejects.toMatchObject({
    code: 'ANALYTICS_LOGIN',
    message: expect.stringContaining(what) as unknown,
  });
  expect(asked).toEqual([]);
});

describe('analytics-sink 5.3: a cluster that names what the operator has configured', () => {
  const resource = 'https://kusto.kusto.windows.net';

  test('may name the provider of idp.auth.endpoint, with or without a slash', async () => {
    const provider = url.replace('127.0.0.1', 'localhost');
    const config = { ...APPLICATION, 'idp.auth.endpoint': `${provider}/` };
    cloud = { LoginEndpoint: provider, KustoServiceResourceId: resource };
    expect(await headers(config, {})).toEqual({ Authorization: 'Bearer token-1' });
    expect(asked).toMatchObject([
      {
        line: 'POST /tenant/oauth2/v2.0/token',
        form: { scope: `${resource}/.default` },
        headers: { host: expect.stringMatching(/^localhost/) as unknown },
      },
    ]);
    cloud.LoginEndpoint = 'https://login.evil.example';
    await expect(headers(config, {})).rejects.toMatchObject({ code: 'ANALYTICS_LOGIN' });
  });

  test('may name the resource of idp.auth.scope', async () => {
    cloud = { LoginEndpoint: url, KustoServiceResourceId: 'https://adx.corp.example/' };
    const config = { ...APPLICATION, 'idp.auth.scope': 'https://adx.corp.example/.default' };
    expect(await headers(config, {}, {})).toEqual({ Authorization: 'Bearer token-1' });
    expect(asked).toMatchObject([{ form: { scope: 'https://adx.corp.example/.default' } }]);
  });

  test('may name the provider of AZURE_AUTHORITY_HOST for a workload, but not that of the connector', async () => {
    const provider = url.replace('127.0.0.1', 'localhost');
    const file = join(folder, 'token');
    await writeFile(file, 'assertion');
    const environment = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_FEDERATED_TOKEN_FILE: file };
    cloud = { LoginEndpoint: provider, KustoServiceResourceId: resource };
    const config = { ...WORKLOAD, 'idp.auth.endpoint': provider };
    await expect(headers(config, environment)).rejects.toMatchObject({ code: 'ANALYTICS_LOGIN' });
    expect(asked).toEqual([]);
    expect(await headers(WORKLOAD, { ...environment, AZURE_AUTHORITY_HOST: provider })).toEqual({
      Authorization: 'Bearer token-1',
    });
  });
});

test('a cluster on this machine may be the identity provider of an application, as the emulator is', async () => {
  cloud = { LoginEndpoint: `${url}/`, KustoServiceResourceId: url };
  expect(await headers(APPLICATION, {}, {})).toEqual({ Authorization: 'Bearer token-1' });
  expect(asked).toMatchObject([{ line: 'POST /tenant/oauth2/v2.0/token', form: { scope: `${url}/.default` } }]);
});

const at = (host: string, answer: Record<string, unknown>, mayBeProvider = false): unknown =>
  chooseCloud({ url: `https://${host}`, mayBeProvider }, answer);

test('analytics-sink 5.3: each cloud has its own login and resources, and a cluster may be what its token is for', () => {
  const login = 'https://login.microsoftonline.com';
  const resource = 'https://kusto.kusto.windows.net';
  expect(at('ingest-c.r.kusto.windows.net', {})).toEqual({ loginEndpoint: login, resource });
  expect(at('ingest-c.r.kusto.windows.net', { LoginMfaRequired: true })).toEqual({
    loginEndpoint: login,
    resource: 'https://kusto.kustomfa.windows.net',
  });
  const own = 'https://c.r.kusto.windows.net';
  expect(at('ingest-c.r.kusto.windows.net', { KustoServiceResourceId: own })).toEqual({
    loginEndpoint: login,
    resource: own,
  });
  expect(at('c.kusto.fabric.microsoft.com', { LoginEndpoint: login, KustoServiceResourceId: resource })).toEqual({
    loginEndpoint: login,
    resource,
  });
  expect(at('c.kusto.usgovcloudapi.net', {})).toEqual({
    loginEndpoint: 'https://login.microsoftonline.us',
    resource: 'https://kusto.kusto.usgovcloudapi.net',
  });
  expect(() => at('c.kusto.usgovcloudapi.net', { LoginEndpoint: login })).toThrow('login.microsoftonline.us');
  // A private link has a custom host name, and the responses of the cluster that it leads to.
  expect(at('adx.corp.example', { LoginEndpoint: 'https://login.chinacloudapi.cn' })).toMatchObject({
    loginEndpoint: 'https://login.chinacloudapi.cn',
  });
  expect(() => at('adx.corp.example', { LoginEndpoint: 'https://adx.corp.example' })).toThrow('its identity provider');
});
