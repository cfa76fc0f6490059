/** Fields that are added, removed and moved. */
import {
  ADDRESS,
  common,
  key,
  map,
  nothing,
  on,
  ORDER,
  order,
  refused,
  sparse,
  struct,
  value,
  type Case,
} from './inputs';

const V2 = { 'field.syntax.version': 'V2' };
const NO_DEFAULTS = { 'replace.null.with.default': 'false' };
const dotted = struct([
  ['foo.bar', struct([['baz', 'INT8']])],
  ['a``b', struct([['c', 'INT8?']], { optional: true })],
  ['a`.b', struct([['c', 'INT8']])],
  ['a', struct([['b', 'INT8']])],
]);
const dottedRecord = value(dotted, { 'foo.bar': { baz: 1 }, 'a``b': { c: 2 }, 'a`.b': { c: 3 }, a: { b: 4 } });
const dottedMap = value(null, { 'foo.bar': { baz: 1 }, 'a``b': { c: 2 }, 'a`.b': { c: 3 }, a: { '': 4 }, n: null });

const withDefault = struct(
  [
    ['x', 'INT32?'],
    ['deep', struct([['y', { type: 'INT32', default: 5 }]], { optional: true })],
  ],
  {
    optional: true,
    default: { x: 1, deep: { y: 2 } },
    name: 'D',
  },
);
const nested = struct(
  [
    [
      'a',
      struct(
        [
          ['x', 'INT32'],
          ['y', { type: 'STRING', default: 'dflt' }],
        ],
        { default: { x: 9, y: 'why' } },
      ),
    ],
    [
      'b',
      struct(
        [
          ['x', 'INT32'],
          ['list', { type: 'ARRAY', values: ADDRESS }],
        ],
        { optional: true },
      ),
    ],
    ['m', 'INT32'],
  ],
  { name: 'N', version: 2 },
);
const withMap = struct([['m', { type: 'MAP', keys: 'STRING', values: 'INT32' }]]);

export const fields: Case[] = [
  ...on('InsertField$Value', [
    { 'topic.field': 'topic', 'partition.field': 'partition', 'offset.field': 'offset' },
    { 'timestamp.field': 'ts!', 'static.field': 'st?', 'static.value': 'text', ...NO_DEFAULTS },
    { 'topic.field': 'title' },
    { 'static.field': '!', 'static.value': ' s ' },
  ]),
  ...on(
    'InsertField$Value',
    [{ 'topic.field': 't!', 'partition.field': 'p', 'timestamp.field': 'ts?' }],
    [
      { ...order, source: true },
      { ...map, source: true, partition: null, timestamp: null },
      { ...order, source: true, partition: null, timestamp: null },
      value(withDefault, { x: 4 }),
    ],
  ),
  ...on(
    'InsertField$Value',
    [{ 'offset.field': 'o' }],
    [
      { ...order, source: true },
      { ...map, source: true },
    ],
  ),
  ...on('InsertField$Key', [{ 'offset.field': 'o!' }], [order, map, nothing]),
  ...refused('InsertField$Value', {}, { 'static.field': 'a' }, { 'static.value': 'a' }),

  ...on('ExtractField$Value', [
    { field: 'title' },
    { field: 'title', ...NO_DEFAULTS },
    { field: 'missing' },
    { field: 'address' },
    { field: 'address.street' },
    { field: 'address.street', ...V2 },
    { field: 'address.geo.lat', ...V2 },
    { field: 'address.missing', ...V2 },
    { field: 'title.x', ...V2 },
    { field: 'nothing.x', ...V2 },
    { field: 'missing.x', ...V2 },
    { field: '' },
  ]),
  ...['`foo.bar`.baz', '`a``b`.c', '`a\\`.b`.c', 'a.', 'foo.bar.baz', '`a`.', 'n', 'n.x', '``', 'a``b.c'].flatMap(
    (field) => on('ExtractField$Value', [{ field, ...V2 }], [dottedRecord, dottedMap]),
  ),
  ...on('ExtractField$Key', [{ field: 'id' }], [order, map, nothing]),
  ...refused('ExtractField$Value', {}, { field: 'a', 'field.syntax.version': 'v3' }, { field: '`a.b', ...V2 }),
  ...refused('ExtractField$Value', { field: 'x.`a`b', ...V2 }, { field: '`a\\`', ...V2 }, { field: '`', ...V2 }),

  ...on('HoistField$Value', [{ field: 'wrapped' }, { field: '' }], [...common, value('STRING', null)]),
  ...on('HoistField$Key', [{ field: 'k' }], [order, map, key('INT32?', null), key('INT32', null), nothing]),
  ...refused('HoistField$Value', {}),

  ...on('ReplaceField$Value', [
    {},
    { exclude: 'title,address,missing' },
    { include: 'id,title,missing' },
    { include: 'id,title', exclude: 'title' },
    { renames: 'id:key,title:name,missing:x' },
    { renames: 'id:key', include: 'id,title', ...NO_DEFAULTS },
    { renames: 'id:title' },
    { renames: 'id:title,title:id' },
    { renames: ':b' },
    { blacklist: 'id' },
  ]),
  ...on('ReplaceField$Key', [{ renames: 'id:nr' }], [order, map, nothing]),
  ...refused('ReplaceField$Value', { renames: 'a' }, { renames: 'a:b:c' }, { renames: 'b:' }, { exclude: 'a,,b' }),

  ...on('ValueToKey', [
    { fields: 'id' },
    { fields: 'title,id,title' },
    { fields: 'missing' },
    { fields: 'title', ...NO_DEFAULTS },
  ]),
  ...refused('ValueToKey', {}, { fields: '' }),

  ...on('Flatten$Value', [{}, { delimiter: '_' }, { delimiter: '' }]),
  ...on(
    'Flatten$Value',
    [{}],
    [
      value(nested, { a: { x: 1 }, b: { x: 2, list: [{ street: 's' }] }, m: 3 }),
      value(nested, { a: { x: 1, y: 'yes' }, m: 3 }),
      value(nested, { m: 3 }),
      value(withDefault, { x: 4 }),
      value(withDefault, { deep: {} }),
      value(withDefault, null),
      value(withMap, { m: [['a', 1]] }),
      value(null, { a: { $decimal: '1.2' } }),
      value(null, { a: { b: { $date: 1 } } }),
      value(null, { a: {}, b: { c: {} }, list: [{ x: 1 }] }),
      value(struct([]), {}),
    ],
  ),
  ...on('Flatten$Key', [{}], [{ key: [ADDRESS, { street: 's', geo: { lat: 1, lon: 2 } }] }, map, nothing]),
  ...on(
    'Flatten$Value',
    [{}],
    [
      value(
        struct([
          ['a.b', 'INT8'],
          ['a', struct([['b', 'INT8']])],
        ]),
        { 'a.b': 1, a: { b: 2 } },
      ),
    ],
  ),

  ...on('SetSchemaMetadata$Value', [
    { 'schema.name': 'other' },
    { 'schema.version': '9' },
    { 'schema.name': 'other', 'schema.version': '1', ...NO_DEFAULTS },
    { 'schema.name': '' },
  ]),
  ...on('SetSchemaMetadata$Value', [{ 'schema.name': 'other' }], [value(withDefault, { x: 4 }), value(ORDER, null)]),
  ...on('SetSchemaMetadata$Key', [{ 'schema.name': 'other' }], [order, sparse, map]),
  ...refused('SetSchemaMetadata$Value', {}, { 'schema.version': 'x' }),
];
