/**
 * Header text to values. Source: connect-runtime §6.4 "From bytes". Java ignores what follows a value; here such a text
 * is a string, because it would lose its end.
 */
import {
  arraySchema,
  dateSchema,
  javaTrim,
  mapSchema,
  schema as makeSchema,
  timeSchema,
  timestampSchema,
  type Schema,
  type SchemaAndValue,
} from '@millrace/sdk';
import { parseNumber, widen } from './parse-number';

/** The text ended where the grammar requires more. This is a conversion error, not a string. */
export class ExhaustedTokens extends Error {}

/** The text only looked like a list or map, so all of it becomes a string. */
class NotStructured extends Error {}

const STRING = makeSchema('STRING');
const BOOLEAN = makeSchema('BOOLEAN');
const DATE = dateSchema();
const TIME = timeSchema();
const TIMESTAMP = timestampSchema();
const NULL: SchemaAndValue = { schema: null, value: null };

export function parseValue(text: string): SchemaAndValue {
  if (text === '') return { schema: STRING, value: '' };
  const trimmed = javaTrim(text);
  if (trimmed === 'null') return NULL;
  if (trimmed === 'true' || trimmed === 'false') return { schema: BOOLEAN, value: trimmed === 'true' };
  try {
    return new HeaderParser(tokens(text)).top() ?? { schema: STRING, value: text };
  } catch (error) {
    if (error instanceof NotStructured) return { schema: STRING, value: text };
    throw error;
  }
}

const DELIMITERS = ':,{}[]"';

/** Splits at unescaped delimiters; escapes stay in the text. */
function tokens(text: string): string[] {
  const list: string[] = [];
  let current = '';
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === '\\' && i + 1 < text.length) {
      current += c + text.charAt(++i);
    } else if (DELIMITERS.includes(c)) {
      if (current !== '') list.push(current);
      list.push(c);
      current = '';
    } else current += c;
  }
  if (current !== '') list.push(current);
  return list;
}

class HeaderParser {
  private at = 0;
  constructor(private readonly list: readonly string[]) {}

  /** Null: the whole text is a string. */
  top(): SchemaAndValue | null {
    const first = this.skipBlank();
    if (first === undefined) return null;
    const found = first === '[' || first === '{' ? this.embedded() : (this.temporal() ?? this.number());
    return this.skipBlank() === undefined ? found : null;
  }

  private skipBlank(): string | undefined {
    while (this.at < this.list.length && javaTrim(this.list[this.at] as string) === '') this.at++;
    return this.at < this.list.length ? javaTrim(this.list[this.at] as string) : undefined;
  }

  private embedded(): SchemaAndValue {
    const token = this.skipBlank();
    switch (token) {
      case undefined:
        throw new NotStructured();
      case '[':
        return this.array();
      case '{':
        return this.map();
      case '"':
        return this.quotedString();
      case 'null':
        this.at++;
        return NULL;
      case 'true':
      case 'false':
        this.at++;
        return { schema: BOOLEAN, value: token === 'true' };
    }
    const temporal = this.temporal();
    if (temporal) return temporal;
    const number = this.number();
    if (!number) throw new NotStructured();
    return number;
  }

  private array(): SchemaAndValue {
    this.at++;
    const values: SchemaAndValue[] = [];
    for (;;) {
      const token = this.skipBlank();
      if (token === ']') break;
      if (token === ',') throw new NotStructured();
      values.push(this.embedded());
      const after = this.skipBlank();
      if (after === ',') this.at++;
      else if (after !== ']') throw new NotStructured();
    }
    this.at++;
    const common = commonSchema(values);
    return { schema: rawArray(common), value: values.map((v) => v.value) };
  }

  private map(): SchemaAndValue {
    this.at++;
    const keys: SchemaAndValue[] = [];
    const values: SchemaAndValue[] = [];
    for (;;) {
      const token = this.skipBlank();
      if (token === '}') break;
      if (token === ',') throw new NotStructured();
      const key = this.embedded();
      if (key.value === null || this.skipBlank() !== ':') throw new NotStructured();
      this.at++;
      keys.push(key);
      values.push(this.embedded());
      if (this.skipBlank() === ',') this.at++;
    }
    this.at++;
    const map = new Map(keys.map((key, i) => [key.value, values[i]?.value]));
    return { schema: rawMap(commonSchema(keys), commonSchema(values)), value: map };
  }

  private quotedString(): SchemaAndValue {
    let text = '';
    for (this.at++; this.list[this.at] !== '"'; this.at++) {
      if (this.at >= this.list.length) throw new NotStructured();
      text += this.list[this.at];
    }
    this.at++;
    // Java keeps the escapes.
    return parseTemporal(text) ?? { schema: STRING, value: text };
  }

  /** A token alone, or with the four after it: `10:30:00.000Z`. */
  private temporal(): SchemaAndValue | null {
    const first = this.list[this.at] as string;
    if (!/^\d/.test(javaTrim(first))) return null;
    for (const count of [1, 5]) {
      const found = parseTemporal(javaTrim(this.list.slice(this.at, this.at + count).join('')));
      if (found) {
        this.at += count;
        return found;
      }
    }
    return null;
  }

  private number(): SchemaAndValue | null {
    return parseNumber(javaTrim(this.list[this.at++] as string));
  }
}

const FORMS: readonly [number, RegExp, Schema][] = [
  [10, /^(\d{4})-(\d\d)-(\d\d)$/, DATE],
  [13, /^()()()(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/, TIME],
  [24, /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/, TIMESTAMP],
];

/** As lenient as Java: month 13 is January of the next year. */
function parseTemporal(escaped: string): SchemaAndValue | null {
  const text = escaped.replace(/\\:/g, ':');
  for (const [length, form, schema] of FORMS) {
    const match = text.length === length ? form.exec(text) : null;
    if (!match) continue;
    const [year, month, day, hour, minute, second, ms] = match
      .slice(1)
      .map((part) => (part === '' ? null : Number(part)));
    const time = Date.UTC(year ?? 1970, (month ?? 1) - 1, day ?? 1, hour ?? 0, minute ?? 0, second ?? 0, ms ?? 0);
    return { schema, value: new Date(time) };
  }
  return null;
}

/** The schema all non-null values share after widening numbers; null when there is none. */
function commonSchema(values: readonly SchemaAndValue[]): Schema | null {
  let common: Schema | null = null;
  for (const { schema, value } of values) {
    if (value === null) continue;
    if (schema === null) return null;
    common = common === null ? schema : merge(common, schema);
    if (common === null) return null;
  }
  return common;
}

/** Numbers widen; of two lists or maps the later one's schema is used, whatever they hold, as in Java. */
function merge(a: Schema, b: Schema): Schema | null {
  if (a === b) return a;
  return widen(a, b) ?? (a.type === b.type && a.name === b.name && a.type !== 'BYTES' ? b : null);
}

/** Element schemas may be absent here, which the SDK's builders reject. */
function rawArray(element: Schema | null): Schema {
  return element ? arraySchema(element) : Object.freeze({ ...arraySchema(STRING), valueSchema: null });
}

function rawMap(key: Schema | null, value: Schema | null): Schema {
  return Object.freeze({ ...mapSchema(STRING, STRING), keySchema: key, valueSchema: value });
}
