/**
 * Reads an `Object[]` that Java's ObjectOutputStream has written (cdc-postgres §6.4). Offsets may be altered over REST,
 * so the input may be hostile: nothing is created by class name, nested objects are limited, and each length is checked
 * against the bytes that are left.
 */
import { decodeModifiedUtf8 } from '../values/java-string';
import type { JavaValue } from './java-value';

const MAX_DEPTH = 16;
const MAX_BYTES = 1024 * 1024;

interface ClassDescription {
  readonly name: string;
  readonly flags: number;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  parent: ClassDescription | null;
}

/** An object as its fields; `blocks` are bytes that its class has written itself. */
interface JavaObject {
  readonly type: ClassDescription;
  readonly fields: Map<string, Parsed>;
  readonly blocks: Buffer[];
}

type Parsed = null | bigint | number | boolean | string | Buffer | JavaObject | ClassDescription | Parsed[];

/** Null: the null reference. Throws an Error for anything that is not an array of known values. */
export function readObjectArray(bytes: Buffer): JavaValue[] | null {
  if (bytes.length > MAX_BYTES) throw new Error(`is longer than ${MAX_BYTES} bytes`);
  const parsed = new ObjectStreamReader(bytes).read();
  if (parsed === null) return null;
  if (!Array.isArray(parsed)) throw new Error('is not an array of objects');
  return parsed.map(javaValue);
}

const ENUM = 0x7e;
/** Flags of a class that writes all of its data itself, in blocks. */
const EXTERNAL = 12;
/** Stands for several classes; the first byte of the data says which. */
const LOCAL_DATE_CLASS = 'java.time.Ser';

class ObjectStreamReader {
  private at = 4;
  private readonly handles: Parsed[] = [];

  constructor(private readonly bytes: Buffer) {
    if (bytes.length < 5 || bytes.readUInt32BE(0) !== 0xaced0005) throw new Error('is not a Java object stream');
  }

  read(): Parsed {
    return this.content(0);
  }

  private content(depth: number): Parsed {
    if (depth > MAX_DEPTH) throw new Error(`is nested more than ${MAX_DEPTH} levels deep`);
    const code = this.u8();
    switch (code) {
      case 0x70:
        return null;
      case 0x71: {
        const known = this.handles[this.u32() - 0x7e0000];
        if (known === undefined) throw new Error('refers to an object that it does not contain');
        return known;
      }
      case 0x72:
        return this.describe(depth);
      case 0x73:
        return this.object(depth);
      case 0x74:
      case 0x7c: {
        const length = code === 0x74 ? this.u16() : Number(this.i64());
        const text = decodeModifiedUtf8(this.take(length));
        this.handles.push(text);
        return text;
      }
      case 0x75:
        return this.array(depth);
      case ENUM: {
        this.classOf(depth);
        const index = this.handles.push('') - 1;
        return (this.handles[index] = this.content(depth + 1));
      }
      default:
        throw new Error(`contains an unknown element 0x${code.toString(16)}`);
    }
  }

  private describe(depth: number): ClassDescription {
    const name = this.take(this.u16()).toString('latin1');
    this.take(8);
    const type: { -readonly [K in keyof ClassDescription]: ClassDescription[K] } = {
      name,
      flags: 0,
      fields: [],
      parent: null,
    };
    this.handles.push(type);
    type.flags = this.u8();
    const count = this.u16();
    const fields: { name: string; type: string }[] = [];
    for (let i = 0; i < count; i++) {
      const kind = String.fromCharCode(this.u8());
      const field = this.take(this.u16()).toString('latin1');
      if (kind === 'L' || kind === '[') this.content(depth + 1);
      fields.push({ name: field, type: kind });
    }
    type.fields = fields;
    if (this.u8() !== 0x78) throw new Error('contains a class with annotations');
    const parent = this.content(depth + 1);
    if (parent !== null) type.parent = asClass(parent);
    return type;
  }

  private classOf(depth: number): ClassDescription {
    return asClass(this.content(depth + 1));
  }

  private object(depth: number): JavaObject {
    const type = this.classOf(depth);
    const object: JavaObject = { type, fields: new Map(), blocks: [] };
    this.handles.push(object);
    const chain: ClassDescription[] = [];
    for (let one: ClassDescription | null = type; one !== null; one = one.parent) {
      // A description may refer to itself.
      if (chain.length > MAX_DEPTH) throw new Error('contains a class with too many ancestors');
      chain.unshift(one);
    }
    for (const one of chain) {
      const isExternal = one.flags === EXTERNAL && one.name === LOCAL_DATE_CLASS;
      if ((one.flags & 2) === 0 && !isExternal)
        throw new Error(`contains an object of class ${shown(one.name)}, which is unknown`);
      for (const { name, type: kind } of one.fields) object.fields.set(name, this.field(kind, depth));
      if ((one.flags & 1) !== 0 || isExternal) this.annotations(object, depth);
    }
    return object;
  }

  private annotations(object: JavaObject, depth: number): void {
    for (;;) {
      const code = this.bytes[this.at];
      if (code === 0x78) {
        this.at++;
        return;
      }
      if (code === 0x77) {
        this.at++;
        object.blocks.push(this.take(this.u8()));
      } else this.content(depth + 1);
    }
  }

