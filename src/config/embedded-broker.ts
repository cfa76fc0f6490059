/**
 * `bootstrap.servers=embedded`: the worker brings a broker of its own. Pure. Source: kafka-client §4; the keys are
 * Millrace's own.
 */
import { ConfigError } from '@millrace/sdk';
import { atLeast, nonEmpty, parseSetting, type Setting } from './setting';

type Settings = Readonly<Record<string, string>>;

export interface EmbeddedBrokerConfig {
  /** As given: it may be relative to the working directory. */
  readonly dataDir: string;
  /** On 127.0.0.1; 0: any free one. */
  readonly port: number;
}

const BOOTSTRAP = 'bootstrap.servers';
const EMBEDDED = 'embedded';
export const DATA_DIR = 'embedded.data.dir';
export const PORT = 'embedded.port';

const port: Setting['check'] = (value) =>
  atLeast(0)(value) ?? (Number(value) > 65535 ? 'Value must be no more than 65535' : null);

export const EMBEDDED_SETTINGS = [
  { name: DATA_DIR, type: 'STRING', default: '.millrace', check: nonEmpty },
  { name: PORT, type: 'INT', default: 9092, check: port },
] as const satisfies readonly Setting[];

/** Of the worker's clients and, by their prefixes, the tasks'. */
const CLIENT_PREFIXES = ['', 'producer.', 'consumer.', 'admin.'];
const STORAGE_TOPICS = ['config', 'offset', 'status'];

/**
 * What the settings say about the embedded broker; null when they name a cluster. Throws ConfigError
 * `WORKER_CONFIG_INVALID` for its own settings, and for those that ask for more than it has: another broker beside it,
 * replicas, TLS or authentication.
 */
export function embeddedBrokerConfig(raw: Settings): EmbeddedBrokerConfig | null {
  const servers = (raw[BOOTSTRAP] ?? '').split(',').map((server) => server.trim());
  if (!servers.includes(EMBEDDED)) return null;
  if (servers.length > 1) throw invalid(BOOTSTRAP, raw, `${EMBEDDED} stands alone, without other brokers`);
  for (const prefix of CLIENT_PREFIXES) {
    const key = `${prefix}security.protocol`;
    if ((raw[key]?.trim() ?? 'PLAINTEXT').toUpperCase() === 'PLAINTEXT') continue;
    const reason = `the broker of ${BOOTSTRAP}=${EMBEDDED} speaks PLAINTEXT only, on this machine; remove it, or name a Kafka cluster`;
    throw invalid(key, raw, reason);
  }
  for (const topic of STORAGE_TOPICS) {
    const key = `${topic}.storage.replication.factor`;
    if (!['1', '-1', undefined].includes(raw[key]?.trim())) throw invalid(key, raw, 'a single broker gives 1');
  }
  const [dataDir, brokerPort] = EMBEDDED_SETTINGS.map((setting) => value(setting, raw));
  return { dataDir: dataDir as string, port: brokerPort as number };
}

/**
 * The settings with the broker's address, `host:port`, wherever they say `embedded`. Storage topics without a
 * replication factor get the only one that a single broker can give them; Java's default is 3.
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
