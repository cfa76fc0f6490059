/**
 * Payloads as JSON. Each schema is compiled once into a function whose property names and punctuation are constants, so
 * that a struct costs a sequence of calls and no lookup by name. Source: connect-runtime §6.2.
 */
import {
  DAY_MS,
  LogicalName,
  MAX_NESTING,
  type Decimal,
  type Schema,
  decimalScale,
  isDecimal,
  isInherited,
  isRecursive,
  readMember,
  temporalProblem,
  decimalText,
  javaDouble,
  javaFloat,
  unscaledBytes,
} from '@millrace/sdk';
import type { OutputBuffer } from './output-buffer';
import { schemalessText } from './schemaless-writer';
import { quote } from '../../json/quote';

export interface WriterOptions {
  readonly decimalFormat: 'BASE64' | 'NUMERIC';
  readonly replaceNullWithDefault: boolean;
}

/** Adds a value to the output. */
export type WritePayload = (value: unknown) => void;

/** Thrown by compiled writers; the serializer then finds the field. Never leaves this folder. */
export class Mismatch extends Error {}
const MISMATCH = new Mismatch('value does not fit its schema');

/** The value has no end, or would end the stack. */
export class TooDeep extends Mismatch {}
const TOO_DEEP = new TooDeep('value is nested too deep');
function fail(): never {
  throw MISMATCH;
}

/** An array, a map or a struct that is compiled, or being compiled. */
interface Part {
  write: WritePayload;
  /** How often it was compiled. */
  copies: number;
}

/** Uses of a struct (`before`, `after`) have their own writers, because values repeat in each. Others share one. */
const MOST_COPIES = 4;

/** Types whose values often repeat from record to record, and are equal by `===` only if their JSON is. */
const REPEATED: ReadonlySet<string> = new Set(['STRING', 'INT32', 'INT64']);
const NOTHING = Buffer.alloc(0);
const NULL = Buffer.from('null');

/** Compiles schemas; writers are cached per schema object for the life of that object. */
export class PayloadWriter {
  private readonly cache = new WeakMap<Schema, WritePayload>();
  private readonly parts = new WeakMap<Schema, Part>();
  private readonly primitives: Readonly<Record<string, WritePayload>>;
  /** Levels of the value that is being written, where its schema contains itself. */
  private depth = 0;

  constructor(
    private readonly options: WriterOptions,
    private readonly out: OutputBuffer,
  ) {
    this.primitives = primitives(out);
  }

  /** The writer of a schema's payloads. It throws `Mismatch` for a value that does not fit. */
  writer(schema: Schema): WritePayload {
    let write = this.cache.get(schema);
    if (!write) {
      write = this.compile(schema);
      this.cache.set(schema, write);
    }
    return write;
  }

  /** The value's text. Must not be called while another value is being written. */
  text(schema: Schema, value: unknown): string {
    const write = this.writer(schema);
    this.out.start(NOTHING);
    write(value);
    return this.out.finish().toString();
  }

  schemaless(): WritePayload {
    return (value) => this.out.json(schemalessText(value, fail));
  }

  /** What null becomes: the default's text, `null`, or nothing (JavaScript null) when null is not allowed. */
  nullText(schema: Schema): Buffer | null {
    if (schema.default !== undefined && schema.default !== null && this.options.replaceNullWithDefault) {
      const write = this.nonNull(schema);
      this.out.start(NOTHING);
      write(schema.default);
      return Buffer.from(this.out.finish());
    }
    return schema.optional ? NULL : null;
  }

  private compile(schema: Schema): WritePayload {
    const { out } = this;
    const write = this.nonNull(schema);
    if (isRecursive(schema)) return this.nullable(schema, write);
    const nullText = this.nullText(schema);
    return (value) => (value === null || value === undefined ? out.raw(nullText ?? fail()) : write(value));
  }

  /** With null written as it comes: a default may have parts that are not compiled yet, and need not end. */
  private nullable(schema: Schema, write: WritePayload): WritePayload {
    const { out, options } = this;
    const fallback: unknown = options.replaceNullWithDefault ? (schema.default ?? null) : null;
    return (value) => {
      const present = value ?? fallback;
      if (present !== null) write(present);
      else out.raw(schema.optional ? NULL : fail());
    };
  }

