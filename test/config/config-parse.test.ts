import type { ConfigType } from '@millrace/sdk';
import { parseConfigValue, renderConfigValue } from '../../src/config/config-parse';
import { cpuMs } from '../helpers/cpu-time';

test.each<[ConfigType, string, unknown]>([
  ['BOOLEAN', ' TRUE ', true],
  ['INT', '-2147483648', -2147483648],
  ['SHORT', '+7', 7],
  ['LONG', '9223372036854775807', 9223372036854775807n],
  ['DOUBLE', '1.5d', 1.5],
  ['DOUBLE', '.5', 0.5],
  ['DOUBLE', '-Infinity', -Infinity],
  ['LIST', '', []],
  ['LIST', ' a , b,,c ', ['a', 'b', '', 'c']],
  ['STRING', '\t x y \n', 'x y'],
  ['PASSWORD', ' p ', 'p'],
])('%s %j is %p', (type, text, expected) => {
  expect(parseConfigValue(type, text)).toEqual(expected);
});

test.each<[ConfigType, string, string]>([
  ['BOOLEAN', 'yes', 'Expected value to be either true or false'],
  ['INT', '2147483648', 'Not a number of type INT'],
  ['INT', '1.0', 'Not a number of type INT'],
  ['INT', '', 'Not a number of type INT'],
  ['SHORT', '32768', 'Not a number of type SHORT'],
  ['LONG', '9223372036854775808', 'Not a number of type LONG'],
  ['DOUBLE', '1,5', 'Not a number of type DOUBLE'],
  ['DOUBLE', '', 'Not a number of type DOUBLE'],
])('connect-rest §3.5: %s rejects %j', (type, text, reason) => {
  expect(() => parseConfigValue(type, text)).toThrow(reason);
});

test.each([
  [7, '7.0'],
  [1.5, '1.5'],
  [1e10, '1.0E10'],
  [5e-324, '4.9E-324'],
  [1.25e-5, '1.25E-5'],
  [0, '0.0'],
  [-0, '-0.0'],
  [1234567, '1234567.0'],
  [NaN, 'NaN'],
])('connect-rest §3.3: the double %p is shown as %s', (value, shown) => {
  expect(renderConfigValue('DOUBLE', value)).toBe(shown);
});

test('texts that fail at their end are parsed in linear time', () => {
  const blanks = ' '.repeat(1_000_000);
  const ms = cpuMs(() => {
    expect(parseConfigValue('LIST', `a${blanks}b , c`)).toEqual([`a${blanks}b`, 'c']);
    expect(() => parseConfigValue('DOUBLE', `${'9'.repeat(1_000_000)}x`)).toThrow('Not a number of type DOUBLE');
  });
  // With quadratic time, a tenth of one of them takes 10 s.
  expect(ms).toBeLessThan(5_000);
});

test('a list loses only the blanks next to a comma', () => {
  expect(parseConfigValue('LIST', ' a b ,\t c ,, \u00a0d,')).toEqual(['a b', 'c', '', '\u00a0d', '']);
});
