/** The numbers in an attribute of an MBean, with the names that the JMX exporter gives them. Pure. */
import type { HostMap, HostValue } from '../wire/host-value';

export interface BeanNumber {
  /** The attribute, and the members that lead to the number. */
  readonly names: readonly string[];
  /** What tells rows of a table, or entries of a map, apart. */
  readonly index: readonly (readonly [column: string, row: string])[];
  readonly value: number;
}

/** Of the host; a hostile one may nest deeper. */
const DEEPEST = 8;

/** Of a number or boolean, a map of members, or a list of rows: [index, members]. */
export function* numbersIn(attribute: string, value: HostValue): Generator<BeanNumber> {
  yield* within({ names: [attribute], index: [] }, value, 0);
}

function* within(at: Omit<BeanNumber, 'value'>, value: HostValue, depth: number): Generator<BeanNumber> {
  if (depth > DEEPEST) return;
  if (Array.isArray(value)) return yield* rowsWithin(at, value as readonly HostValue[], depth);
  if (isMap(value)) {
    for (const [member, one] of Object.entries(value))
      yield* within({ ...at, names: [...at.names, member] }, one, depth + 1);
    return;
  }
  const number = numberOf(value);
  if (!Number.isNaN(number)) yield { ...at, value: number };
}

function* rowsWithin(
  { names, index }: Omit<BeanNumber, 'value'>,
  rows: readonly HostValue[],
  depth: number,
): Generator<BeanNumber> {
  for (const row of rows) {
    const [columns = null, members = null] = Array.isArray(row) ? (row as readonly HostValue[]) : [];
    if (!isMap(columns) || !isMap(members)) continue;
    const texts = Object.entries(columns).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    for (const [member, value] of Object.entries(members)) {
      // It has no name of its own in a map.
      const path = member.toLowerCase() === 'value' ? names : [...names, member];
      yield* within({ names: path, index: [...index, ...texts] }, value, depth + 1);
    }
  }
}

function isMap(value: HostValue): value is HostMap {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/** NaN: it is not one, or unknown. */
function numberOf(value: HostValue): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : NaN;
}
