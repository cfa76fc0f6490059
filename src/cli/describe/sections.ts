/** The screen of a description: fields, and sections with indented lines. */
import { printable } from '../output/printable';

/** `Name:  orders` for each, the values aligned. */
export function fieldsText(fields: readonly (readonly [name: string, value: string])[]): string {
  const shown = fields.map(([name, value]) => [printable(name), printable(value)] as const);
  const width = shown.reduce((most, [name]) => Math.max(most, name.length), 0);
  return shown.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${value}`.trimEnd() + '\n').join('');
}

/** @param lines with line endings */
export function sectionText(heading: string, lines: readonly string[]): string {
  const text = lines.join('');
  return `\n${heading}:\n${text === '' ? '  none\n' : text}`;
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
