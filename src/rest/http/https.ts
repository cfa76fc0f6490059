/**
 * `ssl.*` settings of the HTTPS listeners. The composition root passes the reader of key stores. Source: connect-rest
 * §5.2.
 */
import type { ServerOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '@millrace/sdk';
import { withoutPrefix } from '../../config/client-config';
import { CLIENT_AUTH } from '../../config/listeners';
import type { WorkerConfig } from '../../config/worker-config';

type SettingError = (key: string, problem: string, cause?: unknown) => Error;

/** Converts Java's `ssl.*` keys to options of `node:tls`. Throws an error that `settingError` creates. */
export type ReadTls = (settings: Readonly<Record<string, string>>, settingError: SettingError) => ConnectionOptions;

export interface HttpsOptions {
  readonly server: ServerOptions;
  /** A client certificate is optional, but an untrusted one is rejected. */
  readonly rejectUntrusted: boolean;
}

function settingErrorOf(prefix: string): SettingError {
  return (key, problem, cause) =>
    new ConfigError(`Worker setting "${prefix}${key}" ${problem}.`, {
      code: 'WORKER_CONFIG_INVALID',
      place: { key: `${prefix}${key}` },
      cause,
    });
}

/** Options of a server. Throws ConfigError `WORKER_CONFIG_INVALID`. */
export function httpsOptions(
  raw: Readonly<Record<string, string>>,
  kind: 'listeners' | 'admin.listeners',
  read: ReadTls,
): HttpsOptions {
  const ssl = listenerSsl(raw, kind);
  const settingError = settingErrorOf(ssl.prefix || `${kind}.https.`);
  const tls = readTls(ssl, read);
  if (tls.cert === undefined && tls.pfx === undefined) {
    throw settingError(
      'ssl.keystore.location',
      `is required: ${kind} has an https listener, which needs a certificate and its key (PKCS12 or PEM)`,
    );
  }
  const auth = ssl.settings['ssl.client.auth']?.trim().toLowerCase() || 'none';
  if (!(CLIENT_AUTH as readonly string[]).includes(auth)) {
    throw settingError('ssl.client.auth', `is invalid: String must be one of: ${CLIENT_AUTH.join(', ')}`);
  }
  // Java falls back to the JVM's CAs, and Node to its own. Then any client with a public certificate would be accepted.
  if (auth !== 'none' && tls.ca === undefined) {
    throw settingError(
      'ssl.client.auth',
      `is ${auth}, but there is no truststore for client certificates: also set ssl.truststore.location or ` +
        'ssl.truststore.certificates (public certificate authorities are never trusted for clients)',
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
    rejectUntrusted: auth === 'requested',
  };
}

/**
 * For requests to other workers, whose listeners are configured like this worker's. Without HTTPS, unprefixed settings
 * are only for Kafka clients and are not read. Throws ConfigError `WORKER_CONFIG_INVALID`.
 */
export function forwardingTls(config: Pick<WorkerConfig, 'raw' | 'listeners'>, read: ReadTls): ConnectionOptions {
  const ssl = listenerSsl(config.raw);
  const used = ssl.prefix !== '' || config.listeners.some(({ protocol }) => protocol === 'https');
  return used ? readTls(ssl, read) : {};
}

function readTls({ prefix, settings }: ListenerSsl, read: ReadTls): ConnectionOptions {
  return read(settings, settingErrorOf(prefix));
}

interface ListenerSsl {
  /** Prefix of `ssl.` in the worker's properties: `listeners.https.`, `admin.listeners.https.` or empty. */
  readonly prefix: string;
  /** `ssl.*`, without the prefix. */
  readonly settings: Readonly<Record<string, string>>;
}

/** If any key has the prefix, all unprefixed keys are ignored. */
function listenerSsl(
  raw: Readonly<Record<string, string>>,
  kind: 'listeners' | 'admin.listeners' = 'listeners',
): ListenerSsl {
  const prefix = `${kind}.https.`;
  const prefixed = withoutPrefix(raw, prefix);
  if (Object.keys(prefixed).length > 0) return { prefix, settings: prefixed };
  return { prefix: '', settings: Object.fromEntries(Object.entries(raw).filter(([key]) => key.startsWith('ssl.'))) };
}
