/** `io.debezium.transforms.VectorToJsonConverter`: vectors become JSON texts. Source: cdc-postgres §7.13. */
import {
  isRecursive,
  javaText,
  readMember,
  schema as makeSchema,
  schemaBasics,
  setMember,
  structSchema,
  type ConfigKey,
  type ConnectRecord,
  type Schema,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { dataError, requireStruct, type StructValue } from './structs';

const DENSE = ['io.debezium.data.DoubleVector', 'io.debezium.data.FloatVector'];
const SPARSE = 'io.debezium.data.SparseDoubleVector';
const JSON_TEXT = makeSchema('STRING', { name: 'io.debezium.data.Json', version: 1 });
const OPTIONAL_JSON_TEXT = makeSchema('STRING', { name: 'io.debezium.data.Json', version: 1, optional: true });

/** The result for values of one schema, which is the same object if it has no vectors. */
interface Plan {
  readonly schema: Schema;
  convert(value: StructValue): StructValue;
}

class VectorToJsonConverter implements Transformation {
  private readonly plans = new WeakMap<Schema, Plan>();

  configure(): void {
    // It has no settings.
  }

  apply<R extends ConnectRecord>(record: R): R {
    if (record.value === null || record.value === undefined) return record;
    const value = requireStruct(record.valueSchema, record.value, 'Value should be a struct');
    const { schema, convert } = this.plan(record.valueSchema as Schema);
    return schema === record.valueSchema ? record : { ...record, valueSchema: schema, value: convert(value) };
  }

  private plan(of: Schema): Plan {
    let plan = this.plans.get(of);
    if (!plan) this.plans.set(of, (plan = isRecursive(of) ? withoutVectors(of) : this.compiled(of)));
    return plan;
  }

  private compiled(of: Schema): Plan {
    const fields = (of.fields ?? []).map(({ name, schema }) => ({ name, ...this.field(schema) }));
    if (fields.every(({ convert }) => convert === null)) return { schema: of, convert: (value) => value };
    const basics = structSchema(
      fields.map(({ name, schema }) => [name, schema]),
      schemaBasics(of),
    );
    return {
      schema: Object.freeze({ ...basics, optional: of.optional }),
      convert: (value) => {
        const converted: Record<string, unknown> = { ...value };
        for (const { name, convert } of fields) {
          const member = readMember(value, name) ?? null;
          if (convert !== null && member !== null) setMember(converted, name, convert(member));
        }
        return converted;
      },
    };
  }

  /** `convert` is null where the value stays as it is. */
  private field(schema: Schema): { schema: Schema; convert: ((value: unknown) => unknown) | null } {
    const text = schema.optional ? OPTIONAL_JSON_TEXT : JSON_TEXT;
    if (DENSE.includes(schema.name ?? '')) {
      const elements = schema.valueSchema;
      return {
        schema: text,
        convert: (value) => `{ "values": [${(value as unknown[]).map((one) => javaText(elements, one)).join(', ')}] }`,
      };
    }
    if (schema.name === SPARSE) return { schema: text, convert: (value) => sparseText(schema, value as StructValue) };
    if (schema.type !== 'STRUCT') return { schema, convert: null };
    const plan = this.plan(schema);
    return plan.schema === schema
      ? { schema, convert: null }
      : { schema: plan.schema, convert: (value) => plan.convert(value as StructValue) };
  }
}

/** A struct that contains itself would have a schema without end for its converted values, if it has any. */
function withoutVectors(of: Schema): Plan {
  const seen = new Set<Schema>();
  const visit = (schema: Schema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.name === SPARSE || DENSE.includes(schema.name ?? ''))
      throw dataError('VectorToJsonConverter does not support vectors in structs that contain themselves.');
    if (schema.type === 'STRUCT') schema.fields?.forEach((field) => visit(field.schema));
  };
  visit(of);
  return { schema: of, convert: (value) => value };
}

function sparseText(schema: Schema, { dimensions, vector }: StructValue): string {
  const values = schema.fields?.find(({ name }) => name === 'vector')?.schema.valueSchema ?? null;
  const entries = [...(vector as Map<number, unknown>)].sort(([a], [b]) => a - b);
  const text = entries.map(([index, value]) => `"${index}": ${javaText(values, value)}`).join(', ');
  return `{ "dimensions": ${String(dimensions)}, "vector": { ${text} } }`;
}

const NO_CONFIG: readonly ConfigKey[] = [];

export const vectorToJsonConverter: TransformationPlugin = {
  type: 'transformation',
  config: NO_CONFIG,
  create: () => new VectorToJsonConverter(),
};
