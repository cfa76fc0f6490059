/**
 * `io.debezium.transforms.partitions.PartitionRouting`: chooses the partition by fields of the event. Source:
 * cdc-postgres §7.13.
 */
import {
  readMember,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { invalidSetting, listSetting, textSetting } from '../setting-values';
import { isEnvelope, requireStruct, type StructValue } from '../structs';
import { javaHash } from './java-hash';
import { murmurHash } from './murmur-hash';

const FIELDS = 'partition.payload.fields';
const PARTITIONS = 'partition.topic.num';
const HASH = 'partition.hash.function';
const MAX_INT = 2 ** 31 - 1;

const key = (order: number, name: string, of: Omit<ConfigKey, 'name' | 'group' | 'order'>): ConfigKey => {
  return { name, group: 'partitions', order, ...of };
};

const PARTITION_CONFIG: readonly ConfigKey[] = [
  key(1, FIELDS, {
    type: 'LIST',
    default: null,
    importance: 'HIGH',
    displayName: 'List of payload fields to use for compute partition.',
    documentation:
      'Fields of the event that choose the partition, e.g. change.id, source.table; change is after, or before in a ' +
      'delete. A field that an event lacks is left out. Required.',
    requiredUnless: [],
    validator: (_, config) => fieldsProblem(config),
  }),
  key(2, PARTITIONS, {
    type: 'INT',
    default: null,
    importance: 'HIGH',
    displayName: 'Number of partition configured for topic',
    documentation: 'Number of partitions of the topic. Required.',
    requiredUnless: [],
    validator: (_, config) => partitionsProblem(config),
  }),
  key(3, HASH, {
    type: 'STRING',
    default: 'java',
    importance: 'LOW',
    displayName: 'Hash function',
    documentation: 'How a value is hashed: java (hashCode) or murmur. Another value means java, as in Debezium.',
  }),
];

function partitionsProblem(config: ConnectorConfig): string | null {
  const text = textSetting(config, PARTITIONS);
  if (text === null) return 'A value is required';
  const partitions = Number(text);
  if (!Number.isInteger(partitions) || partitions > MAX_INT) return 'An integer is expected';
  return partitions > 0 ? null : 'A positive, non-zero integer value is expected';
}

function fieldsProblem(config: ConnectorConfig): string | null {
  const fields = listSetting(config, FIELDS);
  if (fields.length === 0) return 'A value is required';
  return fields.includes('') ? 'Empty string element(s) not permitted' : null;
}

class PartitionRouting implements Transformation {
  private paths: readonly (readonly string[])[] = [];
  private partitions = 1;
  private hash = javaHash;

  configure(config: ConnectorConfig): void {
    const wrongPartitions = partitionsProblem(config);
    if (wrongPartitions !== null) throw invalidSetting(PARTITIONS, config[PARTITIONS] ?? null, wrongPartitions);
    const wrongFields = fieldsProblem(config);
    if (wrongFields !== null) throw invalidSetting(FIELDS, config[FIELDS] ?? null, wrongFields);
    this.paths = listSetting(config, FIELDS).map((path) => path.split('.').map((name) => name.trim()));
    this.partitions = Number(config[PARTITIONS]);
    this.hash = textSetting(config, HASH)?.toLowerCase() === 'murmur' ? murmurHash : javaHash;
  }

  apply<R extends ConnectRecord>(record: R): R {
    if (!isEnvelope(record)) return record;
    const envelope = record.valueSchema as Schema;
    const event = requireStruct(envelope, record.value, 'Partition routing');
    if (event.op === 't' || event.op === 'm') return record;
    let sum = 0;
    let found = false;
    for (const path of this.paths) {
      const field = member(path, envelope, event);
      if (field === null) continue;
      found = true;
      sum = (sum + this.hash(field.schema, field.value)) | 0;
    }
    if (!found) return record;
    const positive = sum & MAX_INT;
    return { ...record, partition: positive === MAX_INT ? 0 : positive % this.partitions };
  }
}

/** Null: the event lacks the field, or its value is null. */
function member(
  path: readonly string[],
  envelope: Schema,
  event: StructValue,
): { readonly schema: Schema; readonly value: unknown } | null {
  let schema: Schema = envelope;
  let value: unknown = event;
  for (const [i, part] of path.entries()) {
    if (value === null || schema.type !== 'STRUCT') return null;
    const name = part === 'change' && i < path.length - 1 ? (event.op === 'd' ? 'before' : 'after') : part;
    const field: Schema | undefined = schema.fields?.find((one) => one.name === name)?.schema;
    if (field === undefined) return null;
    value = readMember(value as StructValue, name) ?? field.default ?? null;
    schema = field;
  }
  return value === null ? null : { schema, value };
}

export const partitionRouting: TransformationPlugin = {
  type: 'transformation',
  config: PARTITION_CONFIG,
  create: () => new PartitionRouting(),
};
