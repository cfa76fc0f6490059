/** pgvector's types (cdc-postgres §3.3). */
import { arraySchema, mapSchema, schema, structSchema } from '@millrace/sdk';
import { ascii, TOO_MANY_DIMENSIONS, type TextDecoder, type ValueType } from './value-type';

const INT16 = schema('INT16');
const FLOAT64 = schema('FLOAT64');
/** Of INT16, in which events number the dimensions. */
const MAX_DIMENSIONS = 32767;

const SPARSE = structSchema(
  [
    ['dimensions', INT16],
    ['vector', mapSchema(INT16, FLOAT64)],
  ],
  { name: 'io.debezium.data.SparseDoubleVector', version: 1, doc: 'Sparse double vector' },
);

/** `[1,2.5]` */
const decodeDense: TextDecoder = (b, s, e) => {
  const text = ascii(b, s + 1, e - 1);
  return text === '' ? [] : text.split(',').map(number);
};

/** `{1:0.5,3:2}/5` */
const decodeSparse: TextDecoder = (b, s, e) => {
  const text = ascii(b, s, e);
  const end = text.lastIndexOf('}/');
  const dimensions = number(text.slice(end + 2));
  if (dimensions > MAX_DIMENSIONS) return TOO_MANY_DIMENSIONS;
  const vector = new Map<number, number>();
  for (const element of text.slice(1, end).split(',')) {
    if (element === '') continue;
    const colon = element.indexOf(':');
    vector.set(number(element.slice(0, colon)), number(element.slice(colon + 1)));
  }
  return { dimensions, vector };
};

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new SyntaxError('its text is not a vector');
  return value;
}

function dense(item: 'FLOAT64' | 'FLOAT32', name: string): ValueType {
  return {
    schema: arraySchema(schema(item), { name: `io.debezium.data.${name}`, version: 1 }),
    decode: decodeDense,
    unavailable: null,
    fallback: [],
    defaultText: null,
  };
}

/** By type name. */
export const VECTOR_TYPES = {
  vector: () => dense('FLOAT64', 'DoubleVector'),
  halfvec: () => dense('FLOAT32', 'FloatVector'),
  sparsevec: (): ValueType => ({
    schema: SPARSE,
    decode: decodeSparse,
    unavailable: null,
    fallback: { dimensions: 0, vector: new Map() },
    defaultText: null,
  }),
};