  private nonNull(schema: Schema): WritePayload {
    switch (schema.name) {
      case LogicalName.DECIMAL:
        return this.decimal(schema);
      case LogicalName.DATE:
      case LogicalName.TIME:
      case LogicalName.TIMESTAMP:
        return this.temporal(schema.name, this.primitives[schema.type] as WritePayload);
    }
    switch (schema.type) {
      case 'ARRAY':
      case 'MAP':
      case 'STRUCT':
        return this.part(schema);
      default:
        return this.primitives[schema.type] as WritePayload;
    }
  }

  private part(schema: Schema): WritePayload {
    const known = this.parts.get(schema);
    if (known && known.copies >= MOST_COPIES) return known.write;
    if (!isRecursive(schema)) {
      const write = this.structured(schema);
      this.parts.set(schema, { write, copies: (known?.copies ?? 0) + 1 });
      return write;
    }
    const part: Part = { write: (value) => part.write(value), copies: MOST_COPIES };
    this.parts.set(schema, part);
    try {
      part.write = this.counted(this.structured(schema));
    } catch (error) {
      this.parts.delete(schema);
      throw error;
    }
    return part.write;
  }

  private structured(schema: Schema): WritePayload {
    if (schema.type === 'ARRAY') return this.array(schema);
    return schema.type === 'MAP' ? this.map(schema) : this.struct(schema);
  }

  private counted(write: WritePayload): WritePayload {
    return (value) => {
      if (this.depth >= MAX_NESTING) throw TOO_DEEP;
      this.depth++;
      try {
        write(value);
      } finally {
        this.depth--;
      }
    };
  }

  /**
   * One generated function: `o.raw(l0); w0(v.id); o.raw(l1); w1(v.title); …`. Names reach the code only as JSON string
   * literals.
   */
  private struct(schema: Schema): WritePayload {
    const constants: Record<string, unknown> = { o: this.out, fail, read: readMember, end: Buffer.from('}') };
    const steps: string[] = [];
    for (const { name, index: i, schema: of } of schema.fields ?? []) {
      const literal = Buffer.from(`${steps.length === 0 ? '{' : ','}${quote(name)}:`);
      const quoted = JSON.stringify(name);
      const property = `x = ${isInherited(name) ? `read(v, ${quoted})` : `v[${quoted}]`}`;
      constants[`l${i}`] = literal;
      if (isRecursive(of)) {
        constants[`w${i}`] = this.writer(of);
        steps.push(`${property}; o.raw(l${i}); w${i}(x);`);
        continue;
      }
      const nullText = this.nullText(of);
      const write = this.nonNull(of);
      constants[`n${i}`] = nullText;
      const orNull = nullText === null ? 'fail();' : `{ o.raw(l${i}); o.raw(n${i}); }`;
      if (REPEATED.has(of.type) && write === this.primitives[of.type]) {
        constants[`m${i}`] = new RepeatedMember(this.out, literal, write);
        steps.push(
          `if ((${property}) === m${i}.value) o.raw(m${i}.bytes); else if (x == null) ${orNull} else m${i}.add(x);`,
        );
      } else {
        constants[`w${i}`] = write;
        steps.push(`if ((${property}) == null) ${orNull} else { o.raw(l${i}); w${i}(x); }`);
      }
    }
    const body = steps.length === 0 ? `o.ascii('{')` : steps.join('\n');
    const source = `return function (v) { if (typeof v !== 'object' || v instanceof Map || Array.isArray(v) || typeof v.then === 'function') fail(); let x; ${body}\no.raw(end); }`;
    return (new Function(...Object.keys(constants), source) as (...args: unknown[]) => WritePayload)(
      ...Object.values(constants),
    );
  }

  private array(schema: Schema): WritePayload {
    const { out } = this;
    const element = this.writer(schema.valueSchema ?? fail());
    return (value) => {
      if (!Array.isArray(value)) fail();
      out.byte(OPEN_ARRAY);
      for (let i = 0; i < value.length; i++) {
        if (i > 0) out.byte(COMMA);
        element(value[i]);
      }
      out.byte(CLOSE_ARRAY);
    };
  }

