/** The supported topic configs, with Apache Kafka's names and, unless noted, defaults. */

export type ConfigType = 'boolean' | 'string' | 'int' | 'long' | 'double' | 'list';

export interface ConfigDefinition {
  readonly name: string;
  readonly type: ConfigType;
  readonly default: string;
  readonly oneOf?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

const LONG_MAX = '9223372036854775807';
const COMPRESSIONS = ['uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'];

export const TOPIC_CONFIGS: readonly ConfigDefinition[] = [
  { name: 'cleanup.policy', type: 'list', default: 'delete', oneOf: ['compact', 'delete'] },
  // Stored, but batches stay as their producer compressed them.
  { name: 'compression.type', type: 'string', default: 'producer', oneOf: COMPRESSIONS },
  { name: 'delete.retention.ms', type: 'long', default: '86400000', min: 0 },
  { name: 'file.delete.delay.ms', type: 'long', default: '60000', min: 0 },
  { name: 'flush.messages', type: 'long', default: LONG_MAX, min: 1 },
  { name: 'flush.ms', type: 'long', default: LONG_MAX, min: 0 },
  { name: 'index.interval.bytes', type: 'int', default: '4096', min: 0 },
  { name: 'max.compaction.lag.ms', type: 'long', default: LONG_MAX, min: 1 },
  { name: 'max.message.bytes', type: 'int', default: '1048588', min: 0 },
  { name: 'message.timestamp.after.max.ms', type: 'long', default: '3600000', min: 0 },
  { name: 'message.timestamp.before.max.ms', type: 'long', default: LONG_MAX, min: 0 },
  { name: 'message.timestamp.type', type: 'string', default: 'CreateTime', oneOf: ['CreateTime', 'LogAppendTime'] },
  { name: 'min.cleanable.dirty.ratio', type: 'double', default: '0.5', min: 0, max: 1 },
  { name: 'min.compaction.lag.ms', type: 'long', default: '0', min: 0 },
  { name: 'min.insync.replicas', type: 'int', default: '1', min: 1 },
  { name: 'preallocate', type: 'boolean', default: 'false' },
  { name: 'retention.bytes', type: 'long', default: '-1', min: -1 },
  { name: 'retention.ms', type: 'long', default: '604800000', min: -1 },
  // Kafka's default is 1 GiB; smaller segments let retention and compaction take effect on one machine.
  { name: 'segment.bytes', type: 'int', default: '67108864', min: 1024 },
  { name: 'segment.index.bytes', type: 'int', default: '10485760', min: 4 },
  { name: 'segment.jitter.ms', type: 'long', default: '0', min: 0 },
  { name: 'segment.ms', type: 'long', default: '604800000', min: 1 },
  { name: 'unclean.leader.election.enable', type: 'boolean', default: 'false' },
];

const BY_NAME = new Map(TOPIC_CONFIGS.map((definition) => [definition.name, definition]));

/** The error message for an invalid value; null if it is valid. */
export function configProblem(name: string, value: string | null): string | null {
  const definition = BY_NAME.get(name);
  if (!definition) return `Unknown topic config name: ${name}`;
  if (value === null) return `Null value not supported for topic configs: ${name}`;
  const invalid = (why: string): string => `Invalid value ${value} for configuration ${name}: ${why}`;
  const { type, oneOf, min = -Infinity, max = Infinity } = definition;
  if (type === 'boolean')
    return /^(true|false)$/i.test(value) ? null : invalid('Expected value to be either true or false');
  if (type === 'string' || type === 'list') {
    const parts = type === 'list' ? listOf(value) : [value];
    const unknown = parts.find((part) => oneOf && !oneOf.includes(part));
    return unknown === undefined ? null : invalid(`String must be one of: ${oneOf!.join(', ')}`);
  }
  const number = Number(value);
  const wellFormed =
    type === 'double' ? Number.isFinite(number) && value.trim() !== '' : /^[+-]?\d+$/.test(value.trim());
  if (!wellFormed) return invalid(`Not a number of type ${type.toUpperCase()}`);
  if (number < min) return invalid(`Value must be at least ${min}`);
  return number > max ? invalid(`Value must be no more than ${max}`) : null;
}

/** The elements of a comma-separated value. */
export function listOf(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function configDefinition(name: string): ConfigDefinition | undefined {
  return BY_NAME.get(name);
}
