/**
 * Writes an `Object[]` as Java's ObjectOutputStream does, byte for byte: Debezium keeps chunk keys in this form in its
 * offsets (cdc-postgres §6.4). The serial version UIDs are those of the JDK.
 */
import { encodeModifiedUtf8 } from '../values/java-string';
import type { JavaValue } from './java-value';

interface Field {
  readonly name: string;
  /** `I`, `J`, …, or the signature of a class. */
  readonly type: string;
}

interface ClassDescription {
  readonly name: string;
  readonly uid: string;
  /** 2: default fields only; 3: the class writes more, up to an end mark; 12: the class writes everything. */
  readonly flags: 2 | 3 | 12;
  readonly fields: readonly Field[];
  readonly parent?: ClassDescription;
}

const described = (
  name: string,
  uid: string,
  fields: readonly Field[],
  parent?: ClassDescription,
  flags: ClassDescription['flags'] = 2,
): ClassDescription => ({ name, uid, flags, fields, ...(parent && { parent }) });
const value = (type: string): readonly Field[] => [{ name: 'value', type }];

const NUMBER = described('java.lang.Number', '86ac951d0b94e08b', []);
const BYTES = described('[B', 'acf317f8060854e0', []);
const OBJECTS = described('[Ljava.lang.Object;', '90ce589f1073296c', []);
const BIG_INTEGER = described(
  'java.math.BigInteger',
  '8cfc9f1fa93bfb1d',
  [
    ...['bitCount', 'bitLength', 'firstNonzeroByteNum', 'lowestSetBit', 'signum'].map((name) => ({ name, type: 'I' })),
    { name: 'magnitude', type: '[B' },
  ],
  NUMBER,
  3,
);
const CLASSES = {
  Integer: described('java.lang.Integer', '12e2a0a4f7818738', value('I'), NUMBER),
  Short: described('java.lang.Short', '684d37133460da52', value('S'), NUMBER),
  Long: described('java.lang.Long', '3b8be490cc8f23df', value('J'), NUMBER),
  Double: described('java.lang.Double', '80b3c24a296bfb04', value('D'), NUMBER),
  Float: described('java.lang.Float', 'daedc9a2db3cf0ec', value('F'), NUMBER),
  Boolean: described('java.lang.Boolean', 'cd207280d59cfaee', value('Z')),
  UUID: described('java.util.UUID', 'bc9903f7986d852f', [
    { name: 'leastSigBits', type: 'J' },
    { name: 'mostSigBits', type: 'J' },
  ]),
  BigDecimal: described(
    'java.math.BigDecimal',
    '54c71557f981284f',
    [
      { name: 'scale', type: 'I' },
      { name: 'intVal', type: 'Ljava/math/BigInteger;' },
    ],
    NUMBER,
    3,
  ),
  Date: described(
    'java.sql.Date',
    '14fa46683f356697',
    [],
    described('java.util.Date', '686a81014b597419', [], undefined, 3),
  ),
  LocalDate: described('java.time.Ser', '955d84ba1b2248b2', [], undefined, 12),
  PGobject: described('org.postgresql.util.PGobject', '4bf895caac6f6444', [
    { name: 'type', type: 'Ljava/lang/String;' },
    { name: 'value', type: 'Ljava/lang/String;' },
  ]),
};
/** In `java.time.Ser`. */
const LOCAL_DATE = 3;

/** Null: the null reference. */
export function writeObjectArray(values: readonly JavaValue[] | null): Buffer {
  const writer = new ObjectStreamWriter();
  if (values === null) writer.u8(NULL);
  else writer.array(OBJECTS, values.length, () => values.forEach((one) => writer.value(one)));
  return writer.bytes();
}

const NULL = 0x70;
const REFERENCE = 0x71;
const CLASS = 0x72;
const OBJECT = 0x73;
const STRING = 0x74;
const ARRAY = 0x75;
const BLOCK = 0x77;
const END = 0x78;
const LONG_STRING = 0x7c;
const FIRST_HANDLE = 0x7e0000;

class ObjectStreamWriter {
  private readonly parts: Buffer[] = [Buffer.from('aced0005', 'hex')];
  private handles = 0;
  /** Handles of descriptions, and of the texts in them. */
  private readonly known = new Map<ClassDescription | string, number>();

  bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  u8(byte: number): void {
    this.parts.push(Buffer.from([byte]));
  }

  array(type: ClassDescription, length: number, items: () => void): void {
    this.u8(ARRAY);
    this.describe(type);
    this.handles++;
    this.int(length);
    items();
  }

