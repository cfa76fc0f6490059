/** Records that most cases share. */
import type { Json, RecordNotation, SchemaNotation, SchemaObject } from '../notation';

export interface Case {
  /** Below `org.apache.kafka.connect.transforms`, unless it is a whole name. */
  readonly class: string;
  readonly config: Readonly<Record<string, string>>;
  readonly records: readonly RecordNotation[];
}

export const value = (schema: SchemaNotation, of: Json): RecordNotation => ({ value: [schema, of] });
export const key = (schema: SchemaNotation, of: Json): RecordNotation => ({ key: [schema, of] });
export const struct = (fields: SchemaObject['fields'], more: Partial<SchemaObject> = {}): SchemaObject => ({
  type: 'STRUCT',
  ...more,
  fields,
});

const PACKAGE = 'org.apache.kafka.connect.data';
export const DATE: SchemaObject = { type: 'INT32', name: `${PACKAGE}.Date`, version: 1 };
export const TIME: SchemaObject = { type: 'INT32', name: `${PACKAGE}.Time`, version: 1 };
export const TIMESTAMP: SchemaObject = { type: 'INT64', name: `${PACKAGE}.Timestamp`, version: 1 };
export const DECIMAL: SchemaObject = {
  type: 'BYTES',
  name: `${PACKAGE}.Decimal`,
  version: 1,
  parameters: { scale: '2' },
};

export const ADDRESS = struct(
  [
    ['street', 'STRING'],
    ['zip', 'INT32?'],
    [
      'geo',
      struct(
        [
          ['lat', 'FLOAT64'],
          ['lon', 'FLOAT64'],
        ],
        { optional: true },
      ),
    ],
  ],
  { name: 'Address', optional: true },
);

/** Everything a schema can have, in not too many fields. */
export const ORDER = struct(
  [
    ['id', 'INT32'],
    ['title', { type: 'STRING', optional: true, doc: 'what it is called', default: 'untitled' }],
    ['amount', { ...DECIMAL, optional: true }],
    ['created', { ...TIMESTAMP, optional: true }],
    ['ratio', { type: 'FLOAT64', default: 0.5 }],
    ['open', 'BOOLEAN?'],
    ['data', 'BYTES?'],
    ['tags', { type: 'ARRAY', values: 'STRING', optional: true }],
    ['address', ADDRESS],
  ],
  { name: 'shop.Order', version: 3, doc: 'an order', parameters: { table: 'orders' } },
);

export const order: RecordNotation = {
  key: [struct([['id', 'INT32']], { name: 'shop.Key' }), { id: 7 }],
  value: [
    ORDER,
    {
      id: 7,
      title: 'seven',
      amount: '12.34',
      created: 1_700_000_000_123,
      ratio: 1.75,
      open: true,
      data: 'AQID',
      tags: ['a', 'b'],
      address: { street: 'Elm', zip: null, geo: { lat: 1.5, lon: -2 } },
    },
  ],
  headers: [
    ['trace', 'STRING', 'abc'],
    ['n', 'INT8', 5],
    ['trace', null, 'again'],
  ],
};
/** Nulls wherever they may be. */
export const sparse: RecordNotation = { value: [ORDER, { id: 8 }], timestamp: null };

export const map: RecordNotation = {
  key: [null, { id: 7 }],
  value: [
    null,
    {
      id: 7,
      title: 'seven',
      ratio: 1.75,
      open: true,
      data: { $bytes: 'AQID' },
      created: { $date: 1_700_000_000_123 },
      tags: ['a', 'b'],
      address: { street: 'Elm', zip: null, geo: { lat: 1.5, lon: -2.5 } },
      nothing: null,
    },
  ],
};

export const nothing: RecordNotation = {};
export const typedNull: RecordNotation = { value: [{ ...ORDER, optional: true }, null] };
export const text: RecordNotation = value('STRING', 'hello');
export const plainText: RecordNotation = value(null, 'hello');
export const plainNumber: RecordNotation = value(null, 42);
export const plainList: RecordNotation = value(null, [1, 2]);
/** Values that most transformations reject. */
export const odd = [nothing, typedNull, text, plainText, plainNumber, plainList, value('INT32?', null)];
/** One of each shape. */
export const common = [order, sparse, map, ...odd];

/** A class with several configurations, for the same records. */
export function on(name: string, configs: readonly Case['config'][], records = common): Case[] {
  return configs.map((config) => ({ class: name, config, records }));
}
/** Configurations that are wrong. */
export const refused = (name: string, ...configs: Case['config'][]): Case[] => on(name, configs, []);
