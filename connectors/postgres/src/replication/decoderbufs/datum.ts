/** One column of a tuple: its name and type, and its value as the text that the server would send. */
import {
  serverDate,
  serverFloat4,
  serverFloat8,
  serverTime,
  serverTimestamp,
  serverTimetz,
} from '../../values/server-text';
import { malformed, WireReader } from './wire';

const TIMESTAMPTZ = 1184;
const TIMESTAMP = 1114;
const TIMETZ = 1266;
const TIME = 1083;
const DATE = 1082;
const BYTEA = 17;

/** The plugin adds the days between the epochs to the extremes of int32, which overflow. */
const INFINITE_DAYS = new Map([
  [-2147472692, 'infinity'],
  [-2147472691, '-infinity'],
]);

/** Kept from value to value; longer texts get a buffer of their own. */
const SCRATCH_BYTES = 64 * 1024;

const NAME = 1;
const TYPE = 2;
const MISSING = 11;

interface DatumHeader {
  readonly name: string;
  readonly typeOid: number;
  /** End of name and type; the value follows. */
  readonly end: number;
}

/** Name and type of a column, which precede its value. Throws ConnectError `PG_PROTOCOL`. */
export function readHeader(buffer: Buffer, at: number, end: number): DatumHeader {
  const reader = new WireReader();
  reader.open(buffer, at, end);
  if (reader.field() !== NAME) throw malformed('a column has no name');
  const name = reader.text();
  if (reader.field() !== TYPE) throw malformed('a column has no type');
  return { name, typeOid: Number(reader.int64()), end: reader.at };
}

/** Reused for every value. */
export class Datum {
  /** The text of the last value: between `start` and `end` of `buffer`. */
  buffer: Buffer;
  start = 0;
  end = 0;
  private readonly scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  private readonly reader = new WireReader();
  private readonly pointReader = new WireReader();

  constructor() {
    this.buffer = this.scratch;
  }

  /**
   * Reads what follows the header. Throws ConnectError `PG_PROTOCOL`, and see `isTooLongText`.
   * @returns undefined for a value that was not sent because it is unchanged
   */
  read(source: Buffer, at: number, end: number, typeOid: number): 'text' | null | undefined {
    const { reader } = this;
    reader.open(source, at, end);
    let found: 'text' | null | undefined = null;
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === MISSING) {
        reader.skip();
        found = undefined;
      } else if (field > TYPE && field < MISSING) {
        this.value(source, field, typeOid);
        found = 'text';
      } else reader.skip();
    }
    return found;
  }

  private value(source: Buffer, field: number, typeOid: number): void {
    const { reader } = this;
    switch (field) {
      case 3:
        return this.int32(reader.int32(), typeOid);
      case 4:
        return this.int64(reader.int64(), typeOid);
      case 5:
        return this.write(serverFloat4(reader.float()));
      case 6:
        return this.double(reader.double(), typeOid);
      case 7:
        return this.write(reader.uint32() === 0 ? 'f' : 't');
      case 8:
      case 9:
        reader.bytes();
        if (field === 9 && typeOid === BYTEA) return this.hex(source, reader.start, reader.stop);
        this.buffer = source;
        this.start = reader.start;
        this.end = reader.stop;
        return;
      default:
        reader.bytes();
        this.point(source, reader.start, reader.stop);
    }
  }

  private int32(value: number, typeOid: number): void {
    if (typeOid === DATE) this.write(INFINITE_DAYS.get(value) ?? serverDate(value));
    else this.write(String(value));
  }

  private int64(value: number | bigint, typeOid: number): void {
    if (typeOid === TIMESTAMPTZ) this.write(serverTimestamp(unwrapped(value), '+00'));
    else if (typeOid === TIMESTAMP) this.write(serverTimestamp(unwrapped(value), ''));
    else if (typeOid === TIME) this.write(serverTime(timeOfDay(value)));
    else this.write(String(value));
  }

  private double(value: number, typeOid: number): void {
    this.write(typeOid === TIMETZ ? serverTimetz(timeOfDay(value)) : serverFloat8(value));
  }

  private point(source: Buffer, at: number, end: number): void {
    const reader = this.pointReader;
    reader.open(source, at, end);
    let x = 0;
    let y = 0;
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === 1) x = reader.double();
      else if (field === 2) y = reader.double();
      else reader.skip();
    }
    this.write(`(${serverFloat8(x)},${serverFloat8(y)})`);
  }

  /** `bytea_output=hex` */
  private hex(source: Buffer, at: number, end: number): void {
    // First, because it throws for a value that is too long.
    const digits = source.toString('hex', at, end);
    const length = 2 + digits.length;
    this.buffer = length <= SCRATCH_BYTES ? this.scratch : Buffer.allocUnsafeSlow(length);
    this.start = 0;
    this.end = length;
    this.buffer.write('\\x', 0, 'latin1');
    this.buffer.write(digits, 2, 'latin1');
  }

  private write(text: string): void {
    this.buffer = this.scratch;
    this.start = 0;
    this.end = this.scratch.write(text, 0, 'latin1');
  }
}

/** The server's first timestamp, in microseconds. Its last ones wrap around to before it in the plugin. */
const FIRST_TIMESTAMP = -210_866_803_200_000_000n;
const MINUS_INFINITY = -(2n ** 63n);

function unwrapped(micros: number | bigint): number | bigint {
  if (typeof micros === 'number' || micros >= FIRST_TIMESTAMP || micros === MINUS_INFINITY) return micros;
  return micros + 2n ** 64n;
}

/** The server's times are within two days of midnight. */
function timeOfDay(micros: number | bigint): number {
  if (typeof micros === 'bigint' || !(Math.abs(micros) < 2e11)) throw malformed(`time ${micros}`);
  return micros;
}
