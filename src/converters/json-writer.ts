/**
 * Payloads as JSON text. Each schema is compiled once into a function whose property names and punctuation are constants, so that a
 * struct costs one expression and no lookup by name. Source: connect-runtime §6.2.
 */
import { LogicalName, type Decimal, type Schema, decimalScale, isDecimal, temporalProblem } from '@millrace/sdk';
import { decimalText, javaDouble, javaFloat } from './java-number';
import { schemalessText } from './json-schemaless-writer';
import { quote } from './json-text';
import { DAY_MS, unscaledToBytes } from './logical-values';

export interface WriterOptions {
  readonly decimalFormat: 'BASE64' | 'NUMERIC';
  readonly replaceNullWithDefault: boolean;
}

export type WritePayload = (value: unknown) => string;

/** Thrown by compiled writers; `json-mismatch.ts` then finds the place. Never leaves this folder. */
export class Mismatch extends Error {}
const MISMATCH = new Mismatch('value does not fit its schema');
function fail(): never {
  throw MISMATCH;
}

/** Compiles schemas; writers are cached per schema object for the life of that object. */
export class JsonWriter {
  private readonly cache = new WeakMap<Schema, WritePayload>();

  constructor(private readonly options: WriterOptions) {}

  /** The writer of a schema's payloads. It throws `Mismatch` for a value that does not fit. */
  writer(schema: Schema): WritePayload {
    let write = this.cache.get(schema);
    if (!write) {
      write = this.compile(schema);
      this.cache.set(schema, write);
    }
    return write;
  }

  /** What null becomes: the default's text, `null`, or nothing at all when it is not allowed. */
  nullText(schema: Schema): string | null {
    if (schema.default !== undefined && schema.default !== null && this.options.replaceNullWithDefault) {
      return this.nonNull(schema)(schema.default);
    }
    return schema.optional ? 'null' : null;
  }

  private compile(schema: Schema): WritePayload {
    const write = this.nonNull(schema);
    const nullText = this.nullText(schema);
    return (value) => (value === null || value === undefined ? (nullText ?? fail()) : write(value));
  }

  private nonNull(schema: Schema): WritePayload {
    switch (schema.name) {
      case LogicalName.DECIMAL:
        return this.decimal(schema);
      case LogicalName.DATE:
      case LogicalName.TIME:
      case LogicalName.TIMESTAMP:
        return temporal(schema.name);
    }
    switch (schema.type) {
      case 'ARRAY':
        return this.array(schema);
      case 'MAP':
        return this.map(schema);
      case 'STRUCT':
        return this.struct(schema);
      default:
        return PRIMITIVES[schema.type];
    }
  }

  /** One generated expression: `'{"id":' + int32(v.id) + ',"title":' + …`. Names reach the code only as JSON string literals. */
  private struct(schema: Schema): WritePayload {
    const names: string[] = ['fail'];
    const values: unknown[] = [fail];
    const parts: string[] = [];
    for (const field of schema.fields ?? []) {
      const writer = `w${field.index}`;
      names.push(writer);
      values.push(this.nonNull(field.schema));
      const nullText = this.nullText(field.schema);
      const orNull = nullText === null ? 'fail()' : JSON.stringify(nullText);
      const literal = `${parts.length === 0 ? '{' : ','}${quote(field.name)}:`;
      const property = `v[${JSON.stringify(field.name)}]`;
      parts.push(
        `${JSON.stringify(literal)} + ((x = ${property}) === null || x === undefined ? ${orNull} : ${writer}(x))`,
      );
    }
    const body = parts.length === 0 ? '"{}"' : `${parts.join(' + ')} + "}"`;
    const source = `return function (v) { if (typeof v !== 'object' || v instanceof Map) fail(); let x; return ${body}; }`;
    return (new Function(...names, source) as (...args: unknown[]) => WritePayload)(...values);
  }

  private array(schema: Schema): WritePayload {
    const element = this.writer(schema.valueSchema ?? fail());
    return (value) => {
      if (!Array.isArray(value)) fail();
      let text = '[';
      for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + element(value[i]);
      return text + ']';
    };
  }

  /** String keys make an object, all others an array of pairs. */
  private map(schema: Schema): WritePayload {
    const keySchema = schema.keySchema ?? fail();
    const asObject = keySchema.type === 'STRING';
    const key = asObject ? PRIMITIVES.STRING : this.writer(keySchema);
    const value = this.writer(schema.valueSchema ?? fail());
    return (map) => {
      if (!(map instanceof Map)) fail();
      let text = '';
      for (const [k, v] of map as Map<unknown, unknown>) {
        if (text !== '') text += ',';
        text += asObject ? `${key(k)}:${value(v)}` : `[${key(k)},${value(v)}]`;
      }
      return asObject ? `{${text}}` : `[${text}]`;
    };
  }

  private decimal(schema: Schema): WritePayload {
    if (this.options.decimalFormat === 'NUMERIC') return (value) => (isDecimal(value) ? decimalText(value) : fail());
    const scale = decimalScale(schema);
    return (value) => {
      if (!isDecimal(value) || value.scale !== scale) fail();
      return `"${unscaledToBytes((value as Decimal).unscaled).toString('base64')}"`;
    };
  }
}

function temporal(name: string): WritePayload {
  const unit = name === LogicalName.DATE ? DAY_MS : 1;
  return (value) => {
    if (!(value instanceof Date) || temporalProblem(name, value) !== null) fail();
    return String((value as Date).getTime() / unit);
  };
}

const int =
  (limit: number): WritePayload =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= -limit && value < limit
      ? integerText(value)
      : fail();

const BILLION = 1_000_000_000;

/** V8 prints small integers several times faster than those beyond 31 bits, so a large one is printed in two parts. */
export function integerText(value: number): string {
  if (value < BILLION && value > -BILLION) return '' + (value | 0);
  if (value < 0 || value > Number.MAX_SAFE_INTEGER) return BigInt(value).toString();
  const high = Math.floor(value / BILLION);
  const low = value - high * BILLION;
  return integerText(high) + ('' + (low + BILLION)).slice(1);
}

function int64(value: unknown): string {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? integerText(value) : fail();
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value.toString() : fail();
  return fail();
}

const float =
  (text: (value: number) => string): WritePayload =>
  (value) => {
    if (typeof value !== 'number') fail();
    return Number.isFinite(value as number) ? text(value as number) : `"${String(value)}"`;
  };

const PRIMITIVES: Readonly<
  Record<'INT8' | 'INT16' | 'INT32' | 'INT64' | 'FLOAT32' | 'FLOAT64' | 'BOOLEAN' | 'STRING' | 'BYTES', WritePayload>
> = {
  INT8: int(2 ** 7),
  INT16: int(2 ** 15),
  INT32: (value) => (typeof value === 'number' && (value | 0) === value ? integerText(value) : fail()),
  INT64: int64,
  FLOAT32: float((value) => (Number.isFinite(Math.fround(value)) ? javaFloat(value) : `"${Math.fround(value)}"`)),
  FLOAT64: float(javaDouble),
  BOOLEAN: (value) => (typeof value === 'boolean' ? String(value) : fail()),
  STRING: (value) => (typeof value === 'string' ? quote(value) : fail()),
  BYTES: (value) => (value instanceof Uint8Array ? `"${base64(value)}"` : fail()),
};

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Payload of data without a schema: the runtime type decides. */
export function writeSchemaless(value: unknown): string {
  return schemalessText(value, fail);
}
