/** JSON without a schema: trees as plain values and as text, and plain values as text. */
import {
  decimalText,
  isDecimal,
  isOpaque,
  javaDouble,
  kindOf as kindOfValue,
  safeInteger,
  setMember,
} from '@millrace/sdk';
import { JsonNumber, MAX_DEPTH } from '@millrace/texts/json';
import { quote } from './quote';
import { misfit } from './schema-error';

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** For error texts, without the value. */
export function kindOf(tree: unknown): string {
  if (tree instanceof JsonNumber || typeof tree === 'number') return 'a number';
  if (typeof tree === 'object' && tree !== null) return Array.isArray(tree) ? 'an array' : 'an object';
  return kindOfValue(tree);
}

/** Objects as plain objects, integers outside ±2^53 as bigints within 64 bits. Throws Misfit. */
export function plainValue(tree: unknown, depth = 0): unknown {
  if (typeof tree === 'number') return finite(tree);
  if (typeof tree !== 'object' || tree === null) return tree;
  if (tree instanceof JsonNumber) {
    if (!tree.integral) return finite(tree.toNumber());
    const value = tree.toBigInt();
    return BigInt.asIntN(64, value) === value ? safeInteger(value) : misfit('is an integer beyond the range of INT64');
  }
  if (depth >= MAX_DEPTH) misfit(TOO_DEEP);
  if (Array.isArray(tree)) return tree.map((element) => plainValue(element, depth + 1));
  const object: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(tree)) setMember(object, name, plainValue(member, depth + 1));
  return object;
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : misfit('is a number beyond the range of FLOAT64');
}

/** Throws Misfit. */
export function jsonText(tree: unknown, depth = 0): string {
  if (typeof tree === 'string') return quote(tree);
  if (tree instanceof JsonNumber) return tree.text;
  if (typeof tree !== 'object' || tree === null) return String(tree);
  if (depth >= MAX_DEPTH) misfit(TOO_DEEP);
  if (Array.isArray(tree)) return `[${tree.map((element) => jsonText(element, depth + 1)).join(',')}]`;
  const members = Object.entries(tree).map(([name, member]) => `${quote(name)}:${jsonText(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** Of a Connect value without a schema. Numbers without a fraction are integers. Throws Misfit. */
export function plainText(value: unknown, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (!Number.isFinite(value)) return misfit('is no finite number, which JSON has no text for');
      return Number.isInteger(value) && !Object.is(value, -0) ? BigInt(value).toString() : javaDouble(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return 'null';
    case 'object':
      return value === null ? 'null' : plainObjectText(value, depth);
    default:
      return misfit(`is a ${typeof value}`);
  }
}

function plainObjectText(value: object, depth: number): string {
  if (value instanceof Uint8Array)
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? misfit('is an invalid date') : String(value.getTime());
  if (isDecimal(value)) return decimalText(value);
  if (depth >= MAX_DEPTH) return misfit(TOO_DEEP);
  const text = (part: unknown): string => plainText(part, depth + 1);
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  if (!(value instanceof Map) && isOpaque(value)) return misfit(`is ${kindOfValue(value)}`);
  const entries: [unknown, unknown][] =
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.entries(value);
  if (entries.every(([key]) => typeof key === 'string'))
    return `{${entries.map(([key, member]) => `${quote(key as string)}:${text(member)}`).join(',')}}`;
  return `[${entries.map(([key, member]) => `{"key":${text(key)},"value":${text(member)}}`).join(',')}]`;
}
