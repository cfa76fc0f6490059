import { compareVersions, VersionRange } from '../../src/plugins/version-range';

test('versions in ascending order', () => {
  const sorted = ['1.0-alpha-1', '1.0-beta', '1.0-rc1', '1.0-SNAPSHOT', '1.0', '1.0-sp', '1.0.1', '1.2', '1.10', '2.0'];
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
  expect(compareVersions('1', '1.0.0')).toBe(0);
  expect(compareVersions('1.0.Final', '1.0')).toBe(0);
});

test.each([
  ['1.0', ['1.0', '1.0.0'], ['1.0.1', '0.9']],
  ['[1.0,2.0)', ['1.0', '1.9.9'], ['2.0', '0.9']],
  ['(1.0,)', ['1.0.1', '9'], ['1.0']],
  ['(,1.0],[1.2,)', ['0.1', '1.0', '1.2', '3'], ['1.1']],
  ['[1.5]', ['1.5'], ['1.6']],
])('range %s', (spec, inside, outside) => {
  const range = VersionRange.parse(spec);
  expect(inside.filter((version) => range?.contains(version))).toEqual(inside);
  expect(outside.filter((version) => range?.contains(version))).toEqual([]);
});

test('any version, and invalid ranges', () => {
  expect([VersionRange.parse(null), VersionRange.parse('latest')]).toEqual([null, null]);
  expect(() => VersionRange.parse('[1')).toThrow('Unbounded range: [1');
  expect(() => VersionRange.parse('[2,1]')).toThrow('Range defies version ordering: [2,1]');
  expect(() => VersionRange.parse('(1)')).toThrow('Single version must be surrounded by []: (1)');
});
