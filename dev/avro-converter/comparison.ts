/** Asks both converters about a case, and compares the answers. */
import type { Case, ReadCase, WriteCase } from './cases';
import { encode } from './avro-node';
import type { JavaConverter, Read, Written } from './java-converter';
import { comparable, noted, SchemaTable, type NotedValue, type ShownSchema } from './notation';
import { ownRead, ownWrite } from './own-converter';

export interface Difference {
  /** E.g. `written.bytes`, `read.schema.name`. */
  readonly path: string;
  readonly java: unknown;
  readonly own: unknown;
}

export interface Compared {
  /** The question makes no sense to Java: nothing was compared. */
  readonly isInvalid: boolean;
  /** Both answer with an error. */
  readonly isRefused: boolean;
  readonly differences: readonly Difference[];
}

export type AskedConverter = Pick<JavaConverter, 'read' | 'write'>;

const TOPIC = 'compared';
const INVALID: Compared = { isInvalid: true, isRefused: false, differences: [] };

export async function compareCase(java: AskedConverter, one: Case): Promise<Compared> {
  return one.kind === 'write' ? await compareWrite(java, one) : await compareRead(java, one);
}

function compared(answer: Written | Read, differences: readonly Difference[]): Compared {
  return { isInvalid: false, isRefused: answer.error !== undefined && differences.length === 0, differences };
}

async function compareWrite(java: AskedConverter, one: WriteCase): Promise<Compared> {
  const { settings, isKey, schema, value } = one;
  const table = new SchemaTable();
  const at = schema && table.add(schema);
  const question = { settings, isKey, topic: TOPIC };
  const answer = await java.write({ ...question, schemas: table.schemas, schema: at, value: noted(schema, value) });
  if (answer.invalid) return INVALID;
  const own = ownWrite(settings, isKey, schema, value);
  const out: Difference[] = [];
  written('written', answer, own, out);
  if (typeof answer.bytes === 'string' && answer.avro !== undefined && answer.again)
    read('read', answer.again, ownRead(settings, isKey, answer.avro, answer.bytes), out);
  if (typeof own.bytes === 'string' && own.avro !== undefined && out.some(({ path }) => path.startsWith('written'))) {
    const other = await java.read({ ...question, avro: own.avro, bytes: own.bytes });
    read(
      'read by the other',
      other.invalid ? { error: other.invalid } : other,
      ownRead(settings, isKey, own.avro, own.bytes),
      out,
    );
  }
  return compared(answer, out);
}

async function compareRead(java: AskedConverter, one: ReadCase): Promise<Compared> {
  const { settings, isKey } = one;
  const avro = JSON.stringify(one.avro);
  const bytes = encode(one.avro, one.value).toString('hex');
  const answer = await java.read({ settings, isKey, topic: TOPIC, avro, bytes });
  if (answer.invalid) return INVALID;
  const own = ownRead(settings, isKey, avro, bytes);
  const out: Difference[] = [];
  read('read', answer, own, out);
  if (answer.again && own.data) {
    const { schema, value } = own.data;
    written('rewritten', answer.again, ownWrite(settings, isKey, schema, value), out);
  }
  return compared(answer, out);
}

function written(path: string, java: Written, own: Written, out: Difference[]): void {
  if (failures(path, java, own, out)) return;
  if (java.avro !== own.avro)
    compareTrees(`${path}.avro`, parsed(java.avro), parsed(own.avro), out, [java.avro, own.avro]);
  if (java.bytes !== own.bytes) out.push({ path: `${path}.bytes`, java: java.bytes, own: own.bytes });
}

function read(path: string, java: Read, own: Read, out: Difference[]): void {
  if (failures(path, java, own, out)) return;
  compareTrees(`${path}.schema`, sorted(java.schema), sorted(own.schema), out);
  const hasSchema = java.schema !== null;
  compareTrees(
    `${path}.value`,
    comparable(java.value ?? null, hasSchema),
    comparable(own.value ?? null, hasSchema),
    out,
  );
}

function failures(path: string, java: Written | Read, own: Written | Read, out: Difference[]): boolean {
  if (java.error === undefined && own.error === undefined) return false;
  // Both refuse: the texts are each one's own, but ours must be a refusal and no accident.
  if (java.error !== undefined && own.error?.length === 1) return true;
  out.push({ path: `${path}.error`, java: java.error ?? 'none', own: own.error ?? 'none' });
  return true;
}

/** Maps in defaults are as unordered as others. */
function sorted(schema: ShownSchema | null | undefined): unknown {
  if (!schema) return null;
  return {
    ...schema,
    ...(schema.default !== undefined && { default: comparable(schema.default as NotedValue, true) }),
    ...(schema.fields && { fields: schema.fields.map(([name, inner]) => [name, sorted(inner)]) }),
    ...(schema.keys && { keys: sorted(schema.keys) }),
    ...(schema.values && { values: sorted(schema.values) }),
  };
}

const parsed = (text: string | undefined): unknown => (text === undefined ? null : JSON.parse(text));
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The first difference of each kind of member. @param texts which differ, if the trees are the same */
function compareTrees(path: string, java: unknown, own: unknown, out: Difference[], texts?: readonly unknown[]): void {
  const before = out.length;
  walk(path, java, own, out);
  if (out.length === before && texts) out.push({ path: `${path}.text`, java: texts[0], own: texts[1] });
}

function walk(path: string, java: unknown, own: unknown, out: Difference[]): void {
  if (Array.isArray(java) && Array.isArray(own) && java.length === own.length) {
    java.forEach((item, i) => walk(path, item, own[i], out));
  } else if (isObject(java) && isObject(own) && !Array.isArray(java) && !Array.isArray(own)) {
    const names = new Set([...Object.keys(java), ...Object.keys(own)]);
    for (const name of names) walk(`${path}.${name}`, java[name], own[name], out);
    if (
      Object.keys(java).join() !== Object.keys(own).join() &&
      Object.keys(java).sort().join() === Object.keys(own).sort().join()
    )
      out.push({ path: `${path}.order`, java: Object.keys(java).join(), own: Object.keys(own).join() });
  } else if (java !== own) {
    out.push({ path, java, own });
  }
}
