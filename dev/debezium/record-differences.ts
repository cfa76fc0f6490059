/** What differs between two events that should be the same. */
import type { Data, EventRecord } from './event-record';

export interface Difference {
  /** E.g. `value.after.c1`, `value.schema.after.c1.default`, `offset.lsn`, `headers.__debezium.context.runId`. */
  readonly path: string;
  readonly java: unknown;
  readonly own: unknown;
}

/** Long numbers as text, because a JavaScript number would lose digits. Strings pass unchanged. */
const STRING_OR_NUMBER = /("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g;
const EXACT_LENGTH = 15;

export function exactJson(text: string): unknown {
  const exact = (found: string, string?: string): string =>
    string ?? (found.length > EXACT_LENGTH ? `"number ${found}"` : found);
  return JSON.parse(text.replace(STRING_OR_NUMBER, exact));
}

interface JsonSchema {
  readonly type: string;
  readonly fields?: readonly (JsonSchema & { readonly field: string })[];
  readonly items?: JsonSchema;
  readonly keys?: JsonSchema;
  readonly values?: JsonSchema;
  readonly field?: string;
}

/** Fields by name, and their order. */
function byName({ fields, field: _, items, values, keys, ...rest }: JsonSchema): unknown {
  return {
    ...rest,
    ...(items && { items: byName(items) }),
    ...(keys && { keys: byName(keys) }),
    ...(values && { values: byName(values) }),
    ...(fields && {
      order: fields.map(({ field }) => field).join(),
      ...Object.fromEntries(fields.map((one) => [one.field, byName(one)])),
    }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function compare(path: string, java: unknown, own: unknown, out: Difference[]): void {
  if (isObject(java) && isObject(own)) {
    for (const name of new Set([...Object.keys(java), ...Object.keys(own)]))
      compare(`${path}.${name}`, java[name], own[name], out);
    return;
  }
  if (java === own) return;
  if (typeof java === 'object' && typeof own === 'object' && JSON.stringify(java) === JSON.stringify(own)) return;
  out.push({ path, java, own });
}

export class RecordComparison {
  /** By the texts of both schemas: there are few, and each comparison is long. */
  private readonly schemas = new Map<string, readonly Difference[]>();

  differences(java: EventRecord, own: EventRecord): readonly Difference[] {
    const out: Difference[] = [];
    compare('topic', java.topic, own.topic, out);
    compare('partition', java.partition, own.partition, out);
    compare('timestamp', java.timestamp, own.timestamp, out);
    this.data('key', java.key, own.key, out);
    this.data('value', java.value, own.value, out);
    compare('sourcePartition', java.sourcePartition, own.sourcePartition, out);
    compare('offset', java.sourceOffset, own.sourceOffset, out);
    const names = (record: EventRecord): string => record.headers.map(([name]) => name).join();
    compare('headers', names(java), names(own), out);
    for (const [name, schema, value] of java.headers) {
      const same = own.headers.find((header) => header[0] === name);
      if (same) this.data(`headers.${name}`, [schema, value], [same[1], same[2]], out);
    }
    return out;
  }

  private data(path: string, java: Data, own: Data, out: Difference[]): void {
    if (java[0] !== own[0]) out.push(...this.schemaDifferences(`${path}.schema`, java[0], own[0]));
    if (java[1] === own[1]) return;
    if (java[1] === null || own[1] === null) out.push({ path, java: java[1], own: own[1] });
    else compare(path, exactJson(java[1]), exactJson(own[1]), out);
  }

  private schemaDifferences(path: string, java: string | null, own: string | null): readonly Difference[] {
    if (java === null || own === null) return [{ path, java, own }];
    const pair = `${path}\n${java}\n${own}`;
    let known = this.schemas.get(pair);
    if (known === undefined) {
      const found: Difference[] = [];
      compare(path, byName(exactJson(java) as JsonSchema), byName(exactJson(own) as JsonSchema), found);
      known = found;
      this.schemas.set(pair, known);
    }
    return known;
  }
}
