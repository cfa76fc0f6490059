/** JSON trees as Connect values. Numbers of a tree are numbers, or `JsonNumber`s where their digits matter. */
import {
  DAY_MS,
  LogicalName,
  parseDecimal,
  readMember,
  safeInteger,
  setMember,
  temporalProblem,
  type Decimal,
  type Schema,
  unscaledOf,
} from '@millrace/sdk';
import { JsonNumber, MAX_DEPTH } from '@millrace/texts/json';
import { isoMillis } from './iso-dates';
import { jsonText, kindOf } from './plain-json';
import { Misfit, misfit } from './schema-error';
import type { Shape, ShapeField } from './shape';
import { UnionChoice, isJsonObject } from './union-choice';
import { ENTRY_KEY, ENTRY_VALUE, MOST_DIGITS } from './vocabulary';

const BITS: Readonly<Partial<Record<Schema['type'], number>>> = { INT8: 8, INT16: 16, INT32: 32, INT64: 64 };
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NOT_FINITE: ReadonlyMap<unknown, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** The tree has a double where the digits of a number matter: it is to be read with `JsonNumber`s. */
export class DigitsLost extends Error {}

/** All methods that take a tree throw Misfit, or DigitsLost. */
export class ValueDecoder {
  private readonly unions = new UnionChoice();
  private depth = 0;

  constructor(private readonly ignoreDefaultForNullables: boolean) {}

  decode(shape: Shape, tree: unknown): unknown {
    this.depth = 0;
    this.unions.start();
    return this.value(shape, tree);
  }

  private value(shape: Shape, tree: unknown): unknown {
    if (tree === null || tree === undefined) return this.missing(shape, tree);
    const { schema } = shape;
    switch (shape.form) {
      case 'string':
        return typeof tree === 'string' ? tree : wrong('a string', tree);
      case 'integer':
        return integer(schema, tree);
      case 'boolean':
        return typeof tree === 'boolean' ? tree : wrong('a boolean', tree);
      case 'float':
        return float(schema, tree);
      case 'temporal':
        return temporal(schema, tree);
      case 'bytes':
        return bytes(tree);
      case 'decimal':
        return decimal(schema, tree);
      case 'any':
        return jsonText(tree);
      case 'never':
        return misfit('has a value, which its schema forbids');
      default:
        return this.nested(shape, tree);
    }
  }

  private nested(shape: Shape, tree: unknown): unknown {
    if (++this.depth > MAX_DEPTH) misfit(`is nested deeper than ${MAX_DEPTH} levels`);
    const value = this.ofParts(shape, tree);
    this.depth--;
    return value;
  }

  private ofParts(shape: Shape, tree: unknown): unknown {
    switch (shape.form) {
      case 'struct':
        return this.struct(shape.fields, tree);
      case 'array':
        return this.array(shape.values as Shape, tree);
      case 'map':
        return this.map(shape.values as Shape, tree);
      case 'entries':
        return this.entries(shape, tree);
      default:
        return this.union(shape, tree);
    }
  }

  private missing({ schema }: Shape, tree: null | undefined): unknown {
    const { default: otherwise } = schema;
    const isKept = tree === null && schema.optional && this.ignoreDefaultForNullables;
    if (otherwise !== undefined && otherwise !== null && !isKept) return otherwise;
    if (schema.optional) return null;
    if (tree === null) return misfit('is null, which its schema does not allow');
    return misfit(
      'is missing, but not optional: use.optional.for.nonrequired=true makes it so if its schema does not require it',
    );
  }

  private struct(fields: readonly ShapeField[], tree: unknown): unknown {
    if (!isJsonObject(tree)) return wrong('an object', tree);
    const struct: Record<string, unknown> = {};
    let i = 0;
    try {
      for (; i < fields.length; i++) {
        const { name, shape } = fields[i] as ShapeField;
        setMember(struct, name, this.value(shape, readMember(tree, name)));
      }
    } catch (error) {
      throw inside(error, `.${(fields[i] as ShapeField).name}`);
    }
    return struct;
  }

  private array(values: Shape, tree: unknown): unknown {
    if (!Array.isArray(tree)) return wrong('an array', tree);
    const list = tree as readonly unknown[];
    const elements: unknown[] = [];
    let i = 0;
    try {
      for (; i < list.length; i++) elements.push(this.value(values, list[i]));
    } catch (error) {
      throw inside(error, `[${i}]`);
    }
    return elements;
  }

  private map(values: Shape, tree: unknown): unknown {
    if (!isJsonObject(tree)) return wrong('an object', tree);
    const map = new Map<unknown, unknown>();
    let key = '';
    try {
      for (key of Object.keys(tree)) map.set(key, this.value(values, readMember(tree, key)));
    } catch (error) {
      throw inside(error, `[${key}]`);
    }
    return map;
  }

