import { createHash } from 'node:crypto';
import { arraySchema, optional } from '@millrace/sdk';
import { quotedText } from './quoted-text';
import { DIMENSIONS, NULL_ITEM, utf8, type ValueOptions, type ValueType } from './value-type';

/**
 * Items of a one-dimensional array's text, `{a,"b,c",NULL}` with an optional `[l:u]=` in front; null for more
 * dimensions, which Connect arrays with one item schema cannot represent. Throws for text that is not an array.
 */
export function parseArray(text: string, delimiter = ','): (string | null)[] | null {
  let at = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  const items: (string | null)[] = [];
  at++; // {
  if (text[at] === '}') return items;
  for (;;) {
    const c = text[at];
    if (c === '{') return null;
    if (c === '"') {
      const item = quotedText(text, at);
      at = item.end;
      items.push(item.text);
    } else {
      const begin = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '}') at++;
      const item = text.slice(begin, at);
      items.push(item === 'NULL' ? null : item);
    }
    if (text[at] === '}') return items;
    if (text[at] !== delimiter) throw new SyntaxError('its text is not an array');
    at++;
  }
}

const BLANK = 32;

/**
 * Types whose unchanged TOASTed array is emitted as the bytes of the placeholder, one item each (cdc-postgres §2.10).
 */
const PLACEHOLDER_AS_NUMBERS = new Set(['int4', 'int8', 'date']);

/** One item that is the placeholder of its type, with Debezium's exceptions. */
function unavailableItems(item: ValueType, element: string, options: ValueOptions): unknown {
  // Dates are not numbers in these modes; Debezium emits null, too.
  if (element === 'date' && (options.time === 'connect' || options.time === 'isostring')) return null;
  // Java bytes are signed.
  if (PLACEHOLDER_AS_NUMBERS.has(element)) return [...new Int8Array(options.placeholder)];
  if (element === 'uuid') return [nameUuid(options.placeholder)];
  return item.unavailable === null ? null : [item.unavailable];
}

/** RFC 4122 version 3 UUID of the bytes alone, as java.util.UUID.nameUUIDFromBytes. */
function nameUuid(bytes: Buffer): string {
  const digest = createHash('md5').update(bytes).digest();
  digest[6] = ((digest[6] as number) & 0x0f) | 0x30;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * @param element name of the items' type
 * @param requiredItems one NULL among them makes the whole value null, as in Debezium (cdc-postgres Appendix R 11)
 */
export function arrayType(item: ValueType, element: string, options: ValueOptions, requiredItems: boolean): ValueType {
  // Debezium declares these optional and yet accepts none.
  const refusesNull = requiredItems || element === 'ltree';
  return {
    schema: arraySchema(requiredItems ? item.schema : optional(item.schema)),
    decode: (b, s, e) => {
      const items = parseArray(utf8(b, s, e), item.delimiter);
      if (items === null) return DIMENSIONS;
      const out: unknown[] = new Array(items.length);
      for (let i = 0; i < items.length; i++) {
        const text = items[i] as string | null;
        if (text === null) {
          if (refusesNull) return NULL_ITEM;
          out[i] = null;
          continue;
        }
        const bytes = Buffer.from(text, 'utf8');
        const value = item.decode(bytes, 0, bytes.length);
        // One item that Connect cannot represent makes the whole array unrepresentable (cdc-postgres §3.2).
        if (typeof value === 'symbol') return value;
        out[i] = value;
      }
      return out;
    },
    unavailable: unavailableItems(item, element, options),
    fallback: [],
    defaultText: null,
  };
}

/** `1 2 3`. Debezium has the schema, but reads the text as if it were an array's, which leaves nothing of it. */
export function vectorType(item: ValueType): ValueType {
  return {
    schema: arraySchema(item.schema),
    decode: (b, s, e) => {
      const items: unknown[] = [];
      for (let at = s; at < e;) {
        const blank = b.indexOf(BLANK, at);
        const end = blank < 0 || blank > e ? e : blank;
        items.push(item.decode(b, at, end));
        at = end + 1;
      }
      return items;
    },
    unavailable: null,
    fallback: [],
    defaultText: null,
  };
}
