/** `io.debezium.transforms.HeaderToValue`: copies or moves headers into the value. Source: cdc-postgres §7.13. */
import {
  ConfigError,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Header,
  type Schema,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { AddedFields, type AddedField } from './added-fields';
import { choiceProblem, invalidSetting, listSetting, textSetting } from './setting-values';
import { requireStruct } from './structs';

const OPERATIONS = ['move', 'copy'] as const;

const key = (name: string, of: Omit<ConfigKey, 'name' | 'order' | 'importance'>): ConfigKey => {
  return { name, importance: 'HIGH', order: 1, default: null, ...of };
};

const HEADER_CONFIG: readonly ConfigKey[] = [
  key('headers', {
    type: 'LIST',
    displayName: 'Header names list',
    documentation: 'Headers to copy or move. Required.',
    requiredUnless: [],
    validator: (_, config) => namesProblem(config, 'headers'),
  }),
  key('fields', {
    type: 'LIST',
    displayName: 'Field names list',
    documentation:
      'The fields for these headers, in the same order; dots separate the names of nested fields. Required.',
    requiredUnless: [],
    validator: (_, config) => namesProblem(config, 'fields') ?? countProblem(config),
  }),
  key('operation', {
    type: 'STRING',
    displayName: 'Operation: mover or copy',
    documentation: 'Whether the headers are removed (move) or stay (copy). Required.',
    requiredUnless: [],
    accepts: { values: OPERATIONS, anyCase: true },
    validator: (_, config) => (operationOf(config) === undefined ? operationProblem(config) : null),
  }),
];

function operationOf(config: ConnectorConfig): (typeof OPERATIONS)[number] | undefined {
  return OPERATIONS.find((one) => one === textSetting(config, 'operation')?.toLowerCase());
}

function operationProblem(config: ConnectorConfig): string {
  return textSetting(config, 'operation') === null ? 'A value is required' : choiceProblem(OPERATIONS);
}

function namesProblem(config: ConnectorConfig, name: string): string | null {
  const names = listSetting(config, name);
  if (names.length === 0) return 'A value is required';
  if (names.includes('')) return 'Empty string element(s) not permitted';
  return names.some((one) => /\s/.test(one)) ? 'Element(s) containing space not permitted' : null;
}

function countProblem(config: ConnectorConfig): string | null {
  const same = listSetting(config, 'headers').length === listSetting(config, 'fields').length;
  return same ? null : "'fields' config must have the same number of elements as 'headers' config.";
}

class HeaderToValue implements Transformation {
  private headers: readonly string[] = [];
  private fields: readonly (readonly string[])[] = [];
  private moves = false;
  private readonly added = new AddedFields();

  configure(config: ConnectorConfig): void {
    for (const name of ['headers', 'fields']) {
      const problem = namesProblem(config, name);
      if (problem !== null) throw invalidSetting(name, config[name] ?? null, problem);
    }
    const problem = countProblem(config);
    if (problem !== null) throw new ConfigError(problem, { code: 'PG_TRANSFORM_CONFIG' });
    const operation = operationOf(config);
    if (!operation) throw invalidSetting('operation', config.operation ?? null, operationProblem(config));
    this.headers = listSetting(config, 'headers');
    this.fields = listSetting(config, 'fields').map((path) => path.split('.'));
    this.moves = operation === 'move';
  }

  apply<R extends ConnectRecord>(record: R): R {
    if (record.value === null || record.value === undefined) return record;
    const value = requireStruct(record.valueSchema, record.value, 'Header field insertion');
    const found = new Map<number, AddedField>();
    for (const { key, schema, value: of } of record.headers ?? []) {
      const i = this.headers.indexOf(key);
      // Of headers with one name, the last counts.
      if (i >= 0) found.set(i, { path: this.fields[i] as readonly string[], schema, value: of });
    }
    if (found.size === 0) return record;
    const fields = [...found.values()];
    const schema = this.added.schema(record.valueSchema as Schema, fields);
    return {
      ...record,
      valueSchema: schema,
      value: this.added.value(schema, value, fields),
      headers: this.moves ? this.others(record.headers ?? []) : (record.headers ?? []),
    };
  }

  private others(headers: readonly Header[]): Header[] {
    return headers.filter(({ key }) => !this.headers.includes(key));
  }
}

export const headerToValue: TransformationPlugin = {
  type: 'transformation',
  config: HEADER_CONFIG,
  create: () => new HeaderToValue(),
};
