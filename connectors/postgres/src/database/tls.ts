/**
 * sslmode as the JDBC driver understands it (cdc-postgres §1.7), except for its default files in ~/.postgresql: those
 * are the worker's, and the server is the config's.
 */
import { createPrivateKey } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { ConnectError, excessiveKeyDerivation, excessivePrivateKey, pemBlocks, readRegularFile } from '@millrace/sdk';
import type { ConnectionConfig } from '../config/postgres-config';

/** One connection attempt: plain (false) or encrypted. */
export type TlsAttempt = false | ConnectionOptions;

/** A bundle of all public authorities has 230 KB. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const PEM = '-----BEGIN ';
/** The first byte of DER. */
const SEQUENCE = 0x30;

/** The attempts in order. Reads the files of the config. Rejects with ConnectError `PG_SSL_FILE`, `PG_SSL_KEY`. */
export async function tlsAttempts(config: ConnectionConfig): Promise<readonly TlsAttempt[]> {
  switch (config.sslMode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, await encrypted(config)];
    case 'prefer':
      return [await encrypted(config), false];
    default:
      return [await encrypted(config)];
  }
}

async function encrypted(config: ConnectionConfig): Promise<ConnectionOptions> {
  const verify = config.sslMode === 'verify-ca' || config.sslMode === 'verify-full';
  return {
    minVersion: 'TLSv1.2',
    // `require` checks nothing even if a root certificate is given: here the JDBC driver differs from libpq.
    rejectUnauthorized: verify,
    ...(verify ? { ca: await rootCertificate(config) } : {}),
    ...(config.sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(await clientCertificate(config)),
  };
}

async function rootCertificate(config: ConnectionConfig): Promise<Buffer> {
  const place = config.sslRootCert;
  if (place === null)
    throw missing(
      `database.sslmode=${config.sslMode} needs database.sslrootcert, the certificates of the authorities that may have signed the server's; no default file is used.`,
    );
  return await read(place, 'root certificate', 'PEM');
}

async function clientCertificate(config: ConnectionConfig): Promise<ConnectionOptions> {
  const { sslCert: cert, sslKey: keyPlace } = config;
  if (keyPlace === null) {
    if (cert !== null)
      throw missing('database.sslcert needs database.sslkey, the key of the certificate; no default file is used.');
    return {};
  }
  const bytes = await read(keyPlace, 'key', 'PEM, PKCS#8 or PKCS#12');
  const passphrase = config.sslPassword ?? undefined;
  if (bytes.includes(PEM)) {
    const key = pemBlocks(bytes.toString('latin1'), 'PRIVATE KEY')[0];
    if (key === undefined) throw unusableKey('contains no private key');
    requireLittleWork(excessivePrivateKey(key));
    return cert === null ? {} : { cert: await read(cert, 'certificate', 'PEM'), key, passphrase };
  }
  requireLittleWork(excessiveKeyDerivation(bytes));
  if (isPkcs12(bytes)) return { pfx: bytes, passphrase };
  if (cert === null) return {};
  return { cert: await read(cert, 'certificate', 'PEM'), key: fromDer(bytes, passphrase) };
}

/** A PKCS#12 file is a SEQUENCE that starts with version 3; PKCS#8 starts with version 0 or an algorithm. */
function isPkcs12(der: Buffer): boolean {
  return der.subarray(0, 12).includes(Buffer.from([0x02, 0x01, 0x03]));
}

function fromDer(der: Buffer, passphrase: string | undefined): string {
  try {
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8', passphrase });
    return key.export({ format: 'pem', type: 'pkcs8' }) as string;
  } catch (cause) {
    throw new ConnectError('Could not read the SSL key: it is not a PKCS#8 key, or database.sslpassword is wrong.', {
      code: 'PG_SSL_KEY',
      cause,
    });
  }
}

/** @param problem of the key, before it is decrypted */
function requireLittleWork(problem: string | null): void {
  if (problem !== null) throw unusableKey(problem);
}

function unusableKey(problem: string): ConnectError {
  return new ConnectError(`Could not read the SSL key: database.sslkey ${problem}.`, { code: 'PG_SSL_KEY' });
}

const isInline = (place: string): boolean => place.startsWith('-----BEGIN');
const shown = (place: string): string => (isInline(place) ? '(inline)' : place);
const missing = (message: string): ConnectError => new ConnectError(message, { code: 'PG_SSL_FILE' });

/** One error for all files that it cannot return: it must not report which files the worker has. */
async function read(place: string, what: string, formats: string): Promise<Buffer> {
  if (isInline(place)) return Buffer.from(place.replaceAll('\\n', '\n'));
  const bytes = await readRegularFile(place, MAX_FILE_BYTES).catch(() => EMPTY);
  if (bytes.includes(PEM) || (bytes[0] === SEQUENCE && formats !== 'PEM')) return bytes;
  throw missing(
    `Could not open SSL ${what} file ${shown(place)}. It must be a regular file in the format ${formats} of at most ${MAX_FILE_BYTES} bytes that the worker may read.`,
  );
}

const EMPTY = Buffer.alloc(0);
