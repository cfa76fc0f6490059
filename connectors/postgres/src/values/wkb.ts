/** Well-known binary form of geometries, little-endian. */

export type Coordinates = readonly [x: number, y: number];

const LINE_STRING = 2;
const POLYGON = 3;
const PAIR = 16;

export function lineString(points: readonly Coordinates[]): Buffer {
  const wkb = header(LINE_STRING, 9, points.length);
  wkb.writeUInt32LE(points.length, 5);
  writePoints(wkb, 9, points);
  return wkb;
}

/** Of one ring. */
export function polygon(ring: readonly Coordinates[]): Buffer {
  const wkb = header(POLYGON, 13, ring.length);
  wkb.writeUInt32LE(1, 5);
  wkb.writeUInt32LE(ring.length, 9);
  writePoints(wkb, 13, ring);
  return wkb;
}

function header(type: number, size: number, points: number): Buffer {
  const wkb = Buffer.alloc(size + points * PAIR);
  wkb[0] = 1;
  wkb.writeUInt32LE(type, 1);
  return wkb;
}

function writePoints(wkb: Buffer, from: number, points: readonly Coordinates[]): void {
  points.forEach(([x, y], i) => {
    wkb.writeDoubleLE(x, from + i * PAIR);
    wkb.writeDoubleLE(y, from + i * PAIR + 8);
  });
}

/** EWKB, PostGIS's form, marks geometries that name their spatial reference system. */
const HAS_SRID = 0x20000000;

/** The SRID inside EWKB; null for none. Throws RangeError for bytes that are too short. */
export function sridOf(ewkb: Buffer): number | null {
  const isLittle = ewkb[0] === 1;
  const type = isLittle ? ewkb.readUInt32LE(1) : ewkb.readUInt32BE(1);
  if ((type & HAS_SRID) === 0) return null;
  return isLittle ? ewkb.readInt32LE(5) : ewkb.readInt32BE(5);
}
