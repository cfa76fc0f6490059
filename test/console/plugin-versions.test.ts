/** Several versions of a plugin: which one a config chooses, and what can be chosen. */
import { choicesOf, chosenOf, installedOf, matches, placeText } from '../../packages/console/src/parts/plugin-versions';
import type { ConnectorJvm } from '../../packages/console/src/worker-api';
import { jvmFacts } from '../../packages/console/src/pages/connector/jvm-facts';

const CLASS = 'io.x.PostgresConnector';
const one = (version: string | undefined, location: string, runs_in: 'node' | 'jvm', selected_by?: string | null) => ({
  ...{ class: CLASS, type: 'source', version, location, runs_in },
  ...(selected_by !== undefined && { selected_by }),
});
const NATIVE = one('3.7', 'built-in', 'node', null);
const OLD = one('3.4', '/jars/a', 'jvm', '[3.4]');
const SAME = one('3.4', '/jars/b', 'jvm');
const OTHER = { ...NATIVE, class: 'io.y.PostgresSink' };
const ALL = [OTHER, OLD, SAME, NATIVE];

test('the installed versions of a class, also by the names that a config may use', () => {
  for (const name of [CLASS, 'PostgresConnector', 'Postgres'])
    expect(installedOf(ALL, name)).toEqual([OLD, SAME, NATIVE]);
  expect(installedOf(ALL, 'Nope')).toEqual([]);
  // Nobody can tell which one is meant.
  expect(installedOf([...ALL, { ...OTHER, class: 'io.z.Postgres' }], 'Postgres')).toEqual([]);
});

test('which one runs by connector.plugin.version; of a range it is unknown', () => {
  const installed = installedOf(ALL, CLASS);
  for (const version of [undefined, '', 'latest']) expect(chosenOf(installed, version)).toBe(NATIVE);
  for (const version of ['[3.4]', '3.4', ' 3.4 ']) expect(chosenOf(installed, version)).toBe(OLD);
  for (const version of ['[3.0,4.0)', '9', '[']) expect(chosenOf(installed, version)).toBe(null);
  expect(chosenOf([{ class: CLASS, type: 'source' }], '')).toBe(null);
});

test('what can be chosen: not one that another of the same version hides; a range remains', () => {
  const installed = installedOf(ALL, CLASS);
  const offered = [
    ['', '3.7 · Node.js · built-in'],
    ['[3.4]', '3.4 · JVM · /jars/a'],
  ];
  expect(choicesOf(installed, undefined)).toEqual({ value: '', choices: offered });
  expect(choicesOf(installed, '3.4')).toEqual({ value: '[3.4]', choices: offered });
  expect(choicesOf(installed, '[3,4)')).toEqual({
    value: '[3,4)',
    choices: [...offered, ['[3,4)', 'connector.plugin.version = [3,4)']],
  });
  expect(choicesOf([], undefined)).toEqual({ value: '', choices: [] });
});

test('a place names what is known, and is found by it', () => {
  expect(placeText(one(undefined, '/p', 'node'))).toBe('no version · Node.js · /p');
  expect(placeText({ class: CLASS, type: 'source', version: '1' })).toBe('1');
  expect([OLD, SAME, NATIVE].filter((plugin) => matches(plugin, 'postgres jvm /jars/b'))).toEqual([SAME]);
});

test('the JVM of a connector in words; what is unknown is said to be so', () => {
  const jvm: ConnectorJvm = {
    ...{ worker: 'w:1', state: 'up' as const, isOwn: false, pid: 7, heapUsed: 100 << 20, heapMax: 512 << 20 },
    ...{ residentBytes: 300 << 20, restarts: 0, hungThreads: 0, silentSeconds: 0 },
  };
  expect(jvmFacts(jvm)).toEqual({
    text: 'process 7 · heap 100 MiB of 512 MiB · 300 MiB in all · shared by its folder',
    problem: null,
  });
  expect(jvmFacts({ ...jvm, isOwn: true, heapUsed: null, residentBytes: null })).toEqual({
    text: 'process 7 · heap unknown · of this connector alone',
    problem: null,
  });
  expect(jvmFacts({ ...jvm, state: 'silent', silentSeconds: 90 }).problem).toBe('has not answered for 1 min 30 s');
  expect(jvmFacts({ ...jvm, restarts: 2, hungThreads: 1 }).problem).toBe('2 restarts, 1 thread does not end');
  expect(jvmFacts({ ...jvm, state: 'starting', pid: null })).toMatchObject({ problem: 'starts' });
  expect(
    jvmFacts({
      ...{
        worker: 'w',
        state: 'unknown' as const,
        isOwn: null,
        pid: null,
        heapUsed: null,
        heapMax: null,
        residentBytes: null,
      },
      ...{ restarts: null, hungThreads: null, silentSeconds: null },
    }),
  ).toEqual({ text: 'unknown', problem: null });
});
