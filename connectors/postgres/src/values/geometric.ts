/** PostgreSQL's geometric types other than `point` (cdc-postgres §3.3, Appendix R.6). */
import { mapSchema, optional, schema, structSchema } from '@millrace/sdk';
import { point, POINT } from './structured';
import { ascii, type ValueType } from './value-type';
import { lineString, polygon, type Coordinates } from './wkb';

// Debezium's schemas of these types are optional also where the column is NOT NULL.
const FLOAT64 = schema('FLOAT64');
const STRING = schema('STRING');

/** Also of PostGIS. */
export const GEOMETRY = structSchema(
  [
    ['wkb', schema('BYTES')],
    ['srid', schema('INT32', { optional: true })],
    ['extensions', optional(mapSchema(STRING, STRING))],
  ],
  { name: 'io.debezium.data.geometry.Geometry', version: 2, doc: 'Geometry', optional: true },
);

const LINE = structSchema(
  [
    ['a', FLOAT64],
    ['b', FLOAT64],
    ['c', FLOAT64],
  ],
  { name: 'io.debezium.data.geometry.Line', version: 1, doc: 'Geometry (LINE)', optional: true },
);

const CIRCLE = structSchema(
  [
    ['center', POINT],
    ['radius', FLOAT64],
  ],
  { name: 'io.debezium.data.geometry.Circle', version: 1, doc: 'Geometry (CIRCLE)', optional: true },
);

/** The numbers of a value's text, in which only signs that structure it stand between them. */
function numbersOf(text: string): number[] {
  return (text.match(/[^()[\]{}<>,\s]+/g) ?? []).map((part) => {
    const number = Number(part);
    if (Number.isNaN(number) && part !== 'NaN') throw new SyntaxError('its text is not that of a geometric value');
    return number;
  });
}

function fixed(text: string, count: number): number[] {
  const numbers = numbersOf(text);
  if (numbers.length !== count) throw new SyntaxError('its text is not that of a geometric value');
  return numbers;
}

function pairsOf(text: string): Coordinates[] {
  const numbers = numbersOf(text);
  if (numbers.length % 2 !== 0) throw new SyntaxError('its text is not that of a geometric value');
  const pairs: Coordinates[] = [];
  for (let i = 0; i < numbers.length; i += 2) pairs.push([numbers[i] as number, numbers[i + 1] as number]);
  return pairs;
}

interface Geometry {
  readonly wkb: Buffer;
  readonly srid: null;
  readonly extensions: ReadonlyMap<string, string>;
}

function geometry(wkb: Buffer, type: string, closed?: boolean): Geometry {
  const extensions = new Map([['type', type]]);
  if (closed !== undefined) extensions.set('closed', String(closed));
  return { wkb, srid: null, extensions };
}

/** @param corners the upper right one, then the lower left one, as PostgreSQL orders them */
function box(corners: readonly number[]): Geometry {
  const [right, top, left, bottom] = corners as [number, number, number, number];
  const ring: Coordinates[] = [
    [right, top],
    [right, bottom],
    [left, bottom],
    [left, top],
    [right, top],
  ];
  return geometry(polygon(ring), 'box');
}

function typeOf(of: ValueType['schema'], fallback: unknown, decode: (text: string) => unknown): ValueType {
  return {
    schema: of,
    decode: (b, s, e) => decode(ascii(b, s, e)),
    unavailable: null,
    fallback,
    defaultText: null,
  };
}

const UNIT: readonly Coordinates[] = [
  [0, 0],
  [1, 0],
];
/** Debezium runs around it in the other direction. */
const UNIT_BOX: readonly Coordinates[] = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 0],
  [0, 0],
];
const UNIT_TRIANGLE: readonly Coordinates[] = [
  [0, 0],
  [1, 0],
  [0, 1],
  [0, 0],
];

/** By type name. Fallbacks are Debezium's. */
export const GEOMETRIC_TYPES = {
  line: () =>
    typeOf(LINE, { a: 0, b: 1, c: 0 }, (text) => {
      const [a, b, c] = fixed(text, 3);
      return { a, b, c };
    }),
  lseg: () =>
    typeOf(GEOMETRY, geometry(lineString(UNIT), 'lseg'), (text) => {
      const [x1, y1, x2, y2] = fixed(text, 4) as [number, number, number, number];
      return geometry(
        lineString([
          [x1, y1],
          [x2, y2],
        ]),
        'lseg',
      );
    }),
  box: () => ({
    ...typeOf(GEOMETRY, geometry(polygon(UNIT_BOX), 'box'), (text) => box(fixed(text, 4))),
    delimiter: ';',
  }),
  path: () =>
    typeOf(GEOMETRY, geometry(lineString(UNIT), 'path'), (text) =>
      geometry(lineString(pairsOf(text)), 'path', text.startsWith('(')),
    ),
  polygon: () =>
    typeOf(GEOMETRY, geometry(polygon(UNIT_TRIANGLE), 'polygon'), (text) => {
      const ring = pairsOf(text);
      // A ring ends where it starts, which PostgreSQL does not repeat.
      const [first, last] = [ring[0], ring.at(-1)];
      if (first !== undefined && (first[0] !== last?.[0] || first[1] !== last[1])) ring.push(first);
      return geometry(polygon(ring), 'polygon');
    }),
  circle: () =>
    typeOf(CIRCLE, { center: point(0, 0), radius: 0 }, (text) => {
      const [x, y, radius] = fixed(text, 3) as [number, number, number];
      return { center: point(x, y), radius };
    }),
};
