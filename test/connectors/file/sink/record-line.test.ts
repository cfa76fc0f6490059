import {
  arraySchema,
  decimalSchema,
  mapSchema,
  schema,
  structSchema,
  timestampSchema,
  type Schema,
} from '@millrace/sdk';
import { valueText } from '../../../../connectors/file/src/sink/record-line';

const todo = structSchema([
  ['id', schema('INT32')],
  ['title', schema('STRING', { optional: true })],
  ['weight', schema('FLOAT64')],
  ['tags', arraySchema(schema('STRING'))],
]);

test.each<[string, Schema | null, unknown, string]>([
  ['null', null, null, 'null'],
  ['string', schema('STRING'), 'a\nb', 'a\nb'],
  ['boolean', schema('BOOLEAN'), true, 'true'],
  ['int', schema('INT32'), 7, '7'],
  ['big int64', schema('INT64'), 9007199254740993n, '9007199254740993'],
  ['double with no fraction', schema('FLOAT64'), 1, '1.0'],
  ['double', schema('FLOAT64'), 0.1, '0.1'],
  ['float, with a float’s digits', schema('FLOAT32'), Math.fround(0.1), '0.1'],
  ['large float', schema('FLOAT32'), Math.fround(16777216.5e3), '1.6777216E10'],
  ['float with no fraction', schema('FLOAT32'), 3, '3.0'],
  ['float in a list', arraySchema(schema('FLOAT32')), [Math.fround(3.4), NaN], '[3.4, NaN]'],
  ['smallest double', schema('FLOAT64'), 5e-324, '4.9E-324'],
  ['large double', schema('FLOAT64'), 1e10, '1.0E10'],
  ['double just below the exponent', schema('FLOAT64'), 9999999, '9999999.0'],
  ['small double', schema('FLOAT64'), 0.00012345, '1.2345E-4'],
  ['negative zero', schema('FLOAT64'), -0, '-0.0'],
  ['not a number', schema('FLOAT64'), NaN, 'NaN'],
  ['struct', todo, { id: 1, title: 'x', weight: 2, tags: ['a', 'b'] }, 'Struct{id=1,title=x,weight=2.0,tags=[a, b]}'],
  [
    'struct without its absent fields',
    todo,
    { id: 1, title: null, weight: 2, tags: [] },
    'Struct{id=1,weight=2.0,tags=[]}',
  ],
  [
    'struct in a struct',
    structSchema([['t', todo]]),
    { t: { id: 1, weight: 0, tags: [] } },
    'Struct{t=Struct{id=1,weight=0.0,tags=[]}}',
  ],
  [
    'map',
    mapSchema(schema('STRING'), schema('INT32')),
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
    '{a=1, b=2}',
  ],
  ['schemaless object', null, { a: 1, b: [true, null], c: { d: 1.5 } }, '{a=1, b=[true, null], c={d=1.5}}'],
  ['timestamp', timestampSchema(), new Date(0), '1970-01-01T00:00:00.000Z'],
  ['decimal', decimalSchema(2), { unscaled: -12345n, scale: 2 }, '-123.45'],
  ['small decimal', decimalSchema(2), { unscaled: 5n, scale: 2 }, '0.05'],
  ['tiny decimal', decimalSchema(9), { unscaled: 12n, scale: 9 }, '1.2E-8'],
  ['decimal of scale 0', decimalSchema(0), { unscaled: 5n, scale: 0 }, '5'],
  ['decimal of negative scale', decimalSchema(-3), { unscaled: 12n, scale: -3 }, '1.2E+4'],
])('analytics-sink 68: connect-runtime 10.9: %s', (_, valueSchema, value, expected) => {
  expect(valueText(valueSchema, value)).toBe(expected);
});

test('analytics-sink 68: bytes are text if they are valid UTF-8, otherwise base64', () => {
  const text = Buffer.from('zwölf');
  expect(valueText(schema('BYTES'), text)).toBe(text);
  expect(valueText(schema('BYTES'), Buffer.from([0xff, 0x00]))).toBe('/wA=');
  const both = [text, new Uint8Array([0xff, 0x00])];
  expect(valueText(arraySchema(schema('BYTES')), both)).toBe('[zwölf, /wA=]');
});
