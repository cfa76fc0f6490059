/** Timestamps, dates, times and decimals from their messages. Sources: the comments of google/type, Connect's types. */
import { DAY_MS, safeInteger, type Decimal, unscaledOf } from '@millrace/sdk';
import { dataFault } from '../faults';
import { LENGTH, VARINT, type WireInput } from '../wire/wire-input';

const MOST_TIME = 8.64e15;
const NANOS_PER_MS = 1_000_000;
/** Larger powers of ten are not worth their time. */
const MOST_DIGITS = 20_000;

/** The members of the message that was read last: of numbers from 1 to 4. */
export class LogicalValues {
  private readonly numbers: (number | bigint)[] = [0, 0, 0, 0, 0];
  private bytes: Uint8Array = EMPTY;

  timestamp(input: WireInput, end: number, depth: number): Date | number | bigint {
    this.read(input, end, depth, true);
    const seconds = this.numbers[1] as number | bigint;
    const millis = Math.floor((this.numbers[2] as number) / NANOS_PER_MS);
    const time = typeof seconds === 'number' ? seconds * 1000 + millis : NaN;
    if (Math.abs(time) <= MOST_TIME) return new Date(time);
    const exact = BigInt(seconds) * 1000n + BigInt(millis);
    if (BigInt.asIntN(64, exact) !== exact) throw dataFault('a timestamp is beyond what Connect can hold');
    return safeInteger(exact);
  }

  date(input: WireInput, end: number, depth: number): Date {
    this.read(input, end, depth);
    const [, year, month, day] = this.numbers as number[];
    const date = new Date(0);
    date.setUTCFullYear(year as number, (month as number) - 1, day as number);
    // Dates may lack their year, month or day: those are no dates of Connect.
    if (year === 0 || date.getUTCFullYear() !== year || date.getUTCMonth() + 1 !== month || date.getUTCDate() !== day)
      throw dataFault('a date is not complete, or no day of the calendar');
    return date;
  }

  time(input: WireInput, end: number, depth: number): Date {
    this.read(input, end, depth);
    const [, hours, minutes, seconds, nanos] = this.numbers as [number, number, number, number, number];
    const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000 + Math.floor(nanos / NANOS_PER_MS);
    if (ms < 0 || ms > DAY_MS) throw dataFault('a time of day is not within one day');
    return new Date(ms);
  }

  /** @param scale of the Connect schema, which all its values have */
  decimal(input: WireInput, end: number, depth: number, scale: number): Decimal {
    this.read(input, end, depth);
    const { buffer, byteOffset, length } = this.bytes;
    const unscaled = unscaledOf(Buffer.from(buffer, byteOffset, length), 0, length);
    const own = this.numbers[3] as number;
    this.bytes = EMPTY;
    if (own === scale || unscaled === 0n) return { unscaled, scale };
    const digits = Math.abs(scale - own);
    if (digits > MOST_DIGITS) throw dataFault('a decimal has too many digits');
    input.made(digits >> 4);
    if (own < scale) return { unscaled: unscaled * 10n ** BigInt(scale - own), scale };
    const divisor = 10n ** BigInt(own - scale);
    if (unscaled % divisor !== 0n)
      throw dataFault(`a decimal has the scale ${own}, and its schema ${scale}: set the field's parameter scale`);
    return { unscaled: unscaled / divisor, scale };
  }

  /** @param isWide whether the first number is one of 64 bits */
  private read(input: WireInput, end: number, depth: number, isWide = false): void {
    const { numbers } = this;
    numbers.fill(0);
    this.bytes = EMPTY;
    while (input.at < end) {
      const tag = input.tag();
      const number = tag >>> 3;
      if ((tag & 7) === VARINT && number <= 4) numbers[number] = isWide && number === 1 ? input.int64() : input.int32();
      else if ((tag & 7) === LENGTH && number === 1) this.bytes = input.blob();
      else input.skip(tag & 7, number, depth);
    }
  }
}

const EMPTY = new Uint8Array(0);
