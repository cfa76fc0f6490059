/** PostGIS's types, whose text is EWKB in hexadecimal digits (cdc-postgres §3.3). */
import { schema, structSchema } from '@millrace/sdk';
import { GEOMETRY } from './geometric';
import { ascii, type ValueType } from './value-type';
import { sridOf } from './wkb';

const GEOGRAPHY = structSchema(
  [
    ['wkb', schema('BYTES')],
    ['srid', schema('INT32', { optional: true })],
  ],
  { name: 'io.debezium.data.geometry.Geography', version: 1, doc: 'Geography' },
);

/** An empty GEOMETRYCOLLECTION. */
const EMPTY = Buffer.from('010700000000000000', 'hex');

function ewkb(bytes: Buffer, start: number, end: number): { wkb: Buffer; srid: number | null } {
  const wkb = Buffer.from(ascii(bytes, start, end), 'hex');
  return { wkb, srid: sridOf(wkb) };
}

/** By type name. */
export const POSTGIS_TYPES = {
  geometry: (): ValueType => ({
    schema: GEOMETRY,
    decode: (b, s, e) => ({ ...ewkb(b, s, e), extensions: null }),
    unavailable: null,
    fallback: { wkb: EMPTY, srid: null, extensions: null },
    defaultText: null,
    delimiter: ':',
  }),
  geography: (): ValueType => ({
    schema: GEOGRAPHY,
    decode: ewkb,
    unavailable: null,
    fallback: { wkb: EMPTY, srid: null },
    defaultText: null,
    delimiter: ':',
  }),
};
