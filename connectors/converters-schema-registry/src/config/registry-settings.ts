/** What the converter does with schemas: which subject, whether it registers them, and which versions it uses. */
import type { ConnectorConfig } from '@millrace/sdk';
import { flag, integer, invalid, text } from './read-settings';
import { subjectNames } from './subject-names';

export interface RegistrySettings {
  /** `auto.register.schemas` */
  readonly autoRegister: boolean;
  /** `normalize.schemas` */
  readonly normalize: boolean;
  /** `use.latest.version`; without effect if schemas are registered */
  readonly useLatestVersion: boolean;
  /** `latest.compatibility.strict` (for `use.schema.id`: `id.compatibility.strict`) */
  readonly latestStrict: boolean;
  /** `latest.cache.ttl.sec`, in milliseconds; Infinity: the latest version is read once */
  readonly latestTtlMs: number;
  /** `use.schema.id`; null: not set. Without effect if schemas are registered */
  readonly useSchemaId: number | null;
  /** By the naming strategy. Throws DataError if that needs the record's name, and there is none. */
  subject(topic: string, isKey: boolean, recordName: string | null): string;
}

const RULES = 'is not supported: rules of data contracts are not executed here';
const IN_HEADERS = 'is not supported: ids are written before the data';
/** Settings with which records would be others, and the only values of them that are accepted. */
const REJECTED: Readonly<Record<string, readonly [problem: string, accepted: RegExp | null]>> = {
  'use.latest.with.metadata': ['is not supported: set use.latest.version=true, or use.schema.id', null],
  'rule.executors': [RULES, null],
  'rule.actions': [RULES, null],
  'context.name.strategy': ['is not supported: subjects have no context here', /(?:^|\.)NullContextNameStrategy$/],
  'key.schema.id.serializer': [IN_HEADERS, /(?:^|\.)PrefixSchemaIdSerializer$/],
  'value.schema.id.serializer': [IN_HEADERS, /(?:^|\.)PrefixSchemaIdSerializer$/],
};

/** What is wrong with a value that this converter does not support. Null: nothing. */
export function unsupported(key: string, value: string): string | null {
  const [problem = null, accepted = null] = REJECTED[key] ?? [];
  return accepted?.test(value) ? null : problem;
}

/** Throws ConfigError. */
export function registrySettings(config: ConnectorConfig): RegistrySettings {
  for (const key of Object.keys(REJECTED)) {
    const value = text(config, key);
    const problem = value === undefined ? null : unsupported(key, value);
    if (problem !== null) throw invalid(key, problem);
  }
  const useSchemaId = integer('use.schema.id', text(config, 'use.schema.id'), -1, -1);
  const ttl = integer('latest.cache.ttl.sec', text(config, 'latest.cache.ttl.sec'), -1, -1);
  const [ofKeys, ofValues] = [subjectNames(config, true), subjectNames(config, false)];
  return {
    autoRegister: flag(config, 'auto.register.schemas', true),
    normalize: flag(config, 'normalize.schemas', false),
    useLatestVersion: flag(config, 'use.latest.version', false),
    latestStrict: flag(config, useSchemaId >= 0 ? 'id.compatibility.strict' : 'latest.compatibility.strict', true),
    // With 0, Java sends a request for every record.
    latestTtlMs: ttl < 0 ? Infinity : Math.max(1, ttl) * 1_000,
    useSchemaId: useSchemaId < 0 ? null : useSchemaId,
    subject: (topic, isKey, recordName) => (isKey ? ofKeys : ofValues)(topic, isKey, recordName),
  };
}
