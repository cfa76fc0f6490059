/** Makes a case smaller as long as it shows the same difference. */
import { structSchema, type Schema } from '@millrace/sdk';
import type { AvroField, AvroNode, AvroObject, Branch } from './avro-node';
import type { Case, WriteCase } from './cases';

const MOST_ROUNDS = 60;

/** @param fails whether the case still shows it */
export async function shrink(one: Case, fails: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let best = one;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let found: Case | null = null;
    for (const smaller of candidates(best)) {
      // A case that cannot even be asked is not it.
      if (await fails(smaller).catch(() => false)) {
        found = smaller;
        break;
      }
    }
    if (found === null) break;
    best = found;
  }
  return best;
}

function* candidates(one: Case): Generator<Case> {
  for (const name of Object.keys(one.settings)) {
    const { [name]: _, ...settings } = one.settings;
    yield { ...one, settings };
  }
  if (one.kind === 'write') {
    if (one.schema !== null)
      for (const [schema, value] of smallerData(one.schema, one.value)) yield { ...one, schema, value } as WriteCase;
  } else {
    for (const [avro, value] of smallerAvro(one.avro, one.value)) yield { ...one, avro, value };
  }
}

type Data = readonly [Schema, unknown];

function* smallerData(schema: Schema, value: unknown): Generator<Data> {
  const members = value as Record<string, unknown> | null;
  for (const field of schema.fields ?? []) yield [field.schema, members?.[field.name] ?? null];
  if (schema.type === 'ARRAY') yield [schema.valueSchema as Schema, (value as unknown[] | null)?.[0] ?? null];
  if (schema.type === 'MAP') {
    const entry = [...((value as Map<unknown, unknown> | null) ?? [])][0];
    yield [schema.valueSchema as Schema, entry?.[1] ?? null];
    yield [schema.keySchema as Schema, entry?.[0] ?? null];
  }
  if (schema.optional && value !== null) yield [schema, null];
  for (const part of ['doc', 'version', 'parameters', 'name'] as const)
    if (schema[part] !== null) yield [{ ...schema, [part]: null }, value];
  if (schema.default !== undefined) yield [{ ...schema, default: undefined }, value];
  if (schema.optional && value !== null) yield [{ ...schema, optional: false }, value];
  const fields = schema.fields ?? [];
  const rebuilt = (list: readonly (readonly [string, Schema])[]): Schema => ({
    ...structSchema(list),
    ...{ name: schema.name, version: schema.version, doc: schema.doc, parameters: schema.parameters },
    ...{ optional: schema.optional, default: undefined },
  });
  const pairs = fields.map((field) => [field.name, field.schema] as const);
  for (let i = 0; i < fields.length; i++) {
    const [name, inner] = pairs[i] as (typeof pairs)[number];
    yield [rebuilt(pairs.filter((_, at) => at !== i)), value];
    if (members !== null)
      for (const [smaller, member] of smallerData(inner, members[name] ?? null)) {
        const list = pairs.map((pair, at) => (at === i ? ([name, smaller] as const) : pair));
        yield [rebuilt(list), { ...members, [name]: member }];
      }
  }
  if (schema.type === 'ARRAY' && Array.isArray(value)) {
    if (value.length > 0) yield [schema, value.slice(1)];
    if (value.length < 2)
      for (const [smaller, item] of smallerData(schema.valueSchema as Schema, value[0] ?? null))
        yield [{ ...schema, default: undefined, valueSchema: smaller }, value.length === 0 ? [] : [item]];
  }
  if (schema.type === 'MAP' && value instanceof Map) {
    if (value.size > 1) yield [schema, new Map([...(value as Map<unknown, unknown>)].slice(1))];
    const [key, member] = [...(value as Map<unknown, unknown>)][0] ?? [null, null];
    if (value.size < 2)
      for (const [smaller, inner] of smallerData(schema.valueSchema as Schema, member))
        yield [
          { ...schema, default: undefined, valueSchema: smaller },
          value.size === 0 ? value : new Map([[key, inner]]),
        ];
  }
}

type Avro = readonly [AvroNode, unknown];

function* smallerAvro(node: AvroNode, value: unknown): Generator<Avro> {
  if (typeof node === 'string') return;
  if (Array.isArray(node)) {
    const branches = node as readonly AvroNode[];
    const { branch, value: inner } = value as Branch;
    yield [branches[branch] as AvroNode, inner];
    for (let i = 0; i < branches.length; i++)
      if (i !== branch && branches.length > 1)
        yield [branches.filter((_, at) => at !== i), { branch: i < branch ? branch - 1 : branch, value: inner }];
    for (const [smaller, less] of smallerAvro(branches[branch] as AvroNode, inner))
      if (!Array.isArray(smaller))
        yield [branches.map((one, at) => (at === branch ? smaller : one)), { branch, value: less }];
    return;
  }
  const object = node as AvroObject;
  for (const property of Object.keys(object))
    if (!['type', 'name', 'fields', 'items', 'values', 'symbols', 'size'].includes(property)) {
      const { [property]: _, ...rest } = object;
      yield [rest as AvroObject, value];
    }
  if (object.type === 'record') yield* smallerRecord(object, value as unknown[]);
  if (object.type === 'array') {
    const items = value as unknown[];
    if (items.length > 0) yield [object.items as AvroNode, items[0]];
    if (items.length > 1) yield [object, items.slice(1)];
    if (items.length === 1)
      for (const [smaller, item] of smallerAvro(object.items as AvroNode, items[0]))
        yield [{ ...object, items: smaller }, [item]];
  }
  if (object.type === 'map') {
    const [entry] = value as Map<string, unknown>;
    if (entry) yield [object.values as AvroNode, entry[1]];
    if (entry)
      for (const [smaller, item] of smallerAvro(object.values as AvroNode, entry[1]))
        yield [{ ...object, values: smaller }, new Map([[entry[0], item]])];
  }
}

function* smallerRecord(object: AvroObject, value: readonly unknown[]): Generator<Avro> {
  const fields = object.fields as readonly AvroField[];
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as AvroField;
    yield [field.type, value[i]];
    yield [{ ...object, fields: fields.filter((_, at) => at !== i) }, value.filter((_, at) => at !== i)];
    const replaced = (by: AvroField): AvroObject => ({
      ...object,
      fields: fields.map((one, at) => (at === i ? by : one)),
    });
    for (const property of Object.keys(field))
      if (property !== 'name' && property !== 'type') {
        const { [property]: _, ...rest } = field;
        yield [replaced(rest as AvroField), value];
      }
    for (const [smaller, inner] of smallerAvro(field.type, value[i]))
      yield [replaced({ ...field, type: smaller }), value.map((one, at) => (at === i ? inner : one))];
  }
}
