/** Differences from Confluent's AvroConverter that are meant, with their reasons. Everything else is unexplained. */
import { inspect } from 'node:util';
import { LogicalName, type Schema } from '@millrace/sdk';
import type { Branch } from './avro-node';
import type { Case } from './cases';
import type { Difference } from './comparison';
import { noted } from './notation';

interface Explanation {
  readonly why: string;
  readonly path: RegExp;
  readonly holds: (difference: Difference, one: Case, all: readonly Difference[]) => boolean;
}

/** The same bytes, in another order. */
function sameBytes({ java, own }: Difference): boolean {
  const sorted = (hex: unknown): string => Buffer.from(Buffer.from(String(hex), 'hex').sort()).toString('hex');
  return sorted(java) === sorted(own);
}

/** Whether a map of several entries is somewhere in it, or an array that may be one. */
function hasLargeMap(value: unknown): boolean {
  if (value instanceof Map) return value.size > 1 || [...(value as Map<unknown, unknown>).values()].some(hasLargeMap);
  if (Array.isArray(value)) return value.length > 1 || value.some(hasLargeMap);
  return (
    typeof value === 'object' && value !== null && !Buffer.isBuffer(value) && Object.values(value).some(hasLargeMap)
  );
}

function isNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && 'branch' in value && (value as Branch).value === null);
}

/** Whether a default somewhere in the schema passes the test. */
function someDefault(schema: Schema | null, test: (fallback: unknown) => boolean): boolean {
  if (schema === null) return false;
  const inner = [...(schema.fields ?? []).map((field) => field.schema), schema.keySchema, schema.valueSchema];
  return test(schema.default) || inner.some((one) => someDefault(one, test));
}

/** Of the entries of maps, as notation.ts has them. */
const hasBytesKeys = (entries: unknown): boolean =>
  Array.isArray(entries) && entries.length > 0 && Array.isArray(entries[0]?.[0]) && entries[0][0][0] === 'bytes';

/** Whether a map somewhere in it, or a list of pairs, has two keys that are different objects of the same value. */
function hasEqualKeys(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  const inner = value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.values(value);
  const keys = inner.flatMap((pair) => (Array.isArray(pair) && pair.length === 2 ? [pair[0] as unknown] : []));
  const objects = keys.filter((key) => typeof key === 'object' && key !== null);
  if (new Set(objects.map((key) => JSON.stringify(noted(null, key)))).size < objects.length) return true;
  return inner.some(hasEqualKeys);
}

/** Whether a schema has the name of a struct with other fields. */
function hasNameOfStruct(schema: Schema | null): boolean {
  const kinds = new Map<string, Set<unknown>>();
  const visit = (one: Schema | null): void => {
    if (one === null) return;
    if (one.name !== null) kinds.set(one.name, (kinds.get(one.name) ?? new Set()).add(one.fields ?? one.type));
    for (const field of one.fields ?? []) visit(field.schema);
    visit(one.keySchema);
    visit(one.valueSchema);
  };
  visit(schema);
  return [...kinds.values()].some((all) => all.size > 1 && [...all].some((kind) => Array.isArray(kind)));
}

/** Long numbers in the form of this process. */
const shortNumbers = (text: string): string =>
  text.replaceAll(/-?\d\.\d{6,}(?:E-?\d+)?/g, (number) => String(Number(number)));

const isUnionNumber = (name: unknown): boolean => typeof name === 'string' && /^connect_union_\d+$/.test(name);

const says = (side: unknown, text: string): boolean => Array.isArray(side) && side.join(' ').includes(text);

