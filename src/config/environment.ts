/**
 * Environment variables that override the properties file. Two families:
 * - `CONNECT_<NAME>`: any setting; lower-cased, `_` → `.` (and, as in widespread Connect images, `__` → `-`, `___` →
 * `_`);
 * - the short names below, as in the Debezium image. An empty one counts as not set, because compose files pass empty
 * variables.
 *
 * `CONNECT_*` overrides a short name: it is meant for this process only, while a short name such as `BOOTSTRAP_SERVERS`
 * is often shared by a whole container or CI job.
 *
 * With the lowest precedence, `KAFKA_OPTS` sets two JVM system properties, as in Java's images: where Kafka clients may
 * fetch tokens, and the JAAS file of the REST API.
 */
import { ALLOWED_TOKEN_URLS } from './oauth-urls';
import { JAAS_FILE } from './rest-auth-settings';

const SHORT_NAMES: Readonly<Record<string, string>> = {
  BOOTSTRAP_SERVERS: 'bootstrap.servers',
  GROUP_ID: 'group.id',
  CONFIG_STORAGE_TOPIC: 'config.storage.topic',
  OFFSET_STORAGE_TOPIC: 'offset.storage.topic',
  STATUS_STORAGE_TOPIC: 'status.storage.topic',
};
const PREFIX = 'CONNECT_';

type Environment = Readonly<Record<string, string | undefined>>;

/** The file's settings, overridden by those of the environment. */
export function withEnvironment(settings: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return { ...jvmSettings(env), ...settings, ...environmentSettings(env) };
}

/** Settings from `KAFKA_OPTS`. The file overrides them, because the variable is often shared by a whole container. */
function jvmSettings({ KAFKA_OPTS = '' }: Environment): Record<string, string> {
  const words = KAFKA_OPTS.split(/\s+/);
  const given = [ALLOWED_TOKEN_URLS, JAAS_FILE].flatMap((name) => {
    const option = `-D${name}=`;
    const word = words.findLast((each) => each.startsWith(option));
    return word === undefined ? [] : [[name, word.slice(option.length)] as const];
  });
  return Object.fromEntries(given);
}

/** Settings from environment variables, without `KAFKA_OPTS`. */
export function environmentSettings(env: Environment): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [variable, key] of Object.entries(SHORT_NAMES)) {
    const value = env[variable];
    if (value !== undefined && value.trim() !== '') settings[key] = value;
  }
  for (const [variable, value] of Object.entries(env)) {
    if (value === undefined || !variable.startsWith(PREFIX) || variable === PREFIX) continue;
    settings[settingName(variable.slice(PREFIX.length))] = value;
  }
  return settings;
}

function settingName(variable: string): string {
  return variable
    .toLowerCase()
    .replace(/_{1,3}/g, (underscores) => (underscores.length === 1 ? '.' : underscores.length === 2 ? '-' : '_'));
}
