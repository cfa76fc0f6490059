/**
 * `io.debezium.transforms.SchemaChangeEventFilter`: drops schema change events of some kinds. PostgreSQL has none, so
 * its records pass. Source: cdc-postgres §7.13.
 */
import {
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { choiceProblem, invalidSetting, listSetting } from './setting-values';
import { requireStruct, type StructValue } from './structs';

const EXCLUDED = 'schema.change.event.exclude.list';
const KINDS = ['CREATE', 'ALTER', 'DROP', 'TRUNCATE', 'DATABASE'];

const SCHEMA_CHANGE_CONFIG: readonly ConfigKey[] = [
  {
    name: EXCLUDED,
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    order: 1,
    width: 'SHORT',
    displayName: 'Schema change event exclude list',
    documentation: `Kinds of schema changes to drop: ${KINDS.join(', ')}. Required.`,
    requiredUnless: [],
    validator: (_, config) => problemOf(config),
  },
];

function problemOf(config: ConnectorConfig): string | null {
  const kinds = listSetting(config, EXCLUDED);
  if (kinds.length === 0) return 'A value is required';
  return kinds.every((kind) => KINDS.includes(kind)) ? null : choiceProblem(KINDS);
}

class SchemaChangeEventFilter implements Transformation {
  private excluded: readonly string[] = [];

  configure(config: ConnectorConfig): void {
    const problem = problemOf(config);
    if (problem !== null) throw invalidSetting(EXCLUDED, config[EXCLUDED] ?? null, problem);
    this.excluded = listSetting(config, EXCLUDED);
  }

  apply<R extends ConnectRecord>(record: R): R | null {
    const { value, valueSchema } = record;
    if (value === null || value === undefined || !/\.SchemaChange(?:Key|Value)$/.test(valueSchema?.name ?? '')) {
      return record;
    }
    const change = requireStruct(valueSchema, value, 'Read schema change event to filter');
    const tables = (change.tableChanges ?? null) as readonly StructValue[] | null;
    if (tables === null) return null;
    const kind = tables.length === 0 ? 'DATABASE' : String(tables[0]?.type);
    return this.excluded.includes(kind) ? null : record;
  }
}

export const schemaChangeEventFilter: TransformationPlugin = {
  type: 'transformation',
  config: SCHEMA_CHANGE_CONFIG,
  create: () => new SchemaChangeEventFilter(),
};
