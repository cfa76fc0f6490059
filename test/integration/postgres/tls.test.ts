import { createPrivateKey } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresConnector } from '../../../connectors/postgres/src';
import { issueEd25519Certificate } from '../../../dev/services/certificates';
import { startPostgres } from '../../../dev/services/postgres';
import { unprivilegedUser } from '../../../src/cli/verbs/dev/postgres/programs';
import { encryptedKey, makeIdentity, makePkcs12 } from '../../kafka/certificates';
import { SERVER_URL, TestDatabase } from '../../helpers/test-database';
import { TODOS, TaskRun, taskConfig } from './harness';
import { TlsProxy, type TlsProxyOptions } from './tls-proxy';

const ca = makeIdentity('authority', null);
const otherCa = makeIdentity('other authority', null);
const server = makeIdentity('server', ca, 'localhost');
const client = makeIdentity('cdc', ca);

let database: TestDatabase;
let folder: string;
let proxy: TlsProxy | null = null;
beforeAll(async () => {
  database = await TestDatabase.create(TODOS);
  folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
});
afterEach(async () => {
  await proxy?.stop();
  proxy = null;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const CERTIFICATE = { key: server.key, cert: server.cert };

/** Null when the connection works, else the message on database.hostname. */
async function attempt(config: Record<string, string>, options: TlsProxyOptions = CERTIFICATE): Promise<string | null> {
  proxy = await TlsProxy.start(new URL(SERVER_URL), options);
  const problems =
    (await postgresConnector.validate?.(
      taskConfig(database, { 'database.hostname': 'localhost', 'database.port': String(proxy.port), ...config }),
      {},
    )) ?? [];
  return problems[0]?.message ?? null;
}

test.each([
  ['disable', 'plain'],
  ['allow', 'plain'],
  ['prefer', 'tls'],
  ['require', 'tls'],
])('cdc-postgres 11: sslmode=%s with TLS offered connects over %s', async (mode, session) => {
  expect(await attempt({ 'database.sslmode': mode, 'database.sslrootcert': otherCa.cert })).toBeNull();
  expect(proxy?.sessions).toEqual([session]);
});

test('cdc-postgres 11: allow switches to TLS when plain text is rejected', async () => {
  expect(await attempt({ sslmode: 'allow' }, { ...CERTIFICATE, tlsOnly: true })).toBeNull();
  expect(proxy?.sessions).toEqual(['refused', 'tls']);
});

describe.each(['verify-ca', 'verify-full'])('cdc-postgres 11: sslmode=%s', (mode) => {
  test('the right authority, as a file and as text', async () => {
    expect(await attempt({ sslmode: mode, sslrootcert: file('ca.crt', ca.cert) })).toBeNull();
    await proxy?.stop();
    expect(await attempt({ sslmode: mode, sslrootcert: otherCa.cert + ca.cert })).toBeNull();
  });
  test('the wrong authority', async () => {
    expect(await attempt({ sslmode: mode, sslrootcert: file('other.crt', otherCa.cert) })).toMatch(
      /verify|certificate/i,
    );
  });
  test('no file', async () => {
    const missing = join(folder, 'missing.crt');
    expect(await attempt({ sslmode: mode, sslrootcert: missing })).toContain(
      `Could not open SSL root certificate file ${missing}.`,
    );
  });
  test('another host name', async () => {
    const message = await attempt({ sslmode: mode, sslrootcert: ca.cert, 'database.hostname': '127.0.0.1' });
    if (mode === 'verify-ca') expect(message).toBeNull();
    else expect(message).toMatch(/IP: 127\.0\.0\.1 is not in the cert's list/);
  });
});

describe('cdc-postgres 12: client certificates', () => {
  const pem = createPrivateKey(client.key);
  const keys: readonly (readonly [string, string | Buffer, string | undefined])[] = [
    ['PEM PKCS#1', pem.export({ type: 'pkcs1', format: 'pem' }), undefined],
    ['PEM PKCS#8 encrypted', encryptedKey(client, 'geheim'), 'geheim'],
    ['DER PKCS#8', pem.export({ type: 'pkcs8', format: 'der' }), undefined],
    [
      'DER PKCS#8 encrypted',
      pem.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: 'geheim' }),
      'geheim',
    ],
    ['PKCS#12', makePkcs12(client, 'geheim', true), 'geheim'],
  ];
  const options = { ...CERTIFICATE, clientAuthority: ca.cert };

  test.each(keys)('%s', async (name, key, password) => {
    const config: Record<string, string> = {
      sslmode: 'require',
      sslcert: file('client.crt', client.cert),
      sslkey: file(`${name.replaceAll(/\W/g, '')}.key`, key),
    };
    if (password !== undefined) config.sslpassword = password;
    expect(await attempt(config, options)).toBeNull();
    expect(proxy?.sessions).toEqual(['tls cdc']);
  });

  test('a wrong password is a clear error', async () => {
    const [, key] = keys[3] as (typeof keys)[0];
    const config = { sslmode: 'require', sslcert: client.cert, sslkey: file('wrong.key', key), sslpassword: 'falsch' };
    expect(await attempt(config, options)).toContain('database.sslpassword is wrong');
  });
});

test('cdc-postgres 11: the replication stream is encrypted, too', async () => {
  proxy = await TlsProxy.start(new URL(SERVER_URL), CERTIFICATE);
  const run = await TaskRun.start(
    taskConfig(database, {
      'database.hostname': 'localhost',
      'database.port': String(proxy.port),
      sslmode: 'verify-full',
      sslrootcert: ca.cert,
    }),
  );
  try {
    await database.query("INSERT INTO todos SELECT i, 'x', 'y' FROM generate_series(1, 5000) i");
    await run.count(5000);
    expect(new Set(proxy.sessions)).toEqual(new Set(['tls']));
  } finally {
    await run.stop();
  }
});

describe('cdc-postgres 11: a server whose certificate is of Ed25519', () => {
  const own = issueEd25519Certificate('server', ['localhost']);
  let ownServer: Awaited<ReturnType<typeof startPostgres>>;
  let ownDatabase: TestDatabase;
  beforeAll(async () => {
    const files = { ssl_cert_file: file('own.crt', own.cert), ssl_key_file: file('own.key', own.key) };
    const user = await unprivilegedUser();
    chmodSync(folder, 0o711);
    chmodSync(files.ssl_key_file, 0o600);
    if (user !== undefined) chownSync(files.ssl_key_file, user.uid, user.gid);
    ownServer = await startPostgres({ settings: { ssl: 'on', ...files } });
    ownDatabase = await TestDatabase.create(TODOS, { server: ownServer.url });
  });
  afterAll(async () => {
    await ownDatabase?.drop();
    await ownServer?.stop();
  });

  test.each(['prefer', 'require', 'verify-full'])('sslmode=%s connects over TLS, the stream, too', async (mode) => {
    await ownDatabase.query("DELETE FROM todos; INSERT INTO todos VALUES (1, 'x', 'y')");
    const config = { 'database.hostname': 'localhost', sslmode: mode, sslrootcert: own.cert };
    const run = await TaskRun.start(taskConfig(ownDatabase, config));
    try {
      await run.count(1);
      await ownDatabase.query("INSERT INTO todos VALUES (2, 'x', 'y')");
      await run.count(2);
      const sessions = await ownDatabase.query(
        `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'Millrace%'`,
      );
      expect(sessions).toEqual([{ ssl: true }]);
    } finally {
      await run.stop();
    }
  });
});
