/**
 * `ssl.*` settings of the HTTPS listeners. Reading stores is not this room's business: the composition root lends its
 * reader. Source: connect-rest §5.2.
 */
import type { ServerOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '@millrace/sdk';
import { listenerSsl, type ListenerSsl } from '../../config/listener-ssl';
import { CLIENT_AUTH } from '../../config/listeners';
import type { WorkerConfig } from '../../config/worker-config';

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
  // Java falls back to the JVM's CAs, and Node to its own: then whoever buys a certificate would be let in.
  if (auth !== 'none' && tls.ca === undefined) {
    throw complain(
      'ssl.client.auth',
      `is ${auth}, but no trust store says which clients to trust: set ssl.truststore.location or ` +
        'ssl.truststore.certificates beside it (public certificate authorities are never trusted for clients)',
    );
  }
  const { cert, key, pfx, passphrase, ca, minVersion, maxVersion, ciphers } = tls;
  return {
    server: {
      ...{ cert, key, pfx, passphrase, ca, minVersion, maxVersion },
      ...(ciphers === undefined ? {} : { ciphers }),
      requestCert: auth !== 'none',
      rejectUnauthorized: auth === 'required',
    },
    refuseUntrusted: auth === 'requested',
  };
}

/**
 * For requests to other workers, whose listeners are like this one's. Without HTTPS, unprefixed settings are Kafka's
 * business alone and stay unread. Throws ConfigError `WORKER_CONFIG_INVALID`.
 */
export function forwardingTls(config: Pick<WorkerConfig, 'raw' | 'listeners'>, read: ReadTls): ConnectionOptions {
  const ssl = listenerSsl(config.raw);
  const used = ssl.prefix !== '' || config.listeners.some(({ protocol }) => protocol === 'https');
  return used ? readTls(ssl, read) : {};
}

function readTls({ prefix, settings }: ListenerSsl, read: ReadTls): ConnectionOptions {
  return read(settings, complainAbout(prefix));
}
