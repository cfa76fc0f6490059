/** Key and trust stores that would hold the thread: files without end, and passwords to be hashed for hours. */
import { createCipheriv, createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { excessiveKeyDerivation, pemBlocks } from '@millrace/sdk';
import { readConnectionSettings } from '../../../packages/kafka-client/src/network/client-config';
import { cpuMs } from '../../helpers/cpu-time';
import { makeIdentity, makePkcs12 } from '../certificates';
import { der, encryptedKey, integer, octets, oid, pbkdf2, pem, SALT, scrypt, sequence } from '../encrypted-keys';

const folder = mkdtempSync(join(tmpdir(), 'millrace-stores-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const identity = makeIdentity('client', null);

const read = (config: Record<string, string>) =>
  readConnectionSettings({ 'bootstrap.servers': 'k:9093', 'security.protocol': 'SSL', ...config }).tls;

/** A store whose safe, an octet string with DER in it, holds the key. */
const store = (key: Buffer, mac: number): Buffer => {
  const safe = der(0xa0, octets(sequence(key)));
  return sequence(integer(3), sequence(oid('2a864886f70d010701'), safe), sequence(sequence(SALT), SALT, integer(mac)));
};

test.each([
  ['PBKDF2', pbkdf2(2_000_000_000)],
  ['scrypt', scrypt(2 ** 18, 1, 2 ** 18)],
])('an encrypted key in the settings that asks for too much %s is refused unopened', (_, kdf) => {
  const config = {
    'ssl.keystore.certificate.chain': identity.cert,
    'ssl.keystore.key': pem(encryptedKey(kdf)),
    'ssl.key.password': 'canary',
  };
  const before = process.cpuUsage();
  expect(() => read(config)).toThrow(
    /^Kafka client setting 'ssl\.keystore\.key' requires its password to be hashed \d+ times; the limit is 1000000$/,
  );
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});

test.each([
  ['the MAC', store(encryptedKey(pbkdf2(10_000)), 2_000_000_000)],
  ['a key', store(encryptedKey(pbkdf2(2_000_000_000)), 10_000)],
])('a PKCS12 store asks for too much: %s', (_, bytes) => {
  const location = join(folder, 'hostile.p12');
  writeFileSync(location, bytes);
  for (const kind of ['keystore', 'truststore']) {
    const config = { [`ssl.${kind}.location`]: location, [`ssl.${kind}.password`]: 'canary' };
    expect(() => read(config)).toThrow(
      new RegExp(
        `^Kafka client setting 'ssl\\.${kind}\\.location' names a store that requires its password to be hashed`,
      ),
    );
  }
});

test('iteration counts of Java, OpenSSL and Node are accepted', () => {
  expect(excessiveKeyDerivation(makePkcs12(identity, 'pw', true))).toBeNull();
  expect(excessiveKeyDerivation(store(encryptedKey(pbkdf2(600_000)), 10_000))).toBeNull();
  expect(excessiveKeyDerivation(encryptedKey(scrypt(16_384, 8, 1)))).toBeNull();
  expect(excessiveKeyDerivation(encryptedKey(scrypt(16_384, 8, 1, 32)))).toBeNull();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const options = { type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: 'pw' } as const;
  expect(excessiveKeyDerivation(privateKey.export(options))).toBeNull();
});

/** Of a length that its end tells. */
const open = (tag: number, ...content: Buffer[]) =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.alloc(2)]);

test('lengths that only the end tells, and octet strings in parts, hide nothing', () => {
  const inner = sequence(pbkdf2(2_000_000_000));
  const parts = open(0x24, octets(inner.subarray(0, 9)), octets(inner.subarray(9)));
  expect(excessiveKeyDerivation(open(0x30, open(0xa0, parts)))).toMatch(/2000000000 times/);
  let deep = Buffer.alloc(0);
  for (let i = 0; i < 100; i++) deep = Buffer.from(sequence(deep));
  expect(excessiveKeyDerivation(deep)).toBe('is nested more than 32 levels deep');
  const nested = (tag: number, levels: number) => {
    let bytes = pbkdf2(2_000_000_000);
    for (let i = 0; i < levels; i++) bytes = open(tag, bytes);
    return bytes;
  };
  expect(excessiveKeyDerivation(nested(0x30, 20))).toMatch(/2000000000 times/);
  expect(excessiveKeyDerivation(nested(0x30, 40))).toBe('is nested more than 32 levels deep');
  expect(excessiveKeyDerivation(nested(0x24, 40))).toBe('is nested more than 32 levels deep');
});

test('octet strings in parts, one in the other, are read once', () => {
  let parts = octets(Buffer.alloc(4));
  for (let i = 0; i < 30; i++) parts = open(0x24, parts);
  expect(cpuMs(() => expect(excessiveKeyDerivation(open(0x30, parts))).toBeNull())).toBeLessThan(100);
});

test('an iteration count beyond 2^53 is readable in the error', () => {
  const countless = sequence(SALT, der(0x02, Buffer.alloc(8, 0x7f)));
  const text = 'requires its password to be hashed countless times; the limit is 1000000';
  expect(excessiveKeyDerivation(countless)).toBe(text);
  expect(excessiveKeyDerivation(sequence(SALT, der(0x02, Buffer.alloc(8, 0x7f)), integer(0), integer(1)))).toBeNull();
});

test.each(['ENCRYPTED PRIVATE KEY', 'PRIVATE KEY'])(
  'a key with header lines around %s is refused unopened',
  (label) => {
    const iv = Buffer.alloc(16, 7);
    const layer = createHash('md5').update('canary').update(iv.subarray(0, 8)).digest();
    const cipher = createCipheriv('aes-128-cbc', layer, iv);
    const rounds = der(0x02, Buffer.from([0x7f, 0xff, 0xff, 0xff]));
    const inner = encryptedKey(sequence(oid('2a864886f70d01050c'), sequence(SALT, rounds)));
    const body = Buffer.concat([cipher.update(inner), cipher.final()])
      .toString('base64')
      .replace(/.{64}/g, '$&\n');
    const headers = `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${iv.toString('hex').toUpperCase()}`;
    const config = {
      'ssl.keystore.certificate.chain': identity.cert,
      'ssl.keystore.key': `-----BEGIN ${label}-----\n${headers}\n\n${body}\n-----END ${label}-----\n`,
      'ssl.key.password': 'canary',
    };
    expect(() => read(config)).toThrow(
      /'ssl\.keystore\.key' has header lines, which are only allowed in the RSA, EC and DSA key formats$/,
    );
  },
);

test('a key of RSA with the header lines that encrypt it is read', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'canary' });
  expect(key).toContain('DEK-Info');
  const config = { 'ssl.keystore.key': key.toString(), 'ssl.key.password': 'canary' };
  // It gets as far as its certificate, which is another's.
  expect(() => read({ ...config, 'ssl.keystore.certificate.chain': identity.cert })).toThrow(/mismatch/);
});

test('a store is a file, and not a large one', () => {
  expect(() => read({ 'ssl.truststore.location': '/dev/zero' })).toThrow(
    /names a file that cannot be read: it is not a regular file$/,
  );
  const location = join(folder, 'large.pem');
  writeFileSync(location, Buffer.alloc(8 * 1024 * 1024 + 1, 0x20));
  expect(() => read({ 'ssl.truststore.location': location })).toThrow(
    /names a file that cannot be read: it has 8388609 bytes; at most 8388608 are allowed/,
  );
});

test('PEM blocks are found in linear time', () => {
  expect(pemBlocks(`${identity.key}\n${identity.cert}`, 'CERTIFICATE')).toHaveLength(1);
  const before = process.cpuUsage();
  for (const name of ['A', 'CERTIFICATE']) {
    const begins = `-----BEGIN ${name}-----`.repeat(100_000);
    expect(pemBlocks(begins, 'CERTIFICATE')).toEqual([]);
    expect(pemBlocks(`${begins}-----END B-----`, 'CERTIFICATE')).toEqual([]);
  }
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