  value(one: JavaValue): void {
    if (one === null) return this.u8(NULL);
    switch (one.type) {
      case 'String':
        return this.text(one.value);
      case 'byte[]':
        return this.byteArray(one.value);
      case 'Integer':
        return this.object(CLASSES.Integer, () => this.int(Number(one.value)));
      case 'Short':
        return this.object(CLASSES.Short, () => this.parts.push(buffer(2, (b) => b.writeInt16BE(Number(one.value)))));
      case 'Long':
        return this.object(CLASSES.Long, () => this.long(one.value));
      case 'Double':
        return this.object(CLASSES.Double, () => this.parts.push(buffer(8, (b) => b.writeDoubleBE(one.value))));
      case 'Float':
        return this.object(CLASSES.Float, () => this.parts.push(buffer(4, (b) => b.writeFloatBE(one.value))));
      case 'Boolean':
        return this.object(CLASSES.Boolean, () => this.u8(one.value ? 1 : 0));
      case 'UUID': {
        const bits = Buffer.from(one.value.replaceAll('-', ''), 'hex');
        return this.object(CLASSES.UUID, () => this.parts.push(bits.subarray(8), bits.subarray(0, 8)));
      }
      case 'BigDecimal':
        return this.object(CLASSES.BigDecimal, () => {
          this.int(one.scale);
          this.bigInteger(one.unscaled);
          this.u8(END);
        });
      case 'Date':
        return this.object(CLASSES.Date, () => {
          this.parts.push(Buffer.from([BLOCK, 8]));
          this.long(one.millis);
          this.u8(END);
        });
      case 'LocalDate':
        return this.object(CLASSES.LocalDate, () => {
          this.parts.push(Buffer.from([BLOCK, 7, LOCAL_DATE]));
          this.int(one.year);
          this.parts.push(Buffer.from([one.month, one.day, END]));
        });
      case 'PGobject':
        return this.object(CLASSES.PGobject, () => {
          this.text(one.name);
          this.text(one.value);
        });
    }
  }

  private bigInteger(whole: bigint): void {
    const digits = (whole < 0n ? -whole : whole).toString(16);
    const magnitude = whole === 0n ? '' : digits.padStart(digits.length + (digits.length % 2), '0');
    this.object(BIG_INTEGER, () => {
      for (const unused of [-1, -1, -2, -2]) this.int(unused);
      this.int(whole === 0n ? 0 : whole < 0n ? -1 : 1);
      this.byteArray(Buffer.from(magnitude, 'hex'));
      this.u8(END);
    });
  }

  private byteArray(bytes: Buffer): void {
    this.array(BYTES, bytes.length, () => this.parts.push(bytes));
  }

  private object(type: ClassDescription, data: () => void): void {
    this.u8(OBJECT);
    this.describe(type);
    this.handles++;
    data();
  }

  private describe(type: ClassDescription | undefined): void {
    if (type === undefined) return this.u8(NULL);
    const handle = this.known.get(type);
    if (handle !== undefined) return this.reference(handle);
    this.u8(CLASS);
    this.utf(type.name);
    this.parts.push(Buffer.from(type.uid, 'hex'));
    this.known.set(type, this.handles++);
    this.u8(type.flags);
    this.parts.push(buffer(2, (b) => b.writeUInt16BE(type.fields.length)));
    for (const field of type.fields) {
      this.u8(field.type.charCodeAt(0));
      this.utf(field.name);
      if (field.type.length > 1) this.signature(field.type);
    }
    this.u8(END);
    this.describe(type.parent);
  }

  private signature(type: string): void {
    const handle = this.known.get(type);
    if (handle !== undefined) return this.reference(handle);
    this.known.set(type, this.handles);
    this.text(type);
  }

  private text(text: string): void {
    const bytes = encodeModifiedUtf8(text);
    this.handles++;
    const long = bytes.length > 0xffff;
    this.u8(long ? LONG_STRING : STRING);
    if (long) this.long(BigInt(bytes.length));
    else this.parts.push(buffer(2, (b) => b.writeUInt16BE(bytes.length)));
    this.parts.push(bytes);
  }

  private reference(handle: number): void {
    this.u8(REFERENCE);
    this.int(FIRST_HANDLE + handle);
  }

  private utf(text: string): void {
    this.parts.push(
      buffer(2, (b) => b.writeUInt16BE(text.length)),
      Buffer.from(text, 'latin1'),
    );
  }

  private int(number: number): void {
    this.parts.push(buffer(4, (b) => b.writeInt32BE(number)));
  }

  private long(number: bigint): void {
    this.parts.push(buffer(8, (b) => b.writeBigInt64BE(number)));
  }
}

function buffer(length: number, fill: (buffer: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length);
  fill(bytes);
  return bytes;
}
