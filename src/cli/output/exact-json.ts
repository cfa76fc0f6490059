/** JSON whose integers keep all their digits: those that a double cannot hold are bigints. */
import { randomUUID } from 'node:crypto';
import { escapeInLines } from '../../logging/escape-controls';
import { JsonNumber, longNumber, parseExact } from '../../json/exact-parser';

/** @throws SyntaxError, also for nesting deeper than 1000 */
export function parseExactJson(text: string): unknown {
  return parseExact(text, exactNumber, true);
}

function exactNumber(text: string, integral: boolean): number | bigint {
  const number = longNumber(text, integral);
  return number instanceof JsonNumber ? number.toBigInt() : number;
}

/** Indented by two blanks. Control characters are escaped. */
export function exactJsonText(value: unknown): string {
  // JSON.stringify has no form for bigints, so that they are written as texts that no value can contain.
  const mark = randomUUID();
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${mark}${member}` : member), 2);
  return escapeInLines(text.replaceAll(new RegExp(`"${mark}(-?\\d{1,1000})"`, 'g'), '$1'));
}
