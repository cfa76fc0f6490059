/**
 * Masks secrets in log lines and bounds the lines. Texts are cut before they are searched, so that the content of a
 * record cannot block a thread.
 */
import { cutMark, cutText, TEXT_LIMIT } from './bounded-text';
import { placeholderOf, type Owners } from './provided-values';
import { HIDDEN, hideSecretsIn, isSecretName } from './secrets';

const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
const NAME_LIMIT = 128;
/** All fields of a line together, without stacks. Characters. */
const FIELDS_LIMIT = 8192;
const UNPRINTABLE = '[cannot be shown]';

/** @param owners whose values of config providers are hidden, too (Default: none, for text of a caller) */
export function redactText(text: string, limit = TEXT_LIMIT, owners?: Owners): string {
  const cut = cutText(text, limit, { owners });
  return hideSecretsIn(cut.text, cut.omitted > 0) + cutMark(cut);
}

interface Room {
  /** What remains of the limit. */
  characters: number;
  readonly owners: Owners;
}

/**
 * A copy for printing: secrets masked by name, errors as `{ code, message }` with their causes, bigints and dates as
 * text. Depth, entries and the total of characters are bounded.
 * @param owners as of `redactText`
 */
export function redact(value: unknown, owners?: Owners): unknown {
  return redactIn(value, { characters: FIELDS_LIMIT, owners }, 0);
}

function redactIn(value: unknown, room: Room, depth: number): unknown {
  try {
    return shown(value, room, depth);
  } catch {
    // For example a getter that throws or an invalid date. Logging must not fail.
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
    return redactIn(parts, room, depth);
  }
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ENTRIES).map((item) => redactIn(item, room, depth + 1));
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
    const item = isSecretName(full) && member(name) != null ? HIDDEN : undefined;
    entries.push([shownName, item ?? redactMember(() => member(name), room, depth + 1)]);
  }
  const count = value instanceof Map ? value.size : names.length;
  if (count > MAX_ENTRIES) entries.push(['…', more(count)]);
  return Object.fromEntries(entries);
}

function redactMember(member: () => unknown, room: Room, depth: number): unknown {
  try {
    return redactIn(member(), room, depth);
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
  const fitting = redactText(value, Math.max(0, Math.min(limit, room.characters)), room.owners);
  room.characters -= fitting.length;
  return fitting;
}

/** A provided port is hidden as a number, too. An offset that merely contains its digits is shown. */
function number(value: number, room: Room): unknown {
  const digits = String(value);
  room.characters -= digits.length;
  return placeholderOf(digits, room.owners) ?? value;
}

/** Also true for errors of another realm or thread. */
export function isError(value: unknown): value is Error & { code?: unknown } {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