  /** A map with string keys becomes an object, any other an array of pairs. */
  private map(schema: Schema): WritePayload {
    const { out } = this;
    const keySchema = schema.keySchema ?? fail();
    const asObject = keySchema.type === 'STRING';
    const key = asObject ? (this.primitives.STRING as WritePayload) : this.writer(keySchema);
    const value = this.writer(schema.valueSchema ?? fail());
    return (map) => {
      if (!(map instanceof Map)) fail();
      let first = true;
      out.ascii(asObject ? '{' : '[');
      for (const [k, v] of map as Map<unknown, unknown>) {
        if (!first) out.byte(COMMA);
        first = false;
        if (!asObject) out.byte(OPEN_ARRAY);
        key(k);
        out.ascii(asObject ? ':' : ',');
        value(v);
        if (!asObject) out.byte(CLOSE_ARRAY);
      }
      out.ascii(asObject ? '}' : ']');
    };
  }

  private decimal(schema: Schema): WritePayload {
    const { out } = this;
    if (this.options.decimalFormat === 'NUMERIC')
      return (value) => out.ascii(isDecimal(value) ? decimalText(value) : fail());
    const scale = decimalScale(schema);
    return (value) => {
      if (!isDecimal(value) || value.scale !== scale) fail();
      out.base64(unscaledBytes((value as Decimal).unscaled));
    };
  }

  /** A `Date`, or the number that the schema's type holds. */
  private temporal(name: string, number: WritePayload): WritePayload {
    const { out } = this;
    const unit = name === LogicalName.DATE ? DAY_MS : 1;
    return (value) => {
      if (!(value instanceof Date)) number(value);
      else if (temporalProblem(name, value) !== null) fail();
      else out.integer(value.getTime() / unit);
    };
  }
}

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;

function primitives(out: OutputBuffer): Readonly<Record<string, WritePayload>> {
  const int =
    (limit: number): WritePayload =>
    (value) => {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < -limit || value >= limit) fail();
      out.integer(value as number);
    };
  const float =
    (text: (value: number) => string): WritePayload =>
    (value) => {
      if (typeof value !== 'number') fail();
      out.ascii(Number.isFinite(value) ? text(value as number) : `"${String(value)}"`);
    };
  return {
    INT8: int(2 ** 7),
    INT16: int(2 ** 15),
    INT32: int(2 ** 31),
    INT64: (value) => {
      if (typeof value === 'number') out.integer(Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? value : fail());
      else out.ascii(typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? value.toString() : fail());
    },
    FLOAT32: float((value) => (Number.isFinite(Math.fround(value)) ? javaFloat(value) : `"${Math.fround(value)}"`)),
    FLOAT64: float(javaDouble),
    BOOLEAN: (value) => (typeof value === 'boolean' ? out.ascii(value ? 'true' : 'false') : fail()),
    STRING: (value) => (typeof value === 'string' ? out.string(value) : fail()),
    BYTES: (value) => (value instanceof Uint8Array ? out.base64(value) : fail()),
  };
}

/** Longer text is not cached: it would be kept from the garbage collector. */
const LONGEST = 100;
const NONE = Symbol('no value');

/**
 * A struct's member that often repeats from record to record, such as a table's name: its bytes, property name
 * included, are cached. A value is cached when it occurs for the second time in a row.
 */
class RepeatedMember {
  /** While a member's value is this, `bytes` are its JSON. */
  value: unknown = NONE;
  bytes: Uint8Array = Buffer.alloc(0);
  private before: unknown = NONE;

  /** @param write of values that are equal by `===` only if their JSON is */
  constructor(
    private readonly out: OutputBuffer,
    private readonly literal: Uint8Array,
    private readonly write: (value: unknown) => void,
  ) {}

  add(value: unknown): void {
    const { out } = this;
    const start = out.length;
    out.raw(this.literal);
    this.write(value);
    if (value === this.before) {
      this.value = value;
      this.bytes = out.since(start);
    } else if (typeof value !== 'string' || value.length <= LONGEST) this.before = value;
  }
}
