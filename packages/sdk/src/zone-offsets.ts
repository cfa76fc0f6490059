/** Offsets of a time zone from UTC, as `java.time.zone.ZoneRules` returns them. Source: cdc-postgres §7.13. */

export interface ZoneOffsets {
  /** Seconds to add to UTC, at an instant in seconds since the epoch. */
  at(instant: number): number;
  /** The same for a local time, given as if it were UTC. In a gap or an overlap: the offset before the change. */
  ofLocal(local: number): number;
}

const OFFSET = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/;
/** The limit of ZoneOffset. */
const MOST_HOURS = 18;

/** Null: neither an offset nor a zone that this Node.js knows. */
export function zoneOffsets(zone: string): ZoneOffsets | null {
  const match = OFFSET.exec(zone);
  if (match) return fixedOffsets(match);
  // Node.js accepts names in any case and more forms of offsets.
  if (!/^[A-Za-z]/.test(zone) || zone === 'Z') return null;
  try {
    return new NamedZone(zone);
  } catch {
    return null;
  }
}

function fixedOffsets([, sign, hours, minutes, seconds = '0']: RegExpExecArray): ZoneOffsets | null {
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (Number(minutes) > 59 || Number(seconds) > 59 || total > MOST_HOURS * 3600) return null;
  const offset = sign === '-' ? -total : total;
  return { at: () => offset, ofLocal: () => offset };
}

const DAY = 86_400;
/** Offsets are looked up once per this many seconds, because Intl is slow. */
const BUCKET = 900;
const MANY_BUCKETS = 10_000;
/** From the year 1600, before any zone's first change, to the last second of JavaScript's dates. */
const FIRST = -11_676_096_000;
const LAST = 8_640_000_000_000;

class NamedZone implements ZoneOffsets {
  private readonly format: Intl.DateTimeFormat;
  /** Null: the offset changes within the bucket. */
  private readonly buckets = new Map<number, number | null>();

  constructor(zone: string) {
    const numeric = 'numeric';
    this.format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, calendar: 'gregory', hourCycle: 'h23' },
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    });
  }

  at(instant: number): number {
    const bucket = Math.floor(instant / BUCKET);
    let offset = this.buckets.get(bucket);
    if (offset === undefined) {
      if (this.buckets.size >= MANY_BUCKETS) this.buckets.clear();
      const first = this.lookUp(bucket * BUCKET);
      offset = first === this.lookUp((bucket + 1) * BUCKET - 1) ? first : null;
      this.buckets.set(bucket, offset);
    }
    return offset ?? this.lookUp(instant);
  }

  ofLocal(local: number): number {
    const before = this.at(local - DAY);
    const after = this.at(local + DAY);
    if (before === after || this.at(local - before) === before) return before;
    return this.at(local - after) === after ? after : before;
  }

  private lookUp(instant: number): number {
    const seconds = Math.max(FIRST, Math.min(LAST, instant));
    const of: Record<string, string> = {};
    for (const { type, value } of this.format.formatToParts(seconds * 1000)) of[type] = value;
    const local = localSeconds(Number(of.year), Number(of.month), Number(of.day));
    return local + Number(of.hour) * 3600 + Number(of.minute) * 60 + Number(of.second) - seconds;
  }
}

/** Seconds from the epoch to a day of the proleptic Gregorian calendar, for any year. */
export function localSeconds(year: number, month: number, day: number): number {
  // Years begin in March, so that a leap day is the last of its year.
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const ofEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + dayOfYear;
  return (era * 146_097 + dayOfEra - 719_468) * DAY;
}

/** The reverse of `localSeconds`, with the remaining seconds of the day. */
export function localDay(seconds: number): { year: number; month: number; day: number; rest: number } {
  const days = Math.floor(seconds / DAY);
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const ofEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * ofEra + Math.floor(ofEra / 4) - Math.floor(ofEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: ofEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
    rest: seconds - days * DAY,
  };
}
