/**
 * Keeps secrets out of log lines, and lines within bounds. Pure. A text is cut before it is looked through, and every
 * expression takes time in proportion to its text: what stands in a record must not keep a thread busy.
 */
import { cutMark, cutText, TEXT_LIMIT } from './bounded-text';
import { providedValues } from './hidden-values';

const MASK = '[hidden]';
const SECRET_NAME =
  /(?:password|passwd|passphrase|secret|token|credential|sasl[._-]?jaas[._-]?config|authorization|(?:^|[._-])key|(?:api|app|access|account|private|signing|session|shared)[._-]?key)s?$/i;
/**
 * `password=…`, `"secret": "…"` and the like inside a text, JAAS configurations and JSON within JSON included. A quote
 * that is never closed hides all that follows: the text may have been cut there.
 */
const SECRET_IN_TEXT =
  /((?:password|passwd|passphrase|secret|token|sharedaccesskey|accountkey|ap[ip][._-]?key)(?:\\*["'])?\s*[=:]\s*)("(?:[^"\\]|\\[^])*(?:"|\\?$)|(?<escape>\\+)"[^]*?(?:(?<!\\)\k<escape>"|$)|'[^']*(?:'|$)|(?:\$\{[^${}\s]*\}|[^\s,;&}"'])+)/gi;
const CREDENTIALS_IN_URL = /(:\/\/[^\s:/@]*):[^\s@/]+@/g;
/** Of a text that was cut: what may be the beginning of a password. */
const CREDENTIALS_AT_END = /(:\/\/[^\s:/@]*):[^\s@/]+$/;
const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
const NAME_LIMIT = 128;
/** All fields of a line together, stacks apart. Characters. */
export const FIELDS_LIMIT = 8192;
const UNPRINTABLE = '[cannot be shown]';

export function redactText(text: string, limit = TEXT_LIMIT): string {
  const cut = cutText(text, limit);
  const shown = cut.text.replace(SECRET_IN_TEXT, `$1${MASK}`).replace(CREDENTIALS_IN_URL, `$1:${MASK}@`);
  return cut.omitted === 0 ? shown : shown.replace(CREDENTIALS_AT_END, `$1:${MASK}`) + cutMark(cut);
}

/** What is left of a bound. */
interface Room {
  characters: number;
}

/**
 * A copy for printing: secrets masked by name, errors as `{ code, message }` with their causes, bigints and dates as
 * text. Depth, entries and the total of characters are bounded.
 */
export function redact(value: unknown, room: Room = { characters: FIELDS_LIMIT }, depth = 0): unknown {
  try {
    return shown(value, room, depth);
  } catch {
    // A getter that throws, a date that is none: a line must not fail for it.
    return UNPRINTABLE;
  }
}

function shown(value: unknown, room: Room, depth: number): unknown {
  if (typeof value === 'string') return text(value, room);
  if (typeof value === 'bigint') return text(value.toString(), room);
  if (typeof value === 'number') return number(value, room);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return text(value.toISOString(), room);
  if (ArrayBuffer.isView(value)) return text(`[${value.byteLength} bytes]`, room);
  if (depth >= MAX_DEPTH || room.characters <= 0) return '…';
  if (isError(value)) {
    const { code, message, cause } = value;
    const parts = { ...(code === undefined ? {} : { code }), message, ...(cause === undefined ? {} : { cause }) };
    return redact(parts, room, depth);
  }
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ENTRIES).map((item) => redact(item, room, depth + 1));
    return value.length > MAX_ENTRIES ? [...items, more(value.length)] : items;
  }
  return members(value, room, depth);
}

function members(value: object, room: Room, depth: number): Record<string, unknown> {
  const names: unknown[] = value instanceof Map ? firstOf(value.keys()) : Object.keys(value);
  const member = (name: unknown): unknown =>
    value instanceof Map ? value.get(name) : (value as Record<string, unknown>)[name as string];
  const entries: [string, unknown][] = [];
  for (const name of names.slice(0, MAX_ENTRIES)) {
    const full = String(name);
    const shownName = text(full, room, NAME_LIMIT);
    const item = SECRET_NAME.test(full.slice(-NAME_LIMIT)) && member(name) != null ? MASK : undefined;
    entries.push([shownName, item ?? redactMember(() => member(name), room, depth + 1)]);
  }
  const count = value instanceof Map ? value.size : names.length;
  if (count > MAX_ENTRIES) entries.push(['…', more(count)]);
  return Object.fromEntries(entries);
}

function redactMember(member: () => unknown, room: Room, depth: number): unknown {
  try {
    return redact(member(), room, depth);
  } catch {
    return UNPRINTABLE;
  }
}

function firstOf(names: Iterable<unknown>): unknown[] {
  const first: unknown[] = [];
  for (const name of names) if (first.push(name) >= MAX_ENTRIES) break;
  return first;
}

function more(count: number): string {
  return `… (${(count - MAX_ENTRIES).toLocaleString('en-US')} more)`;
}

function text(value: string, room: Room, limit = TEXT_LIMIT): string {
  const fitting = redactText(value, Math.max(0, Math.min(limit, room.characters)));
  room.characters -= fitting.length;
  return fitting;
}

/** A port that a config provider gave stays hidden as a number, too; an offset that contains its digits is shown. */
function number(value: number, room: Room): unknown {
  const digits = String(value);
  room.characters -= digits.length;
  return providedValues.placeholderOf(digits) ?? value;
}

/** Also errors of another realm or thread. */
export function isError(value: unknown): value is Error & { code?: unknown } {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
