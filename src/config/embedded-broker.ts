/**
 * `bootstrap.servers=embedded`: the worker uses the embedded broker. Pure. Source: kafka-client §4. The keys are
 * Millrace's.
 */
import type { ConfigError } from '@millrace/sdk';
import { between, invalidSetting, nonEmpty, readSettings, settingsOf, type Parsed } from './setting';
import { SettingProblems } from './setting-problems';

type Settings = Readonly<Record<string, string>>;

const BOOTSTRAP = 'bootstrap.servers';
const EMBEDDED = 'embedded';
/** In the working directory. */
export const DEFAULT_DATA_DIR = '.millrace';

const embedded = settingsOf('Embedded broker');

export const EMBEDDED_SETTINGS = {
  dataDir: embedded.text('embedded.data.dir', DEFAULT_DATA_DIR, {
    doc: 'Millrace only. Folder of its data, relative to the working directory. It must be empty or belong to a broker.',
    check: nonEmpty,
  }),
  port: embedded.int('embedded.port', 9092, {
    doc: 'Millrace only. Its port on 127.0.0.1. 0: any free port.',
    check: between(0, 65535),
  }),
  registryPort: embedded.int('embedded.registry.port', null, {
    doc: 'Millrace only. Runs a schema registry on this port of 127.0.0.1, which keeps its schemas in the broker. 0: any free port.',
    check: between(0, 65535),
  }),
};

export type EmbeddedBrokerConfig = Parsed<typeof EMBEDDED_SETTINGS>;

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
  const problems = new SettingProblems();
  if (servers.length > 1) problems.add(invalid(BOOTSTRAP, raw, `${EMBEDDED} cannot be combined with other brokers`));
  for (const prefix of CLIENT_PREFIXES) {
    const key = `${prefix}security.protocol`;
    if ((raw[key]?.trim() ?? 'PLAINTEXT').toUpperCase() === 'PLAINTEXT') continue;
    const reason = `the embedded broker supports only PLAINTEXT; remove this setting, or set ${BOOTSTRAP} to a Kafka cluster`;
    problems.add(invalid(key, raw, reason));
  }
  for (const topic of STORAGE_TOPICS) {
    const key = `${topic}.storage.replication.factor`;
    if (!['1', '-1', undefined].includes(raw[key]?.trim()))
      problems.add(invalid(key, raw, 'the embedded broker is a single broker and supports only 1'));
  }
  const settings = readSettings(EMBEDDED_SETTINGS, raw, problems);
  problems.throwAny();
  return settings;
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

function invalid(key: string, raw: Settings, reason: string): ConfigError {
  return invalidSetting(key, `${JSON.stringify(raw[key])}: ${reason}`);
}
