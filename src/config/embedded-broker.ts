/**
 * `bootstrap.servers=embedded`: the worker uses the embedded broker. Pure. Source: kafka-client §4. The keys are
 * Millrace's.
 */
import { ConfigError } from '@millrace/sdk';
import { atLeast, nonEmpty, parseSetting, type Setting } from './setting';

type Settings = Readonly<Record<string, string>>;

export interface EmbeddedBrokerConfig {
  /** As configured: it may be relative to the working directory. */
  readonly dataDir: string;
  /** On 127.0.0.1. 0: any free port. */
  readonly port: number;
}

const BOOTSTRAP = 'bootstrap.servers';
const EMBEDDED = 'embedded';
export const EMBEDDED_DATA_DIR = 'embedded.data.dir';
/** In the working directory. */
export const DEFAULT_DATA_DIR = '.millrace';
export const EMBEDDED_PORT = 'embedded.port';

const port: Setting['check'] = (value) =>
  atLeast(0)(value) ?? (Number(value) > 65535 ? 'Value must be no more than 65535' : null);

export const EMBEDDED_SETTINGS = [
  { name: EMBEDDED_DATA_DIR, type: 'STRING', default: DEFAULT_DATA_DIR, check: nonEmpty },
  { name: EMBEDDED_PORT, type: 'INT', default: 9092, check: port },
] as const satisfies readonly Setting[];

/** Prefixes of the settings for the worker's clients and for the tasks' clients. */
const CLIENT_PREFIXES = ['', 'producer.', 'consumer.', 'admin.'];
const STORAGE_TOPICS = ['config', 'offset', 'status'];

/**
 * The embedded broker's settings, or null when the worker uses a cluster. Throws ConfigError `WORKER_CONFIG_INVALID`
 * for invalid values, and for settings that the embedded broker does not support: more brokers, replicas, TLS or
 * authentication.
 */
export function embeddedBrokerConfig(raw: Settings): EmbeddedBrokerConfig | null {
  const servers = (raw[BOOTSTRAP] ?? '').split(',').map((server) => server.trim());
  if (!servers.includes(EMBEDDED)) return null;
  if (servers.length > 1) throw invalid(BOOTSTRAP, raw, `${EMBEDDED} cannot be combined with other brokers`);
  for (const prefix of CLIENT_PREFIXES) {
    const key = `${prefix}security.protocol`;
    if ((raw[key]?.trim() ?? 'PLAINTEXT').toUpperCase() === 'PLAINTEXT') continue;
    const reason = `the embedded broker supports only PLAINTEXT; remove this setting, or set ${BOOTSTRAP} to a Kafka cluster`;
    throw invalid(key, raw, reason);
  }
  for (const topic of STORAGE_TOPICS) {
    const key = `${topic}.storage.replication.factor`;
    if (!['1', '-1', undefined].includes(raw[key]?.trim()))
      throw invalid(key, raw, 'the embedded broker is a single broker and supports only 1');
  }
  const [dataDir, brokerPort] = EMBEDDED_SETTINGS.map((setting) => value(setting, raw));
  return { dataDir: dataDir as string, port: brokerPort as number };
}

/**
 * Replaces `embedded` with the broker's address, `host:port`. The replication factor of storage topics defaults to 1,
 * the only one that a single broker supports; Java's default is 3.
 */
export function withBrokerAt(raw: Settings, address: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const topic of STORAGE_TOPICS) settings[`${topic}.storage.replication.factor`] = '1';
  Object.assign(settings, raw);
  for (const prefix of CLIENT_PREFIXES) {
    if (raw[`${prefix}${BOOTSTRAP}`]?.trim() === EMBEDDED) settings[`${prefix}${BOOTSTRAP}`] = address;
  }
  return settings;
}

function value(setting: (typeof EMBEDDED_SETTINGS)[number], raw: Settings): string | number {
  const text = raw[setting.name];
  if (text === undefined) return setting.default;
  let parsed;
  try {
    parsed = parseSetting(setting.type, text);
  } catch (error) {
    throw invalid(setting.name, raw, (error as Error).message);
  }
  const reason = setting.check(parsed);
  if (reason !== null) throw invalid(setting.name, raw, reason);
  return parsed as string | number;
}

function invalid(key: string, raw: Settings, reason: string): ConfigError {
  return new ConfigError(`Worker setting "${key}" is invalid: ${JSON.stringify(raw[key])}: ${reason}.`, {
    code: 'WORKER_CONFIG_INVALID',
    place: { key },
  });
}
