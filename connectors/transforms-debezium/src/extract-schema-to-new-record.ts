/**
 * `io.debezium.transforms.ExtractSchemaToNewRecord`: adds the table's columns with their types to each change event.
 * Source: cdc-postgres §7.13.
 */
import {
  arraySchema,
  schema as makeSchema,
  structSchema,
  type ConfigKey,
  type ConnectRecord,
  type Schema,
  type SchemaOptions,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { extended, fieldOf, isEnvelope, requireStruct, schemaOf, TransformError, type StructValue } from './structs';

const OPTIONAL_INT = makeSchema('INT32', { optional: true });
const COLUMN = block('Column', [
  ['name', makeSchema('STRING')],
  ['typeName', makeSchema('STRING')],
  ['length', OPTIONAL_INT],
  ['scale', OPTIONAL_INT],
  ['comment', makeSchema('STRING', { optional: true })],
]);
const TABLE = block('Table', [['columns', arraySchema(COLUMN)]]);
const SOURCE_SCHEMA = structSchema(
  [
    ['id', makeSchema('STRING')],
    ['table', TABLE],
  ],
  { name: 'io.debezium.connector.source.Schema', version: 1 },
);

function block(name: string, fields: [string, Schema][]): Schema {
  const options: SchemaOptions = { name: `io.debezium.connector.source.schema.${name}`, version: 1 };
  return structSchema(fields, options);
}

/** Cached for the events of one schema. */
interface Plan {
  readonly schema: Schema;
  readonly sourceSchema: StructValue;
}

class ExtractSchemaToNewRecord implements Transformation {
  private readonly plans = new WeakMap<Schema, Plan>();

  configure(): void {
    // It has no settings.
  }

  apply<R extends ConnectRecord>(record: R): R {
    if (!isEnvelope(record)) return record;
    const envelope = record.valueSchema as Schema;
    const event = requireStruct(envelope, record.value, 'Record value should be struct.');
    // A truncate event has no row.
    if ((event.after ?? event.before ?? null) === null) return record;
    let plan = this.plans.get(envelope);
    if (!plan) this.plans.set(envelope, (plan = compiled(envelope, event)));
    return { ...record, valueSchema: plan.schema, value: { ...event, sourceSchema: plan.sourceSchema } };
  }
}

function compiled(envelope: Schema, event: StructValue): Plan {
  const sourceSchema = schemaOf(envelope, 'source') ?? null;
  const source = requireStruct(sourceSchema, event.source, 'source');
  const columns = (schemaOf(envelope, 'after')?.fields ?? []).map(({ schema }) => column(schema));
  return {
    schema: Object.freeze({
      ...extended(envelope, [['sourceSchema', SOURCE_SCHEMA]]),
      optional: envelope.optional,
      default: envelope.default,
    }),
    sourceSchema: { id: fieldOf(sourceSchema as Schema, source, 'table'), table: { columns } },
  };
}

function column({ parameters }: Schema): StructValue {
  const of = (part: string): string | null => parameters?.[`__debezium.source.column.${part}`] ?? null;
  const number = (part: string): number | null => {
    const text = of(part);
    if (text === null) return null;
    if (/^[+-]?\d{1,10}$/.test(text)) return Number(text);
    throw new TransformError('java.lang.NumberFormatException', `For input string: "${text}"`);
  };
  const [name, typeName] = [of('name'), of('type')];
  if (name === null || typeName === null) throw new TransformError('io.debezium.DebeziumException', NO_TYPES);
  return { name, typeName, length: number('length'), scale: number('scale'), comment: of('comment') };
}

const NO_TYPES =
  'Ensure that enable configurations "column.propagate.source.type" or "datatype.propagate.source.type" and the value is set to ".*"';

const NO_CONFIG: readonly ConfigKey[] = [];

export const extractSchemaToNewRecord: TransformationPlugin = {
  type: 'transformation',
  config: NO_CONFIG,
  create: () => new ExtractSchemaToNewRecord(),
};
