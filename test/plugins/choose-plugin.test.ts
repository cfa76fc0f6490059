import { choosePlugin, versionChoosing } from '../../src/plugins/choose-plugin';
import type { PluginDescription } from '../../src/plugins/registry';

const plugin = (version: string, java?: true): PluginDescription => ({
  ...{ type: 'source', class: 'x.A', version, aliases: [], taskClass: null },
  location: java ? `/jars/${version}` : 'built-in',
  ...(java && { java }),
});
const jar = (version: string): PluginDescription => plugin(version, true);
const chosen = (installed: readonly PluginDescription[], version?: string | null): string => {
  const found = choosePlugin(installed, version);
  return found === null ? 'none' : `${found.java ? 'jar' : 'native'} ${found.version}`;
};
const BOTH = [jar('3.4.0.Final'), plugin('3.7.0.Final'), jar('3.10.0.Final'), plugin('3.8.0.Final')];

test.each([
  [[], undefined, 'none'],
  [BOTH, undefined, 'native 3.8.0.Final'],
  [BOTH, null, 'native 3.8.0.Final'],
  [BOTH, 'latest', 'native 3.8.0.Final'],
  [[jar('9'), jar('10'), jar('undefined')], undefined, 'jar 10'],
  [BOTH, '[3.0,3.5)', 'jar 3.4.0.Final'],
  [BOTH, '[3.0,)', 'jar 3.10.0.Final'],
  [BOTH, ' 3.7.0.Final ', 'native 3.7.0.Final'],
  [BOTH, '3.4.0.Final', 'jar 3.4.0.Final'],
])('of %j, version %s: %s', (installed, version, expected) => {
  expect(chosen(installed as readonly PluginDescription[], version)).toBe(expected);
});

test('a version that a jar satisfies means the jar, even if the native plugin reports it', () => {
  expect(chosen([plugin('4.3.1'), jar('4.3.1')], '4.3.1')).toBe('jar 4.3.1');
  expect(chosen([plugin('4.3.1'), jar('4.3.1')])).toBe('native 4.3.1');
});

test('connect-rest 2.3: a version that is not installed, or is no version', () => {
  expect(() => chosen(BOTH, '[4,5)')).toThrow(
    expect.objectContaining({
      code: 'PLUGIN_VERSION_NOT_FOUND',
      message:
        'Plugin x.A not found that matches the version range [4,5), available versions: [3.4.0.Final, 3.7.0.Final, 3.8.0.Final, 3.10.0.Final]',
    }),
  );
  expect(() => chosen(BOTH, '[1')).toThrow(
    expect.objectContaining({ code: 'PLUGIN_VERSION_INVALID', message: 'Unbounded range: [1' }),
  );
});

test('the version that chooses a plugin: none, its own, or no setting does', () => {
  const texts = (installed: readonly PluginDescription[]): unknown[] =>
    installed.map((one) => versionChoosing(installed, one));
  expect(texts(BOTH)).toEqual(['[3.4.0.Final]', '[3.7.0.Final]', '[3.10.0.Final]', null]);
  expect(texts([plugin('4.3.1'), jar('4.3.1')])).toEqual([null, '[4.3.1]']);
  expect(texts([plugin('4.3.2'), plugin('4.3.1'), jar('4.3.1'), jar('4.3.1')])).toEqual([
    null,
    undefined,
    '[4.3.1]',
    undefined,
  ]);
  expect(texts([plugin('1,2'), plugin('0,9')])).toEqual([null, undefined]);
});
