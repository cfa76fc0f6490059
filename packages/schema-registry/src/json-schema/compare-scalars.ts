/** Limits of strings and numbers, and of how many items and properties there are. */
import type { JsonObject } from '../json/json-value';
import { type Limit, limitOf, numberOf } from './keywords';

export interface Difference {
  readonly kind: string;
  /** In the reader's schema. */
  readonly path: string;
}

/** @param types that the writer's values have */
export function compareScalars(
  reader: JsonObject,
  writer: JsonObject,
  types: readonly string[],
  path: string,
): readonly Difference[] {
  const kinds: string[] = [];
  if (types.includes('string')) kinds.push(...sizes(reader, writer, 'Length', 'LENGTH'), ...patterns(reader, writer));
  if (types.includes('array')) {
    kinds.push(...sizes(reader, writer, 'Items', 'ITEMS'));
    if (reader.get('uniqueItems') === true && writer.get('uniqueItems') !== true) kinds.push('UNIQUE_ITEMS_ADDED');
  }
  if (types.includes('object')) kinds.push(...sizes(reader, writer, 'Properties', 'PROPERTIES'));
  if (types.includes('number') || types.includes('integer')) kinds.push(...numbers(reader, writer, types));
  return kinds.map((kind) => ({ kind, path }));
}

function sizes(reader: JsonObject, writer: JsonObject, what: string, name: string): string[] {
  const [max, wroteMax] = [numberOf(reader, `max${what}`), numberOf(writer, `max${what}`)];
  const [min, wroteMin] = [numberOf(reader, `min${what}`) ?? 0, numberOf(writer, `min${what}`)];
  return [
    ...(max === undefined || (wroteMax !== undefined && wroteMax <= max)
      ? []
      : [`MAX_${name}_${wroteMax === undefined ? 'ADDED' : 'DECREASED'}`]),
    ...(min <= (wroteMin ?? 0) ? [] : [`MIN_${name}_${wroteMin === undefined ? 'ADDED' : 'INCREASED'}`]),
  ];
}

function patterns(reader: JsonObject, writer: JsonObject): string[] {
  const [pattern, other] = [reader.get('pattern'), writer.get('pattern')];
  if (pattern === undefined || pattern === other) return [];
  return [other === undefined ? 'PATTERN_ADDED' : 'PATTERN_CHANGED'];
}

function numbers(reader: JsonObject, writer: JsonObject, types: readonly string[]): string[] {
  const found: string[] = [];
  for (const side of ['minimum', 'maximum'] as const) {
    const [limit, other] = [limitOf(reader, side), limitOf(writer, side)];
    if (limit === null || (other !== null && isWithin(other, limit, side))) continue;
    const change = other === null ? 'ADDED' : side === 'minimum' ? 'INCREASED' : 'DECREASED';
    found.push(`${side.toUpperCase()}_${change}`);
  }
  const [step, other] = [numberOf(reader, 'multipleOf'), numberOf(writer, 'multipleOf')];
  const known = other ?? (types.includes('number') ? undefined : 1);
  if (step !== undefined && step > 0 && (known === undefined || known % step !== 0))
    found.push(other === undefined ? 'MULTIPLE_OF_ADDED' : 'MULTIPLE_OF_CHANGED');
  return found;
}

function isWithin(inner: Limit, outer: Limit, side: 'minimum' | 'maximum'): boolean {
  if (inner.value === outer.value) return outer.isIn || !inner.isIn;
  return side === 'minimum' ? inner.value > outer.value : inner.value < outer.value;
}
