/**
 * Credentials of Kafka clients from the JAAS file of `java.security.auth.login.config`: its section KafkaClient counts
 * where `sasl.jaas.config` is not set, as in Java.
 */
import { ConfigError, readRegularFileSync } from '@millrace/sdk';
import { MAX_FILE_BYTES } from '../../config/providers/provider';
import { JAAS_FILE, jaasPath } from '../../config/rest-auth-settings';
import { parseJaasFile, type JaasEntry } from '@millrace/kafka-client/security';

const SECTION = 'KafkaClient';
const PREFIXES = ['', 'producer.', 'consumer.', 'admin.'];
const CREDENTIALS = 'sasl.jaas.config';

type Settings = Readonly<Record<string, string>>;

/** Throws ConfigError if clients need the file, and it cannot be read. */
export function withJaasFile(settings: Settings): Settings {
  const path = settings[JAAS_FILE]?.trim() ?? '';
  const needing = PREFIXES.filter(
    (prefix) => /^SASL_/i.test(settings[`${prefix}security.protocol`]?.trim() ?? '') && !has(settings, prefix),
  );
  if (path === '' || needing.length === 0) return settings;
  const entry = clientEntry(path);
  return entry === null
    ? settings
    : { ...settings, ...Object.fromEntries(needing.map((prefix) => [prefix + CREDENTIALS, textOf(entry)])) };
}

function has(settings: Settings, prefix: string): boolean {
  return (settings[prefix + CREDENTIALS] ?? '').trim() !== '';
}

/** Null: the file has no such section. */
function clientEntry(path: string): JaasEntry | null {
  const invalid = (problem: string): ConfigError =>
    new ConfigError(`Worker setting "${JAAS_FILE}" is invalid: the JAAS file ${jaasPath(path)} ${problem}.`, {
      code: 'WORKER_CONFIG_INVALID',
      place: { key: JAAS_FILE },
    });
  let text: string;
  try {
    text = readRegularFileSync(jaasPath(path), MAX_FILE_BYTES).toString('utf8');
  } catch (cause) {
    throw invalid(`cannot be read: ${(cause as Error).message}`);
  }
  const entries = parseJaasFile(text, invalid).get(SECTION);
  if (entries === undefined) return null;
  if (entries.length !== 1) throw invalid(`needs exactly one login module in its section ${SECTION}`);
  return entries[0] as JaasEntry;
}

function textOf({ loginModule, options }: JaasEntry): string {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const given = Object.entries(options).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `${loginModule} required${given.join('')};`;
}