  private array(depth: number): Parsed[] | Buffer {
    const { name } = this.classOf(depth);
    const index = this.handles.push('') - 1;
    const length = this.u32();
    if (name === '[B') return (this.handles[index] = this.take(length));
    if (name !== '[Ljava.lang.Object;') throw new Error(`contains an array of class ${shown(name)}`);
    if (length > this.bytes.length - this.at) throw new Error('is incomplete');
    const items: Parsed[] = [];
    this.handles[index] = items;
    for (let i = 0; i < length; i++) items.push(this.content(depth + 1));
    return items;
  }

  private field(kind: string, depth: number): Parsed {
    switch (kind) {
      case 'I':
        return BigInt(this.take(4).readInt32BE(0));
      case 'S':
        return BigInt(this.take(2).readInt16BE(0));
      case 'J':
        return this.i64();
      case 'B':
        return BigInt(this.take(1).readInt8(0));
      case 'Z':
        return this.u8() !== 0;
      case 'D':
        return this.take(8).readDoubleBE(0);
      case 'F':
        return this.take(4).readFloatBE(0);
      case 'L':
      case '[':
        return this.content(depth + 1);
      default:
        throw new Error('contains a field of an unknown type');
    }
  }

  private take(length: number): Buffer {
    if (!(length >= 0 && length <= this.bytes.length - this.at)) throw new Error('is incomplete');
    return this.bytes.subarray(this.at, (this.at += length));
  }

  private u8(): number {
    return this.take(1).readUInt8(0);
  }
  private u16(): number {
    return this.take(2).readUInt16BE(0);
  }
  private u32(): number {
    return this.take(4).readUInt32BE(0);
  }
  private i64(): bigint {
    return this.take(8).readBigInt64BE(0);
  }
}

function asClass(parsed: Parsed): ClassDescription {
  if (isObject(parsed) && 'parent' in parsed) return parsed;
  throw new Error('contains an object without a class');
}

const isObject = (parsed: Parsed): parsed is JavaObject | ClassDescription =>
  typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) && !Buffer.isBuffer(parsed);

const shown = (name: string): string => name.slice(0, 100);

function javaValue(parsed: Parsed): JavaValue {
  if (parsed === null) return null;
  if (typeof parsed === 'string') return { type: 'String', value: parsed };
  if (Buffer.isBuffer(parsed)) return { type: 'byte[]', value: parsed };
  if (!isObject(parsed) || !('blocks' in parsed)) throw new Error('contains an unexpected value');
  const { name } = parsed.type;
  const type = name.slice(name.lastIndexOf('.') + 1);
  const get = (field: string): Parsed => parsed.fields.get(field) ?? null;
  switch (name) {
    case 'java.lang.Integer':
    case 'java.lang.Short':
    case 'java.lang.Long':
      return { type: type as 'Integer' | 'Short' | 'Long', value: expected(get('value'), 'bigint') };
    case 'java.lang.Double':
    case 'java.lang.Float':
      return { type: type as 'Double' | 'Float', value: expected(get('value'), 'number') };
    case 'java.lang.Boolean':
      return { type: 'Boolean', value: expected(get('value'), 'boolean') };
    case 'java.util.UUID':
      return {
        type: 'UUID',
        value: uuid(expected(get('mostSigBits'), 'bigint'), expected(get('leastSigBits'), 'bigint')),
      };
    case 'java.math.BigDecimal':
      return {
        type: 'BigDecimal',
        unscaled: bigInteger(get('intVal')),
        scale: Number(expected(get('scale'), 'bigint')),
      };
    case 'io.debezium.data.SpecialValueDecimal':
      return javaValue(get('decimalValue'));
    case 'java.sql.Date': {
      const [block] = parsed.blocks;
      if (block?.length !== 8) throw new Error('contains a date without a time');
      return { type: 'Date', millis: block.readBigInt64BE(0) };
    }
    case LOCAL_DATE_CLASS: {
      const [block] = parsed.blocks;
      if (block?.length !== 7 || block[0] !== 3) throw new Error(`contains a value of ${name} that is not a date`);
      return { type: 'LocalDate', year: block.readInt32BE(1), month: block.readUInt8(5), day: block.readUInt8(6) };
    }
    case 'org.postgresql.util.PGobject':
      return { type: 'PGobject', name: expected(get('type'), 'string'), value: expected(get('value'), 'string') };
    default:
      throw new Error(`contains an object of class ${shown(name)}, which is unknown`);
  }
}

interface Types {
  bigint: bigint;
  number: number;
  boolean: boolean;
  string: string;
}

function expected<T extends keyof Types>(parsed: Parsed, type: T): Types[T] {
  if (typeof parsed !== type) throw new Error('contains a field of another type than its class has');
  return parsed as Types[T];
}

function bigInteger(parsed: Parsed): bigint {
  if (!isObject(parsed) || !('blocks' in parsed)) throw new Error('contains a decimal without a value');
  const magnitude = parsed.fields.get('magnitude');
  if (!Buffer.isBuffer(magnitude)) throw new Error('contains a decimal without a value');
  const absolute = magnitude.length === 0 ? 0n : BigInt(`0x${magnitude.toString('hex')}`);
  return expected(parsed.fields.get('signum') ?? null, 'bigint') < 0n ? -absolute : absolute;
}

function uuid(most: bigint, least: bigint): string {
  const digits = [most, least].map((bits) => BigInt.asUintN(64, bits).toString(16).padStart(16, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
