/**
 * Environment variables that override the properties file. Two families:
 * - `CONNECT_<NAME>`: any setting; lower-cased, `_` → `.` (and, as in widespread Connect images, `__` → `-`,
 *   `___` → `_`);
 * - the short names below, as the Debezium image has them; an empty one counts as not set, because compose files pass
 *   them on empty.
 *
 * `CONNECT_*` wins over a short name: it is meant for this process alone, while a short name such as
 * `BOOTSTRAP_SERVERS` is often shared by a whole container or CI job.
 *
 * Beside them, weakest of all, the one system property of a JVM that clients are configured by: Java's images hand it
 * over in `KAFKA_OPTS`.
 */
import { ALLOWED_TOKEN_URLS } from './oauth-urls';

const SHORT_NAMES: Readonly<Record<string, string>> = {
  BOOTSTRAP_SERVERS: 'bootstrap.servers',
  GROUP_ID: 'group.id',
  CONFIG_STORAGE_TOPIC: 'config.storage.topic',
  OFFSET_STORAGE_TOPIC: 'offset.storage.topic',
  STATUS_STORAGE_TOPIC: 'status.storage.topic',
};
const PREFIX = 'CONNECT_';

type Environment = Readonly<Record<string, string | undefined>>;

/** The file's settings with those of the environment laid over them. */
export function withEnvironment(settings: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return { ...jvmSettings(env), ...settings, ...environmentSettings(env) };
}

/** What `KAFKA_OPTS` gives: it is often shared by all of a container, so the file goes before it. */
function jvmSettings({ KAFKA_OPTS = '' }: Environment): Record<string, string> {
  const option = `-D${ALLOWED_TOKEN_URLS}=`;
  const given = KAFKA_OPTS.split(/\s+/).findLast((word) => word.startsWith(option));
  return given === undefined ? {} : { [ALLOWED_TOKEN_URLS]: given.slice(option.length) };
}

/** Settings given by environment variables alone. */
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
