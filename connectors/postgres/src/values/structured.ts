import { mapSchema, schema, structSchema } from '@millrace/sdk';
import { quotedText } from './quoted-text';
import { ascii, utf8, type ValueOptions, type ValueType } from './value-type';

/** `"k"=>"v", "n"=>NULL`. Throws for text that is not an hstore. */
export function parseHstore(text: string): Map<string, string | null> {
  const map = new Map<string, string | null>();
  for (let at = 0; at < text.length;) {
    const key = quotedText(text, at);
    at = key.end + 2; // =>
    if (text[at] === '"') {
      const value = quotedText(text, at);
      map.set(key.text, value.text);
      at = value.end;
    } else {
      map.set(key.text, null);
      at += 4; // NULL
    }
    at += 2; // comma and blank
  }
  return map;
}

export function hstoreType(options: ValueOptions): ValueType {
  const placeholder = options.placeholder.toString('utf8');
  if (options.hstore === 'map')
    return {
      schema: mapSchema(schema('STRING'), schema('STRING', { optional: true })),
      decode: (b, s, e) => parseHstore(utf8(b, s, e)),
      unavailable: new Map([[placeholder, placeholder]]),
      fallback: new Map(),
      defaultText: null,
    };
  return {
    schema: schema('STRING', { name: 'io.debezium.data.Json', version: 1 }),
    decode: (b, s, e) => {
      const members: string[] = [];
      // Not JSON.stringify of an object: it moves integer-like keys to the front.
      for (const [key, value] of parseHstore(utf8(b, s, e)))
        members.push(`${JSON.stringify(key)}:${value === null ? 'null' : JSON.stringify(value)}`);
      return `{${members.join(',')}}`;
    },
    unavailable: JSON.stringify({ [placeholder]: placeholder }),
    fallback: '{}',
    defaultText: null,
  };
}

export const POINT = structSchema(
  [
    ['x', schema('FLOAT64')],
    ['y', schema('FLOAT64')],
    ['wkb', schema('BYTES', { optional: true })],
    ['srid', schema('INT32', { optional: true })],
  ],
  { name: 'io.debezium.data.geometry.Point', version: 1, doc: 'Geometry (POINT)' },
);

export function point(x: number, y: number): { x: number; y: number; wkb: Buffer; srid: null } {
  const wkb = Buffer.alloc(21);
  wkb[0] = 1; // little-endian
  wkb.writeUInt32LE(1, 1); // point
  wkb.writeDoubleLE(x, 5);
  wkb.writeDoubleLE(y, 13);
  return { x, y, wkb, srid: null };
}

/** `(x,y)` */
export function pointType(): ValueType {
  return {
    schema: POINT,
    decode: (b, s, e) => {
      const [x, y] = ascii(b, s + 1, e - 1).split(',');
      return point(Number(x), Number(y));
    },
    unavailable: null,
    fallback: point(0, 0),
    defaultText: null,
  };
}
