/**
 * sslmode as the JDBC driver understands it (cdc-postgres §1.7), except for its default files in ~/.postgresql: those
 * are the worker's, and the server is the config's.
 */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConnectError } from '@millrace/sdk';
import type { ConnectionConfig } from '../config/postgres-config';

/** One connection attempt: plain (false) or encrypted. */
export type TlsAttempt = false | ConnectionOptions;

/** The attempts in order. */
export function tlsAttempts(config: ConnectionConfig): readonly TlsAttempt[] {
  switch (config.sslMode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, encrypted(config)];
    case 'prefer':
      return [encrypted(config), false];
    default:
      return [encrypted(config)];
  }
}

function encrypted(config: ConnectionConfig): ConnectionOptions {
  const verify = config.sslMode === 'verify-ca' || config.sslMode === 'verify-full';
  return {
    minVersion: 'TLSv1.2',
    // `require` checks nothing even if a root certificate is given: here the JDBC driver differs from libpq.
    rejectUnauthorized: verify,
    ...(verify ? { ca: rootCertificate(config) } : {}),
    ...(config.sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...clientCertificate(config),
  };
}

function rootCertificate(config: ConnectionConfig): Buffer | string {
  const place = config.sslRootCert;
  if (place === null)
    throw missing(
      `database.sslmode=${config.sslMode} needs database.sslrootcert, the certificates of the authorities that may have signed the server's; no default file is used.`,
    );
  return read(place, `Could not open SSL root certificate file ${shown(place)}.`);
}

function clientCertificate(config: ConnectionConfig): ConnectionOptions {
  const { sslCert: cert, sslKey: keyPlace } = config;
  if (keyPlace === null) {
    if (cert !== null)
      throw missing('database.sslcert needs database.sslkey, the key of the certificate; no default file is used.');
    return {};
  }
  const key = read(keyPlace, `Could not open SSL key file ${shown(keyPlace)}.`);
  const passphrase = config.sslPassword ?? undefined;
  if (!/-----BEGIN/.test(key.toString('latin1'))) {
    if (isPkcs12(key)) return { pfx: key, passphrase };
    if (cert === null) return {};
    return { cert: read(cert, `Could not open SSL certificate file ${shown(cert)}.`), key: fromDer(key, passphrase) };
  }
  if (cert === null) return {};
  return { cert: read(cert, `Could not open SSL certificate file ${shown(cert)}.`), key, passphrase };
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

const isInline = (place: string): boolean => place.startsWith('-----BEGIN');
const shown = (place: string): string => (isInline(place) ? '(inline)' : place);
const missing = (message: string): ConnectError => new ConnectError(message, { code: 'PG_SSL_FILE' });

function read(place: string, message: string): Buffer {
  if (isInline(place)) return Buffer.from(place.replaceAll('\\n', '\n'));
  try {
    return readFileSync(place);
  } catch (cause) {
    throw new ConnectError(message, { code: 'PG_SSL_FILE', cause });
  }
}
