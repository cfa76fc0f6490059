/** Client certificates without a trust store: a certificate of any public authority would be accepted. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../../dev/services/worker';
import { makeIdentity, makePkcs12 } from '../kafka/certificates';

const server = makeIdentity('worker', null, '127.0.0.1');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-strangers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const identity = (prefix: string): Record<string, string> => ({
  [`${prefix}ssl.keystore.certificate.chain`]: server.cert.replace(/\s+/g, ' '),
  [`${prefix}ssl.keystore.key`]: server.key.replace(/\s+/g, ' '),
});

/** The worker's output before it exits with code 1. There is no Kafka: it must fail earlier. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const worker = await startWorker({ bootstrapServers: '127.0.0.1:1', group: 'strangers', settings });
  try {
    expect(await worker.exited()).toBe(1);
    return worker.process.log();
  } finally {
    await worker.stop();
  }
}

const NO_STORE = (key: string, auth: string): string =>
  `Worker setting "${key}" is ${auth}, but there is no truststore for client certificates: also set ssl.truststore.location or ` +
  'ssl.truststore.certificates (public certificate authorities are never trusted for clients).';

test.each(['required', 'requested'])('%s without a trust store is rejected at startup', async (auth) => {
  const prefix = 'listeners.https.';
  const settings = { listeners: 'https://127.0.0.1:0', ...identity(prefix), [`${prefix}ssl.client.auth`]: auth };
  expect(await refusal(settings)).toContain(NO_STORE(`${prefix}ssl.client.auth`, auth));
});

test('the same for admin listeners, also if other listeners have a trust store', async () => {
  const prefix = 'admin.listeners.https.';
  const settings = {
    'admin.listeners': 'https://127.0.0.1:0',
    ...identity(prefix),
    [`${prefix}ssl.client.auth`]: 'required',
    'listeners.https.ssl.truststore.certificates': server.cert.replace(/\s+/g, ' '),
  };
  expect(await refusal(settings)).toContain(NO_STORE(`${prefix}ssl.client.auth`, 'required'));
});

test.each<[string, () => Buffer | string, string]>([
  ['an empty file', () => '', 'names a file that is neither PEM nor PKCS12.'],
  ['a PEM file without a certificate', () => server.key, 'contains no certificate.'],
  [
    'a store that another password opens',
    () => makePkcs12(server, 'other', false),
    'does not open the PKCS12 trust store',
  ],
])('an empty trust store is rejected: %s', async (name, content, sentence) => {
  const store = join(folder, `${name.replaceAll(' ', '-')}.store`);
  await writeFile(store, content());
  const prefix = 'listeners.https.';
  const log = await refusal({
    listeners: 'https://127.0.0.1:0',
    ...identity(prefix),
    [`${prefix}ssl.client.auth`]: 'required',
    [`${prefix}ssl.truststore.location`]: store,
    [`${prefix}ssl.truststore.password`]: 'canary-password',
  });
  expect(log).toContain(sentence);
  expect(log).not.toContain('canary-password');
});
