/**
 * Environment variables that override the properties file. Two families:
 * - `CONNECT_<NAME>`: any setting; lower-cased, `_` → `.` (and, as in widespread Connect images, `__` → `-`, `___` →
 * `_`);
 * - short names, as in the Debezium image. An empty one counts as not set, because compose files pass empty variables.
 *
 * `CONNECT_*` overrides a short name: it is meant for this process only, while a short name such as `BOOTSTRAP_SERVERS`
 * is often shared by a whole container or CI job. In between is `CONNECT_CONFIGURATION`, a whole properties file.
 *
 * With the lowest precedence, `KAFKA_OPTS` sets two JVM system properties, as in Java's images: where Kafka clients may
 * fetch tokens, and the JAAS file of the REST API and of Kafka clients.
 */
import { ConfigError } from '@millrace/sdk';
import { parseProperties } from '@millrace/texts/properties';
import { levelsOfEnvironment } from '../logging/level-variables';
import {
  apicurioSettings,
  ineffectiveVariables,
  isSetting,
  listenerOf,
  shortValue,
  SHORT_NAMES,
  WHOLE_FILE,
  type Environment,
  type FromVariable,
} from './image-variables';
import { WORKER_SETTINGS } from './worker-settings';

const PREFIX = 'CONNECT_';
/** System properties in `KAFKA_OPTS` that are settings here. */
export const JVM_OPTIONS = [WORKER_SETTINGS.tokenUrls.name, WORKER_SETTINGS.restAuth.jaasFile.name];

type Settings = Readonly<Record<string, string>>;

/** The file's settings, overridden by those of the environment. Throws ConfigError. */
export function withEnvironment(settings: Settings, env: Environment): Record<string, string> {
  return { ...jvmSettings(env), ...settings, ...environmentSettings(env, settings) };
}

/** Settings from `KAFKA_OPTS`. The file overrides them, because the variable is often shared by a whole container. */
function jvmSettings({ KAFKA_OPTS = '' }: Environment): Record<string, string> {
  const words = KAFKA_OPTS.split(/\s+/);
  const given = JVM_OPTIONS.flatMap((name) => {
    const option = `-D${name}=`;
    const word = words.findLast((each) => each.startsWith(option));
    return word === undefined ? [] : [[name, word.slice(option.length)] as const];
  });
  return Object.fromEntries(given);
}

/** Settings from environment variables, without `KAFKA_OPTS`. Throws ConfigError. @param file for its listener */
export function environmentSettings(env: Environment, file: Settings = {}): Record<string, string> {
  return Object.fromEntries([...fromVariables(env, file)].map(([key, { value }]) => [key, value]));
}

/** Settings by key, with the variables that they are from. Throws ConfigError. */
export function fromVariables(env: Environment, file: Settings = {}): ReadonlyMap<string, FromVariable> {
  const found = new Map<string, FromVariable>();
  for (const [variable, key] of Object.entries(SHORT_NAMES)) {
    const value = shortValue(env, variable);
    if (value !== undefined) found.set(key, { value, variable });
  }
  for (const [key, value] of Object.entries(apicurioSettings(env)))
    found.set(key, { value, variable: 'APICURIO_REGISTRY' });
  for (const [key, value] of Object.entries(wholeFile(env[WHOLE_FILE] ?? '')))
    found.set(key, { value, variable: WHOLE_FILE });
  for (const [variable, value] of Object.entries(env)) {
    if (value === undefined || !variable.startsWith(PREFIX) || variable === PREFIX || !isSetting(variable)) continue;
    found.set(settingName(variable.slice(PREFIX.length)), { value, variable });
  }
  const listener = found.has('listeners') ? null : listenerOf(env, file.listeners);
  if (listener) found.set('listeners', listener);
  return found;
}

function wholeFile(text: string): Settings {
  try {
    return parseProperties(text);
  } catch (cause) {
    throw new ConfigError(
      `The environment variable ${WHOLE_FILE} is not a properties file: ${(cause as Error).message}`,
      {
        code: 'WORKER_CONFIG_INVALID',
        cause,
      },
    );
  }
}

/** One sentence about variables of Java's images that have no effect here, with their names only. Null: none is set. */
export function ineffectiveVariablesWarning(env: Environment): string | null {
  const names = ineffectiveVariables(env, levelsOfEnvironment(env).unusable, JVM_OPTIONS);
  if (names.length === 0) return null;
  const rest = names.includes('KAFKA_OPTS')
    ? ` Of KAFKA_OPTS, only ${JVM_OPTIONS.map((name) => `-D${name}`).join(' and ')} are read.`
    : '';
  return `Environment variables without effect in Millrace: ${names.join(', ')}.${rest} See Environment variables in docs/operations.md for what to set instead.`;
}

function settingName(variable: string): string {
  return variable
    .toLowerCase()
    .replace(/_{1,3}/g, (underscores) => (underscores.length === 1 ? '.' : underscores.length === 2 ? '-' : '_'));
}
