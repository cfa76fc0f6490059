/** A dedicated Kafka broker with every supported kind of security, for tests that cannot use an external one. */
import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startKafka, type RunningKafka } from '../../dev/services/kafka';
import { findJava } from '../../dev/services/kafka-jars';
import { makeIdentity, makePkcs12, type Identity } from '../kafka/certificates';

const run = promisify(execFile);

/** User names and passwords with characters that are special in protocols, Java's properties or JAAS. */
export const USER = { name: 'alice', password: 'pa"ss\\wörd, =1; 😀' };
export const SCRAM_USER = { name: 'al=ice', password: 'scr@m "secret"; =\\' };
export const STORE_PASSWORD = 'st0re-secret';
/**
 * Lifetime of a connection to the listener `SHORT` without reauthentication. Clients start it within the last 5 to 15 %
 * of that time, and the broker rejects a request that arrives later.
 */
export const SHORT_SESSION_MS = 10_000;

const LISTENERS = {
  SSL: 'SSL',
  /** Requires a client certificate. */
  MTLS: 'SSL',
  /** Its certificate is for another host. */
  OTHERHOST: 'SSL',
  SASL_PLAINTEXT: 'SASL_PLAINTEXT',
  SASL_SSL: 'SASL_SSL',
  /** Its connections must reauthenticate every SHORT_SESSION_MS. */
  SHORT: 'SASL_PLAINTEXT',
} as const;
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'];
const SECURITY = 'org.apache.kafka.common.security';

export interface SecureBroker {
  readonly kafka: RunningKafka;
  /** `host:port` of a listener. */
  at(listener: keyof typeof LISTENERS): string;
  readonly ca: Identity;
  /** Signed by `ca`. */
  readonly client: Identity;
  /** Not trusted by any client. */
  readonly stranger: Identity;
  /** Writes a file that is removed with the broker, and returns its path. */
  file(name: string, content: string | Buffer): Promise<string>;
  /** Creates a PKCS12 store with Java's keytool that opens with STORE_PASSWORD, and returns its path. */
  keytool(store: string, ...command: string[]): Promise<string>;
  /** A store that opens with STORE_PASSWORD; without the key it is a trust store. */
  pkcs12(identity: Identity, withKey?: boolean): Buffer;
  stop(): Promise<void>;
}

export async function startSecureBroker(): Promise<SecureBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-security-'));
  const file = async (name: string, content: string | Buffer): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  try {
    const ca = makeIdentity('Test CA', null);
    const server = makeIdentity('broker', ca, '127.0.0.1', 'localhost');
    const elsewhere = makeIdentity('elsewhere', ca, 'kafka.example');
    const kafka = await startKafka({
      heap: '-Xmx400m -XX:TieredStopAtLevel=1',
      listeners: LISTENERS,
      scramUsers: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
        (mechanism) => `${mechanism}=[name=${SCRAM_USER.name},password=${SCRAM_USER.password}]`,
      ),
      settings: {
        'ssl.keystore.type': 'PEM',
        'ssl.keystore.location': await file('broker.pem', keyAndChain(server)),
        'ssl.truststore.type': 'PEM',
        'ssl.truststore.location': await file('ca.pem', ca.cert),
        'listener.name.mtls.ssl.client.auth': 'required',
        'listener.name.otherhost.ssl.keystore.type': 'PEM',
        'listener.name.otherhost.ssl.keystore.location': await file('elsewhere.pem', keyAndChain(elsewhere)),
        ...saslSettings('sasl_plaintext', MECHANISMS),
        ...saslSettings('sasl_ssl', MECHANISMS),
        ...saslSettings('short', ['PLAIN', 'SCRAM-SHA-512']),
        'listener.name.short.plain.connections.max.reauth.ms': String(SHORT_SESSION_MS),
        'listener.name.short.scram-sha-512.connections.max.reauth.ms': String(SHORT_SESSION_MS),
      },
    });
    return {
      kafka,
      at: (listener) => kafka.listeners[listener] as string,
      ca,
      client: makeIdentity('client', ca),
      stranger: makeIdentity('stranger', null),
      file,
      keytool: async (store, ...command) => {
        const java = await findJava();
        const keytool = basename(java) === java ? 'keytool' : join(dirname(java), 'keytool');
        const path = join(folder, store);
        const to = command[0] === '-importkeystore' ? 'dest' : '';
        const target = [`-${to}keystore`, path, `-${to}storetype`, 'PKCS12', `-${to}storepass`, STORE_PASSWORD];
        await run(keytool, [...command, ...target, '-noprompt']);
        return path;
      },
      pkcs12: (identity, withKey = true) => makePkcs12(identity, STORE_PASSWORD, withKey),
      stop: async () => {
        await kafka.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Java reads only PKCS#8 keys. */
export function keyAndChain({ key, cert }: Identity): string {
  return createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' }) + cert;
}

function saslSettings(listener: string, mechanisms: readonly string[]): Record<string, string> {
  const prefix = `listener.name.${listener}.`;
  const modules: Record<string, string> = {
    PLAIN: `${SECURITY}.plain.PlainLoginModule required ${jaasOption(`user_${USER.name}`, USER.password)};`,
    'SCRAM-SHA-256': `${SECURITY}.scram.ScramLoginModule required;`,
    'SCRAM-SHA-512': `${SECURITY}.scram.ScramLoginModule required;`,
    OAUTHBEARER: `${SECURITY}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
  };
  const settings: Record<string, string> = { [`${prefix}sasl.enabled.mechanisms`]: mechanisms.join(',') };
  for (const mechanism of mechanisms) {
    settings[`${prefix}${mechanism.toLowerCase()}.sasl.jaas.config`] = modules[mechanism] as string;
  }
  if (mechanisms.includes('OAUTHBEARER')) {
    settings[`${prefix}oauthbearer.sasl.server.callback.handler.class`] =
      `${SECURITY}.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler`;
  }
  return settings;
}

export function jaasOption(name: string, value: string): string {
  return `${name}="${value.replace(/["\\]/g, '\\$&')}"`;
}

/** As the value of a line of a properties file. */
export function propertiesValue(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Java's keys for one mechanism, without the protocol. */
export const login = {
  plain: (password = USER.password): Record<string, string> => ({
    'sasl.mechanism': 'PLAIN',
    'sasl.jaas.config': `${SECURITY}.plain.PlainLoginModule required ${jaasOption('username', USER.name)} ${jaasOption('password', password)};`,
  }),
  scram: (size: 256 | 512, password = SCRAM_USER.password): Record<string, string> => ({
    'sasl.mechanism': `SCRAM-SHA-${size}`,
    'sasl.jaas.config': `${SECURITY}.scram.ScramLoginModule required ${jaasOption('username', SCRAM_USER.name)} ${jaasOption('password', password)};`,
  }),
  oauth: (options: string): Record<string, string> => ({
    'sasl.mechanism': 'OAUTHBEARER',
    'sasl.jaas.config': `${SECURITY}.oauthbearer.OAuthBearerLoginModule required ${options};`,
  }),
};
