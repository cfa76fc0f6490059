/** Files and keys of a config, which come from whoever may write one. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { tlsAttempts } from '../../../../connectors/postgres/src/database/tls';
import { makeIdentity } from '../../../kafka/certificates';
import { encryptedKey, pbkdf2, pem } from '../../../kafka/encrypted-keys';

const identity = makeIdentity('client', null);
const folder = mkdtempSync(join(tmpdir(), 'millrace-pg-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const pipe = join(folder, 'pipe');
const text = join(folder, 'passwd');
const large = join(folder, 'large.pem');
const missing = join(folder, 'missing');
beforeAll(() => {
  execFileSync('mkfifo', [pipe]);
  writeFileSync(text, 'root:x:0:0:root:/root:/bin/bash\n');
  writeFileSync(large, identity.cert + ' '.repeat(8 * 1024 * 1024));
});

const SETTINGS = { sslMode: 'require', sslRootCert: null, sslCert: identity.cert, sslKey: null, sslPassword: null };
const attempts = (more: Partial<ConnectionConfig>) => tlsAttempts({ ...SETTINGS, ...more } as ConnectionConfig);

describe.each([
  ['root certificate', (place: string) => ({ sslMode: 'verify-ca' as const, sslCert: null, sslRootCert: place })],
  ['key', (place: string) => ({ sslKey: place })],
  ['certificate', (place: string) => ({ sslKey: identity.key, sslCert: place })],
] satisfies [string, (place: string) => Partial<ConnectionConfig>][])('the file of the %s', (what, settings) => {
  test('is read only if it is one; the error does not tell which files exist', async () => {
    for (const place of [missing, text, pipe, large, folder, '/dev/zero', '/dev/ptmx', '/proc/self/environ']) {
      const error = await attempts(settings(place)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'PG_SSL_FILE', retriable: false });
      expect((error as Error).cause).toBeUndefined();
      expect((error as Error).message.replace(place, 'F')).toMatch(
        new RegExp(`^Could not open SSL ${what} file F\\. It must be a regular file in the format [^/]*$`),
      );
    }
  });
});

const ROUNDS = 2 ** 31 - 1;
const HASHED = `Could not read the SSL key: database.sslkey requires its password to be hashed ${ROUNDS} times; the limit is 1000000.`;

test.each([
  ['text', () => pem(encryptedKey(pbkdf2(ROUNDS)))],
  ['PEM file', () => file('hostile.pem', pem(encryptedKey(pbkdf2(ROUNDS))))],
  ['DER file', () => file('hostile.pk8', encryptedKey(pbkdf2(ROUNDS)))],
])('a key that requires countless rounds is not decrypted: %s', async (_, place) => {
  const refused = attempts({ sslKey: place(), sslPassword: 'canary' });
  await expect(refused).rejects.toMatchObject({ code: 'PG_SSL_KEY', retriable: false, message: HASHED });
});

test('a key in a text without a key', async () => {
  await expect(attempts({ sslKey: identity.cert })).rejects.toThrow('database.sslkey contains no private key');
});

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}
