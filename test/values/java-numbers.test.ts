import { parseFloating } from '../../src/values/java-numbers';
import { cpuMs } from '../helpers/cpu-time';

test.each([
  ['1', 1],
  ['1.', 1],
  ['.5', 0.5],
  ['-1.5e3f', -1500],
  ['.', null],
  ['1.2.3', null],
  ['', null],
])('%j is read as %s', (text, value) => {
  expect(parseFloating(text)).toBe(value);
});

test('a value of 1 MB that is not a number is rejected in negligible time', () => {
  // An expression that could split the digits in two ways took 12 s for 40 KB.
  expect(cpuMs(() => expect(parseFloating(`${'1'.repeat(1_000_000)}x`)).toBeNull())).toBeLessThan(2_000);
});