  private entries({ keys, values }: Shape, tree: unknown): unknown {
    if (!Array.isArray(tree)) return wrong('an array', tree);
    const map = new Map<unknown, unknown>();
    let i = 0;
    let part = '';
    try {
      for (; i < tree.length; i++) {
        const entry = (tree as readonly unknown[])[i];
        if (!isJsonObject(entry)) wrong('an object with "key" and "value"', entry);
        part = `.${ENTRY_KEY}`;
        const key = this.value(keys as Shape, readMember(entry as Record<string, unknown>, ENTRY_KEY));
        part = `.${ENTRY_VALUE}`;
        map.set(key, this.value(values as Shape, readMember(entry as Record<string, unknown>, ENTRY_VALUE)));
        part = '';
      }
    } catch (error) {
      throw inside(error, `[${i}]${part}`);
    }
    return map;
  }

  private union({ fields }: Shape, tree: unknown): unknown {
    const chosen = this.unions.choose(fields, tree);
    const struct: Record<string, unknown> = {};
    for (const field of fields) struct[field.name] = field === chosen ? this.value(field.shape, tree) : null;
    return struct;
  }
}

function inside(error: unknown, step: string): unknown {
  if (error instanceof Misfit) error.path.push(step);
  return error;
}

function wrong(expected: string, tree: unknown): never {
  return misfit(`is ${kindOf(tree)} where its schema has ${expected}`);
}

function integer(schema: Schema, tree: unknown): number | bigint {
  const bits = BITS[schema.type] as number;
  const value = wholeNumber(tree);
  if (value === null) return wrong('an integer', tree);
  if (typeof value === 'number' ? Math.abs(value) < 2 ** (bits - 1) : BigInt.asIntN(bits, value) === value)
    return typeof value === 'number' ? value : safeInteger(value);
  if (typeof value === 'number' && value === -(2 ** (bits - 1))) return value;
  return misfit(`is an integer beyond the range of ${schema.type}`);
}

/** Null: it is none. Zero has no sign. */
function wholeNumber(tree: unknown): number | bigint | null {
  if (typeof tree === 'number') {
    if (Number.isSafeInteger(tree)) return tree + 0;
    if (Number.isInteger(tree)) throw new DigitsLost();
    return null;
  }
  if (!(tree instanceof JsonNumber)) return null;
  if (tree.integral) return shortest(tree.toBigInt());
  const parsed = exactDecimal(tree);
  const whole = rescaled(parsed, 0);
  return whole === null ? null : shortest(whole);
}

function shortest(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function float(schema: Schema, tree: unknown): number {
  const value = typeof tree === 'number' ? tree : tree instanceof JsonNumber ? Number(tree.text) : NOT_FINITE.get(tree);
  if (value === undefined) return wrong('a number', tree);
  const rounded = schema.type === 'FLOAT32' ? Math.fround(value) : value;
  if (!Number.isFinite(rounded) && typeof tree !== 'string') misfit(`is a number beyond the range of ${schema.type}`);
  return rounded;
}

function bytes(tree: unknown): Buffer {
  if (typeof tree !== 'string') return wrong('a string', tree);
  if (tree.length % 4 !== 0 || !BASE64.test(tree)) misfit('is a text that is not base64');
  return Buffer.from(tree, 'base64');
}

function decimal(schema: Schema, tree: unknown): Decimal {
  const scale = Number(schema.parameters?.scale);
  if (typeof tree === 'string') {
    const unscaled = bytes(tree);
    return { unscaled: unscaledOf(unscaled, 0, unscaled.length), scale };
  }
  if (typeof tree === 'number') throw new DigitsLost();
  if (!(tree instanceof JsonNumber)) return wrong('a number, or its bytes in base64', tree);
  const unscaled = rescaled(exactDecimal(tree), scale);
  if (unscaled === null) return misfit(`has more digits than its scale, which is ${scale}`);
  return { unscaled, scale };
}

function exactDecimal({ text }: JsonNumber): Decimal {
  const parsed = parseDecimal(text);
  if (parsed === null || Math.abs(parsed.scale) > MOST_DIGITS) misfit(`is a number of more than ${MOST_DIGITS} digits`);
  return parsed as Decimal;
}

/** Null: digits would be lost. */
function rescaled({ unscaled, scale: from }: Decimal, to: number): bigint | null {
  if (to >= from) return unscaled * 10n ** BigInt(to - from);
  const divisor = 10n ** BigInt(from - to);
  return unscaled % divisor === 0n ? unscaled / divisor : null;
}

/** A `Date`, or the number itself where a `Date` does not reach. */
function temporal(schema: Schema, tree: unknown): Date | number | bigint {
  const name = schema.name as string;
  if (typeof tree === 'string') return new Date(isoMillis(name, tree));
  const value = integer(schema, tree);
  const date = new Date(Number(value) * (name === LogicalName.DATE ? DAY_MS : 1));
  if (Number.isNaN(date.getTime())) return value;
  const problem = temporalProblem(name, date);
  return problem === null ? date : misfit(`is no valid time: ${problem}`);
}
