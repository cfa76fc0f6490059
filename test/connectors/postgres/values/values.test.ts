import type { Decimal } from '@millrace/sdk';
import { arrayType, parseArray } from '../../../../connectors/postgres/src/values/arrays';
import { civilFromDays, daysFromCivil, isoDate } from '../../../../connectors/postgres/src/values/calendar';
import { schemaDefault } from '../../../../connectors/postgres/src/values/defaults';
import { cpuMs } from '../../../helpers/cpu-time';
import {
  decodeInt8,
  moneyType,
  numericTypmod,
  numericType,
  parseDecimal,
} from '../../../../connectors/postgres/src/values/numbers';
import { byteaType } from '../../../../connectors/postgres/src/values/bytes';
import { parseHstore } from '../../../../connectors/postgres/src/values/structured';
import { dateType, intervalType, timestampType } from '../../../../connectors/postgres/src/values/temporal';
import { NOT_FINITE, type ValueOptions } from '../../../../connectors/postgres/src/values/value-type';

const options: ValueOptions = {
  decimals: 'precise',
  moneyFractionDigits: 2,
  currencyDigits: 2,
  time: 'adaptive',
  interval: 'numeric',
  hstore: 'json',
  binary: 'bytes',
  includeUnknown: false,
  placeholder: Buffer.from('ph'),
};
const bytes = (text: string): [Buffer, number, number] => {
  const buffer = Buffer.from(`##${text}##`);
  return [buffer, 2, buffer.length - 2];
};

test('conversion of days and dates is reversible, before and after the epoch and across 400 years', () => {
  for (let days = -1_000_000; days < 1_000_000; days += 997) {
    const { year, month, day } = civilFromDays(days);
    expect(daysFromCivil(year, month, day)).toBe(days);
  }
  expect(daysFromCivil(1970, 1, 1)).toBe(0);
  expect(daysFromCivil(2000, 2, 29)).toBe(11016);
  expect(isoDate(-719528)).toBe('0000-01-01');
});

test.each([
  ['bytea_output=escape', byteaType(options), String.raw`\000\377A`],
  ['bytea that is not hexadecimal', byteaType(options), String.raw`\x00f`],
  ['DateStyle=SQL', dateType('adaptive'), '04/03/2021'],
  ['DateStyle=German', dateType('adaptive'), '04.03.2021'],
  ['DateStyle=Postgres', dateType('adaptive'), '04-03-2021'],
  ['a timestamp of DateStyle=Postgres', timestampType(6, 'adaptive'), 'Thu Mar 04 05:06:07 2021 -03'],
  ['a timestamp of DateStyle=SQL', timestampType(6, 'adaptive'), '04/03/2021 05:06:07 -03'],
  ['IntervalStyle=iso_8601', intervalType('numeric'), 'P1Y2M-3DT4H5M6S'],
  ['IntervalStyle=sql_standard', intervalType('numeric'), '+1-2 -3 +4:05:06'],
  ['IntervalStyle=sql_standard, zero', intervalType('numeric'), '0'],
  ['IntervalStyle=postgres_verbose', intervalType('string'), '@ 1 year 2 mons 4 hours'],
])('text of %s is refused', (_, type, text) => {
  expect(() => type.decode(...bytes(text))).toThrow(SyntaxError);
});

test.each([
  ['00:00:00', 'P0Y0M0DT0H0M0S'],
  ['1 year 2 mons -3 days +04:05:06.7', 'P1Y2M-3DT4H5M6.7S'],
  ['-1 years -2 mons +3 days -04:05:06', 'P-1Y-2M3DT-4H-5M-6S'],
  ['1 mon', 'P0Y1M0DT0H0M0S'],
  ['-00:00:00.000001', 'P0Y0M0DT0H0M-0.000001S'],
])('interval %s', (text, iso) => {
  expect(intervalType('string').decode(...bytes(text))).toBe(iso);
});