export const EXPLANATIONS: readonly Explanation[] = [
  {
    why: 'Java writes a map in the order of its hash table, Millrace in the order of its entries',
    path: /^(?:re)?written\.bytes$/,
    holds: (difference, one) =>
      sameBytes(difference) &&
      (hasLargeMap(one.value) || (one.kind === 'write' && someDefault(one.schema, hasLargeMap))),
  },
  {
    why: 'Java before 19 shows some floats with more digits than they need, in defaults',
    path: /\.(?:connect\.)?default/,
    holds: ({ java, own }) =>
      typeof java === 'number' && typeof own === 'number' && Math.fround(java) === Math.fround(own),
  },
  {
    why: 'Java before 19 shows some floats with more digits than they need, in defaults',
    path: /\.avro\.text$/,
    holds: ({ java, own }) => shortNumbers(String(java)) === shortNumbers(String(own)),
  },
  {
    why: 'in Java the default of a struct has the schema without the default, and is refused as a value',
    path: /error$/,
    holds: ({ java, own }) => says(java, 'Mismatching struct schema') && own === 'none',
  },
  {
    why: 'Java has no bytes without a schema',
    path: /^written\.error$/,
    holds: ({ java, own }, { kind }) =>
      kind === 'write' && says(java, 'schemaless data: class java.nio') && own === 'none',
  },
  {
    why: 'Java makes no text of the schema for a tombstone, and so does not see that Avro has no such schema',
    path: /^written\.error$/,
    holds: ({ java }, one) => one.kind === 'write' && java === 'none' && one.value === null,
  },
  {
    why: 'Java cannot read a decimal in a fixed type, whose name is not that of Connect',
    path: /error$/,
    holds: ({ java, own }) => says(java, 'Mismatched names') && says(java, LogicalName.DECIMAL) && own === 'none',
  },
  {
    why: 'Java fails for a null that is the whole record',
    path: /^read\.error$/,
    holds: ({ java, own }, one) =>
      one.kind === 'read' && says(java, 'NullPointerException') && own === 'none' && isNull(one.value),
  },
  {
    why: 'Java reads a map with text keys that was written as an array, but not if it looks like that by accident',
    path: /error$/,
    holds: ({ java, own }) =>
      says(java, 'Invalid type for MAP: class org.apache.avro.generic.GenericData$Array') && own === 'none',
  },
  {
    why: 'in Java the default of a date or time that has no logical type is a number',
    path: /\.default$/,
    holds: ({ java, own }) => /^i(?:32|64)$/.test(String(java)) && own === 'time',
  },
  {
    why: 'in Java the default of a date or time that has no logical type is a number',
    path: /\.default$/,
    holds: ({ java, own }, _, all) => all.some((other) => other.own === 'time') && Number(own) % Number(java) === 0,
  },
  {
    why: 'in Java the default of a date or time that has no logical type is a number, with which the schema is not written',
    path: /^rewritten\.error$/,
    holds: ({ java, own }) =>
      /Invalid type for (?:Date|Time|Timestamp), expected Date/.test(String(java)) && own === 'none',
  },
  {
    why: 'Java with scrub.invalid.names reads no records of a schema that has names to scrub',
    path: /^read\.error$/,
    holds: ({ java, own }, one) =>
      one.kind === 'read' &&
      one.settings['scrub.invalid.names'] === 'true' &&
      says(java, 'NullPointerException') &&
      own === 'none',
  },
  {
    why: 'Java cannot read what it has written',
    path: /^read\.error$/,
    holds: ({ own }, { kind }) => kind === 'write' && own === 'none',
  },
  {
    why: 'Java does not find the branch of a map in a union if the map was written as an array',
    path: /^read\.error$/,
    holds: ({ java, own }) => says(java, 'Did not find matching union field for data') && own === 'none',
  },
  {
    why: 'keys that are bytes or decimals are different keys in JavaScript even if they are equal',
    path: /^(?:(?:re)?written\.bytes|written\.avro\..*default.*)$/,
    holds: (_, one) => hasEqualKeys(one.value) || (one.kind === 'write' && someDefault(one.schema, hasEqualKeys)),
  },
  {
    why: 'keys that are bytes or decimals are different keys in JavaScript even if they are equal',
    path: /\.value$/,
    holds: ({ java, own }) => hasBytesKeys(java) || hasBytesKeys(own),
  },
  {
    why: 'Java reads no default of a struct, array or map if what it contains is optional and has a default',
    path: /\.default$/,
    holds: ({ java, own }) =>
      java === undefined && Array.isArray(own) && ['struct', 'array', 'map'].includes(String(own[0])),
  },
  {
    why: 'Java reads an infinite or missing number in a default as 0, or not at all',
    path: /\.default$/,
    holds: ({ java, own }) =>
      (java === null || /^0+$/.test(String(java))) &&
      /^(?:f(?:32|64),)?(?:[7f]f[8c]0+|[7f]ff[08]0+)$/.test(String(own)),
  },
  {
    why: 'Java takes a fixed value for bytes in a union that has both',
    path: /^(?:read\.value|rewritten\.bytes)$/,
    holds: (_, one) => one.kind === 'read' && /"bytes".*"fixed"|"fixed".*"bytes"/.test(JSON.stringify(one.avro)),
  },
  {
    why: 'Java takes the default of an enum for text in a union that has both',
    path: /\.default$/,
    holds: ({ java, own }, one) =>
      one.kind === 'read' && own === undefined && Array.isArray(java) && java[0] === 'struct',
  },
  {
    why: 'Java does not find the field for the branch of a union',
    path: /^read(?: by the other)?\.error$/,
    holds: ({ java, own }) => says(java, 'is not a valid field name') && own === 'none',
  },
  {
    why: 'with generalized.sum.type.support, Java takes the wrong branch of a union, and refuses the value',
    path: /^read\.error$/,
    holds: ({ java, own }, { settings }) =>
      settings['generalized.sum.type.support'] === 'true' && says(java, 'Invalid Java object') && own === 'none',
  },
  {
    why: 'a map of JavaScript has no key -0',
    path: /^rewritten\.bytes$/,
    holds: ({ path, java, own }, { value }) => {
      const unsigned = (hex: unknown): string => String(hex).replaceAll('80', '00');
      const isSame = sameBytes({ path, java: unsigned(java), own: unsigned(own) });
      return isSame && inspect(value, { depth: null }).includes('-0');
    },
  },
  {
    why: 'Java fails with an exception that is no refusal',
    path: /^written\.error$/,
    holds: ({ java, own }) =>
      (says(java, 'NullPointerException') || says(java, 'Not a record: ["null"')) && own === 'none',
  },
  {
    why: 'Java takes any schema that has the name of a struct around or before it for that struct',
    path: /^written\.(?:avro|error)/,
    holds: (_, one) => one.kind === 'write' && hasNameOfStruct(one.schema),
  },
  {
    why: 'Java takes a map for one that was written as an array, in a union that has both',
    path: /^read\.error$/,
    holds: ({ java, own }) => says(java, 'Invalid type for MAP: class java.util.HashMap') && own === 'none',
  },
  {
    why: 'Java cuts off bytes that are too long for their fixed type',
    path: /^written\.error$/,
    holds: ({ java, own }) => java === 'none' && /its type has \d+ bytes but the value has \d+/.test(String(own)),
  },
  {
    why: 'Java numbers the unions of a record again where the record occurs again, with generalized.sum.type.support',
    path: /^read.*\.schema\.(?:.*\.)?(?:name|parameters)$/,
    holds: ({ java, own }) => isUnionNumber(java) && isUnionNumber(own),
  },
  {
    why: 'Java keeps the default of a union of one type, with flatten.singleton.unions=false',
    path: /^read.*\.default$/,
    holds: ({ java, own }, { settings }) =>
      settings['flatten.singleton.unions'] === 'false' && own === undefined && Array.isArray(java),
  },
  {
    why: 'Java writes no default again that it has not read',
    path: /^rewritten\.(?:avro\..*default|bytes)$/,
    holds: (_, __, all) =>
      all.some(({ path, java, own }) => /^read.*\.default$/.test(path) && java === undefined && own !== undefined),
  },
];

/** The reason for a difference; null: it is not explained. */
export function explain(difference: Difference, one: Case, all: readonly Difference[]): string | null {
  for (const { why, path, holds } of EXPLANATIONS)
    if (path.test(difference.path) && holds(difference, one, all)) return why;
  return null;
}
