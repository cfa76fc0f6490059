/** Writes the answer of a command in the format of `--output`. */
import { randomUUID } from 'node:crypto';
import type { stringify } from 'yaml';
import { escapeInLines } from '@millrace/texts/escape-controls';
import { JsonNumber, longNumber, parseExact } from '@millrace/texts/json';
import type { Invocation } from '../program/command-spec';
import { tableText } from './layout';

export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Headings of columns that a narrow terminal does not show, the least important first. */
  readonly optional?: readonly string[];
}

/**
 * @param value what `json` and `yaml` show
 * @param table what people see: a table or a text; called only if it is needed
 */
export function writeAnswer(
  { options, io }: Pick<Invocation, 'options' | 'io'>,
  value: unknown,
  table: () => Table | string,
): void {
  const { output } = options as { output?: string };
  if (output === 'json') io.stdout.write(`${exactJsonText(value)}\n`);
  else if (output === 'yaml') io.stdout.write(yamlText(value));
  else {
    const shown = table();
    if (typeof shown === 'string') io.stdout.write(shown);
    else io.stdout.write(tableText(shown.headings, shown.rows, { ...shown, columns: io.stdout.columns }));
  }
}

/** Control characters are escaped. The YAML library takes 20 ms to load, so that only its users wait for it. */
function yamlText(value: unknown): string {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { stringify: text } = require('yaml') as { stringify: typeof stringify };
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  const plain = text(value, options);
  // Escapes exist in double quotes only.
  const types = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const;
  return escapeInLines(plain) === plain ? plain : escapeInLines(text(value, { ...options, ...types }));
}

/** A JSON text as a YAML document of a stream. Values that are nested too deep stay JSON, which YAML contains. */
export function yamlDocument(json: string): string {
  let value: unknown;
  try {
    value = parseExactJson(json);
  } catch {
    return `---\n${json.trimEnd()}\n`;
  }
  return `---\n${yamlText(value)}`;
}

/** Integers that a double cannot hold are bigints. @throws SyntaxError, also for nesting deeper than 1000 */
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