test.each([
  ['0', 0n, 0],
  ['-0.01', -1n, 2],
  ['123.456', 123456n, 3],
  ['99999999999999999999.9', 999999999999999999999n, 1],
  ['-12345678901234567890', -12345678901234567890n, 0],
  ['0.0000000000000000001', 1n, 19],
])('decimal %s', (text, unscaled, scale) => {
  expect(parseDecimal(...bytes(text))).toEqual({ unscaled, scale });
});
test.each(['NaN', 'Infinity', '-Infinity'])('decimal %s is invalid', (text) => {
  expect(parseDecimal(...bytes(text))).toBe(NOT_FINITE);
});

test('numeric keeps its last digit, whatever its precision and scale', () => {
  const read: string[] = [];
  const expected: string[] = [];
  for (let digits = 1; digits <= 40; digits++)
    for (let scale = 0; scale <= digits; scale++)
      for (const filler of ['9', '9007199254740993', '1'])
        for (const sign of ['', '-']) {
          const unscaled = filler
            .repeat(digits)
            .slice(0, digits)
            .padStart(scale + 1, '0');
          const whole = unscaled.length - scale;
          const text = `${sign}${unscaled.slice(0, whole)}${scale > 0 ? '.' : ''}${unscaled.slice(whole)}`;
          const decimal = parseDecimal(...bytes(text)) as Decimal;
          read.push(`${text}: ${decimal.unscaled} ${decimal.scale}`);
          expected.push(`${text}: ${BigInt(sign + unscaled)} ${scale}`);
        }
  expect(read).toEqual(expected);
});

test.each<[currencyDigits: number, moneyFractionDigits: number, text: string, unscaled: bigint, plain: string]>([
  [2, 2, '-$1,234.56', -123456n, '-1234.56'],
  [2, 2, '$0.07', 7n, '0.07'],
  [2, 2, '$92,233,720,368,547,758.07', 9223372036854775807n, '92233720368547758.07'],
  [2, 0, '$1.50', 2n, '1.50'],
  [0, 2, '$12,345.67', 123456700n, '1234567'],
  [0, 0, '-$0.01', -1n, '-1'],
  [3, 2, '$12.34', 123n, '1.234'],
  [3, 3, '-$0.05', -5n, '-0.005'],
])(
  'cdc-postgres 55: a currency of %i digits, published with %i: %s',
  (currencyDigits, moneyFractionDigits, text, unscaled, plain) => {
    const money = { ...options, currencyDigits, moneyFractionDigits };
    expect(moneyType(money).decode(...bytes(text))).toEqual({ unscaled, scale: moneyFractionDigits });
    expect(moneyType({ ...money, decimals: 'string' }).decode(...bytes(text))).toBe(plain);
    expect(moneyType({ ...money, decimals: 'double' }).decode(...bytes(text))).toBe(Number(plain));
  },
);

test('numeric type modifiers, negative scale included', () => {
  expect(numericTypmod(((10 << 16) | 3) + 4)).toEqual({ precision: 10, scale: 3 });
  expect(numericTypmod(((6 << 16) | (-2 & 0x7ff)) + 4)).toEqual({ precision: 6, scale: -2 });
  expect(numericTypmod(-1)).toBeNull();
});

test('int8 keeps its last digit, whatever its number of digits', () => {
  for (let digits = 1; digits <= 19; digits++)
    for (const filler of ['9', '9007199254740993', '1'])
      for (const sign of ['', '-']) {
        const text = sign + filler.repeat(digits).slice(0, digits);
        if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) continue;
        expect(`${decodeInt8(...bytes(text)) as number | bigint}`).toBe(text);
      }
});

test('timestamps keep their microseconds, from the first to the last year of PostgreSQL', () => {
  const { decode } = timestampType(-1, 'microseconds');
  for (let year = -4712; year <= 294246; year += 7)
    for (const clock of ['00:00:00.000001', '23:59:59.999999']) {
      const text = `${String(year > 0 ? year : 1 - year).padStart(4, '0')}-03-01 ${clock}${year > 0 ? '' : ' BC'}`;
      const [, seconds = '', micros = ''] = /^\d\d:\d\d:(\d\d)\.(\d+)$/.exec(clock) ?? [];
      const ofDay = seconds === '00' ? 0n : 86399n;
      // JavaScript dates end earlier; the calendar repeats every 400 years.
      const near = year % 400;
      const midnight =
        BigInt(new Date(0).setUTCFullYear(near, 2, 1)) + (BigInt(year - near) / 400n) * 146097n * 86_400_000n;
      const expected = (midnight / 1000n + ofDay) * 1_000_000n + BigInt(micros);
      expect(`${text} ${decode(...bytes(text)) as number | bigint}`).toBe(`${text} ${expected}`);
    }
});

