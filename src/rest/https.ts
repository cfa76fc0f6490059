/**
 * `ssl.*` settings of the HTTPS listeners. Reading stores is not this room's business: the composition root lends its reader.
 * Source: connect-rest §5.2.
 */
import type { ServerOptions } from 'node:https';
import { getCiphers, type ConnectionOptions } from 'node:tls';
import { ConfigError } from '@millrace/sdk';
import { listenerSsl, type ListenerSsl } from '../config/listener-ssl';
import { CLIENT_AUTH } from '../config/listeners';
import type { WorkerConfig } from '../config/worker-config';

type Complain = (key: string, problem: string, cause?: unknown) => Error;

/** Java's `ssl.*` keys to options of `node:tls`; throws what `complain` makes of a setting. */
export type ReadTls = (settings: Readonly<Record<string, string>>, complain: Complain) => ConnectionOptions;

export interface HttpsOptions {
  readonly server: ServerOptions;
  /** A client certificate is asked for and may be missing, but a wrong one is refused. */
  readonly refuseUntrusted: boolean;
}

function complainAbout(prefix: string): Complain {
  return (key, problem, cause) =>
    new ConfigError(`Worker setting "${prefix}${key}" ${problem}.`, {
      code: 'WORKER_CONFIG_INVALID',
      place: { key: `${prefix}${key}` },
      cause,
    });
}

/** For servers. Throws ConfigError `WORKER_CONFIG_INVALID`. */
export function httpsOptions(
  raw: Readonly<Record<string, string>>,
  kind: 'listeners' | 'admin.listeners',
  read: ReadTls,
): HttpsOptions {
  const ssl = listenerSsl(raw, kind);
  const complain = complainAbout(ssl.prefix || `${kind}.https.`);
  const tls = readTls(ssl, read);
  if (tls.cert === undefined && tls.pfx === undefined) {
    throw complain(
      'ssl.keystore.location',
      `is required: ${kind} has an https listener, which needs a certificate and its key (PKCS12 or PEM)`,
    );
  }
  const auth = ssl.settings['ssl.client.auth']?.trim().toLowerCase() || 'none';
  if (!(CLIENT_AUTH as readonly string[]).includes(auth)) {
    throw complain('ssl.client.auth', `is invalid: String must be one of: ${CLIENT_AUTH.join(', ')}`);
  }
  const { cert, key, pfx, passphrase, ca, minVersion, maxVersion } = tls;
  return {
    server: {
      ...{ cert, key, pfx, passphrase, ca, minVersion, maxVersion },
      ...(ssl.settings['ssl.cipher.suites']?.trim() ? { ciphers: cipherSuites(ssl, complain) } : {}),
      requestCert: auth !== 'none',
      rejectUnauthorized: auth === 'required',
    },
    refuseUntrusted: auth === 'requested',
  };
}

/**
 * For requests to other workers, whose listeners are like this one's. Without HTTPS, unprefixed settings are Kafka's business alone and stay
 * unread. Throws ConfigError `WORKER_CONFIG_INVALID`.
 */
export function forwardingTls(config: Pick<WorkerConfig, 'raw' | 'listeners'>, read: ReadTls): ConnectionOptions {
  const ssl = listenerSsl(config.raw);
  const used = ssl.prefix !== '' || config.listeners.some(({ protocol }) => protocol === 'https');
  return used ? readTls(ssl, read) : {};
}

function readTls({ prefix, settings }: ListenerSsl, read: ReadTls): ConnectionOptions {
  const complain = complainAbout(prefix);
  if (settings['ssl.engine.factory.class']?.trim()) {
    throw complain('ssl.engine.factory.class', 'is not supported: it names a Java class; use ssl.keystore.* instead');
  }
  return read(settings, complain);
}

/** Java's names (`TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`) are OpenSSL's (`ECDHE-RSA-AES128-GCM-SHA256`) in other words; those of TLS 1.3 are the same. */
function cipherSuites({ settings }: ListenerSsl, complain: Complain): string {
  const known = new Set(getCiphers());
  return (settings['ssl.cipher.suites'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      if (known.has(name.toLowerCase()) && name.startsWith('TLS_')) return name;
      const ours = name
        .replace(/^TLS_(?:RSA_WITH_)?/, '')
        .replace('_WITH', '')
        .replace(/AES_(\d+)/, 'AES$1')
        .replace('_CBC_', '_')
        .replace(/(CHACHA20_POLY1305)_SHA256$/, '$1')
        .replaceAll('_', '-');
      if (!known.has(ours.toLowerCase())) throw complain('ssl.cipher.suites', `names ${name}, which is not available`);
      return ours;
    })
    .join(':');
}
