/** JSON whose integers keep all their digits: those that a double cannot hold are bigints. */
import { randomUUID } from 'node:crypto';
import { escapeInLines } from '../../logging/escape-controls';
import { JsonNumber, parseExact } from '../../converters/json/exact-parser';

/** @throws SyntaxError, also for nesting deeper than 1000 */
export function parseExactJson(text: string): unknown {
  return plain(parseExact(text, 'long', true));
}

/** Indented by two blanks. Control characters are escaped. */
export function exactJsonText(value: unknown): string {
  // JSON.stringify has no form for bigints, so that they are written as texts that no value can contain.
  const mark = randomUUID();
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${mark}${member}` : member), 2);
  return escapeInLines(text.replaceAll(new RegExp(`"${mark}(-?\\d{1,1000})"`, 'g'), '$1'));
}

function plain(value: unknown): unknown {
  // Only integers are kept as texts.
  if (value instanceof JsonNumber) return value.toBigInt();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}