test('64-bit integers are numbers if the number is exact', () => {
  expect(decodeInt8(...bytes('9007199254740991'))).toBe(9007199254740991);
  expect(decodeInt8(...bytes('9007199254740992'))).toBe(9007199254740992n);
  expect(decodeInt8(...bytes('-9007199254740993'))).toBe(-9007199254740993n);
});

test('microseconds stay exact beyond the precision of a double', () => {
  const { decode } = timestampType(-1, 'adaptive');
  expect(decode(...bytes('2255-06-05 23:47:34.740992'))).toBe(9007199254740992n);
  expect(decode(...bytes('1600-01-01 00:00:00.000001'))).toBe(-11676095999999999n);
});

test('arrays', () => {
  expect(parseArray('{}')).toEqual([]);
  expect(parseArray('{a,NULL,"NULL","","a\\"b\\\\"}')).toEqual(['a', null, 'NULL', '', 'a"b\\']);
  expect(parseArray('[2:3]={1,2}')).toEqual(['1', '2']);
  expect(parseArray('{{1},{2}}')).toBeNull();
  for (const text of ['1 2', '', '{a', '{"a', '{"a"b}']) expect(() => parseArray(text)).toThrow(SyntaxError);
});

test.each([
  ['double', [1.5, NaN, Infinity, null]],
  ['string', ['1.50', 'NAN', 'POSITIVE_INFINITY', null]],
  ['precise', NOT_FINITE],
] as const)('cdc-postgres 59: numeric[] with NaN has its items as double and as text: %s', (decimals, expected) => {
  const item = numericType(((5 << 16) | 2) + 4, { ...options, decimals });
  expect(arrayType(item, 'numeric', options, false).decode(...bytes('{1.50,NaN,Infinity,NULL}'))).toEqual(expected);
});

test('hstore', () => {
  expect([...parseHstore('"a"=>"1", "b"=>NULL, "c, =>\\""=>"\\\\"')]).toEqual([
    ['a', '1'],
    ['b', null],
    ['c, =>"', '\\'],
  ]);
  expect(parseHstore('').size).toBe(0);
  expect(() => parseHstore('"a"=>"1')).toThrow('the quote at character 6 does not end');
});

test('cdc-postgres 63: expressions of the catalog', () => {
  const decimal = numericType(((5 << 16) | 2) + 4, options);
  expect(schemaDefault("'1.5'::numeric", decimal)).toEqual({ unscaled: 150n, scale: 2 });
  expect(schemaDefault('(-1.5)', decimal)).toEqual({ unscaled: -150n, scale: 2 });
  expect(schemaDefault('(1 + 2)', decimal)).toBeUndefined();
  expect(schemaDefault('NULL::numeric', decimal)).toBeUndefined();
  expect(schemaDefault('round(random())', decimal)).toEqual({ unscaled: 0n, scale: 2 });
  const timestamp = timestampType(-1, 'adaptive');
  expect(schemaDefault("'infinity'::timestamp without time zone", timestamp)).toBe(-9223372036853775810n);
  expect(schemaDefault("'1970-01-01 00:00:01'::timestamp(3) without time zone", timestamp)).toBe(1_000_000);
  expect(schemaDefault('CURRENT_TIMESTAMP', timestamp)).toBe(0);
  expect(schemaDefault("timezone('utc'::text, now())", timestamp)).toBe(0);
  expect(schemaDefault("(now() AT TIME ZONE 'utc'::text)", timestamp)).toBe(0);
});

test('an invalid default with many casts is rejected in negligible time', () => {
  // Time quadrupled with each cast: 12 s for eight casts.
  const odd = `NULL${'::text'.repeat(8_000)}!`;
  expect(cpuMs(() => expect(schemaDefault(odd, numericType(-1, options))).toBeUndefined())).toBeLessThan(2_000);
});
