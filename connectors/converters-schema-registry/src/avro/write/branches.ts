/** Which branch of a union takes the values of a Connect schema. */
import type { Schema } from '@millrace/sdk';
import type { AvroSettings } from '../avro-settings';
import { DEFAULT_NAME, NAMESPACE } from '../connect-props';
import { enumOf, isFixed, isStringMap } from '../from-connect/connect-kinds';
import { splitName } from '../from-connect/names';
import { AvroName } from '../schema/avro-name';
import { isMapEntry } from '../schema/map-entry';
import type { AvroFixed, AvroRecord, AvroSchema } from '../schema/avro-schema';

/** @returns its index; -1: none. The only branch besides null is returned in any case. */
export function chooseBranch(connect: Schema, types: readonly AvroSchema[], settings: AvroSettings): number {
  const others = types.filter(({ type }) => type !== 'null');
  if (others.length === 1) return types.indexOf(others[0] as AvroSchema);
  let best = -1;
  let most = 0;
  types.forEach((type, index) => {
    const fit = fitOf(connect, type, settings);
    if (fit <= most) return;
    most = fit;
    best = index;
  });
  return best;
}

/** From the best on: its own type, one that holds all its values, one that holds some. */
const SCALARS: Readonly<Record<string, readonly string[]>> = {
  INT8: ['int', 'long', 'double', 'float'],
  INT16: ['int', 'long', 'double', 'float'],
  INT32: ['int', 'long', 'double', 'float'],
  INT64: ['long', 'double', 'float', 'int'],
  FLOAT32: ['float', 'double'],
  FLOAT64: ['double', 'float'],
  BOOLEAN: ['boolean'],
  STRING: ['string', 'bytes', 'enum'],
  BYTES: ['bytes', 'fixed'],
};

const OWN_NAME = 100;
const OWN_TYPE = 50;

/** Zero: it cannot hold them. */
function fitOf(connect: Schema, avro: AvroSchema, settings: AvroSettings): number {
  switch (connect.type) {
    case 'ARRAY':
      return avro.type === 'array' && !isMapEntry(avro.items) ? OWN_TYPE : 0;
    case 'MAP':
      if (avro.type === 'array' && isMapEntry(avro.items)) return OWN_TYPE;
      if (avro.type !== 'map' || connect.keySchema?.type !== 'STRING') return 0;
      return isStringMap(connect, settings.optionalMapKeys) ? OWN_NAME : 1;
    case 'STRUCT':
      return avro.type === 'record' ? recordFit(connect, avro, settings) : 0;
  }
  if (avro.type === 'enum' && enumOf(connect, settings)?.name === avro.name.full) return OWN_NAME;
  if (avro.type === 'fixed' && isFixed(connect))
    return connect.name !== null && named(connect.name, avro, settings) ? OWN_NAME : 1;
  const place = SCALARS[connect.type]?.indexOf(avro.type) ?? -1;
  return place < 0 ? 0 : OWN_TYPE - place;
}

function recordFit(connect: Schema, avro: AvroRecord, settings: AvroSettings): number {
  if (connect.name !== null) return named(connect.name, avro, settings) ? OWN_NAME : 1;
  if (!avro.name.full.startsWith(`${NAMESPACE}.${DEFAULT_NAME}`)) return 1;
  const names = new Set((connect.fields ?? []).map(({ name }) => name));
  return avro.fields.length === names.size && avro.fields.every(({ name }) => names.has(name)) ? OWN_NAME : OWN_TYPE;
}

function named(name: string, avro: AvroRecord | AvroFixed, settings: AvroSettings): boolean {
  const [space, last] = splitName(name, settings.scrub);
  return new AvroName(last, space).full === avro.name.full;
}
